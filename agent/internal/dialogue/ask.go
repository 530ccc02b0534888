package dialogue

import (
	"context"
	"fmt"
	"strconv"

	"utter/agent/internal/executor"
	"utter/agent/internal/notify"
	"utter/shared/plan"
)

// ask has the user choose.
func (a *Agent) ask(ctx context.Context, w Question) *Question {
	w = a.pending.add(w)
	a.told().ChoiceRequested(w)
	a.tellState()
	var buttons []notify.Action
	for i, c := range w.Choices[:min(mostButtons, len(w.Choices))] {
		buttons = append(buttons, notify.Action{Key: strconv.Itoa(i), Label: c.Label + " (" + c.Origin + ")"})
	}
	a.logUnshown(a.show(ctx, w, "Which one?", buttons, func(key string) error {
		i, err := strconv.Atoi(key)
		if err == nil {
			_, err = a.Choose(context.WithoutCancel(ctx), w.Token, i)
		}
		return err
	}))
	return &w
}

// mostButtons is how many choices a notification shows; all have numbers.
const mostButtons = 6

// askToGoOn asks for a step that turned out, while the plan ran, to need the
// user's word. What is left of the plan waits.
func (a *Agent) askToGoOn(ctx context.Context, t task, report executor.Report) *Question {
	rest := *t.plan
	rest.Steps = rest.Steps[len(report.Results)-1:]
	t.plan = &rest
	return a.confirmFirst(ctx, t, report.Message, executor.Approval{Shown: t.approval.Shown, First: true})
}

// confirmFirst makes a plan wait for the user's word, which will be this approval.
func (a *Agent) confirmFirst(ctx context.Context, t task, text string, approval executor.Approval) *Question {
	w := a.pending.add(Question{Kind: Confirmation, Utterance: t.plan.Utterance, Text: text, Plan: t.plan, window: t.window, approval: approval})
	a.told().ConfirmationRequested(w)
	a.tellState()
	a.logUnshown(a.askForConfirmation(ctx, w))
	return &w
}

// askForConfirmation shows a notification with the question.
func (a *Agent) askForConfirmation(ctx context.Context, w Question) error {
	const yes, no = "yes", "no"
	buttons := []notify.Action{{Key: yes, Label: "Do it"}, {Key: no, Label: "No"}}
	return a.show(ctx, w, w.Text, buttons, func(key string) error {
		_, err := a.Confirm(context.WithoutCancel(ctx), w.Token, key == yes)
		return err
	})
}

// logUnshown logs that nothing shows a question. Who asked it has been told it, and
// the CLI and D-Bus still answer.
func (a *Agent) logUnshown(err error) {
	if err != nil {
		a.parts.Log.Debug("notification", "error", err)
	}
}

// show asks by a notification. The answer runs when the call that asked is long
// over, so it has the values of ctx but not its end.
func (a *Agent) show(ctx context.Context, w Question, text string, buttons []notify.Action, answered func(key string) error) error {
	return a.parts.Ask.Show(ctx, "Utter", text, buttons, int32(w.Expires.Milliseconds()), func(key string) {
		if err := answered(key); err != nil {
			a.parts.Log.Info("notification answered too late", "error", err)
		}
	})
}

// Choose carries out one of the choices of an ambiguous utterance.
func (a *Agent) Choose(ctx context.Context, token string, index int) (Answer, error) {
	w, err := a.pending.take(token, Question.isChoice)
	defer a.tellState()
	if err != nil {
		return Answer{}, err
	}
	if index < 0 || index >= len(w.Choices) {
		a.pending.restore(w)
		return Answer{}, fmt.Errorf("%w: choice %d of %d", ErrNoChoice, index+1, len(w.Choices))
	}
	return a.carryOut(ctx, w.choice(index)), nil
}

// Confirm carries out, or turns down, a plan that asked for confirmation. The
// plan that runs is the one whose digest the token stands for; target and policy
// are checked again.
func (a *Agent) Confirm(ctx context.Context, token string, approve bool) (Answer, error) {
	w, err := a.pending.take(token, Question.isConfirmation)
	defer a.tellState()
	if err != nil {
		return Answer{}, err
	}
	return a.confirmed(ctx, w, approve), nil
}

// confirmed does what the user's word to a confirmation asks for.
func (a *Agent) confirmed(ctx context.Context, w Question, approve bool) Answer {
	switch {
	case w.foreign != nil:
		return w.foreign.tell(approve)
	case !approve:
		return refused(plan.Cancelled, "turned down")
	case w.digest == "" || digest(w.Plan) != w.digest:
		return refused(plan.PolicyReason, "the plan is not the one that was shown")
	}
	return a.carryOut(ctx, task{plan: w.Plan, approval: w.approval, window: w.window})
}
