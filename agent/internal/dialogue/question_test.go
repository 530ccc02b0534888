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
	"utter/agent/internal/notify"
	"utter/agent/internal/policy"
	"utter/shared/op"
	"utter/shared/plan"
)

// opened notes which applications are brought up.
func opened(log *[]string) dialoguetest.Handlers {
	return dialoguetest.Handlers{
		op.EnsureApp{}.Op(): func(_ context.Context, s plan.Step) error { *log = append(*log, op.AppOf(s.Args)); return nil },
		op.Niri{}.Op(): func(_ context.Context, s plan.Step) error {
			*log = append(*log, s.Args.(op.Niri).Command)
			return nil
		},
	}
}

// ask says something that is answered with a question.
func ask(t *testing.T, a *dialogue.Dialogue, said string, reason plan.Reason) dialogue.Question {
	t.Helper()
	answer := a.Run(t.Context(), said, byUser)
	check(t, said, answer, plan.Refused, reason)
	if answer.Question == nil || answer.Question.Token == "" || answer.Question.Expires != 30*time.Second {
		t.Fatalf("%s: %+v", said, answer.Question)
	}
	return *answer.Question
}

func TestAChoiceIsMadeOnce(t *testing.T) {
	var log []string
	r := dialoguetest.New()
	a := r.Agent(t, opened(&log))
	w := ask(t, a, "open chat", plan.Ambiguous)
	if got, want := r.Heard(), "choose of 2, waiting"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	for _, c := range w.Choices {
		if c.Label == "" || !strings.Contains(c.Origin, "taught.yaml:") || !strings.Contains(w.Text, c.Origin) {
			t.Errorf("choice %+v in %q", c, w.Text)
		}
	}
	for _, index := range []int{-1, 2, 99} {
		if _, err := a.Choose(t.Context(), w.Token, index); !errors.Is(err, dialogue.ErrNoChoice) {
			t.Errorf("choice %d: %v", index, err)
		}
	}
	if _, err := a.Choose(t.Context(), "wrong", 0); !errors.Is(err, dialogue.ErrNoToken) {
		t.Errorf("a wrong token: %v", err)
	}
	if _, err := a.Confirm(t.Context(), w.Token, true); !errors.Is(err, dialogue.ErrNoChoice) {
		t.Errorf("confirming a choice: %v", err)
	}
	answer, err := a.Choose(t.Context(), w.Token, 1)
	if err != nil || answer.Outcome != plan.Completed || len(log) != 1 || log[0] != "element" {
		t.Errorf("%+v, %v; opened %q", answer, err, log)
	}
	if got, want := r.Heard(), "running, started 1, step 0 completed, finished completed, ready"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	if _, err := a.Choose(t.Context(), w.Token, 1); !errors.Is(err, dialogue.ErrNoToken) || len(log) != 1 {
		t.Errorf("a second time: %v, opened %q", err, log)
	}
}

// TestAnUtteranceAnswersAChoice by a number, an ordinal or a name; any other drops
// the question.
func TestAnUtteranceAnswersAChoice(t *testing.T) {
	for said, want := range map[string]string{
		"1": "signal", "2": "element", "two": "element", "Second.": "element", "the first one": "signal",
		"number two": "element", "Signal": "signal", "element!": "element",
		"3": "", "0": "", "zero": "", "third": "", "signal app": "", "banana": "", "press f5": "", "": "", "one and two": "",
	} {
		var log []string
		r := dialoguetest.New()
		a := r.Agent(t, opened(&log))
		w := ask(t, a, "open chat", plan.Ambiguous)
		r.Heard()
		a.Run(t.Context(), said, byUser)
		if got := strings.Join(log, " "); got != want {
			t.Errorf("%q opens %q, want %q", said, got, want)
		}
		if _, err := a.Choose(t.Context(), w.Token, 0); !errors.Is(err, dialogue.ErrNoToken) {
			t.Errorf("after %q the question still waits: %v", said, err)
		}
		if heard := r.Heard(); !strings.HasSuffix(heard, "ready") {
			t.Errorf("after %q: heard %s, want ready", said, heard)
		}
	}
}

// TestAChoiceCanBeTurnedDown by each word that says no or ends something.
func TestAChoiceCanBeTurnedDown(t *testing.T) {
	for _, said := range []string{"cancel", "no", "Never mind.", "stop", "please stop", "none", "abort"} {
		var log []string
		r := dialoguetest.New()
		a := r.Agent(t, opened(&log))
		w := ask(t, a, "open chat", plan.Ambiguous)
		answer := a.Run(t.Context(), said, byUser)
		if answer.Reason != plan.Cancelled || len(log) != 0 {
			t.Errorf("%q: %s %q, opened %q", said, answer.Reason, answer.Message, log)
		}
		if _, err := a.Choose(t.Context(), w.Token, 0); !errors.Is(err, dialogue.ErrNoToken) {
			t.Errorf("after %q the question still waits: %v", said, err)
		}
	}
}

func TestADryRunLeavesTheQuestion(t *testing.T) {
	var log []string
	a := dialoguetest.New().Agent(t, opened(&log))
	w := ask(t, a, "open chat", plan.Ambiguous)
	for _, said := range []string{"1", "banana", "open editor"} {
		a.Run(t.Context(), said, dialogue.Options{Provenance: plan.FromUser, DryRun: true})
		a.Plan(t.Context(), said, dialogue.Options{})
	}
	if _, err := a.Choose(t.Context(), w.Token, 0); err != nil || len(log) != 1 {
		t.Errorf("%v, opened %q", err, log)
	}
}

func TestANewQuestionTakesThePlaceOfTheOld(t *testing.T) {
	var log []string
	a := dialoguetest.New().Agent(t, opened(&log))
	first := ask(t, a, "open chat", plan.Ambiguous)
	second := ask(t, a, "log out", plan.NeedsConfirmation)
	if first.Token == second.Token {
		t.Error("two questions have one token")
	}
	if _, err := a.Choose(t.Context(), first.Token, 0); !errors.Is(err, dialogue.ErrNoToken) {
		t.Errorf("the old one: %v", err)
	}
	if answer, err := a.Confirm(t.Context(), second.Token, true); err != nil || answer.Outcome != plan.Completed ||
		log[0] != "quit" {
		t.Errorf("the new one: %+v, %v, %q", answer, err, log)
	}
}

func TestAQuestionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		r := dialoguetest.New()
		a := r.Agent(t, opened(&log))
		w := ask(t, a, "open chat", plan.Ambiguous)
		time.Sleep(30 * time.Second) // to the last moment; the clock is the test's
		if got := r.Heard(); !strings.HasSuffix(got, "waiting") {
			t.Errorf("it does not wait for 30 seconds: heard %s", got)
		}
		time.Sleep(time.Second)
		if got := r.Heard(); got != "ready" {
			t.Errorf("after the time is over: heard %s", got)
		}
		if _, err := a.Choose(t.Context(), w.Token, 0); !errors.Is(err, dialogue.ErrExpired) {
			t.Errorf("31 seconds later: %v", err)
		}
		if _, err := a.Choose(t.Context(), w.Token, 0); !errors.Is(err, dialogue.ErrNoToken) {
			t.Errorf("again: %v", err)
		}
		ask(t, a, "open chat", plan.Ambiguous)
		time.Sleep(31 * time.Second)
		a.Run(t.Context(), "1", byUser)
		w = ask(t, a, "log out", plan.NeedsConfirmation)
		time.Sleep(31 * time.Second)
		if _, err := a.Confirm(t.Context(), w.Token, true); !errors.Is(err, dialogue.ErrExpired) || len(log) > 0 {
			t.Errorf("confirming late: %v, did %q", err, log)
		}
		// The first of two timers must not end the second question.
		w = ask(t, a, "open chat", plan.Ambiguous)
		time.Sleep(20 * time.Second)
		w = ask(t, a, "open chat", plan.Ambiguous)
		time.Sleep(20 * time.Second)
		if _, err := a.Choose(t.Context(), w.Token, 0); err != nil {
			t.Errorf("a question of 20 seconds: %v", err)
		}
		time.Sleep(time.Minute) // let the timers end
	})
}

func TestConfirm(t *testing.T) {
	var log []string
	r := dialoguetest.New()
	a := r.Agent(t, opened(&log))
	w := ask(t, a, "log out", plan.NeedsConfirmation)
	if !strings.Contains(w.Text, "quit") || w.Plan == nil {
		t.Errorf("the question is %q", w.Text)
	}
	if got, want := r.Heard(), "confirm true, waiting"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	if _, err := a.Choose(t.Context(), w.Token, 0); !errors.Is(err, dialogue.ErrNoChoice) {
		t.Errorf("choosing of nothing: %v", err)
	}
	answer, err := a.Confirm(t.Context(), w.Token, false)
	if err != nil || answer.Outcome != plan.Refused || answer.Reason != plan.Cancelled || len(log) > 0 ||
		r.Heard() != "ready" {
		t.Errorf("no: %+v, %v, %q", answer, err, log)
	}
	if _, err := a.Confirm(t.Context(), w.Token, true); !errors.Is(err, dialogue.ErrNoToken) || len(log) > 0 {
		t.Errorf("yes after no: %v, %q", err, log)
	}
	w = ask(t, a, "log out", plan.NeedsConfirmation)
	if answer, err := a.Confirm(t.Context(), w.Token, true); err != nil || answer.Outcome != plan.Completed ||
		len(log) != 1 {
		t.Errorf("yes: %+v, %v, %q", answer, err, log)
	}
}

// TestAnApprovalIsForExactlyWhatWasShown: neither another argument nor another
// author passes under an old approval.
func TestAnApprovalIsForExactlyWhatWasShown(t *testing.T) {
	for name, change := range map[string]func(p *plan.Plan){
		"another argument":  func(p *plan.Plan) { p.Steps[0].Args = op.Niri{Command: "close-window"} },
		"another author":    func(p *plan.Plan) { p.Steps[0].Provenance = plan.FromScreen },
		"another operation": func(p *plan.Plan) { p.Steps[0].Args = op.Terminal{Command: p.Steps[0].Args.(op.Niri).Command} },
		"a step more":       func(p *plan.Plan) { p.Steps = append(p.Steps, p.Steps[0]) },
	} {
		var log []string
		a := dialoguetest.New().Agent(t, opened(&log))
		w := ask(t, a, "log out", plan.NeedsConfirmation)
		change(w.Plan)
		answer, err := a.Confirm(t.Context(), w.Token, true)
		if err != nil || answer.Outcome != plan.Refused || answer.Reason != plan.PolicyReason || len(log) > 0 {
			t.Errorf("%s: %+v, %v, %q", name, answer, err, log)
		}
	}
}

// TestThePolicyIsAskedAgain after the approval.
func TestThePolicyIsAskedAgain(t *testing.T) {
	var log []string
	r := dialoguetest.New()
	r.Policy = policy.Policy{Confirm: []string{"ensure_app"}}
	a := r.Agent(t, opened(&log))
	// A choice may still need a confirmation.
	w := ask(t, a, "open chat", plan.Ambiguous)
	answer, err := a.Choose(t.Context(), w.Token, 0)
	if err != nil || answer.Reason != plan.NeedsConfirmation || answer.Question == nil || len(log) > 0 {
		t.Fatalf("%+v, %v, %q", answer, err, log)
	}
	if answer, err = a.Confirm(t.Context(), answer.Question.Token, true); err != nil ||
		answer.Outcome != plan.Completed || len(log) != 1 {
		t.Errorf("%+v, %v, %q", answer, err, log)
	}
}

// TestAStepThatTurnsOutToDisturbAsks in the middle of a plan; what is left runs
// after the approval.
func TestAStepThatTurnsOutToDisturbAsks(t *testing.T) {
	r := dialoguetest.New()
	asked, pressed := 0, []string{}
	a := r.Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(_ context.Context, s plan.Step) error {
		if chord := s.Args.(op.Key).Chord; chord == "f6" && asked == 0 {
			asked++
			return plan.Refuse(plan.NeedsConfirmation, "confirm: this goes to another workspace")
		}
		pressed = append(pressed, s.Args.(op.Key).Chord)
		return nil
	}})
	answer := a.Run(t.Context(), "press f5 then press f6 then press f7", byUser)
	if answer.Question == nil || answer.Reason != plan.NeedsConfirmation || strings.Join(pressed, " ") != "f5" {
		t.Fatalf("%+v, pressed %q", answer, pressed)
	}
	answer, err := a.Confirm(t.Context(), answer.Question.Token, true)
	if err != nil || answer.Outcome != plan.Completed || strings.Join(pressed, " ") != "f5 f6 f7" {
		t.Errorf("%+v, %v, pressed %q", answer, err, pressed)
	}
}

// TestANotificationAnswers, once, and also after the call that asked has ended.
func TestANotificationAnswers(t *testing.T) {
	for said, tt := range map[string]struct{ button, want string }{
		"log out":   {"yes", "quit"},
		"open chat": {"1", "element"},
	} {
		var log []string
		r := dialoguetest.New()
		var press func(string)
		var buttons []notify.Button
		r.Ask = func(_ string, actions []notify.Button, answered func(string)) error {
			buttons, press = actions, answered
			return nil
		}
		a := r.Agent(t, opened(&log))
		ctx, cancel := context.WithCancel(t.Context())
		answer := a.Run(ctx, said, byUser)
		cancel()
		if answer.Question == nil || len(buttons) != 2 || len(log) > 0 {
			t.Fatalf("%s: %+v, buttons %v, did %q", said, answer, buttons, log)
		}
		press(tt.button)
		press(tt.button)
		if len(log) != 1 || log[0] != tt.want {
			t.Errorf("%s: did %q, want %s once", said, log, tt.want)
		}
	}
}
