package dialogue

import (
	"context"
	"errors"
	"sync"
)

// maxWaiting is how many plans may wait for the running one.
const maxWaiting = 8

var (
	errBusy      = errors.New("too many plans are waiting")
	errCancelled = errors.New("cancelled by the user")
)

// A queue lets one plan run at a time and the others wait in their order.
type queue struct {
	mu      sync.Mutex
	entries []*entry // the first runs
}

type entry struct {
	turn   chan struct{} // closed when its turn has come
	cancel context.CancelCauseFunc
}

func newQueue() *queue { return &queue{} }

// enter waits for its turn. The context that it returns ends with ctx or by
// cancelAll; leave must be called when the plan has ended. It fails with errBusy
// at once, or with ctx's cause while waiting.
func (q *queue) enter(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(ctx)
	e := &entry{turn: make(chan struct{}), cancel: cancel}
	q.mu.Lock()
	if len(q.entries) > maxWaiting {
		q.mu.Unlock()
		cancel(errBusy)
		return nil, nil, errBusy
	}
	q.entries = append(q.entries, e)
	if len(q.entries) == 1 {
		close(e.turn)
	}
	q.mu.Unlock()
	leave := func() { q.leave(e); cancel(nil) }
	select {
	case <-e.turn:
		return ctx, leave, nil
	case <-ctx.Done():
		leave()
		return nil, nil, context.Cause(ctx)
	}
}

// length returns how many plans run and wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries)
}

// leave takes e out and gives the next one its turn.
func (q *queue) leave(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.entries {
		if other != e {
			continue
		}
		q.entries = append(q.entries[:i:i], q.entries[i+1:]...)
		if i == 0 && len(q.entries) > 0 {
			close(q.entries[0].turn)
		}
		return
	}
}

// running reports whether a plan has its turn.
func (q *queue) running() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries) > 0
}

// cancelAll ends the running plan and those that wait.
func (q *queue) cancelAll() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.entries {
		e.cancel(errCancelled)
	}
	return len(q.entries)
}
