package dialogue

import (
	"context"
	"fmt"
	"strconv"

	"utter/agent/internal/executor"
	"utter/agent/internal/notify"
	"utter/shared/plan"
)

// The keys of the answers to a confirmation.
const yes, no = "yes", "no"

var yesOrNo = []notify.Button{{Key: yes, Label: "Do it"}, {Key: no, Label: "No"}}

// mostButtons is how many choices a notification shows; all have numbers.
const mostButtons = 6

// askToChoose asks which of several candidates an utterance means.
func (a *Dialogue) askToChoose(ctx context.Context, said, text string, choices []plan.Choice, window uint64) *Question {
	q := &Question{Kind: Choice, Utterance: said, Text: text, Choices: choices, window: window}
	a.turns.happens(agentAsks{q})
	a.turns.listener().ChoiceRequested(*q)
	a.turns.tell()
	var buttons []notify.Button
	for i, c := range q.Choices[:min(mostButtons, len(q.Choices))] {
		buttons = append(buttons, notify.Button{Key: strconv.Itoa(i), Label: c.Label + " (" + c.Origin + ")"})
	}
	a.logUnshown(a.turns.show(ctx, q, "Which one?", buttons, func(key string) error {
		i, err := strconv.Atoi(key)
		if err == nil {
			_, err = a.Choose(context.WithoutCancel(ctx), q.Token, i)
		}
		return err
	}))
	return q
}

// askToGoOn asks for a step that turned out, while the plan ran, to need a
// confirmation. What is left of the plan waits.
func (a *Dialogue) askToGoOn(ctx context.Context, t task, report executor.Report) *Question {
	rest := *t.plan
	rest.Steps = rest.Steps[len(report.Results)-1:]
	t.plan = &rest
	return a.askToConfirm(ctx, t, report.Message, executor.Approval{Shown: t.approval.Shown, First: true})
}

// askToConfirm makes a plan wait for a confirmation, which gives it this approval.
func (a *Dialogue) askToConfirm(ctx context.Context, t task, text string, approval executor.Approval) *Question {
	q := &Question{
		Kind: Confirmation, Utterance: t.plan.Utterance, Text: text, Plan: t.plan, window: t.window, approval: approval,
	}
	a.turns.happens(agentAsks{q})
	a.turns.listener().ConfirmationRequested(*q)
	a.turns.tell()
	a.logUnshown(a.turns.show(ctx, q, q.Text, yesOrNo, func(key string) error {
		_, err := a.Confirm(context.WithoutCancel(ctx), q.Token, key == yes)
		return err
	}))
	return q
}

// logUnshown logs that nothing shows a question. The caller of the utterance gets it in
// the answer, and the CLI and D-Bus can still answer it.
func (a *Dialogue) logUnshown(err error) {
	if err != nil {
		a.parts.Log.Debug("notification", "error", err)
	}
}

// Choose carries out one of the choices of an ambiguous utterance.
func (a *Dialogue) Choose(ctx context.Context, token string, index int) (Reply, error) {
	return a.byToken(ctx, userChooses{token, index})
}

// Confirm carries out, or turns down, a plan that asked for confirmation. The plan that
// runs is the one that was shown; target and policy are checked again.
func (a *Dialogue) Confirm(ctx context.Context, token string, approve bool) (Reply, error) {
	return a.byToken(ctx, userConfirms{token, approve})
}

func (a *Dialogue) byToken(ctx context.Context, e event) (Reply, error) {
	defer a.turns.tell()
	o := a.turns.happens(e)
	if o.err != nil {
		return Reply{}, o.err
	}
	return a.answered(ctx, o), nil
}

// hear takes an utterance for the answer to what is going on, if it is one.
func (a *Dialogue) hear(ctx context.Context, utterance string) (answer Reply, ok bool) {
	defer a.turns.tell()
	o := a.turns.happens(userSays{utterance, a.router()})
	switch {
	case o.question != nil:
		return a.answered(ctx, o), true
	case o.ended > 0:
		return Reply{Report: executor.Report{Outcome: plan.Completed, Message: fmt.Sprintf("cancelled %d", o.ended)}}, true
	}
	return Reply{}, false
}

// answered does what the answer to a question asks for.
func (a *Dialogue) answered(ctx context.Context, o outcome) Reply {
	q := o.question
	switch {
	case q.Kind == Choice && o.index == noChoice:
		return refused(plan.Cancelled, "turned down")
	case q.Kind == Choice:
		return a.carryOut(ctx, q.choice(o.index))
	case q.Kind == Request:
		return q.request.tell(q.Op, o.approve)
	case !o.approve:
		return refused(plan.Cancelled, "you said no; nothing was done")
	case q.digest == "" || digest(q.Plan) != q.digest:
		return refused(plan.PolicyReason, "the plan is not the one that was shown")
	}
	return a.carryOut(ctx, task{plan: q.Plan, approval: q.approval, window: q.window})
}
