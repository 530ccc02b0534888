package service

import (
	"testing"
	"time"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/router"
	"utter/shared/bus"
	"utter/shared/op"
	"utter/shared/plan"
)

// BenchmarkEncodePlan writes the answer of Plan, which is asked for at every
// letter that is typed into "Try it".
func BenchmarkEncodePlan(b *testing.B) {
	const said = "open firefox then new tab then type hello world"
	d := dialogue.Planned{Took: 40 * time.Microsecond, Decision: router.Decision{
		Rule: "open", Passed: []string{"custom", "actions", "desktop", "media"},
		Plan: &plan.Plan{Utterance: said, Source: plan.SourceRules, Confidence: 1, Steps: []plan.Step{
			{Args: op.EnsureApp{App: "firefox"}, Description: "show Firefox"},
			{Args: op.Key{Chord: "ctrl+t", App: "firefox"}, Description: "new tab"},
			{Args: op.TypeText{Text: "hello world"}, Description: "type"},
		}},
	}}
	b.ReportAllocs()
	for b.Loop() {
		bus.Encode(planOf(said, d))
	}
}
