package dialogue

import (
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

// TestADigestStandsForWhatWasShown: operations, arguments, authors and plugins, and
// nothing else.
func TestADigestStandsForWhatWasShown(t *testing.T) {
	of := func(s plan.Step) string { return digest(&plan.Plan{Utterance: s.Description, Steps: []plan.Step{s}}) }
	f5, f6 := op.Key{Chord: "f5"}, op.Key{Chord: "f6"}
	shown := of(plan.Step{Args: f5})
	if shown == "" || shown != of(plan.Step{Args: f5, Description: "y"}) {
		t.Error("a digest is of more than operations, arguments and authors")
	}
	for _, s := range []plan.Step{
		{Args: f6}, {Args: f5, Plugin: "a"}, {Args: f5, Author: "a"}, {Args: f5, Provenance: plan.FromUser},
		{Args: op.Foreign{Name: "key", Args: map[string]any{"chord": "f6"}}},
	} {
		if of(s) == shown {
			t.Errorf("%+v has the digest of another step", s)
		}
	}
	if of(plan.Step{Args: op.Foreign{Args: map[string]any{"f": func() {}}}}) != "" {
		t.Error("what cannot be written has a digest")
	}
}
