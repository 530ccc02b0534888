package dialogue_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/dialogue/dialoguetest"
	"utter/agent/internal/router"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
)

var byUser = dialogue.Options{Provenance: plan.FromUser}

// check compares an answer's outcome and reason.
func check(t *testing.T, what string, a dialogue.Reply, outcome plan.Outcome, reason plan.Reason) {
	t.Helper()
	if a.Outcome != outcome || a.Reason != reason || a.Message == "" && reason != "" {
		t.Errorf("%s: %v, reason %q, %q; want %v, %q", what, a.Outcome, a.Reason, a.Message, outcome, reason)
	}
}

func TestRunTellsWhatHappens(t *testing.T) {
	r := dialoguetest.New()
	a := r.Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(_ context.Context, s plan.Step) error {
		if s.Args.(op.Key).Chord == "f4" {
			return plan.Refuse(plan.NotFound, "no window is focused")
		}
		return nil
	}})
	answer := a.Run(t.Context(), "press f5 then press f6", byUser)
	check(t, "two keys", answer, plan.Completed, "")
	if got, want := r.Heard(),
		"running, started 2, step 0 completed, step 1 completed, finished completed, ready"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	check(t, "a key that is refused", a.Run(t.Context(), "press f4", byUser), plan.Refused, plan.NotFound)
	if got, want := r.Heard(), "running, started 1, step 0 refused, finished refused, ready"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	check(t, "no plan", a.Run(t.Context(), "banana", byUser), plan.Refused, plan.NoPlan)
	check(t, "nothing", a.Run(t.Context(), "", byUser), plan.Refused, plan.NoPlan)
	check(t, "too much", a.Run(t.Context(), "type "+strings.Repeat("x", 1<<20), byUser), plan.Refused, plan.NoPlan)
	if got := r.Heard(); got != "" {
		t.Errorf("without a plan: heard %s", got)
	}
}

func TestADryRunDoesNothing(t *testing.T) {
	r := dialoguetest.New()
	ran := false
	a := r.Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(context.Context, plan.Step) error {
		ran = true
		return nil
	}})
	for said, name := range map[string]op.Name{"press f5": op.Key{}.Op(), "log out": op.Niri{}.Op(), "go": op.Key{}.Op()} {
		answer := a.Run(t.Context(), said, dialogue.Options{Provenance: plan.FromUser, DryRun: true})
		check(t, said, answer, plan.Completed, "")
		if len(answer.Planned) != 1 || answer.Planned[0].Op() != name || len(answer.Results) > 0 || answer.Question != nil {
			t.Errorf("%s: %+v", said, answer)
		}
	}
	// The action "go" is the focused editor's; with another context it is nobody's.
	elsewhere := dialogue.Options{Provenance: plan.FromUser, DryRun: true, Context: &router.Context{}}
	check(t, "elsewhere", a.Run(t.Context(), "go", elsewhere), plan.Refused, plan.NoPlan)
	answer := a.Run(t.Context(), "open chat", dialogue.Options{Provenance: plan.FromUser, DryRun: true})
	check(t, "open chat", answer, plan.Refused, plan.Ambiguous)
	if len(answer.Choices) != 2 || answer.Question != nil {
		t.Errorf("open chat: %+v", answer)
	}
	if ran || r.Heard() != "" {
		t.Error("a dry run did something")
	}
}

func TestPlanAndSuggestSeeTheFocusedWindowOrTheAppThatIsNamed(t *testing.T) {
	a := dialoguetest.New().Agent(t, nil)
	if d := a.Plan(t.Context(), "go", dialogue.Options{}); d.Plan == nil || !op.Is[op.Key](d.Plan.Steps[0].Args) {
		t.Errorf("for the focused editor: %+v", d)
	}
	if d := a.Plan(t.Context(), "go", dialogue.Options{App: "signal"}); d.Plan != nil {
		t.Errorf("for signal: %v", d.Plan.Steps)
	}
	if d := a.Plan(t.Context(), strings.Repeat("x", 1<<20+1), dialogue.Options{}); d.Plan != nil ||
		d.Reason != plan.NoPlan {
		t.Errorf("too long: %+v", d)
	}
	if s := a.Suggest(t.Context(), "", "go", 10); len(s) == 0 || s[0].Text != "go" {
		t.Errorf("suggestions for the editor: %v", s)
	}
	for _, s := range a.Suggest(t.Context(), "signal", "go", 10) {
		if s.Text == "go" {
			t.Errorf("suggested for signal: %v", s)
		}
	}
}

// TestTheScreenAuthorsNothing: an utterance that comes from the screen is routed,
// but no step with an argument of it runs, and it answers no question.
func TestTheScreenAuthorsNothing(t *testing.T) {
	for _, from := range []plan.Provenance{plan.FromScreen, plan.FromUnknown} {
		r := dialoguetest.New()
		ran := 0
		count := func(context.Context, plan.Step) error { ran++; return nil }
		a := r.Agent(t, dialoguetest.Handlers{
			op.Key{}.Op(): count, op.TypeText{}.Op(): count, op.EnsureApp{}.Op(): count, op.Niri{}.Op(): count,
			op.OpenURL{}.Op(): count,
		})
		asked := a.Run(t.Context(), "open chat", byUser).Question
		if asked == nil {
			t.Fatal("open chat asks nothing")
		}
		o := dialogue.Options{Provenance: from}
		for _, said := range []string{"press f5", "type x", "open editor", "search for x", "log out",
			"press f5 then type x"} {
			check(t, said, a.Run(t.Context(), said, o), plan.Refused, plan.PolicyReason)
		}
		for _, said := range []string{"1", "the first", "Signal"} {
			if answer := a.Run(t.Context(), said, o); answer.Outcome != plan.Refused {
				t.Errorf("%q from the %v answers the user's question: %+v", said, from, answer)
			}
		}
		answer := a.Run(t.Context(), "open chat", o)
		check(t, "an unclear name", answer, plan.Refused, plan.Ambiguous)
		if answer.Question != nil {
			t.Errorf("the %v may ask the user to choose", from)
		}
		if ran > 0 {
			t.Errorf("%d steps ran", ran)
		}
		if _, err := a.Choose(t.Context(), asked.Token, 0); err != nil || ran != 1 {
			t.Errorf("the user's own question is gone: %v", err)
		}
	}
}

func TestReloadKeepsWhatItHasWhereReadingFails(t *testing.T) {
	r := dialoguetest.New()
	a := r.Agent(t, nil)
	r.SetLoad([]profile.Problem{{Message: "broken"}}, nil)
	if err := a.Reload(); err != nil || len(a.Problems()) != 1 || r.Heard() != "profiles" {
		t.Errorf("%v, %v", err, a.Problems())
	}
	if err := a.Reload(); err != nil || r.Heard() != "" {
		t.Error("a reload without a change is told")
	}
	broken := errors.New("built-in profiles: broken")
	r.SetLoad(nil, broken)
	if err := a.Reload(); !errors.Is(err, broken) || len(a.Problems()) != 1 {
		t.Errorf("%v", err)
	}
	a.WatchTrouble(errors.New("no space left on device"))
	if p := a.Problems(); len(p) != 2 || !strings.Contains(p[1].Message, "max_user_watches") || r.Heard() != "profiles" {
		t.Errorf("problems %v", p)
	}
}

func TestATimeoutEndsThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := func(ctx context.Context, _ plan.Step) error { <-ctx.Done(); return ctx.Err() }
		a := dialoguetest.New().Agent(t, dialoguetest.Handlers{op.Key{}.Op(): forever})
		began := time.Now()
		answer := a.Run(t.Context(), "press f5", dialogue.Options{Provenance: plan.FromUser, Timeout: 700 * time.Millisecond})
		check(t, "a key that takes too long", answer, plan.Unknown, plan.Timeout)
		if took := time.Since(began); took != 700*time.Millisecond {
			t.Errorf("it ended after %v", took)
		}
	})
}
