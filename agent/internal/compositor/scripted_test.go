package compositor_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/agent/internal/compositor/memory"
)

// A scripted is a desktop in memory whose actions have the effects that a test
// says.
type scripted struct {
	*memory.Backend
	do     func(b *memory.Backend, a compositor.Action) error
	read   func() (*compositor.State, error) // memory's, if nil
	states <-chan *compositor.State          // memory's, if nil
}

func (s *scripted) Do(ctx context.Context, state *compositor.State, a compositor.Action) error {
	if s.do == nil {
		return s.Backend.Do(ctx, state, a)
	}
	return s.do(s.Backend, a)
}

func (s *scripted) Read(ctx context.Context) (*compositor.State, error) {
	if s.read == nil {
		return s.Backend.Read(ctx)
	}
	return s.read()
}

func (s *scripted) Watch(ctx context.Context) (<-chan *compositor.State, error) {
	if s.states == nil {
		return s.Backend.Watch(ctx)
	}
	return s.states, nil
}

// A door is where a Desktop finds compositors: those that a test puts there.
type door struct {
	mu     sync.Mutex
	behind compositor.Backend
	tries  []time.Time
}

func (d *door) connect(context.Context) (compositor.Backend, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tries = append(d.tries, time.Now())
	b := d.behind
	d.behind = nil
	if b == nil {
		return nil, errors.New("nobody is at home")
	}
	return b, nil
}

func (d *door) put(b compositor.Backend) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.behind = b
}

// tried returns when the Desktop came by since the last call.
func (d *door) tried() []time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	tries := d.tries
	d.tries = nil
	return tries
}

func newDesktop(t *testing.T, connect func(context.Context) (compositor.Backend, error)) *compositor.Desktop {
	t.Helper()
	return compositor.NewDesktop(connect, compositortest.Vocabulary(t), slog.New(slog.DiscardHandler))
}

// run runs d until the test or its bubble ends.
func run(t *testing.T, d *compositor.Desktop) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v, want context.Canceled", err)
		}
	})
}

// follow returns a Desktop that follows b and then finds no other. It must be
// called in a bubble.
func follow(t *testing.T, b compositor.Backend) *compositor.Desktop {
	t.Helper()
	d := newDesktop(t, (&door{behind: b}).connect)
	run(t, d)
	synctest.Wait()
	return d
}

// later does something to the desktop after the action has returned.
func later(after time.Duration, do func()) { time.AfterFunc(after, do) }
