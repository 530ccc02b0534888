package runner

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/turnstile"
)

// A queue lets one in at a time. The others wait in line.
type queue struct {
	mu   sync.Mutex
	line turnstile.Line
}

// enter waits for its turn, at most patience, and returns how to leave. If too many
// wait, the error is -32005 "busy". turn says after whom it may be in line.
func (q *queue) enter(ctx context.Context, turn *turn, patience time.Duration) (leave func(), err error) {
	waited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	late := func() error {
		return protocol.CallFailure(ctx, notStarted(protocol.MethodActionInvoke, context.Cause(waited)))
	}
	if !turn.wait(waited) {
		return nil, late()
	}
	p := q.join(waited)
	turn.give()
	if p == nil {
		return nil, protocol.Errorf(protocol.CodeUnavailable, "too much is waiting to be done").
			With(protocol.Data{Reason: protocol.ReasonBusy, Outcome: protocol.OutcomeNotStarted})
	}
	if _, err := p.Wait(); err != nil {
		q.leave(p)
		return nil, late()
	}
	return func() { q.leave(p) }, nil
}

func (q *queue) join(ctx context.Context) *turnstile.Place {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.line.Join(ctx)
}

func (q *queue) leave(p *turnstile.Place) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.line.Leave(p)
}

// turns keeps the order of one client's requests that act, of which several are
// served at the same time. Only the reader of the connection uses it.
type turns struct {
	act, command *turn // the last of each kind
}

// A turn is that of one request. A nil turn is nobody's, and is always there.
type turn struct {
	over chan struct{} // closed when it was given up
	// after are the turns that come before it. Only the server of the request
	// writes it, and nobody once over is closed.
	after []*turn
	given bool // only for the server of the request
}

type turnKey struct{}

// turnOf returns the turn of the request that ctx serves.
func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// enter gives a request its turn: one that acts after those before it that act,
// a command after the commands too. A client that asks for an action at once does not wait
// for the plan of a command.
func (s *turns) enter(ctx context.Context, method string, params json.RawMessage) context.Context {
	t := &turn{over: make(chan struct{})}
	switch {
	case method == protocol.MethodRunnerCommand:
		t.after = unfinished(s.act, s.command)
		s.command = t
	case method == protocol.MethodRunnerInvoke && acts(params):
		t.after = unfinished(s.act)
		s.act = t
	default:
		return ctx
	}
	return context.WithValue(ctx, turnKey{}, t)
}

// acts reports whether a runner.invoke passes the policy and the queue.
func acts(params json.RawMessage) bool {
	var p struct {
		Method string `json:"method"`
	}
	if protocol.DecodeParams(params, &p) != nil {
		return false
	}
	access := protocol.InvokeAccess(p.Method)
	return access == protocol.AccessInvoke || access == protocol.AccessPoliced
}

// wait waits until all those before have given their turns up.
func (t *turn) wait(ctx context.Context) bool {
	if t == nil || t.given {
		return true
	}
	if !areOver(ctx, t.after) {
		return false
	}
	t.after = nil
	return true
}

// areOver waits for turns, and for those before each: one that was given up early
// lets nobody past them.
func areOver(ctx context.Context, turns []*turn) bool {
	for _, t := range turns {
		select {
		case <-t.over:
		case <-ctx.Done():
			return false
		}
		if !areOver(ctx, t.after) {
			return false
		}
	}
	return true
}

// give lets the next one go: the request is in line, or ended, or waits for
// something else first. A request that has given up its turn waits for no one.
func (t *turn) give() {
	if t == nil || t.given {
		return
	}
	t.given = true
	t.after = unfinished(t.after...)
	close(t.over)
}

// unfinished returns those of some turns, and of those before them, that are not
// over.
func unfinished(turns ...*turn) (left []*turn) {
	for _, t := range turns {
		if t == nil {
			continue
		}
		select {
		case <-t.over:
			left = append(left, unfinished(t.after...)...)
		default:
			left = append(left, t)
		}
	}
	return left
}
