// Girlist prints what is deprecated in the GTK and libadwaita installed here, one
// name per line, for scripts/uicheck:
//
//	./scripts/dev shell bash -c 'go run ./scripts/uicheck/girlist >scripts/uicheck/deprecated.txt'
//
// A type is written GtkTreeView, a function gtk_widget_show, a constant
// GTK_ALIGN_BASELINE, a property GtkEntry:completion, a signal
// GtkWindow::keys-changed. Properties and signals are listed for every class
// that inherits them, and not for classes that are deprecated themselves.
package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

var files = []string{"/usr/share/gir-1.0/Gtk-4.0.gir", "/usr/share/gir-1.0/Adw-1.gir"}

func main() {
	if err := run(files, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "girlist:", err)
		os.Exit(1)
	}
}

func run(files []string, stdout io.Writer) error {
	all := classes{}
	var names []string
	for _, file := range files {
		found, err := read(file, all)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		names = append(names, found...)
	}
	names = append(names, all.inherited()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if _, err := fmt.Fprintln(stdout, name); err != nil {
			return err
		}
	}
	return nil
}

// An element is one of a GIR file: a namespace, a class, a method, a property.
type element struct {
	XMLName    xml.Name
	Name       string    `xml:"name,attr"`
	Deprecated string    `xml:"deprecated,attr"`
	Parent     string    `xml:"parent,attr"`
	Type       string    `xml:"http://www.gtk.org/introspection/c/1.0 type,attr"`
	Identifier string    `xml:"http://www.gtk.org/introspection/c/1.0 identifier,attr"`
	Children   []element `xml:",any"`
}

func (e element) deprecated() bool { return e.Deprecated == "1" }

// A class is what its descendants inherit of what is deprecated.
type class struct {
	name, parent string // parent as GIR has it: "Widget", or "Gtk.Widget" from elsewhere
	members      []string
	deprecated   bool
}

// classes are keyed as GIR names them, with the namespace: "Gtk.Widget".
type classes map[string]class

// read adds the classes of a file to all and returns the names of deprecated
// types, functions and constants.
func read(file string, all classes) (names []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var repository element
	if err := xml.NewDecoder(f).Decode(&repository); err != nil {
		return nil, err
	}
	for _, namespace := range repository.Children {
		if namespace.XMLName.Local != "namespace" {
			continue
		}
		for _, e := range namespace.Children {
			if name := cName(e); e.deprecated() && name != "" {
				names = append(names, name)
			}
			names = append(names, functions(e)...)
			if e.XMLName.Local == "class" || e.XMLName.Local == "interface" {
				all[namespace.Name+"."+e.Name] = newClass(namespace.Name, e)
			}
		}
	}
	return names, nil
}

// cName is the name that C code has for e, empty where it has none.
func cName(e element) string {
	if e.Identifier != "" {
		return e.Identifier
	}
	return e.Type
}

// functions returns the deprecated functions and constants of a type.
func functions(e element) (names []string) {
	for _, member := range e.Children {
		if member.deprecated() && member.Identifier != "" {
			names = append(names, member.Identifier)
		}
	}
	return names
}

func newClass(namespace string, e element) class {
	c := class{name: e.Type, parent: e.Parent, deprecated: e.deprecated()}
	if !strings.Contains(c.parent, ".") {
		c.parent = namespace + "." + c.parent
	}
	for _, member := range e.Children {
		switch {
		case !member.deprecated():
		case member.XMLName.Local == "property":
			c.members = append(c.members, ":"+member.Name)
		case member.XMLName.Local == "signal":
			c.members = append(c.members, "::"+member.Name)
		}
	}
	return c
}

// inherited returns the deprecated properties and signals of every class.
func (all classes) inherited() (names []string) {
	for _, c := range all {
		if c.deprecated {
			continue
		}
		for ancestor, ok := c, true; ok; ancestor, ok = all[ancestor.parent] {
			for _, member := range ancestor.members {
				names = append(names, c.name+member)
			}
		}
	}
	return names
}
