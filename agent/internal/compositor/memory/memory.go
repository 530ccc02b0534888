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
	info compositor.Info
	deaf bool // refuses everything

	mu     sync.Mutex
	state  compositor.State
	wake   chan struct{} // holds one token while there is something to send
	closed chan struct{}
}

// New returns a desktop with one workspace and these windows, of which the last
// has the focus unless one says that it has.
func New(windows ...compositor.Window) *Backend {
	b := &Backend{info: compositor.Info{Name: "memory"}, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	b.state = compositor.State{
		Workspaces: []compositor.Workspace{{ID: 1, Number: 1, Name: "1", Output: "memory", Visible: true, Focused: true}},
		Outputs:    []compositor.Output{{Name: "memory", Rect: compositor.Rect{Width: 1280, Height: 800}}},
	}
	for _, w := range windows {
		b.add(w)
	}
	for _, w := range windows {
		if w.Focused {
			b.focus(w.ID)
		}
	}
	b.changed()
	return b
}

// Unknown returns a desktop without windows that refuses every action: what is
// left where the compositor called name cannot be talked to. env is what
// programs need to find it.
func Unknown(name string, env map[string]string) *Backend {
	b := &Backend{info: compositor.Info{Name: name, Env: env}, deaf: true, wake: make(chan struct{}, 1),
		closed: make(chan struct{})}
	b.changed()
	return b
}

func (b *Backend) add(w compositor.Window) {
	if w.Workspace == 0 {
		w.Workspace = 1
	}
	w.Output = "memory"
	b.makeWorkspace(int(w.Workspace))
	b.state.Windows = slices.Insert(slices.Clone(b.state.Windows), 0, w)
	b.focus(w.ID)
}

// Open maps a window, which takes the focus.
func (b *Backend) Open(w compositor.Window) {
	b.mu.Lock()
	defer b.mu.Unlock()
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
	old, _ := b.state.Window(id)
	b.state.Windows = slices.DeleteFunc(slices.Clone(b.state.Windows),
		func(w compositor.Window) bool { return w.ID == id })
	if old.Focused && len(b.state.Windows) > 0 {
		b.focus(b.state.Windows[0].ID)
	}
}

// focus makes a window the first and shows its workspace.
func (b *Backend) focus(id compositor.WindowID) {
	w, _ := b.state.Window(id)
	others := slices.DeleteFunc(slices.Clone(b.state.Windows), func(w compositor.Window) bool { return w.ID == id })
	b.state.Windows = slices.Insert(others, 0, w)
	for i := range b.state.Windows {
		b.state.Windows[i].Focused = i == 0
	}
	b.workspace(w.Workspace)
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
func (b *Backend) Info() compositor.Info { return b.info }

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

// played are the actions about windows and workspaces that tests need.
var played = []string{"focus-window", "close-window", "focus-workspace", "fullscreen-window",
	"focus-column-left", "focus-column-right"}

// Supports reports whether Do plays an action.
func (b *Backend) Supports(action string) bool { return !b.deaf && slices.Contains(played, action) }

// Do plays the actions that Supports knows.
func (b *Backend) Do(_ context.Context, _ *compositor.State, a compositor.Action) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.closed:
		return compositor.ErrGone
	default:
	}
	if !b.Supports(a.Name) {
		return compositor.ErrNotSupported
	}
	switch a.Name {
	case "focus-window", "close-window", "fullscreen-window":
		if _, there := b.state.Window(a.Window); !there {
			return fmt.Errorf("window %d: %w", a.Window, compositor.ErrNotFound)
		}
	}
	defer b.changed()
	switch a.Name {
	case "focus-window":
		b.focus(a.Window)
	case "close-window":
		b.remove(a.Window)
	case "focus-workspace":
		return b.gotoWorkspace(a.Arg)
	case "fullscreen-window":
		b.state.Windows = slices.Clone(b.state.Windows)
		for i := range b.state.Windows {
			if b.state.Windows[i].ID == a.Window {
				b.state.Windows[i].Fullscreen = !b.state.Windows[i].Fullscreen
			}
		}
	case "focus-column-left", "focus-column-right":
		// nothing is beside the focused window: an edge
	}
	return nil
}

// gotoWorkspace makes a numbered workspace at need, as sway does. No window
// there has the focus.
func (b *Backend) gotoWorkspace(to compositor.Arg) error {
	if to.Number == 0 {
		return fmt.Errorf("a workspace named %q: %w", to.Text, compositor.ErrNotFound)
	}
	b.makeWorkspace(to.Number)
	b.workspace(uint64(to.Number))
	b.state.Windows = slices.Clone(b.state.Windows)
	for i := range b.state.Windows {
		b.state.Windows[i].Focused = false
	}
	return nil
}

func (b *Backend) makeWorkspace(number int) {
	if _, there := b.state.Workspace(uint64(number)); there {
		return
	}
	b.state.Workspaces = append(slices.Clone(b.state.Workspaces), compositor.Workspace{
		ID: uint64(number), Number: number, Name: fmt.Sprint(number), Output: "memory"})
}
