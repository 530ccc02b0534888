package rpc

import (
	"sync"
	"time"
)

// A watch calls late when what began is not done within its patience. It sets
// its timer once in a while, not for every beginning: that would wake the
// runtime's poller each time.
type watch struct {
	patience time.Duration
	late     func()

	mu    sync.Mutex
	since time.Time // zero if nothing goes on
	timer *time.Timer
	set   bool
}

func newWatch(patience time.Duration, late func()) *watch {
	w := &watch{patience: patience, late: late}
	w.timer = time.AfterFunc(time.Hour, w.look)
	w.timer.Stop()
	return w
}

func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
	if !w.set {
		w.set = true
		w.timer.Reset(w.patience)
	}
}

func (w *watch) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Time{}
}

// look runs when the timer does: what goes on now may have begun later.
func (w *watch) look() {
	w.mu.Lock()
	left := w.patience - time.Since(w.since)
	w.set = !w.since.IsZero() && left > 0
	if w.set {
		w.timer.Reset(left)
	}
	late := !w.since.IsZero() && left <= 0
	w.mu.Unlock()
	if late {
		w.late()
	}
}

// stop ends the watch; nothing begins after it.
func (w *watch) stop() { w.timer.Stop() }
