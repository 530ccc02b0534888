package dialogue

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"utter/agent/internal/executor"
	"utter/agent/internal/notify"
	"utter/shared/plan"
	"utter/shared/profile"
)

// ErrNobody means that the user cannot be asked.
var ErrNobody = errors.New("no notification service to ask the user")

// An Asker shows a question with answers to choose from.
type Asker interface {
	Show(ctx context.Context, summary, text string, actions []notify.Button, ms int32, answered func(key string)) error
}

// Turns is whose turn it is: which plan runs, and which question the user can answer.
// A Dialogue has one; other programs may ask the user through it, also before the Dialogue
// is there.
type Turns struct {
	asker Asker // nil shows nothing
	log   *slog.Logger

	mu     sync.Mutex
	state  state
	events Events

	telling sync.Mutex // listeners hear the states in their order
}

// NewTurns returns Turns in which nothing waits. A nil asker shows no questions.
func NewTurns(asker Asker, log *slog.Logger) *Turns {
	return &Turns{asker: asker, log: log, state: state{told: "ready"}, events: silent{}}
}

// happens applies an event to the state. All its changes come through here.
func (t *Turns) happens(e event) outcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.state.question
	o := t.state.apply(time.Now(), e)
	if q := t.state.question; q != nil && q != before {
		time.AfterFunc(expiry+time.Millisecond, func() { t.happens(timePasses{}); t.tell() })
	}
	return o
}

// tell tells the listener the name of the state, if that has changed.
func (t *Turns) tell() {
	t.telling.Lock()
	defer t.telling.Unlock()
	if o := t.happens(stateTold{}); o.told != "" {
		t.listener().StateChanged(o.told)
	}
}

func (t *Turns) listen(e Events) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = e
}

func (t *Turns) listener() Events {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.events
}

// AskFor asks the user about what another program wants to do, and returns whether
// they agree. It waits until no other question can be answered. A question of the agent
// takes its place, and so does an utterance: that is a no. Only a notification shows it:
// without one the error is ErrNobody. If ctx ends first, the error is its cause.
func (t *Turns) AskFor(ctx context.Context, op, text string) (bool, error) {
	r := newRequest()
	q := &Question{Kind: Request, Op: op, Text: "confirm: another program wants " + text, request: r}
	defer close(r.gone)
	defer t.tell()
	t.happens(programAsks{q})
	defer t.happens(programLeaves{q})
	select {
	case <-r.turn:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	err := t.show(ctx, q, q.Text, yesOrNo, func(key string) error {
		o := t.happens(userConfirms{q.Token, key == yes})
		if o.err == nil {
			r.tell(op, o.approve)
		}
		return o.err
	})
	if err != nil {
		t.log.Info("there is no way to show another program's question", "error", err)
		return false, ErrNobody
	}
	t.happens(questionShown{q})
	t.listener().ConfirmationRequested(*q)
	t.tell()
	select {
	case yes := <-r.answer:
		return yes, nil
	case <-r.dropped:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// tell hands the user's answer over, if the program that asked still waits for it.
func (r *request) tell(op string, approve bool) Reply {
	select {
	case r.answer <- approve:
	case <-r.gone:
		return refused(plan.Timeout, "the program that asked for %s is no longer waiting", op)
	}
	if !approve {
		return refused(plan.Cancelled, "you said no; nothing was done")
	}
	return Reply{Report: executor.Report{Outcome: plan.Completed, Message: "allowed " + op}}
}

// show asks by a notification. The answer comes when the call that asked is long over.
func (t *Turns) show(
	ctx context.Context, q *Question, text string, buttons []notify.Button, answered func(key string) error,
) error {
	if t.asker == nil {
		return ErrNobody
	}
	return t.asker.Show(ctx, "Utter", text, buttons, int32(q.Expires.Milliseconds()), func(key string) {
		if err := answered(key); err != nil {
			t.log.Info("a notification was answered too late", "error", err)
		}
	})
}

// silent is for Turns that nobody listens to yet.
type silent struct{}

func (silent) PlanStarted(*plan.Plan)                        {}
func (silent) StepFinished(int, plan.Result)                 {}
func (silent) PlanFinished(*plan.Plan, plan.Outcome, string) {}
func (silent) ConfirmationRequested(Question)                {}
func (silent) ChoiceRequested(Question)                      {}
func (silent) StateChanged(string)                           {}
func (silent) ProfilesChanged([]profile.Problem)             {}
