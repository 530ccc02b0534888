package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/input"
	"utter/shared/chord"
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

// Hands are the handlers that act on the focused window and on the desktop.
type Hands struct {
	Desktop Desktop
	Devices Devices
	// Way returns how text is to be typed; typing.Auto unless the user forces one.
	Way func() typing.Way
	// Paste returns the chord that pastes in an application.
	Paste func(appID string) chord.Chord
	// CloseTab returns the keys that close a tab in an application, or none.
	CloseTab func(appID string) chord.Sequence
	// WindowsOf returns the windows of an application, the latest first, and
	// what to call it.
	WindowsOf func(s *compositor.State, app string) ([]compositor.Window, string)
	// IsTerminal reports whether windows of this app id are terminals.
	IsTerminal func(appID string) bool
	// Foreground returns the program that reads what is typed into the terminal
	// of a process, and whether it is a shell.
	Foreground func(pid int) (name string, isShell bool, err error)
	// Stopped reports whether a process reads nothing now.
	Stopped func(pid int) bool
	// MayCommand reports whether the user lets commands be run in terminals.
	MayCommand func() bool
}

// mayWrite says whether s may type or press keys in w: what a plugin wrote counts
// as a command there.
func (h *Hands) mayWrite(b *Binding, s plan.Step, w compositor.Window) error {
	switch {
	case s.Author == "" || !h.IsTerminal(w.AppID):
		return nil
	case !h.MayCommand():
		return plan.Refuse(plan.PolicyReason, "%s: the plugin %s may not write into the terminal %s; [policy] enable_ops in config.toml allows it with \"terminal\"", s.Op, s.Author, name(w))
	case !b.Approved:
		return plan.Refuse(plan.NeedsConfirmation, "confirm: into the terminal %s: %s", name(w), confirmText(s))
	}
	return nil
}

// target returns the window that a step goes to: the one the plan brought up,
// else the focused one. It has the focus.
func (h *Hands) target(ctx context.Context, b *Binding) (compositor.Window, error) {
	s, err := h.Desktop.Read(ctx)
	if err != nil {
		return compositor.Window{}, err
	}
	w, ok := s.Focused()
	bound := cmp.Or(b.Window, b.Start)
	if bound == 0 {
		if !ok {
			return compositor.Window{}, plan.Refuse(plan.NotFound, "no window has the focus")
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
func (h *Hands) alive(w compositor.Window) func() error {
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

// TypeText is the handler of type_text steps.
func (h *Hands) TypeText(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	if s.Args.Text("app") != "" || s.Args.Text("window_id") != "" {
		return h.visit(ctx, b, s, h.typeText)
	}
	return h.typeText(ctx, b, s)
}

// typeText types into the window that has the focus.
func (h *Hands) typeText(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	w, err := h.target(ctx, b)
	if err != nil {
		return Done{}, err
	}
	if err := h.mayWrite(b, s, w); err != nil {
		return Done{}, err
	}
	if err := h.settled(ctx, w); err != nil {
		return Done{}, err
	}
	alive := h.alive(w)
	typed, err := h.Devices.Type(ctx, input.Text{Text: s.Args.Text("text"), Way: h.Way(), Paste: h.Paste(w.AppID), Alive: alive})
	done := Done{Window: uint64(w.ID), Evidence: typed.Evidence, Message: "typed into " + name(w)}
	if typed.Note != "" {
		done.Message += "; " + typed.Note
	}
	if err != nil {
		return done, err
	}
	if err := h.after(ctx, w); err != nil {
		return done, err
	}
	if s.Args.Flag("require_read_back") && typed.Evidence != plan.ByReadBack {
		return done, plan.Unsure("", "the text was delivered to %s but could not be read back", name(w))
	}
	return done, nil
}

// settled waits until the state that events tell agrees that w has the focus.
func (h *Hands) settled(ctx context.Context, w compositor.Window) error {
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
func (h *Hands) after(ctx context.Context, w compositor.Window) error {
	if h.Stopped(w.PID) {
		return plan.Unsure(plan.Timeout, "%s stopped meanwhile; it has not read everything", name(w))
	}
	s, err := h.Desktop.Read(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return plan.Unsure(plan.Missing, "the compositor went away meanwhile")
	}
	if now, ok := s.Focused(); !ok || now.ID != w.ID {
		return plan.Unsure(plan.NotFound, "%s lost the focus meanwhile", name(w))
	}
	return nil
}

// Key is the handler of key steps. The chord may well move the focus, so what
// follows it proves nothing.
func (h *Hands) Key(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	if s.Args.Text("app") != "" || s.Args.Text("window_id") != "" {
		return h.visit(ctx, b, s, h.pressKey)
	}
	return h.pressKey(ctx, b, s)
}

// pressKey presses a chord in the window that has the focus.
func (h *Hands) pressKey(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	c, err := chord.Parse(s.Args.Text("chord"))
	if err != nil {
		return Done{}, plan.Refuse(plan.NotSupported, "%v", err)
	}
	w, err := h.target(ctx, b)
	if err != nil {
		return Done{}, err
	}
	if err := h.mayWrite(b, s, w); err != nil {
		return Done{}, err
	}
	if err := h.settled(ctx, w); err != nil {
		return Done{}, err
	}
	if err := h.Devices.Press(ctx, chord.Sequence{c}, h.alive(w)); err != nil {
		return Done{}, err
	}
	b.Start = 0 // where the chord moves the focus, the plan goes along
	return Done{Evidence: plan.Delivered, Window: uint64(w.ID), Message: fmt.Sprintf("pressed %s in %s", c, name(w))}, nil
}

// Scroll is the handler of scroll steps: the wheel over the middle of the
// window.
func (h *Hands) Scroll(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	const usual, most = 5, 100
	steps := s.Args.Whole("amount", usual)
	direction := input.Direction(s.Args.Text("direction"))
	if !slices.Contains([]input.Direction{input.Up, input.Down, input.Left, input.Right}, direction) || steps < 1 || steps > most {
		return Done{}, plan.Refuse(plan.NotSupported, "scroll: direction %q, amount %d (1 to %d)", direction, steps, most)
	}
	w, err := h.target(ctx, b)
	if err != nil {
		return Done{}, err
	}
	if !w.Placed || !w.Rect.Known() {
		return Done{}, plan.Refuse(plan.NotSupported, "the compositor does not tell where %s is", name(w))
	}
	if err := h.settled(ctx, w); err != nil {
		return Done{}, err
	}
	state := h.Desktop.State()
	x, y, ok := openPoint(state, w)
	if !ok {
		return Done{}, plan.Refuse(plan.NotSupported, "%s is covered by other windows", name(w))
	}
	p := point(state, x, y)
	if err := h.alive(w)(); err != nil {
		return Done{}, err
	}
	if err := h.Devices.Scroll(ctx, p, direction, steps); err != nil {
		return Done{}, err
	}
	return Done{Evidence: plan.Delivered, Window: uint64(w.ID)}, nil
}

// openPoint returns a point of w that no floating window covers: the middle, or
// else one between it and a corner.
func openPoint(s *compositor.State, w compositor.Window) (x, y int, ok bool) {
	for _, at := range [][2]int{{2, 2}, {1, 1}, {3, 1}, {1, 3}, {3, 3}} {
		x, y = w.Rect.X+w.Rect.Width*at[0]/4, w.Rect.Y+w.Rect.Height*at[1]/4
		covered := slices.ContainsFunc(s.Windows, func(o compositor.Window) bool {
			return o.ID != w.ID && o.Floating && o.Workspace == w.Workspace &&
				x >= o.Rect.X && x < o.Rect.X+o.Rect.Width && y >= o.Rect.Y && y < o.Rect.Y+o.Rect.Height
		})
		if !covered {
			return x, y, true
		}
	}
	return 0, 0, false
}

// ClickPoint is the handler of click_point steps.
func (h *Hands) ClickPoint(ctx context.Context, _ *Binding, s plan.Step) (Done, error) {
	state, err := h.Desktop.Read(ctx)
	if err != nil {
		return Done{}, err
	}
	if len(state.Outputs) == 0 {
		return Done{}, plan.Refuse(plan.NotSupported, "the compositor does not tell its outputs")
	}
	if err := h.Devices.Click(ctx, point(state, s.Args.Whole("x", -1), s.Args.Whole("y", -1))); err != nil {
		return Done{}, err
	}
	return Done{Evidence: plan.Delivered}, nil
}

// point places x,y of the layout's coordinates within its bounds.
func point(s *compositor.State, x, y int) input.Point {
	b := s.Bounds()
	return input.Point{X: x - b.X, Y: y - b.Y, Width: b.Width, Height: b.Height}
}

// Niri is the handler of niri steps: the vocabulary, translated by the backend.
func (h *Hands) Niri(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	a, err := h.Desktop.Vocabulary().Parse(s.Args.Text("command"), s.Args.Texts("args"))
	if err != nil {
		return Done{}, plan.Refuse(plan.NotSupported, "%v", err)
	}
	if id := s.Args.Text("window_id"); id != "" {
		n, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			return Done{}, plan.Refuse(plan.NotSupported, "%q is no window id", id)
		}
		a.Window = compositor.WindowID(n)
	}
	if a.Window == 0 {
		a.Window = compositor.WindowID(b.Window)
	}
	if a.Window == 0 && a.Name == "close-window" {
		a.Window = compositor.WindowID(b.Start)
	}
	if a.Name == "close-window" && b.Page != nil {
		return h.closePage(ctx, b)
	}
	id, err := h.Desktop.Perform(ctx, a)
	if err != nil {
		return Done{Window: uint64(id)}, err
	}
	// What moves the focus, or may, ends what earlier steps settled.
	b.Window, b.Start, b.Page = 0, 0, nil
	if a.Name == "focus-window" {
		b.Window = uint64(id)
	}
	return Done{Evidence: plan.ByState, Window: uint64(id)}, nil
}

// closePage closes the tab of a page that the plan found, never its window: the
// window may hold other tabs.
func (h *Hands) closePage(ctx context.Context, b *Binding) (Done, error) {
	w, err := h.target(ctx, b)
	if err != nil {
		return Done{}, err
	}
	if !b.Page(w.Title) {
		return Done{}, plan.Refuse(plan.NotFound, "%s no longer shows the page", name(w))
	}
	keys := h.CloseTab(w.AppID)
	if len(keys) == 0 {
		return Done{}, plan.Refuse(plan.NotSupported, "%s has no key for closing a tab, and its window may hold others", name(w))
	}
	if err := h.settled(ctx, w); err != nil {
		return Done{}, err
	}
	if err := h.Devices.Press(ctx, keys, h.alive(w)); err != nil {
		return Done{}, err
	}
	const limit = 3 * time.Second
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err = h.Desktop.Wait(wait, func(s *compositor.State) bool {
		now, there := s.Window(w.ID)
		return !there || !b.Page(now.Title)
	})
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return Done{Window: uint64(w.ID)}, ctx.Err()
	case errors.Is(err, compositor.ErrGone):
		return Done{Window: uint64(w.ID)}, plan.Unsure(plan.Missing, "the compositor went away while the tab was closed")
	default:
		return Done{Window: uint64(w.ID)}, plan.Unsure(plan.Timeout, "the key for closing the tab was pressed in %s, but the page is still shown", name(w))
	}
	return Done{Evidence: plan.ByState, Window: uint64(w.ID), Message: "closed the tab"}, nil
}
