package dialogue_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/dialogue"
	"utter/agent/internal/dialogue/dialoguetest"
	"utter/shared/op"
	"utter/shared/plan"
)

// TestAWordAnswersAConfirmation; any other drops the question.
func TestAWordAnswersAConfirmation(t *testing.T) {
	for said, want := range map[string]string{
		"yes": "quit", "Yes, please.": "quit", "do it": "quit", "go ahead": "quit",
		"no": "", "No thanks!": "", "cancel": "", "never mind": "", "banana": "", "1": "", "yes sir no sir": "", "": "",
	} {
		var log []string
		a := dialoguetest.New().Agent(t, opened(&log))
		w := ask(t, a, "log out", plan.NeedsConfirmation)
		answer := a.Run(t.Context(), said, byUser)
		if got := strings.Join(log, " "); got != want || want != "" && answer.Outcome != plan.Completed {
			t.Errorf("%q does %q, want %q: %+v", said, got, want, answer)
		}
		if _, err := a.Confirm(t.Context(), w.Token, true); err == nil {
			t.Errorf("after %q the question still waits", said)
		}
	}
}

// TestYesWithoutAQuestionIsNothing: it must not confirm what was asked long ago,
// nor choose.
func TestYesWithoutAQuestionIsNothing(t *testing.T) {
	var log []string
	a := dialoguetest.New().Agent(t, opened(&log))
	check(t, "no question", a.Run(t.Context(), "yes", byUser), plan.Refused, plan.NoPlan)
	ask(t, a, "open chat", plan.Ambiguous)
	check(t, "a choice", a.Run(t.Context(), "yes", byUser), plan.Refused, plan.NoPlan)
	ask(t, a, "log out", plan.NeedsConfirmation)
	check(t, "from the screen", a.Run(t.Context(), "yes", dialogue.Options{Provenance: plan.FromScreen}),
		plan.Refused, plan.NoPlan)
	if len(log) > 0 {
		t.Errorf("did %q", log)
	}
	synctest.Test(t, func(t *testing.T) {
		a := dialoguetest.New().Agent(t, opened(&log))
		ask(t, a, "log out", plan.NeedsConfirmation)
		time.Sleep(31 * time.Second) // the clock is the test's
		if a.Run(t.Context(), "yes", byUser); len(log) > 0 {
			t.Errorf("31 seconds later: did %q", log)
		}
	})
}

func TestAWordEndsThePlanThatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := slow(t, dialoguetest.New())
		running := make(chan dialogue.Reply, 1)
		go func() { running <- a.Run(t.Context(), "press f1", byUser) }()
		synctest.Wait()
		began := time.Now()
		check(t, "never mind", a.Run(t.Context(), "never mind", byUser), plan.Completed, "")
		check(t, "the plan", <-running, plan.Unknown, plan.Cancelled)
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
		check(t, "with nothing to end", a.Run(t.Context(), "never mind", byUser), plan.Refused, plan.NoPlan)
	})
}

// TestWhatWaitedIsPlannedAnew for the desktop as it is by then.
func TestWhatWaitedIsPlannedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dialoguetest.New()
		var log []string
		first := make(chan bool)
		a := r.Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(_ context.Context, s plan.Step) error {
			if log = append(log, s.Args.(op.Key).Chord); len(log) == 1 {
				<-first
			}
			return nil
		}})
		answers := make(chan dialogue.Reply, 2)
		go func() { answers <- a.Run(t.Context(), "press f1", byUser) }()
		synctest.Wait()
		go func() { answers <- a.Run(t.Context(), "go", byUser) }() // an action of the editor
		synctest.Wait()
		r.Desktop.Windows = []compositor.Window{{ID: 8, AppID: "unknown", Focused: true}}
		close(first)
		check(t, "the first", <-answers, plan.Completed, "")
		check(t, "what the editor could do", <-answers, plan.Refused, plan.NoPlan)
		if len(log) != 1 {
			t.Errorf("pressed %q", log)
		}
	})
}

func TestATimeoutCountsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, pressed := slow(t, dialoguetest.New())
		go a.Run(t.Context(), "press f1", byUser)
		synctest.Wait()
		began := time.Now()
		answer := a.Run(t.Context(), "press f2", dialogue.Options{Provenance: plan.FromUser, Timeout: 300 * time.Millisecond})
		check(t, "what did not get its turn", answer, plan.Refused, plan.Timeout)
		if took := time.Since(began); took != 300*time.Millisecond || len(pressed()) != 1 {
			t.Errorf("after %v, pressed %q", took, pressed())
		}
		time.Sleep(time.Second)
	})
}
