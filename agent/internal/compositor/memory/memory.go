// Package memory is a desktop that exists in memory only: for tests, and for
// sessions whose compositor Utter cannot talk to. It has windows, workspaces
// and focus, and refuses every action that it does not play.
package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"utter/agent/internal/compositor"
)

// A Backend is one desktop in memory.
type Backend struct {
	name string

	mu     sync.Mutex
	state  compositor.State
	wake   chan struct{} // holds one token while there is something to send
	closed chan struct{}
	deaf   bool // refuses everything
}

// New returns a desktop with one workspace and these windows, of which the last
// has the focus unless one says that it has.
func New(windows ...compositor.Window) *Backend {
	b := &Backend{name: "memory", wake: make(chan struct{}, 1), closed: make(chan struct{})}
	b.state = compositor.State{
		Workspaces: []compositor.Workspace{{ID: 1, Number: 1, Name: "1", Output: "memory", Visible: true, Focused: true}},
		Outputs:    []compositor.Output{{Name: "memory", Rect: compositor.Rect{Width: 1280, Height: 800}}},
	}
	for _, w := range windows {
		b.add(w)
	}
	b.changed()
	return b
}

// Unknown returns a desktop without windows that refuses every action: what is
// left where the compositor called name cannot be talked to.
func Unknown(name string) *Backend {
	b := New()
	b.name, b.deaf = name, true
	return b
}

func (b *Backend) add(w compositor.Window) {
	if w.Workspace == 0 {
		w.Workspace = 1
	}
	w.Output = "memory"
	b.state.Windows = slices.Insert(b.state.Windows, 0, w)
	if w.Focused || !slices.ContainsFunc(b.state.Windows, func(o compositor.Window) bool { return o.Focused }) {
		b.focus(w.ID)
	}
}

// Open maps a window, which takes the focus.
func (b *Backend) Open(w compositor.Window) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Focused = true
	b.add(w)
	b.changed()
}

// Remove unmaps a window.
func (b *Backend) Remove(id compositor.WindowID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove(id)
	b.changed()
}

// Update changes a window.
func (b *Backend) Update(id compositor.WindowID, change func(*compositor.Window)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state.Windows = slices.Clone(b.state.Windows)
	for i := range b.state.Windows {
		if b.state.Windows[i].ID == id {
			change(&b.state.Windows[i])
		}
	}
	b.changed()
}

func (b *Backend) remove(id compositor.WindowID) {
	b.state.Windows = slices.DeleteFunc(slices.Clone(b.state.Windows), func(w compositor.Window) bool { return w.ID == id })
	if len(b.state.Windows) > 0 {
		b.focus(b.state.Windows[0].ID)
	}
}

func (b *Backend) focus(id compositor.WindowID) {
	b.state.Windows = slices.Clone(b.state.Windows)
	for i, w := range b.state.Windows {
		b.state.Windows[i].Focused = w.ID == id
		if w.ID == id {
			b.workspace(w.Workspace)
		}
	}
}

func (b *Backend) workspace(id uint64) {
	b.state.Workspaces = slices.Clone(b.state.Workspaces)
	for i, w := range b.state.Workspaces {
		b.state.Workspaces[i].Focused = w.ID == id
		b.state.Workspaces[i].Visible = w.ID == id
	}
}

func (b *Backend) changed() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Info describes the desktop.
func (b *Backend) Info() compositor.Info { return compositor.Info{Name: b.name} }

// Read returns the state.
func (b *Backend) Read(context.Context) (*compositor.State, error) {
	select {
	case <-b.closed:
		return nil, compositor.ErrGone
	default:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state
	return &s, nil
}

// Watch sends the state now and after every change.
func (b *Backend) Watch(ctx context.Context) (<-chan *compositor.State, error) {
	states := make(chan *compositor.State)
	go func() {
		defer close(states)
		for {
			select {
			case <-b.wake:
			case <-b.closed:
				return
			case <-ctx.Done():
				return
			}
			b.mu.Lock()
			s := b.state
			b.mu.Unlock()
			select {
			case states <- &s:
			case <-b.closed:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return states, nil
}

// Close ends Watch.
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	return nil
}

// Do plays the actions about windows and workspaces that tests need.
func (b *Backend) Do(_ context.Context, _ *compositor.State, a compositor.Action) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.deaf {
		return compositor.ErrNotSupported
	}
	defer b.changed()
	switch a.Name {
	case "focus-window":
		if !slices.ContainsFunc(b.state.Windows, func(w compositor.Window) bool { return w.ID == a.Window }) {
			return fmt.Errorf("window %d: %w", a.Window, compositor.ErrNotFound)
		}
		b.focus(a.Window)
	case "close-window":
		b.remove(a.Window)
	case "focus-workspace":
		b.gotoWorkspace(a.Arg.Number)
	case "fullscreen-window":
		b.state.Windows = slices.Clone(b.state.Windows)
		for i := range b.state.Windows {
			if b.state.Windows[i].ID == a.Window {
				b.state.Windows[i].Fullscreen = !b.state.Windows[i].Fullscreen
			}
		}
	case "focus-column-left", "focus-column-right":
		// nothing is beside the focused window: an edge
	default:
		return compositor.ErrNotSupported
	}
	return nil
}

// gotoWorkspace makes the workspace at need, as sway does. No window there has
// the focus.
func (b *Backend) gotoWorkspace(number int) {
	if !slices.ContainsFunc(b.state.Workspaces, func(w compositor.Workspace) bool { return w.Number == number }) {
		b.state.Workspaces = append(slices.Clone(b.state.Workspaces), compositor.Workspace{
			ID: uint64(number), Number: number, Name: fmt.Sprint(number), Output: "memory"})
	}
	b.workspace(uint64(number))
	b.state.Windows = slices.Clone(b.state.Windows)
	for i := range b.state.Windows {
		b.state.Windows[i].Focused = false
	}
}
