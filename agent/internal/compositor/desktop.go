package compositor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"utter/shared/plan"
)

// Back-off between attempts to reach the compositor.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// A Desktop follows whatever compositor runs, across its restarts. Its methods
// are safe for concurrent use.
type Desktop struct {
	connect    func(context.Context) (Backend, error)
	vocabulary *Vocabulary
	log        *slog.Logger
	kick       chan struct{}

	mu      sync.Mutex
	backend Backend // nil while there is none
	why     error   // why not
	state   *State
	changed chan struct{} // closed and replaced at each change
	// recency numbers windows by their last focus.
	recency map[WindowID]int
	clock   int
}

// NewDesktop returns a Desktop that reaches compositors by connect. It does
// nothing until Run is called.
func NewDesktop(connect func(context.Context) (Backend, error), v *Vocabulary, log *slog.Logger) *Desktop {
	return &Desktop{
		connect: connect, vocabulary: v, log: log, kick: make(chan struct{}, 1),
		why: errors.New("not connected yet"), state: &State{}, changed: make(chan struct{}), recency: map[WindowID]int{},
	}
}

// Vocabulary returns the actions that Perform knows.
func (d *Desktop) Vocabulary() *Vocabulary { return d.vocabulary }

// Run connects and follows until ctx ends. When the compositor goes away it
// waits for the next one, with growing pauses.
func (d *Desktop) Run(ctx context.Context) error {
	pause := firstRetry
	for {
		b, err := d.connect(ctx)
		if err == nil {
			d.log.Info("compositor connected", "name", b.Info().Name, "version", b.Info().Version)
			err = d.follow(ctx, b)
			if _, spoke := d.Info(); spoke {
				pause = firstRetry
			}
		}
		d.lose(err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.kick:
		case <-time.After(pause):
			pause = min(2*pause, lastRetry)
		}
	}
}

// Kick makes Run look for a compositor now if there is none.
func (d *Desktop) Kick() {
	select {
	case d.kick <- struct{}{}:
	default:
	}
}

func (d *Desktop) follow(ctx context.Context, b Backend) error {
	defer b.Close()
	states, err := b.Watch(ctx)
	if err != nil {
		return err
	}
	for s := range states {
		d.update(b, s)
	}
	return fmt.Errorf("%s: %w", b.Info().Name, ErrGone)
}

func (d *Desktop) update(b Backend, s *State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.backend, d.why = b, nil
	d.note(s)
	d.state = d.sorted(s)
	close(d.changed)
	d.changed = make(chan struct{})
}

// note remembers the order of focus. Windows met for the first time keep the
// order that the compositor gives them.
func (d *Desktop) note(s *State) {
	seen := make(map[WindowID]int, len(s.Windows))
	for _, w := range slices.Backward(s.Windows) {
		r, known := d.recency[w.ID]
		if !known {
			d.clock++
			r = d.clock
		}
		seen[w.ID] = r
	}
	if w, ok := s.Focused(); ok {
		d.clock++
		seen[w.ID] = d.clock
	}
	d.recency = seen
}

func (d *Desktop) sorted(s *State) *State {
	copied := *s
	copied.Windows = slices.Clone(s.Windows)
	slices.SortStableFunc(copied.Windows, func(a, b Window) int {
		return cmp.Compare(d.recency[b.ID], d.recency[a.ID])
	})
	return &copied
}

// ordered puts the windows of s, which was just read, in the order of their
// focus. It counts for that order: what Watch brings may be older, and may leave
// out what lay between.
func (d *Desktop) ordered(s *State) *State {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(s)
	return d.sorted(s)
}

func (d *Desktop) lose(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.backend != nil {
		d.log.Warn("compositor lost", "why", why)
	}
	d.backend, d.why, d.state = nil, why, &State{}
	d.recency, d.clock = map[WindowID]int{}, 0
	close(d.changed)
	d.changed = make(chan struct{})
}

// State returns the latest state; it is empty while there is no compositor.
func (d *Desktop) State() *State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// Read asks the compositor for the state as it is now.
func (d *Desktop) Read(ctx context.Context) (*State, error) {
	b, err := d.connected()
	if err != nil {
		return nil, err
	}
	s, err := b.Read(ctx)
	if err != nil {
		return nil, unread(ctx, b.Info().Name, err)
	}
	return d.ordered(s), nil
}

// unread explains why the compositor called name could not be read.
func unread(ctx context.Context, name string, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return plan.Refuse(plan.Cancelled, "interrupted before %s listed its windows", name)
	case ctx.Err() != nil:
		return plan.Refuse(plan.Timeout, "%s did not list its windows in time", name)
	default:
		return plan.Refuse(plan.Missing, "%s does not respond: %v", name, err)
	}
}

// Info describes the compositor; ok is false while there is none.
func (d *Desktop) Info() (info Info, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.backend == nil {
		return Info{}, false
	}
	return d.backend.Info(), true
}

// Changed returns a channel that is closed at the next change of the state or
// the connection.
func (d *Desktop) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

// Supports reports whether the compositor that runs now has an action.
func (d *Desktop) Supports(action string) bool {
	b, err := d.connected()
	return err == nil && b.Supports(action)
}

func (d *Desktop) connected() (Backend, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.backend == nil {
		return nil, plan.Refuse(plan.Missing, "no supported compositor is running: %v", d.why)
	}
	return d.backend, nil
}

// AwaitConnection waits until there is a compositor, but not longer than limit.
func (d *Desktop) AwaitConnection(ctx context.Context, limit time.Duration) error {
	if _, err := d.connected(); err == nil {
		return nil
	}
	d.Kick()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		changed := d.Changed()
		if _, err := d.connected(); err == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			_, err := d.connected()
			return err
		}
	}
}

// Wait returns the first state, from the latest on, for which ok is true, or
// ctx's error, or ErrGone if the compositor goes away.
func (d *Desktop) Wait(ctx context.Context, ok func(*State) bool) (*State, error) {
	for {
		d.mu.Lock()
		s, changed, alive := d.state, d.changed, d.backend != nil
		d.mu.Unlock()
		if !alive {
			return nil, ErrGone
		}
		if ok(s) {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Focus gives the focus to a window, wherever it is, and waits until it has it.
func (d *Desktop) Focus(ctx context.Context, id WindowID) error {
	_, err := d.Perform(ctx, Action{Name: "focus-window", Window: id})
	return err
}

// CloseWindow closes one window and waits until it is gone.
func (d *Desktop) CloseWindow(ctx context.Context, id WindowID) error {
	if id == 0 { // to Perform that is the focused one
		return plan.Refuse(plan.NotFound, "close-window: no window is given")
	}
	_, err := d.Perform(ctx, Action{Name: "close-window", Window: id})
	return err
}

func sameName(a, b string) bool { return strings.EqualFold(a, b) }
