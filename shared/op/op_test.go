package op

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	type given = map[string]any
	tests := []struct {
		name Name
		args given
		want string // in the error; "" if they are sound
	}{
		{"open_url", given{"url": "https://e.org", "new_tab": true}, ""},
		{"ensure_url", given{"url": "https://e.org", "site": "e", "must_exist": true}, ""},
		{"launch_app", given{"app": "foot"}, ""},
		{"launch_app", given{"argv": []string{"foot"}}, ""},
		{"ensure_app", given{"app": "foot", "argv": []any{"foot", "-e"}}, ""},
		{"niri", given{"command": "focus-workspace", "args": []any{3, "x", uint32(4), float64(5)}}, ""},
		{"click_point", given{"x": 1, "y": int64(2)}, ""},
		{"wait", nil, ""},
		{"wait", given{"ms": 0}, ""},
		{"done", nil, ""},
		{"type_text", given{"text": ""}, ""},
		{"scroll", given{"direction": "up"}, ""},
		{"scroll", given{"direction": "up", "amount": 100}, ""},

		{"", nil, `unknown operation ""`},
		{"open_uri", nil, `unknown operation "open_uri"`},
		{"input", nil, `unknown operation "input"`},
		{"open_url", nil, `open_url: argument "url" is missing`},
		{"open_url", given{"url": 3}, `argument "url" is 3, not a text`},
		{"open_url", given{"url": nil}, `argument "url" is <nil>, not a text`},
		{"open_url", given{"url": "x", "new_tab": "yes"}, `"new_tab" is yes, not true or false`},
		{"open_url", given{"url": "x", "newtab": true}, `unknown argument "newtab"`},
		{"ensure_app", given{"app": "x", "argv": "x"}, `"argv" is x, not a list`},
		{"ensure_app", given{"app": "x", "argv": []any{"x", true}}, `not a list`},
		{"ensure_app", given{"app": "x", "argv": []any{1.5}}, `not a list`},
		{"launch_app", nil, `"app" or "argv" is missing`},
		{"launch_app", given{"app": "", "argv": []string{}}, `"app" or "argv" is missing`},
		{"click_point", given{"x": 1}, `"y" is missing`},
		{"click_point", given{"x": 1.5, "y": 2}, `"x" is 1.5, not a whole number`},
		{"done", given{"x": 1}, `unknown argument "x"`},
		{"scroll", given{"direction": "sideways"}, `"direction" is "sideways", not one of up, down, left, right`},
		{"scroll", given{"direction": ""}, `not one of`},
		{"scroll", given{"direction": "up", "amount": 0}, `"amount" is 0, not between 1 and 100`},
		{"scroll", given{"direction": "up", "amount": 101}, `"amount" is 101, not between 1 and 100`},
		{"wait", given{"ms": -1}, `"ms" is -1, not between 0 and 10000`},
		{"wait", given{"ms": 1 << 40}, `not between 0 and 10000`},
	}
	for _, tt := range tests {
		a, err := Decode(tt.name, tt.args)
		if tt.want == "" {
			if err != nil || a.Op() != tt.name || Check(a) != nil {
				t.Errorf("%s %v: %v, %v", tt.name, tt.args, a, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %q in it", tt.name, tt.args, err, tt.want)
		}
	}
}

// TestWhatIsMadeInGoIsCheckedToo: Check refuses what Decode would have refused.
func TestWhatIsMadeInGoIsCheckedToo(t *testing.T) {
	for _, a := range []Args{nil, Foreign{}, LaunchApp{}, Scroll{},
		Scroll{Direction: "up", Amount: 101}, Wait{MS: new(-1)}} {
		if Check(a) == nil {
			t.Errorf("%#v passes", a)
		}
	}
	for _, a := range []Args{Foreign{Name: "note"}, LaunchApp{App: "foot"}, Scroll{Direction: "up"}, Wait{},
		Wait{MS: new(0)}, Done{}} {
		if err := Check(a); err != nil {
			t.Errorf("%#v: %v", a, err)
		}
	}
}

// samples holds arguments of every operation, with all that can be given.
var samples = []Args{
	OpenURL{"u", true}, EnsureURL{"u", "s", true}, LaunchApp{"a", []string{"x"}}, EnsureApp{"a", []string{"x"}},
	FocusApp{"a"}, CloseApp{"a"},
	Search{"q"}, Key{"f5", "a", "7"}, TypeText{"t", "a", "7", true}, Terminal{"c", new(false)},
	Niri{"c", []any{"x", 3}, "7"}, Media{"c", "a"},
	ClickElement{"d"}, ClickPoint{1, 2}, Scroll{"up", 3}, Wait{new(0)}, Speak{"t"}, Done{},
}

func TestMapIsWhatDecodeReads(t *testing.T) {
	var seen []Name
	for _, a := range samples {
		seen = append(seen, a.Op())
		again, err := Decode(a.Op(), Map(a))
		if err != nil || !reflect.DeepEqual(again, a) {
			t.Errorf("%#v is %v and again %#v, %v", a, Map(a), again, err)
		}
		if shown := Show(a.Op(), Map(a)); !reflect.DeepEqual(shown, a) {
			t.Errorf("%#v is shown as %#v", a, shown)
		}
	}
	for _, s := range Specs() {
		if !s.Foreign() && !slices.Contains(seen, s.Name) {
			t.Errorf("%s has no sample", s.Name)
		}
	}
	if got := Map(Niri{Command: "x", Args: []any{}}); !reflect.DeepEqual(got,
		map[string]any{"command": "x", "args": []any{}}) {
		t.Errorf("an empty list is left out: %v", got)
	}
	if got := Map(TypeText{}); !reflect.DeepEqual(got, map[string]any{"text": ""}) {
		t.Errorf("what must be given is left out, or what need not is not: %v", got)
	}
}

// TestEveryOperationIsDeclaredWhole: it has words, a tier and arguments whose tags can be read.
func TestEveryOperationIsDeclaredWhole(t *testing.T) {
	for _, s := range Specs() {
		if s.Name == "" || s.Doc == "" ||
			!s.Foreign() && (s.Tier == "" || len(s.Says) == 0 || s.Says[len(s.Says)-1].When != "") {
			t.Errorf("%+v is not declared whole", s)
		}
		if found, ok := Find(s.Name); !ok || found.Name != s.Name {
			t.Errorf("%s is not found", s.Name)
		}
		if Off(s.Name) != (s.Name == "terminal" || s.Name == "input") {
			t.Errorf("%s is off: %v", s.Name, s.Off)
		}
		if s.Foreign() {
			continue
		}
		for i := range s.args.NumField() {
			if tag := s.args.Field(i).Tag.Get("json"); tag == "" || strings.Contains(tag, "omitempty") {
				t.Errorf("%s: the field %s has the tag %q", s.Name, s.args.Field(i).Name, tag)
			}
		}
	}
	if Known("input") || Known("") || !Known("niri") {
		t.Error("what the agent has is not known right")
	}
	if s := Of(Foreign{Name: "type_text"}); s.Tier != TierApp || !s.Has(Private) {
		t.Errorf("of a plugin's: %+v", s)
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		in any
		n  int
		ok bool
	}{
		{3, 3, true}, {int32(-3), -3, true}, {uint32(3), 3, true}, {int64(3), 3, true},
		{uint64(3), 3, true}, {float64(3), 3, true},
		{uint64(math.MaxUint64), 0, false}, {3.5, 0, false}, {math.NaN(), 0, false},
		{math.Inf(1), 0, false}, {1e300, 0, false},
		{"3", 0, false}, {nil, 0, false}, {true, 0, false},
	} {
		if n, ok := whole(tt.in); n != tt.n || ok != tt.ok {
			t.Errorf("whole(%T %v) = %d, %v", tt.in, tt.in, n, ok)
		}
	}
}

func TestApplications(t *testing.T) {
	for _, a := range samples {
		app := AppOf(a)
		if want, _ := Map(a)["app"].(string); app != want {
			t.Errorf("%#v names %q, want %q", a, app, want)
		}
		into := AppOf(Into(a, "other"))
		if types := Of(a).Has(Input); types != (into == "other") || types != (TypesInto(a) != "") {
			t.Errorf("%#v goes into %q", a, into)
		}
	}
}

// TestSentences: each names arguments that there are, and the first that fits is said.
func TestSentences(t *testing.T) {
	for _, s := range Specs() {
		known := s.Arguments()
		for _, say := range s.Says {
			for rest := say.Text; ; {
				_, behind, more := strings.Cut(rest, "{")
				name, after, closed := strings.Cut(behind, "}")
				if !more {
					break
				}
				if !closed || !slices.ContainsFunc(known, func(a Argument) bool { return a.Name == name }) {
					t.Errorf("%s: %q has an unknown argument", s.Name, say.Text)
				}
				rest = after
			}
		}
	}
	for want, a := range map[string]Args{
		"Press {chord} in {app}": Key{Chord: "f5", App: "code"}, "Press {chord}": Key{Chord: "f5"},
		"Scroll up": Scroll{Direction: "up"},
		"Scroll":    Scroll{}, "Start {argv}": LaunchApp{Argv: []string{"foot"}}, "": Foreign{Name: "note"},
	} {
		if got := Say(a); got != want {
			t.Errorf("%#v: %q, want %q", a, got, want)
		}
	}
}
