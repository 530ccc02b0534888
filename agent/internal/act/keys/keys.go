// Package keys acts on the focused window and on the desktop: keys, text, the wheel, and commands of the compositor. It
// presses nothing that could reach a window other than the one the plan means.
package keys

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/input"
	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/typing"
)

// A Desktop is what the handlers need of the compositor.
type Desktop interface {
	State() *compositor.State
	Read(ctx context.Context) (*compositor.State, error)
	Wait(ctx context.Context, ok func(*compositor.State) bool) (*compositor.State, error)
	Focus(ctx context.Context, id compositor.WindowID) error
	Perform(ctx context.Context, a compositor.Action) (compositor.WindowID, error)
	Vocabulary() *compositor.Vocabulary
}

// Devices are what the handlers need of the keyboard and pointer.
type Devices interface {
	Type(ctx context.Context, t input.Text) (input.Typed, error)
	Press(ctx context.Context, chords chord.Sequence, alive func() error) error
	Click(ctx context.Context, p input.Point) error
	Scroll(ctx context.Context, p input.Point, d input.Direction, steps int) error
}

// Keys has the handlers.
type Keys struct {
	Desktop Desktop
	Devices Devices
	// Way returns how text is to be typed; typing.Auto unless the user forces one.
	Way func() typing.Way
	// Paste returns the chord that pastes in a window.
	Paste func(compositor.Window) chord.Chord
	// CloseTab returns the keys that close a tab of a window, or none.
	CloseTab func(compositor.Window) chord.Sequence
	// WindowsOf returns the windows of an application, the latest first, and
	// what to call it.
	WindowsOf func(s *compositor.State, app string) ([]compositor.Window, string)
	// IsTerminal reports whether a window is a terminal.
	IsTerminal func(compositor.Window) bool
	// Foreground returns the program that reads what is typed into the terminal
	// of a process, and whether it is a shell.
	Foreground func(pid int) (name string, isShell bool, err error)
	// Stopped reports whether a process reads nothing now.
	Stopped func(pid int) bool
	// MayCommand reports whether the user lets commands be run in terminals.
	MayCommand func() bool
}

// Register registers the handlers.
func (h *Keys) Register(to executor.Handlers) {
	executor.On(to, h.typeText)
	executor.On(to, h.press)
	executor.On(to, h.command)
	executor.On(to, h.scroll)
	executor.On(to, h.click)
	executor.On(to, h.perform)
}

// mayWrite says whether s may type or press keys in w: what a plugin wrote counts
// as a command there.
func (h *Keys) mayWrite(b *executor.Binding, s plan.Step, w compositor.Window) error {
	switch {
	case s.Author == "" || !h.IsTerminal(w):
		return nil
	case !h.MayCommand():
		return plan.Refuse(plan.PolicyReason, "%s: the plugin %s may not write into the terminal %s; "+
			"to allow it, add \"terminal\" to [policy] enabled_ops in config.toml", s.Op(), s.Author, name(w))
	case !b.Approved:
		return plan.Refuse(plan.NeedsConfirmation, "confirm: into the terminal %s: %s", name(w), executor.ConfirmText(s))
	}
	return nil
}

// target returns the window that a step goes to: the one the plan brought up,
// else the focused one. It has the focus.
func (h *Keys) target(ctx context.Context, b *executor.Binding) (compositor.Window, error) {
	s, err := h.Desktop.Read(ctx)
	if err != nil {
		return compositor.Window{}, err
	}
	w, ok := s.Focused()
	bound := cmp.Or(b.Window, b.Start)
	if bound == 0 {
		if !ok {
			return compositor.Window{}, plan.Refuse(plan.NotFound, "no window is focused")
		}
		return w, nil
	}
	if ok && uint64(w.ID) == bound {
		return w, nil
	}
	if w, ok = s.Window(compositor.WindowID(bound)); !ok {
		return compositor.Window{}, plan.Refuse(plan.NotFound, "the window is gone")
	}
	return compositor.Window{}, plan.Refuse(plan.NotFound, "%s has lost the focus", name(w))
}

func name(w compositor.Window) string {
	if w.AppID != "" {
		return w.AppID
	}
	return fmt.Sprintf("window %d", w.ID)
}

// alive says, at any moment, whether w can still be typed into.
func (h *Keys) alive(w compositor.Window) func() error {
	return func() error {
		if h.Stopped(w.PID) {
			return plan.Refuse(plan.Timeout, "%s does not read its input: its process is stopped", name(w))
		}
		now, ok := h.Desktop.State().Focused()
		if !ok || now.ID != w.ID {
			return plan.Refuse(plan.NotFound, "%s has lost the focus", name(w))
		}
		return nil
	}
}

func (h *Keys) typeText(ctx context.Context, b *executor.Binding, s plan.Step, a op.TypeText) (executor.Done, error) {
	return h.at(ctx, b, s, place{a.App, a.WindowID}, func(ctx context.Context, b *executor.Binding) (executor.Done, error) {
		return h.typeHere(ctx, b, s, a)
	})
}

// typeHere types into the focused window.
func (h *Keys) typeHere(ctx context.Context, b *executor.Binding, s plan.Step, a op.TypeText) (executor.Done, error) {
	w, err := h.target(ctx, b)
	if err != nil {
		return executor.Done{}, err
	}
	if err := h.mayWrite(b, s, w); err != nil {
		return executor.Done{}, err
	}
	if err := h.settled(ctx, w); err != nil {
		return executor.Done{}, err
	}
	alive := h.alive(w)
	typed, err := h.Devices.Type(ctx, input.Text{Text: a.Text, Way: h.Way(), Paste: h.Paste(w), Alive: alive})
	done := executor.Done{Window: uint64(w.ID), Evidence: typed.Evidence, Message: "typed into " + name(w)}
	if typed.Note != "" {
		done.Message += "; " + typed.Note
	}
	if err != nil {
		return done, err
	}
	if err := h.after(ctx, w); err != nil {
		return done, err
	}
	if a.RequireReadBack && typed.Evidence != plan.ByReadBack {
		return done, plan.Unsure("", "the text was delivered to %s but could not be read back", name(w))
	}
	return done, nil
}

// settled waits until the state that events tell agrees that w has the focus.
func (h *Keys) settled(ctx context.Context, w compositor.Window) error {
	const limit = 500 * time.Millisecond
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := h.Desktop.Wait(wait, func(s *compositor.State) bool {
		now, ok := s.Focused()
		return ok && now.ID == w.ID
	})
	switch {
	case errors.Is(err, compositor.ErrGone):
		return plan.Refuse(plan.Missing, "the compositor is gone")
	case err != nil && ctx.Err() == nil:
		return plan.Refuse(plan.NotFound, "%s has lost the focus", name(w))
	}
	return err
}

// after checks that what was typed can only have gone to w.
func (h *Keys) after(ctx context.Context, w compositor.Window) error {
	if h.Stopped(w.PID) {
		return plan.Unsure(plan.Timeout, "%s stopped in the meantime; it has not read everything", name(w))
	}
	s, err := h.Desktop.Read(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return plan.Unsure(plan.Missing, "the compositor went away in the meantime")
	}
	if now, ok := s.Focused(); !ok || now.ID != w.ID {
		return plan.Unsure(plan.NotFound, "%s lost the focus in the meantime", name(w))
	}
	return nil
}

func (h *Keys) press(ctx context.Context, b *executor.Binding, s plan.Step, a op.Key) (executor.Done, error) {
	return h.at(ctx, b, s, place{a.App, a.WindowID}, func(ctx context.Context, b *executor.Binding) (executor.Done, error) {
		return h.pressHere(ctx, b, s, a)
	})
}

// pressHere presses a chord in the focused window. The chord may well move the focus, so what follows it proves
// nothing.
func (h *Keys) pressHere(ctx context.Context, b *executor.Binding, s plan.Step, a op.Key) (executor.Done, error) {
	c, err := chord.Parse(a.Chord)
	if err != nil {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "%v", err)
	}
	w, err := h.target(ctx, b)
	if err != nil {
		return executor.Done{}, err
	}
	if err := h.mayWrite(b, s, w); err != nil {
		return executor.Done{}, err
	}
	if err := h.settled(ctx, w); err != nil {
		return executor.Done{}, err
	}
	if err := h.Devices.Press(ctx, chord.Sequence{c}, h.alive(w)); err != nil {
		return executor.Done{}, err
	}
	return executor.Done{Evidence: plan.Delivered, Window: uint64(w.ID), Message: fmt.Sprintf("pressed %s in %s", c, name(w))}, nil
}
