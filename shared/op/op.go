// Package op declares Utter's operations, the small steps that plans are made of.
// Each is declared once: its arguments are a Go struct, and what else is known of it is a line of the table in this
// file. Argument checks, JSON Schemas, policy, what logs leave out, the settings app's wording and the plugin guide's
// table come from here. How an operation is carried out is its handler's, which registers by the type of the arguments.
package op

import (
	"reflect"
	"slices"
	"strings"
)

// A Name is the name of an operation on every wire: "open_url".
type Name string

// Args are the arguments of one operation: a struct of this package, or Foreign.
type Args interface{ Op() Name }

// A Foreign is an operation of a plugin, with whatever arguments: values as JSON has them, whole numbers as int.
type Foreign struct {
	Name Name
	Args map[string]any
}

// Op returns the name that the plugin gave it.
func (f Foreign) Op() Name { return f.Name }

// A Tier is the way in which an operation reaches the desktop.
type Tier string

// The tiers, from the surest to the least sure.
const (
	TierApp      Tier = "app"
	TierKeyboard Tier = "keyboard"
	TierVision   Tier = "vision"
)

// Contents are what arguments may hold that somebody must look at.
type Contents uint8

// The contents.
const (
	Private Contents = 1 << iota // the user's own text: logs and signals leave it out
	Address                      // url: it must have one of Schemes
	Program                      // argv: with one, the operation counts as terminal
	Input                        // it goes to whatever window is focused, as if typed there
)

// Schemes are those that an address from a program may have.
var Schemes = []string{"http", "https", "mailto"}

// A Spec is what is declared of an operation besides its arguments.
type Spec struct {
	Name Name
	Doc  string // what it does, in the words of the plugin guide
	Tier Tier   // "" for an operation that the agent does not have
	// Off: it is off until [policy] enabled_ops names it, and then asks each time.
	Off bool
	// Asks: it asks before it is carried out for a program other than the user's own words.
	Asks bool
	// Missing: the agent has no handler for it yet.
	Missing bool
	// MovesFocus: it may move the focus where the user wants it, and the later steps of a plan go along. What brings up
	// a window binds them to that one instead.
	MovesFocus bool
	Contents   Contents
	// Says are sentences for people about a step; the first whose condition holds is said.
	Says []Saying
	// Allow is the switch of the settings app that turns an operation on that is Off.
	Allow Switch
	// Ask is the switch of the settings app that has the user asked first; without a title there is none.
	Ask Switch

	args reflect.Type // nil for an operation that only plugins have
}

// A Saying is a sentence about a step, marked for translation. {name} stands for an argument.
type Saying struct {
	// When is the condition: "" always holds, "app" where that argument is given, "direction=up" where it has a value.
	When string
	Text string
}

// A Switch is a switch of the settings app; its texts are marked for translation.
type Switch struct{ Title, Subtitle string }

// Type returns the type of its arguments, or nil for an operation that only plugins have.
func (s Spec) Type() reflect.Type { return s.args }

// An Argument is one argument of an operation, as people are told of it.
type Argument struct {
	Name     string
	Required bool
}

// Arguments returns what can be given.
func (s Spec) Arguments() []Argument {
	if s.args == nil {
		return nil
	}
	var all []Argument
	for _, f := range fieldsOf(s.args) {
		all = append(all, Argument{f.name, f.required})
	}
	return all
}

// Has reports whether its arguments may hold any of c.
func (s Spec) Has(c Contents) bool { return s.Contents&c != 0 }

// Foreign reports whether only plugins carry it out.
func (s Spec) Foreign() bool { return s.args == nil }

// of completes the declaration of an operation whose arguments are an A.
func of[A Args](s Spec) Spec {
	var a A
	s.Name, s.args = a.Op(), reflect.TypeFor[A]()
	if s.Tier == "" {
		s.Tier = TierApp
	}
	return s
}

var byName = func() map[Name]*Spec {
	all := make(map[Name]*Spec, len(specs))
	for i := range specs {
		all[specs[i].Name] = &specs[i]
	}
	return all
}()

// Specs returns every declared operation, in the order in which people read them. What they point to must not be
// changed.
func Specs() []Spec { return slices.Clone(specs) }

// Find returns what is declared of an operation.
func Find(name Name) (Spec, bool) {
	if s, ok := byName[name]; ok {
		return *s, true
	}
	return Spec{}, false
}

// Known reports whether the agent has an operation of that name.
func Known(name Name) bool {
	s, ok := Find(name)
	return ok && !s.Foreign()
}

// Off reports whether an operation is off until the user switches it on.
func Off(name Name) bool {
	s, ok := Find(name)
	return ok && s.Off
}

// Of returns what is declared of the operation that a is of; nothing of a Foreign one, but that its arguments, which
// may be anything, are Private.
func Of(a Args) Spec {
	if f, ok := a.(Foreign); ok || a == nil {
		return Spec{Name: f.Name, Tier: TierApp, Contents: Private}
	}
	return *byName[a.Op()]
}

// Is reports whether a are the arguments of one operation.
func Is[A Args](a Args) bool {
	_, ok := a.(A)
	return ok
}

// AppOf returns the application that a names, or "".
func AppOf(a Args) string {
	if a == nil || Is[Foreign](a) {
		return ""
	}
	v := reflect.ValueOf(a)
	for _, f := range fieldsOf(v.Type()) {
		if f.name == "app" {
			return v.Field(f.index).String()
		}
	}
	return ""
}

// TypesInto returns the application that keys or text go to without its being focused, or "".
func TypesInto(a Args) string {
	if !Of(a).Has(Input) {
		return ""
	}
	return AppOf(a)
}

// Visits reports whether keys or text go to a window that need not be focused; the focus is given back.
func Visits(a Args) bool {
	switch a := a.(type) {
	case Key:
		return a.App != "" || a.WindowID != ""
	case TypeText:
		return a.App != "" || a.WindowID != ""
	}
	return false
}

// Into returns keys or text that go to an application instead; any other arguments as they are.
func Into(a Args, app string) Args {
	switch a := a.(type) {
	case Key:
		a.App = app
		return a
	case TypeText:
		a.App = app
		return a
	}
	return a
}

// Texts returns the arguments of the compositor's command as texts.
func (n Niri) Texts() []string { return words(n.Args) }

// String returns the compositor's command with its arguments.
func (n Niri) String() string { return strings.Join(append([]string{n.Command}, n.Texts()...), " ") }

// Bare returns the name in an operation's other spelling on the runner's wire, "action.open_url".
func Bare(written string) Name { return Name(strings.TrimPrefix(written, "action.")) }

// IsInput reports whether an operation presses keys and buttons in a plugin's own way: "input" and "input.…".
func IsInput(name Name) bool { return name == "input" || strings.HasPrefix(string(name), "input.") }
