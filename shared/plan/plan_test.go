package plan

import (
	"errors"
	"fmt"
	"testing"

	"utter/shared/op"
)

func TestStepWritesItsArgumentsInOrder(t *testing.T) {
	s := Step{Args: op.Scroll{Direction: "up", Amount: 3}}
	if got := s.String(); got != "scroll amount=3 direction=up" {
		t.Errorf("String = %q", got)
	}
	s = Step{Plugin: "notes", Args: op.Foreign{Name: "note",
		Args: map[string]any{"nothing": nil, "o": map[string]any{"b": []any{1, nil}, "a": "<x>"}, "f": 0.5}}}
	if got := s.String(); got != `note {"f":0.5,"nothing":null,"o":{"a":"<x>","b":[1,null]}}` {
		t.Errorf("String = %q", got)
	}
	if got := (Step{Args: op.Key{Chord: "<f5>"}, Author: "p"}).String(); got != `key {"chord":"<f5>"}` {
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
		if !errors.As(fmt.Errorf("wrapped: %w", tt.err), &got) || got.Outcome != tt.outcome ||
			got.Reason != tt.reason || got.Error() != "8 wait" {
			t.Errorf("%#v is %v, %q", tt.err, tt.outcome, tt.reason)
		}
	}
	if (&Error{}).Outcome != Unknown {
		t.Error("the zero Error knows more than nothing")
	}
}
