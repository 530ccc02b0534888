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

// The arguments of the operations. A field must be given unless its tag says omitzero or it is a pointer; min and max
// bound a number, enum lists the texts that are allowed, doc explains a field that does not explain itself.
type (
	// OpenURL shows a page.
	OpenURL struct {
		URL    string `json:"url" doc:"http, https or mailto"`
		NewTab bool   `json:"new_tab,omitzero"`
	}
	// EnsureURL switches to a page that is open, or opens it.
	EnsureURL struct {
		URL       string `json:"url" doc:"http or https"`
		Site      string `json:"site,omitzero" doc:"what the window of a page that is already open is called"`
		MustExist bool   `json:"must_exist,omitzero" doc:"open nothing"`
	}
	// LaunchApp starts an application, or a program. App may name what Argv starts; one of them is given.
	LaunchApp struct {
		App  string   `json:"app,omitzero"`
		Argv []string `json:"argv,omitzero"`
	}
	// EnsureApp switches to an application, or starts it.
	EnsureApp struct {
		App  string   `json:"app"`
		Argv []string `json:"argv,omitzero"`
	}
	// FocusApp switches to an application that runs.
	FocusApp struct {
		App string `json:"app" doc:"the id of an application"`
	}
	// CloseApp closes a window of an application.
	CloseApp struct {
		App string `json:"app" doc:"the id of an application"`
	}
	// Search searches the web.
	Search struct {
		Query string `json:"query"`
	}
	// Key presses a chord, in the focused window unless a window or an application is named.
	Key struct {
		Chord    string `json:"chord" doc:"as in ctrl+shift+t"`
		App      string `json:"app,omitzero"`
		WindowID string `json:"window_id,omitzero"`
	}
	// TypeText types text, into the focused window unless a window or an application is named.
	TypeText struct {
		Text            string `json:"text"`
		App             string `json:"app,omitzero"`
		WindowID        string `json:"window_id,omitzero"`
		RequireReadBack bool   `json:"require_read_back,omitzero"`
	}
	// Terminal types a command into the focused terminal.
	Terminal struct {
		Command string `json:"command"`
		Enter   *bool  `json:"enter,omitzero" doc:"false leaves pressing Enter to the user"`
	}
	// Niri is a command of the compositor, in niri's words. Args are texts and whole numbers.
	Niri struct {
		Command  string `json:"command"`
		Args     []any  `json:"args,omitzero"`
		WindowID string `json:"window_id,omitzero"`
	}
	// Media is a command to a media player.
	Media struct {
		Command string `json:"command"`
		App     string `json:"app,omitzero"`
	}
	// ClickElement clicks an element by what it says.
	ClickElement struct {
		Description string `json:"description"`
	}
	// ClickPoint clicks at a point of the layout of all screens, in pixels.
	ClickPoint struct {
		X int `json:"x" doc:"in pixels of all screens together"`
		Y int `json:"y"`
	}
	// Scroll turns the wheel over the focused window. Amount 0 is DefaultScroll.
	Scroll struct {
		Direction string `json:"direction" enum:"up,down,left,right"`
		Amount    int    `json:"amount,omitzero" min:"1" max:"100" doc:"steps of the wheel"`
	}
	// Wait waits. MS nil is DefaultWait.
	Wait struct {
		MS *int `json:"ms,omitzero" min:"0" max:"10000" doc:"milliseconds"`
	}
	// Speak says something to the user.
	Speak struct {
		Text string `json:"text"`
	}
	// Done does nothing.
	Done struct{}
)

// What counts where an argument is left out.
const (
	DefaultScroll = 5   // steps of the wheel
	DefaultWait   = 300 // milliseconds
)

// Op returns the operation's name.
func (OpenURL) Op() Name      { return "open_url" }
func (EnsureURL) Op() Name    { return "ensure_url" }
func (LaunchApp) Op() Name    { return "launch_app" }
func (EnsureApp) Op() Name    { return "ensure_app" }
func (FocusApp) Op() Name     { return "focus_app" }
func (CloseApp) Op() Name     { return "close_app" }
func (Search) Op() Name       { return "search" }
func (Key) Op() Name          { return "key" }
func (TypeText) Op() Name     { return "type_text" }
func (Terminal) Op() Name     { return "terminal" }
func (Niri) Op() Name         { return "niri" }
func (Media) Op() Name        { return "media" }
func (ClickElement) Op() Name { return "click_element" }
func (ClickPoint) Op() Name   { return "click_point" }
func (Scroll) Op() Name       { return "scroll" }
func (Wait) Op() Name         { return "wait" }
func (Speak) Op() Name        { return "speak" }
func (Done) Op() Name         { return "done" }

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

// Schemes are those that an address may have.
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
	// MovesFocus: afterwards another window may be focused, so nothing that was known of the focus counts.
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

// Specs returns every declared operation, in the order in which people read them.
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
	switch a := a.(type) {
	case LaunchApp:
		return a.App
	case EnsureApp:
		return a.App
	case FocusApp:
		return a.App
	case CloseApp:
		return a.App
	case Media:
		return a.App
	}
	return TypesInto(a)
}

// TypesInto returns the application that keys or text go to without its being focused, or "".
func TypesInto(a Args) string {
	switch a := a.(type) {
	case Key:
		return a.App
	case TypeText:
		return a.App
	}
	return ""
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
