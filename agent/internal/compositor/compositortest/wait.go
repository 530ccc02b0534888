package compositortest

import (
	"testing"
	"time"

	"utter/agent/internal/compositor"
)

// patience is for what has no deadline of its own: a loaded machine is slow.
const patience = 10 * time.Second

// Eventually reports whether ok becomes true soon.
func Eventually(ok func() bool) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// watch starts watching b; the watch ends with the test.
func watch(t *testing.T, b compositor.Backend) <-chan *compositor.State {
	t.Helper()
	states, err := b.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return states
}

// next returns the next state.
func next(t *testing.T, states <-chan *compositor.State) *compositor.State {
	t.Helper()
	s := Next(t, states)
	if s == nil {
		t.Fatal("the channel closed")
	}
	return s
}

// Next returns the next state, or nil if the channel is closed.
func Next(t testing.TB, states <-chan *compositor.State) *compositor.State {
	t.Helper()
	select {
	case s := <-states:
		return s
	case <-time.After(patience):
		t.Fatal("no state came")
	}
	return nil
}

// drain waits until states is closed.
func drain(t *testing.T, states <-chan *compositor.State) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, ok := <-states:
			if !ok {
				return
			}
		case <-deadline:
			t.Fatal("the channel stays open")
		}
	}
}
