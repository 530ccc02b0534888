package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		step Step
		want string // in the error; "" if the step is sound
	}{
		{Step{Op: OpenURL, Args: Args{"url": "https://e.org", "new_tab": true}}, ""},
		{Step{Op: EnsureURL, Args: Args{"url": "https://e.org", "site": "e", "must_exist": true}}, ""},
		{Step{Op: LaunchApp, Args: Args{"app": "foot"}}, ""},
		{Step{Op: LaunchApp, Args: Args{"argv": []string{"foot"}}}, ""},
		{Step{Op: EnsureApp, Args: Args{"app": "foot", "argv": []any{"foot", "-e"}}}, ""},
		{Step{Op: Niri, Args: Args{"command": "focus-workspace", "args": []any{3, "x", uint32(4), float64(5)}}}, ""},
		{Step{Op: ClickPoint, Args: Args{"x": 1, "y": int64(2)}}, ""},
		{Step{Op: Wait}, ""},
		{Step{Op: Done}, ""},
		{Step{Op: TypeText, Args: Args{"text": ""}}, ""},

		{Step{Op: "note", Plugin: "notes", Args: Args{"any": nil}}, ""},
		{Step{Op: Done, Plugin: "notes", Args: Args{"x": 1}}, ""},

		{Step{Plugin: "notes"}, "the step of the plugin notes has no operation"},
		{Step{}, `unknown operation ""`},
		{Step{Op: "open_uri"}, `unknown operation "open_uri"`},
		{Step{Op: OpenURL}, `open_url: argument "url" is missing`},
		{Step{Op: OpenURL, Args: Args{"url": 3}}, `argument "url" is 3, not a text`},
		{Step{Op: OpenURL, Args: Args{"url": nil}}, `argument "url" is <nil>, not a text`},
		{Step{Op: OpenURL, Args: Args{"url": "x", "new_tab": "yes"}}, `"new_tab" is yes, not true or false`},
		{Step{Op: OpenURL, Args: Args{"url": "x", "newtab": true}}, `unknown argument "newtab"`},
		{Step{Op: EnsureApp, Args: Args{"app": "x", "argv": "x"}}, `"argv" is x, not a list`},
		{Step{Op: EnsureApp, Args: Args{"app": "x", "argv": []any{"x", true}}}, `not a list`},
		{Step{Op: EnsureApp, Args: Args{"app": "x", "argv": []any{1.5}}}, `not a list`},
		{Step{Op: LaunchApp}, `"app" or "argv" is missing`},
		{Step{Op: LaunchApp, Args: Args{"app": "", "argv": []string{}}}, `"app" or "argv" is missing`},
		{Step{Op: ClickPoint, Args: Args{"x": 1}}, `"y" is missing`},
		{Step{Op: ClickPoint, Args: Args{"x": 1.5, "y": 2}}, `"x" is 1.5, not a whole number`},
		{Step{Op: Done, Args: Args{"x": 1}}, `unknown argument "x"`},
	}
	for _, tt := range tests {
		err := tt.step.Check()
		if tt.want == "" {
			if err != nil {
				t.Errorf("%v: %v", tt.step, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q in it", tt.step, err, tt.want)
		}
	}
}

func TestEveryOperationNamesWhatItNeeds(t *testing.T) {
	ops := Ops()
	if !slices.IsSorted(ops) || len(ops) != 18 {
		t.Errorf("%d operations: %v", len(ops), ops)
	}
	without := []Op{Wait, Done}
	for _, op := range ops {
		if !op.Known() {
			t.Errorf("%s is not known", op)
		}
		if err := (Step{Op: op}).Check(); (err == nil) != slices.Contains(without, op) {
			t.Errorf("%s without arguments: %v", op, err)
		}
		if op.Dangerous() != (op == Terminal) {
			t.Errorf("%s is dangerous: %v", op, op.Dangerous())
		}
	}
	if Op("input").Known() || Op("").Known() {
		t.Error("an operation that does not exist is known")
	}
}

func TestToWhole(t *testing.T) {
	for _, tt := range []struct {
		in any
		n  int
		ok bool
	}{
		{3, 3, true}, {int32(-3), -3, true}, {uint32(3), 3, true}, {int64(3), 3, true}, {uint64(3), 3, true}, {float64(3), 3, true},
		{uint64(math.MaxUint64), 0, false}, {3.5, 0, false}, {math.NaN(), 0, false}, {math.Inf(1), 0, false}, {1e300, 0, false},
		{"3", 0, false}, {nil, 0, false}, {true, 0, false},
	} {
		if n, ok := ToWhole(tt.in); n != tt.n || ok != tt.ok {
			t.Errorf("ToWhole(%T %v) = %d, %v", tt.in, tt.in, n, ok)
		}
	}
}

func TestArgsOfAnotherTypeCountAsAbsent(t *testing.T) {
	a := Args{"text": "x", "flag": true, "n": 7.0, "list": []any{"a", 1}, "words": []string{"b"}}
	if a.Text("text") != "x" || a.Text("flag") != "" || a.Text("none") != "" {
		t.Errorf("texts of %v", a)
	}
	if !a.Flag("flag") || a.Flag("text") || a.Flag("none") {
		t.Errorf("flags of %v", a)
	}
	if a.Whole("n", 1) != 7 || a.Whole("text", 1) != 1 || a.Whole("none", 2) != 2 {
		t.Errorf("numbers of %v", a)
	}
	if !slices.Equal(a.Texts("list"), []string{"a", "1"}) || !slices.Equal(a.Texts("words"), []string{"b"}) || a.Texts("text") != nil {
		t.Errorf("lists of %v", a)
	}
}

func TestStepWritesItsArgumentsInOrder(t *testing.T) {
	s := Step{Op: Scroll, Args: Args{"direction": "up", "amount": 3}}
	if got := s.String(); got != "scroll amount=3 direction=up" {
		t.Errorf("String = %q", got)
	}
	s = Step{Op: "note", Plugin: "notes", Args: Args{"nothing": nil, "o": map[string]any{"b": []any{1, nil}, "a": "<x>"}, "f": 0.5}}
	if got := s.String(); got != `note {"f":0.5,"nothing":null,"o":{"a":"<x>","b":[1,null]}}` {
		t.Errorf("String = %q", got)
	}
	if got := (Step{Op: Key, Author: "p"}).String(); got != "key {}" {
		t.Errorf("String = %q", got)
	}
}

// TestWordsOfTheInterface: these words are written in the D-Bus interface and must
// never change.
func TestWordsOfTheInterface(t *testing.T) {
	if got := fmt.Sprint(Unknown, Completed, Refused, Failed); got != "unknown completed refused failed" {
		t.Errorf("outcomes: %s", got)
	}
	var r Result
	if r.Outcome != Unknown || r.Evidence != NoEvidence {
		t.Errorf("a result that says nothing is %v by %q, want unknown", r.Outcome, r.Evidence)
	}
	var s Step
	if s.Provenance != FromUnknown {
		t.Errorf("a step that forgets to say comes from %v", s.Provenance)
	}
	for _, p := range []Provenance{FromUnknown, FromScreen, FromUser} {
		if got, err := ParseProvenance(p.String()); err != nil || got != p {
			t.Errorf("ParseProvenance(%v) = %v, %v", p, got, err)
		}
	}
	for _, word := range []string{"", "User", "root"} {
		if p, err := ParseProvenance(word); err == nil || p == FromUser {
			t.Errorf("ParseProvenance(%q) = %v, %v", word, p, err)
		}
	}
}

func TestErrorsCarryWhatIsKnown(t *testing.T) {
	for _, tt := range []struct {
		err     *Error
		outcome Outcome
		reason  Reason
	}{
		{Refuse(Busy, "%d wait", 8), Refused, Busy},
		{Unsure(Timeout, "%d wait", 8), Unknown, Timeout},
		{Fail("%d wait", 8), Failed, ""},
	} {
		var got *Error
		if !errors.As(fmt.Errorf("wrapped: %w", tt.err), &got) || got.Outcome != tt.outcome || got.Reason != tt.reason || got.Error() != "8 wait" {
			t.Errorf("%#v is %v, %q", tt.err, tt.outcome, tt.reason)
		}
	}
	if (&Error{}).Outcome != Unknown {
		t.Error("the zero Error knows more than nothing")
	}
}
