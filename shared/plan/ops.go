package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The operations, each with its arguments.
const (
	OpenURL      Op = "open_url"      // url, new_tab?
	EnsureURL    Op = "ensure_url"    // url, site?, must_exist?
	LaunchApp    Op = "launch_app"    // app or argv (app may name what argv starts)
	EnsureApp    Op = "ensure_app"    // app, argv?
	FocusApp     Op = "focus_app"     // app
	CloseApp     Op = "close_app"     // app
	Search       Op = "search"        // query
	Key          Op = "key"           // chord, app?, window_id?
	TypeText     Op = "type_text"     // text, app?, window_id?, require_read_back?
	Terminal     Op = "terminal"      // command, enter?
	Niri         Op = "niri"          // command, args?, window_id?
	Media        Op = "media"         // command, app?
	ClickElement Op = "click_element" // description
	ClickPoint   Op = "click_point"   // x, y: pixels of the whole layout
	Scroll       Op = "scroll"        // direction, amount: wheel steps
	Wait         Op = "wait"          // ms
	Speak        Op = "speak"         // text
	Done         Op = "done"
)

// A kind is the type of an argument.
type kind int

const (
	text kind = iota
	flag
	whole
	list
)

func (k kind) String() string {
	return [...]string{"a text", "true or false", "a whole number", "a list"}[k]
}

type field struct {
	name     string
	kind     kind
	required bool
}

// schema holds the arguments of every operation.
var schema = map[Op][]field{
	OpenURL:      {{"url", text, true}, {"new_tab", flag, false}},
	EnsureURL:    {{"url", text, true}, {"site", text, false}, {"must_exist", flag, false}},
	LaunchApp:    {{"app", text, false}, {"argv", list, false}},
	EnsureApp:    {{"app", text, true}, {"argv", list, false}},
	FocusApp:     {{"app", text, true}},
	CloseApp:     {{"app", text, true}},
	Search:       {{"query", text, true}},
	Key:          {{"chord", text, true}, {"app", text, false}, {"window_id", text, false}},
	TypeText:     {{"text", text, true}, {"app", text, false}, {"window_id", text, false}, {"require_read_back", flag, false}},
	Terminal:     {{"command", text, true}, {"enter", flag, false}},
	Niri:         {{"command", text, true}, {"args", list, false}, {"window_id", text, false}},
	Media:        {{"command", text, true}, {"app", text, false}},
	ClickElement: {{"description", text, true}},
	ClickPoint:   {{"x", whole, true}, {"y", whole, true}},
	Scroll:       {{"direction", text, true}, {"amount", whole, false}},
	Wait:         {{"ms", whole, false}},
	Speak:        {{"text", text, true}},
	Done:         {},
}

// Ops returns every operation, sorted.
func Ops() []Op {
	ops := make([]Op, 0, len(schema))
	for op := range schema {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	return ops
}

// Known reports whether op is an operation.
func (op Op) Known() bool { _, ok := schema[op]; return ok }

// Dangerous reports whether op is off until the user switches it on.
func (op Op) Dangerous() bool { return op == Terminal }

// Args are the arguments of a step by name. Values are string, bool, int,
// []string or []any (strings and ints); what a plugin wrote, or carries out, has
// what encoding/json reads instead.
type Args map[string]any

// Text returns the text argument called name, or "".
func (a Args) Text(name string) string { s, _ := a[name].(string); return s }

// Flag returns the true-or-false argument called name, or false.
func (a Args) Flag(name string) bool { b, _ := a[name].(bool); return b }

// Whole returns the number called name, or otherwise.
func (a Args) Whole(name string, otherwise int) int {
	if n, ok := ToWhole(a[name]); ok {
		return n
	}
	return otherwise
}

// Texts returns the list called name with every item written as text.
func (a Args) Texts(name string) []string {
	switch v := a[name].(type) {
	case []string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = fmt.Sprint(item)
		}
		return texts
	}
	return nil
}

// ToWhole converts the number types that JSON and D-Bus bring.
func ToWhole(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int32:
		return int(n), true
	case uint32:
		return int(n), true
	case int64:
		return int(n), true
	case uint64:
		if n <= math.MaxInt64 {
			return int(n), true
		}
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int(n), true
		}
	}
	return 0, false
}

// Check reports the first argument of s that is missing, unknown or of the
// wrong type. A step that passes can be handed to any handler. What a plugin
// carries out, the runner checks by the plugin's own schema.
func (s Step) Check() error {
	if s.Plugin != "" {
		if s.Op == "" {
			return fmt.Errorf("the step of the plugin %s has no operation", s.Plugin)
		}
		return nil
	}
	fields, ok := schema[s.Op]
	if !ok {
		return fmt.Errorf("unknown operation %q", s.Op)
	}
	for _, f := range fields {
		v, given := s.Args[f.name]
		if !given {
			if f.required {
				return fmt.Errorf("%s: argument %q is missing", s.Op, f.name)
			}
			continue
		}
		if !f.kind.fits(v) {
			return fmt.Errorf("%s: argument %q is %v, not %v", s.Op, f.name, v, f.kind)
		}
	}
	for name := range s.Args {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			return fmt.Errorf("%s: unknown argument %q", s.Op, name)
		}
	}
	if s.Op == LaunchApp && s.Args.Text("app") == "" && len(s.Args.Texts("argv")) == 0 {
		return fmt.Errorf("%s: argument \"app\" or \"argv\" is missing", s.Op)
	}
	return nil
}

func (k kind) fits(v any) bool {
	switch k {
	case text:
		_, ok := v.(string)
		return ok
	case flag:
		_, ok := v.(bool)
		return ok
	case whole:
		_, ok := ToWhole(v)
		return ok
	}
	switch v := v.(type) {
	case []string:
		return true
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool {
			_, isText := item.(string)
			_, isWhole := ToWhole(item)
			return !isText && !isWhole
		})
	}
	return false
}

// String writes s as "op key=value …" with sorted keys, for people and logs
// that may see arguments. What a plugin wrote, or is told, is written as JSON,
// which can be read in one way only.
func (s Step) String() string {
	if s.Plugin != "" || s.Author != "" {
		return string(s.Op) + " " + asJSON(s.Args)
	}
	names := make([]string, 0, len(s.Args))
	for name := range s.Args {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString(string(s.Op))
	for _, name := range names {
		fmt.Fprintf(&b, " %s=%v", name, s.Args[name])
	}
	return b.String()
}

func asJSON(args Args) string {
	if args == nil {
		args = Args{}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		return fmt.Sprint(args) // a number that JSON lacks
	}
	return strings.TrimSpace(b.String())
}
