package main

import (
	"fmt"
	"go/types"
	"slices"
)

// broken holds functions of the bindings that end the program, by their full
// names, and why.
var broken = map[string]string{
	"(*" + gdk + ".Display).MapKeycode": "frees parts of its answer at the next collection; use TranslateKey",
	"(*" + gdk + ".Display).MapKeyval":  "frees parts of its answer at the next collection",
	gtk + ".NewPropertyExpression":      "takes an expression for an object; write it in a .ui file",
	gtk + ".NewClosureExpression":       "takes an expression for an object; write it in a .ui file",
	gtk + ".NewConstantExpression":      "takes an expression for an object; write it in a .ui file",
}

const (
	gdk = "github.com/diamondburned/gotk4/pkg/gdk/v4"
	gtk = "github.com/diamondburned/gotk4/pkg/gtk/v4"
)

// brokenInGo returns where our Go files use what is broken in the bindings.
func (t *tree) brokenInGo() (found []string) {
	for ident, object := range t.info.Uses {
		f, ok := object.(*types.Func)
		if !ok {
			continue
		}
		if why := broken[f.FullName()]; why != "" {
			found = append(found, relative(fmt.Sprintf("%s: %s %s", t.fset.Position(ident.Pos()), f.Name(), why)))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
