package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// module begins the import paths that are ours. What is wrong elsewhere stems
// from looking at C code without compiling it.
const module = "utter/"

// A listed is what the go command says about a package.
type listed struct {
	ImportPath, Dir   string
	GoFiles, CgoFiles []string
	ImportMap         map[string]string
	Error             *struct{ Err string }
}

// ours tells whether the package is one to report about.
func (l *listed) ours() bool { return strings.HasPrefix(l.ImportPath, module) }

// A tree is a set of packages with everything that they import.
type tree struct {
	fset     *token.FileSet
	packages []*listed // what is imported comes first
	files    map[*listed][]*ast.File
	checked  map[string]*types.Package
	info     *types.Info // of our packages
	syntax   []string    // what could not be parsed
	found    []string
}

// load parses the packages, their tests and all they import.
func load(patterns []string) (*tree, error) {
	packages, err := list(patterns)
	if err != nil {
		return nil, err
	}
	t := &tree{
		fset:    token.NewFileSet(),
		files:   map[*listed][]*ast.File{},
		checked: map[string]*types.Package{"unsafe": types.Unsafe},
		info:    &types.Info{Uses: map[*ast.Ident]types.Object{}},
	}
	for _, l := range packages {
		if strings.HasSuffix(l.ImportPath, ".test") || l.ImportPath == "unsafe" {
			continue // a test's main is made while it is built
		}
		if l.Error != nil && l.ours() {
			t.syntax = append(t.syntax, l.Error.Err)
		}
		t.packages = append(t.packages, l)
		t.parse(l)
	}
	return t, nil
}

// list asks the go command. It looks at the files only and compiles nothing.
func list(patterns []string) ([]*listed, error) {
	args := []string{"list", "-e", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,CgoFiles,ImportMap,Error"}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaints.String())
	}
	var packages []*listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		l := &listed{}
		err := dec.Decode(l)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read what go list says: %w", err)
		}
		packages = append(packages, l)
	}
}

func (t *tree) parse(l *listed) {
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(l.Dir, name)
		}
		file, err := parser.ParseFile(t.fset, name, nil, parser.SkipObjectResolution)
		if err != nil && l.ours() {
			t.syntax = append(t.syntax, strings.Split(err.Error(), "\n")...)
		}
		if file == nil {
			continue
		}
		if !l.ours() {
			withoutC(file)
		}
		t.files[l] = append(t.files[l], file)
	}
}

// withoutC puts Go's integers in the place of C's where a binding declares types,
// constants and variables with them: what comes from C has no type here.
func withoutC(file *ast.File) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				spec.Type = plainType(spec.Type)
			case *ast.ValueSpec:
				for i, value := range spec.Values {
					spec.Values[i] = plainValue(value)
				}
			}
		}
	}
}

func plainType(e ast.Expr) ast.Expr {
	switch nameInC(e) {
	case "gint":
		return ast.NewIdent("int32")
	case "guint":
		return ast.NewIdent("uint32")
	}
	return e
}

// plainValue puts 0 where e takes a value from C.
func plainValue(e ast.Expr) ast.Expr {
	call, isCall := e.(*ast.CallExpr)
	switch {
	case nameInC(e) != "", isCall && nameInC(call.Fun) != "":
		return &ast.BasicLit{Kind: token.INT, Value: "0", ValuePos: e.Pos()}
	case isCall:
		for i, arg := range call.Args {
			call.Args[i] = plainValue(arg)
		}
	}
	return e
}

// nameInC returns x of C.x, "" of anything else.
func nameInC(e ast.Expr) string {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := selector.X.(*ast.Ident); !ok || x.Name != "C" {
		return ""
	}
	return selector.Sel.Name
}

// typeErrors type-checks everything and returns what is wrong in our packages.
func (t *tree) typeErrors() []string {
	for _, l := range t.packages {
		conf := types.Config{
			Importer:         importer{t, l.ImportMap},
			FakeImportC:      true,
			IgnoreFuncBodies: !l.ours(),
			Sizes:            types.SizesFor("gc", runtime.GOARCH),
			Error:            func(err error) { t.report(l, err) },
		}
		info := t.info
		if !l.ours() {
			info = nil
		}
		path, _, _ := strings.Cut(l.ImportPath, " ") // "path [path.test]": with its tests
		// The error is the first of those that went to report.
		t.checked[l.ImportPath], _ = conf.Check(path, t.fset, t.files[l], info)
	}
	slices.Sort(t.found)
	return slices.Compact(t.found)
}

func (t *tree) report(l *listed, err error) {
	if l.ours() {
		t.found = append(t.found, relative(err.Error()))
	}
}

// relative takes the working folder from the beginning of a message.
func relative(message string) string {
	dir, err := os.Getwd()
	if err != nil {
		return message
	}
	return strings.TrimPrefix(message, dir+"/")
}

// An importer gives what has been checked already.
type importer struct {
	tree   *tree
	rename map[string]string
}

func (i importer) Import(path string) (*types.Package, error) {
	if name, ok := i.rename[path]; ok {
		path = name
	}
	if pkg, ok := i.tree.checked[path]; ok {
		return pkg, nil
	}
	return nil, fmt.Errorf("%s does not exist", path)
}
