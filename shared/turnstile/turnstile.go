// Package turnstile lets one caller in at a time. The others wait in a queue of limited
// length.
package turnstile

import (
	"context"
	"slices"
)

// MaxWaiting is how many callers may wait for the one that is inside.
const MaxWaiting = 8

// A Line holds the caller that is inside and the callers that wait, in their order.
// The zero Line is empty. It has no lock: its owner guards it.
type Line struct{ places []*Place }

// A Place is that of a caller that is inside or waits. Wait needs no lock.
type Place struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	turn     chan struct{} // closed when the caller is inside
	admitted bool
}

// Join returns a place at the end of the line, or nil if the line is full. A caller
// that got a place must leave it.
func (l *Line) Join(ctx context.Context) *Place {
	if len(l.places) > MaxWaiting {
		return nil
	}
	p := &Place{turn: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	l.places = append(l.places, p)
	l.admit()
	return p
}

// Leave removes a place, whether its caller is inside or waits.
func (l *Line) Leave(p *Place) {
	l.places = slices.DeleteFunc(l.places, func(other *Place) bool { return other == p })
	p.cancel(nil)
	l.admit()
}

// Cancel ends the contexts of all callers and returns how many there are. They leave
// by themselves.
func (l *Line) Cancel(cause error) int {
	for _, p := range l.places {
		p.cancel(cause)
	}
	return len(l.places)
}

// Len returns how many callers are inside and wait.
func (l *Line) Len() int { return len(l.places) }

func (l *Line) admit() {
	if len(l.places) > 0 && !l.places[0].admitted {
		l.places[0].admitted = true
		close(l.places[0].turn)
	}
}

// Wait waits until the caller is inside. The context that it returns ends with the one
// given to Join, with Leave and with Cancel; if it ends first, its cause is the error.
func (p *Place) Wait() (context.Context, error) {
	select {
	case <-p.turn:
		return p.ctx, nil
	case <-p.ctx.Done():
		return nil, context.Cause(p.ctx)
	}
}
