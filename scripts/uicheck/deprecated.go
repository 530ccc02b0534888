package main

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// deprecatedNames are the names that girlist prints.
//
//go:embed deprecated.txt
var deprecatedNames string

// deprecated tells whether GTK or libadwaita calls the name deprecated. The
// bindings cannot say it: they stem from an older GTK.
var deprecated = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.Lines(deprecatedNames) {
		names[strings.TrimSpace(name)] = true
	}
	return names
}()

// prefixes are how the names of C begin that a package binds.
var prefixes = map[string]string{
	"github.com/diamondburned/gotk4/pkg/gtk/v4":      "Gtk",
	"github.com/diamondburned/gotk4-adwaita/pkg/adw": "Adw",
}

// deprecatedInGo returns where our Go files use something deprecated. A
// function is known by what its binding calls in C.
func (t *tree) deprecatedInGo() (found []string) {
	bodies := t.bodies()
	for ident, object := range t.info.Uses {
		for _, name := range cNames(object, bodies) {
			if deprecated[name] {
				found = append(found, relative(fmt.Sprintf("%s: %s is deprecated", t.fset.Position(ident.Pos()), name)))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// bodies returns the functions of the bindings by where their names stand.
func (t *tree) bodies() map[token.Pos]*ast.FuncDecl {
	all := map[token.Pos]*ast.FuncDecl{}
	for l, files := range t.files {
		if prefixes[l.ImportPath] == "" {
			continue
		}
		for _, file := range files {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					all[f.Name.Pos()] = f
				}
			}
		}
	}
	return all
}

// cNames returns what object may be called in C: its type, or the functions
// that it calls and the signals that it connects.
func cNames(object types.Object, bodies map[token.Pos]*ast.FuncDecl) []string {
	if object.Pkg() == nil || prefixes[object.Pkg().Path()] == "" {
		return nil
	}
	prefix := prefixes[object.Pkg().Path()]
	if _, ok := object.(*types.TypeName); ok {
		return []string{prefix + object.Name()}
	}
	f := bodies[object.Pos()]
	if f == nil || f.Body == nil {
		return nil
	}
	var names []string
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if name := nameInC(n); name != "" {
				names = append(names, name)
			}
		case *ast.BasicLit:
			if signal, err := strconv.Unquote(n.Value); err == nil {
				names = append(names, prefix+receiver(f)+"::"+signal)
			}
		}
		return true
	})
	return names
}

// receiver returns the name of the type that f is a method of.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// deprecatedInUI returns where the .ui files beside our packages use something
// deprecated.
func (t *tree) deprecatedInUI() (found []string, err error) {
	dirs := map[string]bool{}
	for _, l := range t.packages {
		if l.ours() {
			dirs[l.Dir] = true
		}
	}
	for dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.ui"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			used, err := deprecatedInFile(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", relative(file), err)
			}
			found = append(found, used...)
		}
	}
	slices.Sort(found)
	return found, nil
}

func deprecatedInFile(file string) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return deprecatedInBuilder(f, relative(file))
}

// deprecatedInBuilder reads the XML of GtkBuilder.
func deprecatedInBuilder(r io.Reader, file string) (found []string, err error) {
	dec := xml.NewDecoder(r)
	var open []string // the classes of the elements around, "" for other elements
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name, class := builderName(token, open)
			open = append(open, class)
			if deprecated[name] {
				line, _ := dec.InputPos()
				found = append(found, fmt.Sprintf("%s:%d: %s is deprecated", file, line, name))
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// builderName returns what an element names, as girlist writes it, and the
// class that it opens.
func builderName(e xml.StartElement, open []string) (name, class string) {
	attr := map[string]string{}
	for _, a := range e.Attr {
		attr[a.Name.Local] = a.Value
	}
	var of string // the class that the element belongs to
	if len(open) > 0 {
		of = open[len(open)-1]
	}
	switch e.Name.Local {
	case "object":
		return attr["class"], attr["class"]
	case "template":
		return attr["parent"], attr["parent"]
	case "property", "binding":
		return of + ":" + attr["name"], ""
	case "signal":
		return of + "::" + attr["name"], ""
	}
	return "", ""
}
