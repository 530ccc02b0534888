package dialogue

import (
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

// TestADigestStandsForWhatWasShown: operations, arguments, authors and plugins, and
// nothing else.
func TestADigestStandsForWhatWasShown(t *testing.T) {
	p := &plan.Plan{Steps: []plan.Step{{Args: op.Key{Chord: "a"}}}}
	if digest(p) == "" || digest(p) != digest(&plan.Plan{Utterance: "x", Steps: []plan.Step{{Args: op.Key{Chord: "a"}, Description: "y"}}}) {
		t.Error("a digest is of more than operations, arguments and authors")
	}
	if digest(&plan.Plan{Steps: []plan.Step{{Args: op.Foreign{Args: map[string]any{"f": func() {}}}}}}) != "" {
		t.Error("what cannot be written has a digest")
	}
	if d := digest(&plan.Plan{Steps: []plan.Step{{Args: op.Foreign{Name: "note"}, Plugin: "a"}}}); d == digest(&plan.Plan{Steps: []plan.Step{{Args: op.Foreign{Name: "note"}, Plugin: "b"}}}) ||
		d == digest(&plan.Plan{Steps: []plan.Step{{Args: op.Foreign{Name: "note"}, Plugin: "a", Author: "b"}}}) {
		t.Error("a confirmation is not bound to the plugin")
	}
}
