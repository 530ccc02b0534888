package compositor

import (
	"slices"
	"strings"
	"testing"
)

func vocabulary(t testing.TB) *Vocabulary {
	t.Helper()
	v, err := NewVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func number(n int) Arg  { return Arg{Number: n} }
func text(s string) Arg { return Arg{Text: s} }
func size(s Size) Arg   { return Arg{Size: s} }

// parseTests are what Parse is given, and what it makes of it.
var parseTests = []struct {
	in   string // the name and the arguments
	want Action // without the name; the zero Action if err is set
	err  string // a part of the error that is due
}{
	{"focus-column-left", Action{}, ""},
	{"focus-column-left left", Action{}, "takes 0 arguments, not 1"},
	{"minimize-window", Action{}, ""}, // a backend refuses it

	{"focus-window 7", Action{Window: 7}, ""},
	{"focus-window --id 7", Action{Window: 7}, ""},
	{"focus-window 18446744073709551615", Action{Window: 1<<64 - 1}, ""},
	{"focus-window", Action{}, "takes 1 arguments, not 0"},
	{"focus-window -7", Action{}, "not a window id"},
	{"focus-window 0", Action{}, "not a window id"},
	{"focus-window seven", Action{}, "not a window id"},
	{"close-window", Action{}, ""},
	{"close-window --id 7", Action{Window: 7}, ""},
	{"close-window --window-id 7", Action{Window: 7}, ""},
	{"close-window --id 0", Action{}, "not a window id"},
	{"close-window --id x", Action{}, "not a window id"},
	{"close-window 7", Action{}, "takes 0 arguments, not 1"},
	{"focus-column-left --id 7", Action{}, "takes 0 arguments, not 2"},

	{"focus-column 2", Action{Arg: number(2)}, ""},
	{"focus-column 0", Action{}, "not a number from 1"},
	{"focus-column -1", Action{}, "not a number from 1"},
	{"focus-column 2.5", Action{}, "not a number from 1"},
	{"focus-column two", Action{}, "not a number from 1"},
	{"focus-column 99999999999999999999", Action{}, "not a number from 1"},

	{"focus-workspace 3", Action{Arg: number(3)}, ""},
	{"focus-workspace 99", Action{Arg: number(99)}, ""},
	{"focus-workspace 0", Action{Arg: text("0")}, ""}, // a name: niri counts from 1
	{"focus-workspace -1", Action{Arg: text("-1")}, ""},
	{"focus-workspace mail", Action{Arg: text("mail")}, ""},
	{"focus-workspace 3;exec", Action{Arg: text("3;exec")}, ""},
	{"move-window-to-workspace 2", Action{Arg: number(2)}, ""},
	{"focus-monitor HDMI-A-1", Action{Arg: text("HDMI-A-1")}, ""},

	{"set-column-width 50%", Action{Arg: size(Size{50, true, false})}, ""},
	{"set-column-width +10%", Action{Arg: size(Size{10, true, true})}, ""},
	{"set-column-width -5%", Action{Arg: size(Size{-5, true, true})}, ""},
	{"set-window-height 800", Action{Arg: size(Size{800, false, false})}, ""},
	{"set-window-height +20", Action{Arg: size(Size{20, false, true})}, ""},
	{"set-window-height 33.3%", Action{Arg: size(Size{33.3, true, false})}, ""},
	{"set-column-width 0", Action{}, "write 50%"},
	{"set-column-width %", Action{}, "write 50%"},
	{"set-column-width 50%%", Action{}, "write 50%"},
	{"set-column-width wide", Action{}, "write 50%"},
	{"set-column-width nan", Action{}, "write 50%"},
	{"set-column-width +inf", Action{}, "write 50%"},
	{"set-column-width 1e300", Action{}, "write 50%"},

	{"switch-layout next", Action{Arg: text("next")}, ""},
	{"switch-layout prev", Action{Arg: text("prev")}, ""},
	{"switch-layout 2", Action{Arg: number(2)}, ""},
	{"switch-layout 0", Action{}, "write next, prev or a number from 1"},
	{"switch-layout de", Action{}, "write next, prev or a number from 1"},
	{"set-column-display tabbed", Action{Arg: text("tabbed")}, ""},
	{"set-column-display stacked", Action{}, "write normal or tabbed"},

	{"spawn foot", Action{}, "programs are started by launch_app only"},
	{"spawn-sh foot", Action{}, "programs are started by launch_app only"},
	{"spawn", Action{}, "programs are started by launch_app only"},
	{"focus-windows 7", Action{}, `unknown action "focus-windows"; did you mean "focus-window"?`},
	{"make-coffee", Action{}, `unknown action "make-coffee"`},
	{"Focus-Window 7", Action{}, "did you mean"},
	{"", Action{}, `unknown action ""`},
}

func TestParse(t *testing.T) {
	v := vocabulary(t)
	for _, tt := range parseTests {
		name, rest, _ := strings.Cut(tt.in, " ")
		got, err := v.Parse(name, strings.Fields(rest))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) || got != (Action{}) {
				t.Errorf("Parse(%s) = %+v, %v; want an error with %q", tt.in, got, err, tt.err)
			}
			continue
		}
		tt.want.Name = name
		if err != nil || got != tt.want {
			t.Errorf("Parse(%s) = %+v, %v; want %+v", tt.in, got, err, tt.want)
		}
	}
}

func TestConfirm(t *testing.T) {
	v := vocabulary(t)
	for name, want := range map[string]bool{"quit": true, "close-window": false, "no-such-action": false} {
		if got := v.Confirm(name); got != want {
			t.Errorf("Confirm(%s) = %v", name, got)
		}
	}
}

// A misspelt class in the data would silently leave an action without proof.
func TestEveryClassIsKnown(t *testing.T) {
	unobservable := []class{"unobservable", "overview"}
	kinds := []string{"window", "number", "workspace", "size", "layout", "output", "text", "command", "normal|tabbed"}
	v := vocabulary(t)
	if len(v.names) < 100 {
		t.Errorf("there are only %d actions", len(v.names))
	}
	for _, name := range v.names {
		s := v.specs[name]
		if _, ok := proofs[s.Class]; !ok && !slices.Contains(unobservable, s.Class) {
			t.Errorf("%s is of the class %q", name, s.Class)
		}
		for _, arg := range s.Args {
			if !slices.Contains(kinds, arg.Type) {
				t.Errorf("%s takes a %q", name, arg.Type)
			}
		}
	}
}

// FuzzParse checks what backends rely on: an action that is parsed is of the
// vocabulary and its argument is in range.
func FuzzParse(f *testing.F) {
	v := vocabulary(f)
	for _, seed := range []string{
		"focus-workspace\x003", "set-column-width\x00+10%", "close-window\x00--id\x007", "switch-layout\x00next",
		"spawn\x00sh", "focus-monitor\x00\"; exec x", "focus-window\x000", "set-column-width\x00NaN%",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		words := strings.Split(in, "\x00")
		a, err := v.Parse(words[0], words[1:])
		if err != nil {
			if a != (Action{}) {
				t.Errorf("Parse(%q) = %+v with %v", words, a, err)
			}
			return
		}
		s, ok := v.specs[a.Name]
		size := a.Arg.Size.Amount
		if !ok || s.Forbidden != "" || a.Arg.Number < 0 || size != size || size < -10000 || size > 10000 {
			t.Errorf("Parse(%q) = %+v", words, a)
		}
		if len(words) == 1 && a != (Action{Name: words[0]}) {
			t.Errorf("Parse(%q) made up %+v", words, a)
		}
	})
}
