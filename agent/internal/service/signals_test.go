package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"utter/agent/internal/dialogue/dialoguetest"
	"utter/shared/bus"
	"utter/shared/op"
	"utter/shared/plan"
)

// TestSignalsCarryNothingThatIsTyped: every program on the bus hears them.
func TestSignalsCarryNothingThatIsTyped(t *testing.T) {
	r := dialoguetest.New()
	r.Policy.Enabled = []string{"terminal"}
	fail := func(context.Context, plan.Step) error { return errors.New("broken pipe") }
	for _, h := range []dialoguetest.Handlers{nil, {op.TypeText{}.Op(): fail}} {
		a := r.Agent(t, h)
		c := serve(t, a)
		for _, said := range []string{"type s3cret", "press f5 then type s3cret and more", "editor type s3cret"} {
			c.say(said, bus.RunOptions{})
			for _, s := range c.until("PlanFinished") {
				if text := fmt.Sprint(s.Name, s.Body); strings.Contains(text, "s3cret") {
					t.Errorf("%q: %s", said, text)
				}
			}
		}
	}
	command := plan.Step{Args: op.Terminal{Command: "echo s3cret"}}
	told := fmt.Sprint(public(bus.StepOf(command), command), withoutTyped("run echo s3cret", []plan.Step{command}))
	if strings.Contains(told, "s3cret") {
		t.Errorf("a command is told: %s", told)
	}
	if command.Args.(op.Terminal).Command == "" {
		t.Error("the step itself has lost its argument")
	}
}

// TestSignalsDoNotTellWhatPluginsSay: it may repeat what they were told.
func TestSignalsDoNotTellWhatPluginsSay(t *testing.T) {
	note := op.Foreign{Name: "note", Args: map[string]any{"text": "s3cret"}}
	steps := []plan.Step{{Args: op.Done{}}, {Plugin: "notes", Args: note}}
	if got := withoutWords("noted s3cret", steps...); got != "" {
		t.Error(got)
	}
	if got := withoutWords("done", steps[0]); got != "done" {
		t.Error(got)
	}
}
