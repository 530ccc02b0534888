package niri

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"utter/agent/internal/compositor"
)

// A Backend is one running niri.
type Backend struct {
	info     compositor.Info
	forms    forms
	commands *conn
	events   *conn

	mu       sync.Mutex
	captures int // screenshots seen in the events
}

// Dial connects to the socket at path. env is what programs need to find this
// compositor.
func Dial(ctx context.Context, path string, env map[string]string) (*Backend, error) {
	forms, err := loadForms()
	if err != nil {
		return nil, err
	}
	commands, err := dial(ctx, path)
	if err != nil {
		return nil, err
	}
	events, err := dial(ctx, path)
	if err != nil {
		commands.close()
		return nil, err
	}
	b := &Backend{forms: forms, commands: commands, events: events}
	version, err := query[string](ctx, commands, "Version")
	if err != nil {
		b.Close()
		return nil, err
	}
	b.info = compositor.Info{Name: "niri", Version: version, Env: env, SeatLayout: true}
	return b, nil
}

// Info describes the compositor.
func (b *Backend) Info() compositor.Info { return b.info }

// Close ends both connections.
func (b *Backend) Close() error { return errors.Join(b.commands.close(), b.events.close()) }

// Read asks for the whole state. niri promises nothing about the moments
// between the questions.
func (b *Backend) Read(ctx context.Context) (*compositor.State, error) {
	w, err := b.read(ctx)
	if errors.Is(err, compositor.ErrGone) {
		b.events.close() // whoever watches connects again
	}
	if err != nil {
		return nil, err
	}
	return w.state(), nil
}

func (b *Backend) read(ctx context.Context) (*world, error) {
	w := &world{}
	windows, err := query[[]window](ctx, b.commands, "Windows")
	if err != nil {
		return nil, err
	}
	w.setWindows(windows)
	workspaces, err := query[[]workspace](ctx, b.commands, "Workspaces")
	if err != nil {
		return nil, err
	}
	w.setWorkspaces(workspaces)
	if w.outputs, err = query[map[string]output](ctx, b.commands, "Outputs"); err != nil {
		return nil, err
	}
	if w.layouts, err = query[layouts](ctx, b.commands, "KeyboardLayouts"); err != nil {
		return nil, err
	}
	open, err := query[overview](ctx, b.commands, "OverviewState")
	var refused *refusedError
	if err != nil && !errors.As(err, &refused) { // older ones have no overview
		return nil, err
	}
	w.overview = open.Open
	b.mu.Lock()
	w.captures = b.captures
	b.mu.Unlock()
	return w, nil
}

// Watch folds the event stream and sends the state after every event, or after
// several that came together. It reads always: niri drops a subscriber that has
// more than 64 events waiting.
func (b *Backend) Watch(ctx context.Context) (<-chan *compositor.State, error) {
	if _, err := b.events.ask(ctx, "EventStream"); err != nil {
		return nil, fmt.Errorf("niri: event stream: %w", err)
	}
	if err := b.events.c.SetDeadline(time.Time{}); err != nil {
		return nil, gone(err)
	}
	f := &follower{backend: b, dirty: make(chan struct{}, 1)}
	states := make(chan *compositor.State)
	stop := context.AfterFunc(ctx, func() { b.events.close() })
	go f.read()
	go func() {
		defer close(states)
		defer stop()
		f.send(ctx, states)
	}()
	return states, nil
}

// A follower folds events in one goroutine and sends states in another.
type follower struct {
	backend *Backend
	dirty   chan struct{} // closed when the events have ended

	mu    sync.Mutex
	world world
	known bool // the first windows and workspaces have come
}

// read folds events until the connection ends. A line that is not an event ends it
// as well: what follows cannot be trusted.
func (f *follower) read() {
	defer close(f.dirty)
	for {
		line, err := readLine(f.backend.events.r)
		if err != nil {
			return
		}
		f.mu.Lock()
		ok := f.world.apply(line)
		f.known = f.known || f.world.windows != nil && f.world.workspaces != nil
		captures := f.world.captures
		f.mu.Unlock()
		if !ok {
			f.backend.events.close()
			return
		}
		f.backend.mu.Lock()
		f.backend.captures = captures
		f.backend.mu.Unlock()
		select {
		case f.dirty <- struct{}{}:
		default: // a state is due already
		}
	}
}

func (f *follower) send(ctx context.Context, states chan<- *compositor.State) {
	for range f.dirty {
		if err := f.askOutputs(ctx); err != nil {
			return
		}
		f.mu.Lock()
		s, known := f.world.state(), f.known
		f.mu.Unlock()
		if !known {
			continue
		}
		select {
		case states <- s:
		case <-ctx.Done():
			return
		}
	}
}

// askOutputs reads the outputs when a workspace is on one that is not known:
// events do not tell them.
func (f *follower) askOutputs(ctx context.Context) error {
	f.mu.Lock()
	missing := false
	for _, ws := range f.world.workspaces {
		if _, ok := f.world.outputs[text(ws.Output)]; !ok && ws.Output != nil {
			missing = true
		}
	}
	f.mu.Unlock()
	if !missing {
		return nil
	}
	outputs, err := query[map[string]output](ctx, f.backend.commands, "Outputs")
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.world.outputs = outputs
	return nil
}

// Supports reports whether niri's socket has this action, in the versions that
// are known.
func (b *Backend) Supports(action string) bool { return b.forms.supports(action) }

// Do sends the action.
func (b *Backend) Do(ctx context.Context, s *compositor.State, a compositor.Action) error {
	request, err := b.forms.translate(s, a)
	if err != nil {
		return err
	}
	in, _ := s.FocusedWorkspace()
	if ws, err := find(s, a.Arg); a.Name == "focus-workspace" && err == nil && ws.ID == in.ID {
		return nil // from where it is niri may be configured to go back
	}
	_, err = b.commands.ask(ctx, request)
	var refused *refusedError
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("%w: %s", compositor.ErrNotSupported, refused.text)
	case errors.Is(err, compositor.ErrGone):
		b.events.close()
		if a.Name == "quit" && ctx.Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
	}
	return err
}
