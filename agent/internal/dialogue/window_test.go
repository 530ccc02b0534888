package dialogue_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/dialogue"
	"utter/agent/internal/dialogue/dialoguetest"
	"utter/agent/internal/router"
	"utter/shared/op"
	"utter/shared/plan"
)

// everything is more suggestions than there are.
const everything = 10_000

// withFocus makes focusing windows work and be told.
func withFocus(r *dialoguetest.Rig) {
	r.Desktop.FocusWith = func(_ context.Context, id compositor.WindowID) error { r.Note("focus %d", id); return nil }
}

func inWindow(id uint64) dialogue.Options {
	return dialogue.Options{Provenance: plan.FromUser, Window: id}
}

// TestAWindowGetsTheFocusBeforeThePlanRuns, and the plan is made for it.
func TestAWindowGetsTheFocusBeforeThePlanRuns(t *testing.T) {
	r := dialoguetest.New()
	withFocus(r)
	a := r.Agent(t, nil)
	check(t, "a key", a.Run(t.Context(), "press f5", inWindow(8)), plan.Completed, "")
	if got, want := r.Heard(), "focus 8, running, started 1, step 0 completed, finished completed, ready"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	// The action "go" is the editor's, whose window is 7.
	check(t, "an action of another window", a.Run(t.Context(), "go", inWindow(8)), plan.Refused, plan.NoPlan)
	check(t, "an action of the window", a.Run(t.Context(), "go", inWindow(7)), plan.Completed, "")
	if got, want := r.Heard(), "focus 7, running, started 1, step 0 completed, finished completed, ready"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	if d := a.Plan(t.Context(), "go", inWindow(8)); d.Plan != nil || d.Reason != plan.NoPlan {
		t.Errorf("Plan for a window without the action: %+v", d)
	}
	if d := a.Plan(t.Context(), "go", inWindow(7)); d.Plan == nil || d.Plan.Focused != 7 || d.Took <= 0 ||
		d.Took > time.Second {
		t.Errorf("Plan for the window: %+v", d)
	}
	dry := inWindow(7)
	dry.DryRun = true
	if answer := a.Run(t.Context(), "go", dry); len(answer.Planned) != 1 || r.Heard() != "" {
		t.Errorf("a dry run: %+v", answer)
	}
}

// TestWithoutTheFocusNothingIsDone: the window is gone or does not get it.
func TestWithoutTheFocusNothingIsDone(t *testing.T) {
	r := dialoguetest.New()
	a := r.Agent(t, nil)
	check(t, "a window that is gone", a.Run(t.Context(), "press f5", inWindow(9)), plan.Refused, plan.NotFound)
	if d := a.Plan(t.Context(), "press f5", inWindow(9)); d.Plan != nil || d.Reason != plan.NotFound || d.Message == "" {
		t.Errorf("Plan for a window that is gone: %+v", d)
	}
	for err, reason := range map[error]plan.Reason{
		plan.Refuse(plan.NotFound, "the window 8 is gone"):              plan.NotFound,
		plan.Unsure(plan.Timeout, "focus-window changed nothing"):       plan.NotFound,
		plan.Refuse(plan.NotSupported, "it has no focus-window"):        plan.NotFound,
		errors.New("broken pipe"):                                       plan.NotFound,
		plan.Refuse(plan.Missing, "no supported compositor is running"): plan.Missing,
	} {
		r.Desktop.FocusWith = func(context.Context, compositor.WindowID) error { return err }
		answer := a.Run(t.Context(), "press f5", inWindow(8))
		check(t, err.Error(), answer, plan.Refused, reason)
		if len(answer.Results) > 0 {
			t.Errorf("%v: steps ran: %+v", err, answer.Results)
		}
	}
	if got := r.Heard(); strings.Contains(got, "started") {
		t.Errorf("heard %s", got)
	}
}

func TestWaitingForTheFocusEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dialoguetest.New()
		r.Desktop.FocusWith = func(ctx context.Context, _ compositor.WindowID) error { <-ctx.Done(); return ctx.Err() }
		a := r.Agent(t, nil)
		o := inWindow(8)
		o.Timeout = 100 * time.Millisecond
		check(t, "a time that is over", a.Run(t.Context(), "press f5", o), plan.Refused, plan.Timeout)
		answers := make(chan dialogue.Reply)
		go func() { answers <- a.Run(t.Context(), "press f5", inWindow(8)) }()
		synctest.Wait()
		a.Cancel()
		check(t, "a call that is cancelled", <-answers, plan.Refused, plan.Cancelled)
	})
}

// TestAQuestionKeepsItsWindow: whoever answers it elsewhere has moved the focus.
func TestAQuestionKeepsItsWindow(t *testing.T) {
	r := dialoguetest.New()
	withFocus(r)
	a := r.Agent(t, nil)
	asked := a.Run(t.Context(), "log out", inWindow(8))
	if asked.Question == nil || strings.Contains(r.Heard(), "focus") {
		t.Fatalf("log out: %+v", asked)
	}
	if answer, err := a.Confirm(t.Context(), asked.Question.Token, true); err != nil || answer.Outcome != plan.Completed {
		t.Errorf("confirmed: %+v, %v", answer, err)
	}
	if got := r.Heard(); !strings.HasPrefix(got, "focus 8, running") {
		t.Errorf("confirmed: heard %s", got)
	}
	asked = a.Run(t.Context(), "open chat", inWindow(8))
	if asked.Question == nil {
		t.Fatalf("open chat: %+v", asked)
	}
	r.Heard()
	if answer, err := a.Choose(t.Context(), asked.Question.Token, 0); err != nil || answer.Outcome != plan.Completed {
		t.Errorf("chosen: %+v, %v", answer, err)
	}
	if got := r.Heard(); !strings.HasPrefix(got, "focus 8, running") {
		t.Errorf("chosen: heard %s", got)
	}
}

// TestAQuestionInTheMiddleLeavesTheWindow: the plan had gone on from it.
func TestAQuestionInTheMiddleLeavesTheWindow(t *testing.T) {
	r := dialoguetest.New()
	withFocus(r)
	pressed := 0
	a := r.Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(context.Context, plan.Step) error {
		if pressed++; pressed == 2 {
			return plan.Refuse(plan.NeedsConfirmation, "confirm: this goes to another workspace")
		}
		return nil
	}})
	asked := a.Run(t.Context(), "press f5 then press f6", inWindow(8))
	if asked.Question == nil {
		t.Fatalf("nothing is asked: %+v", asked)
	}
	r.Heard()
	if _, err := a.Confirm(t.Context(), asked.Question.Token, true); err != nil || strings.Contains(r.Heard(), "focus") {
		t.Errorf("Confirm = %v; the window was focused again", err)
	}
}

// TestWhatTheCompositorLacksIsNotSuggested, nor what policy forbids.
func TestWhatTheCompositorLacksIsNotSuggested(t *testing.T) {
	r := dialoguetest.New()
	r.Desktop.Lacks = []string{"toggle-overview"}
	a := r.Agent(t, nil)
	said := func(list []router.Suggestion, text string) bool {
		return slices.ContainsFunc(list, func(s router.Suggestion) bool { return s.Text == text })
	}
	all := a.Suggest(t.Context(), "", "", everything)
	if said(all, "overview") || !said(all, "fullscreen") || !said(all, "workspace …") || !said(all, "log out") {
		t.Errorf("%d suggestions: overview %t, fullscreen %t, workspace … %t, log out %t", len(all),
			said(all, "overview"), said(all, "fullscreen"), said(all, "workspace …"), said(all, "log out"))
	}
	if said(a.Suggest(t.Context(), "foot", "", everything), "run command …") {
		t.Error("commands are suggested although they are off")
	}
	r.Policy.Enabled = []string{"terminal"}
	if !said(r.Agent(t, nil).Suggest(t.Context(), "foot", "", everything), "run command …") {
		t.Error("commands are not suggested although they are on")
	}
}
