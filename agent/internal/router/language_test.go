package router

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// notWords are the texts with letters in the router's code that are not words of a
// language, and why.
var notWords = map[string]string{
	"focus-": "actions of the compositor begin so", "switch-focus": "as above",
	"move-window-to-": "as above", "move-column-to-": "as above",
	"--id": "an option of such an action", "generic-browser": "the id of a profile",
	"action.": "operations of plugins begin so",
	"f%d":     "a key by its name on every keyboard",
	" %v":     "writes an argument",
	"search.engine %w, or the name of a site that can be searched": "an error, for people",
}

// constants are those that hold such texts, and why.
var constants = map[string]string{
	"clickRule": "the name of a family", "chainRule": "as above",
	"newWindowAction": "an action of profiles", "closeTabAction": "as above", "newTabAction": "as above",
	"closeWindow": "an action of the compositor", "focusWindow": "as above", "quitSession": "as above",
	"seven":        "a number, and a direction as operations have it",
	"address":      "an address",
	"anything":     "a word of no language",
	"someKey":      "a key by its name on every keyboard",
	"plainInShell": "an alphabet",
	"why":          "a message, for people",
}

// prose are the functions that make messages and descriptions, which people read;
// of some only the last argument is one.
var (
	prose     = []string{"refuse", "in", "wants", "candidates"}
	proseLast = []string{"keySteps", "compositorStep", "searchAt"}
)

// TestTheRouterKnowsNoEnglish: every word that is matched is in the language file.
func TestTheRouterKnowsNoEnglish(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				s, _ := strconv.Unquote(text.Value)
				if strings.ContainsFunc(s, unicode.IsLetter) && notWords[s] == "" {
					t.Errorf("%s: %q belongs into the language file, or into a list of this test", set.Position(n.Pos()), s)
				}
				seen++
			}
			return !forPeople(n)
		})
	}
	if seen < 20 {
		t.Errorf("only %d texts were looked at", seen)
	}
}

// forPeople reports whether the texts in a node are read by people, or on a wire.
func forPeople(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return true
	case *ast.FuncDecl:
		return slices.Contains(prose, n.Name.Name)
	case *ast.KeyValueExpr: // name is a family's
		return slices.Contains([]string{"Description", "Message", "name"}, name(n.Key))
	case *ast.CallExpr:
		if slices.Contains(proseLast, name(n.Fun)) {
			n.Args = n.Args[:len(n.Args)-1]
		}
		return slices.Contains(prose, name(n.Fun))
	case *ast.ValueSpec:
		return slices.Contains([]string{"Group", "kind"}, name(n.Type)) || constants[n.Names[0].Name] != ""
	}
	return false
}

// name is the name of a function, a field or a type.
func name(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name
	case *ast.SelectorExpr:
		return n.Sel.Name
	}
	return ""
}
