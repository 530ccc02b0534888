package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// translators are the packages whose functions hold texts: tr shows them, i18n
// marks them where tr cannot be imported.
var translators = []string{"utter/ui/model/tr", "utter/shared/i18n"}

// texts says how many of a function's first arguments are texts: context, text
// and plural.
var texts = map[string][]string{
	"T":    {"text"},
	"Mark": {"text"},
	"C":    {"context", "text"},
	"N":    {"text", "plural"},
}

// goMessages returns the texts in a Go file, which is called name. The error
// joins every call that holds none.
func goMessages(name string, source []byte) ([]message, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	local := localNames(file)
	if local == nil {
		return nil, nil
	}
	comments := translatorComments(fset, file, source)
	var found []message
	var wrong []error
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		at := fset.Position(call.Pos())
		switch m, err := callMessage(call, local); {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", name, at.Line, err))
		case m != nil:
			m.files = []string{name}
			m.comments = comments[at.Line]
			found = append(found, *m)
		}
		return true
	})
	return found, errors.Join(wrong...)
}

// localNames returns what file calls the translators that it imports.
func localNames(file *ast.File) (names []string) {
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !slices.Contains(translators, imported) {
			continue
		}
		if spec.Name != nil {
			names = append(names, spec.Name.Name)
		} else {
			names = append(names, path.Base(imported))
		}
	}
	return names
}

// callMessage returns the text in a call, nil if it is not a call for one. T may be
// given a text that Mark has marked elsewhere; the others want theirs spelled out.
func callMessage(call *ast.CallExpr, local []string) (*message, error) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	x, ok := selector.X.(*ast.Ident)
	wanted := texts[selector.Sel.Name]
	if !ok || !slices.Contains(local, x.Name) || wanted == nil || len(call.Args) < len(wanted) {
		return nil, nil
	}
	m := &message{}
	into := map[string]*string{"context": &m.context, "text": &m.id, "plural": &m.plural}
	for i, part := range wanted {
		text, ok := literal(call.Args[i])
		switch {
		case ok && text != "":
			*into[part] = text
		case !ok && selector.Sel.Name == "T":
			return nil, nil
		default:
			return nil, fmt.Errorf("%s.%s: the %s must be a string that is not empty, spelled out here",
				x.Name, selector.Sel.Name, part)
		}
	}
	return m, nil
}

// literal returns the value of a string, or of several joined with "+".
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.BinaryExpr:
		x, ok := literal(e.X)
		y, also := literal(e.Y)
		return x + y, ok && also && e.Op == token.ADD
	}
	return "", false
}

// translatorComments returns the comments for translators by the lines that
// they are about: their own where code is before them, else the next.
func translatorComments(fset *token.FileSet, file *ast.File, source []byte) map[int][]string {
	about := map[int][]string{}
	for _, group := range file.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		if !strings.HasPrefix(text, "Translators:") {
			continue
		}
		start := fset.Position(group.Pos())
		line := fset.Position(group.End()).Line
		if before := source[start.Offset-start.Column+1 : start.Offset]; len(bytes.TrimSpace(before)) == 0 {
			line++
		}
		about[line] = append(about[line], text)
	}
	return about
}
