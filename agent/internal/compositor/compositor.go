// Package compositor reads and changes the desktop's windows, workspaces and
// outputs. Each compositor is a Backend in its own package; this one contains what
// they share: the state, the vocabulary of actions, and the verification that an
// action took effect.
package compositor

import (
	"context"
	"errors"
	"slices"
)

// A WindowID names a window for as long as its compositor runs.
type WindowID uint64

// A Rect is in pixels of the whole layout. The zero Rect is an unknown place.
type Rect struct{ X, Y, Width, Height int }

// Known reports whether r is a place.
func (r Rect) Known() bool { return r.Width > 0 && r.Height > 0 }

// A Window is one open window.
type Window struct {
	ID         WindowID
	AppID      string // Wayland app id or X11 class
	Title      string
	PID        int // 0 where unknown
	Workspace  uint64
	Output     string
	Focused    bool
	Floating   bool
	Fullscreen bool
	Urgent     bool
	Hidden     bool // in a scratchpad: no workspace shows it
	XWayland   bool
	Rect       Rect
	// Placed says that X and Y of Rect are known, not its size only.
	Placed bool
	// Column and Row are the place in a scrolling layout, from 1; 0 elsewhere.
	Column, Row int
}

// A Workspace is one workspace.
type Workspace struct {
	ID      uint64
	Number  int // what people call it by; -1 where it has a name only
	Name    string
	Output  string
	Visible bool
	Focused bool
}

// An Output is one monitor.
type Output struct {
	Name string
	Rect Rect
}

// A State is a moment of the desktop. It never changes once it is handed out.
type State struct {
	// Windows are in the order of their last focus, the latest first.
	Windows    []Window
	Workspaces []Workspace
	Outputs    []Output
	// Layouts are the keyboard's layouts and Layout the active one; nil and
	// 0 where the compositor does not tell.
	Layouts []string
	Layout  int
	// Overview says that niri's overview is open.
	Overview bool
	// Captures counts the screenshots since the connection began.
	Captures int
}

// Window returns the window id.
func (s *State) Window(id WindowID) (Window, bool) {
	i := slices.IndexFunc(s.Windows, func(w Window) bool { return w.ID == id })
	if i < 0 {
		return Window{}, false
	}
	return s.Windows[i], true
}

// Focused returns the window with the keyboard's focus.
func (s *State) Focused() (Window, bool) {
	i := slices.IndexFunc(s.Windows, func(w Window) bool { return w.Focused })
	if i < 0 {
		return Window{}, false
	}
	return s.Windows[i], true
}

// FocusedWorkspace returns the workspace in use.
func (s *State) FocusedWorkspace() (Workspace, bool) {
	i := slices.IndexFunc(s.Workspaces, func(w Workspace) bool { return w.Focused })
	if i < 0 {
		return Workspace{}, false
	}
	return s.Workspaces[i], true
}

// Workspace returns the workspace id.
func (s *State) Workspace(id uint64) (Workspace, bool) {
	i := slices.IndexFunc(s.Workspaces, func(w Workspace) bool { return w.ID == id })
	if i < 0 {
		return Workspace{}, false
	}
	return s.Workspaces[i], true
}

// Numbered returns the workspace that people call n: on the output in use, else
// anywhere.
func (s *State) Numbered(n int) (Workspace, bool) {
	focused, _ := s.FocusedWorkspace()
	found, ok := Workspace{}, false
	for _, w := range s.Workspaces {
		if w.Number != n {
			continue
		}
		if w.Output == focused.Output {
			return w, true
		}
		if !ok {
			found, ok = w, true
		}
	}
	return found, ok
}

// Bounds returns the rectangle round all outputs.
func (s *State) Bounds() Rect {
	var b Rect
	for i, o := range s.Outputs {
		if i == 0 {
			b = o.Rect
			continue
		}
		right, bottom := max(b.X+b.Width, o.Rect.X+o.Rect.Width), max(b.Y+b.Height, o.Rect.Y+o.Rect.Height)
		b.X, b.Y = min(b.X, o.Rect.X), min(b.Y, o.Rect.Y)
		b.Width, b.Height = right-b.X, bottom-b.Y
	}
	return b
}

// Info describes a running compositor.
type Info struct {
	Name    string // "sway"
	Version string
	// Env is what programs need to find this compositor.
	Env map[string]string
	// SeatLayout says that key codes of a virtual keyboard are read in the layout
	// of the seat, whatever the virtual keyboard asks for.
	SeatLayout bool
}

// Errors of backends.
var (
	// ErrNotSupported means that this compositor has no such action.
	ErrNotSupported = errors.New("this compositor cannot do that")
	// ErrNotFound means that the window, workspace or output does not exist.
	ErrNotFound = errors.New("not found")
	// ErrGone means that the connection to the compositor has ended.
	ErrGone = errors.New("the compositor is gone")
)

// A Backend talks to one running compositor. compositortest checks that an
// implementation keeps these promises. Its methods may be called from several
// goroutines.
type Backend interface {
	// Info describes the compositor.
	Info() Info

	// Watch sends the state at once and again after each change; states that
	// are overtaken before they are received may be left out. It closes the
	// channel when ctx or the connection ends. Call it once.
	Watch(ctx context.Context) (<-chan *State, error)

	// Read asks for the state as it is after all actions so far.
	Read(ctx context.Context) (*State, error)

	// Supports reports whether there is anything that Do carries out by this
	// name: for every other it returns ErrNotSupported.
	Supports(action string) bool

	// Do carries out an action that fits state. It returns ErrNotSupported or
	// ErrNotFound, perhaps wrapped, if nothing was done. Success says only
	// that the compositor took it: Perform proves the effect.
	Do(ctx context.Context, state *State, a Action) error

	// Close ends the connection.
	Close() error
}
