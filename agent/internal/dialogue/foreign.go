package dialogue

import (
	"context"
	"errors"
	"time"

	"utter/agent/internal/executor"
	"utter/shared/plan"
)

// ErrNobody means that there is nobody who could be asked.
var ErrNobody = errors.New("nothing here shows a question to the user")

// readTime is how long a question of another program must have been there before
// a word can be meant for it.
const readTime = 2 * time.Second

// A foreign question is about what another program wants done.
type foreign struct {
	op    string
	shown time.Time

	answer  chan bool
	dropped chan struct{} // closed when another question took its place
	gone    chan struct{} // closed when nobody waits for the answer any more
}

// read reports whether the user can have read the question by now.
func (f *foreign) read(now time.Time) bool { return now.Sub(f.shown) >= readTime }

// tell hands the user's answer over, if somebody still waits for it.
func (f *foreign) tell(approve bool) Answer {
	select {
	case f.answer <- approve:
	case <-f.gone:
		return refused(plan.Timeout, "the program that asked for %s no longer waits", f.op)
	}
	if !approve {
		return refused(plan.Cancelled, "turned down")
	}
	return Answer{Report: executor.Report{Outcome: plan.Completed, Message: "allowed " + f.op}}
}

// AskFor asks the user about what another program wants done, and returns whether
// they agree. It waits until the agent's own question is answered; one that comes
// takes its place, and so does an utterance. Only a notification shows it: without
// one the error is ErrNobody. Nobody's answer ends with ctx.
func (a *Agent) AskFor(ctx context.Context, op, text string) (bool, error) {
	f := &foreign{op: op, answer: make(chan bool), dropped: make(chan struct{}), gone: make(chan struct{})}
	defer close(f.gone)
	f.shown = a.pending.now().Add(time.Hour) // not yet
	w, err := a.pending.addBehind(ctx, Question{Kind: Request, Op: op, Text: "confirm: another program wants " + text, foreign: f})
	if err != nil {
		return false, err
	}
	defer a.tellState()
	defer a.pending.withdraw(w.Token)
	if err := a.askForConfirmation(ctx, w); err != nil {
		a.parts.Log.Info("another program wants something confirmed, and nothing shows the question", "error", err)
		return false, ErrNobody
	}
	a.pending.shown(w.Token)
	a.told().ConfirmationRequested(w)
	a.tellState()
	select {
	case yes := <-f.answer:
		return yes, nil
	case <-f.dropped:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
