package keys

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/visible"
)

// backTime is how long giving the focus back may take.
const backTime = 500 * time.Millisecond

// A place is where keys or text go: the window of an id, or a window of an application.
type place struct{ app, windowID string }

// A deed acts on the window of its binding.
type deed func(ctx context.Context, b *executor.Binding) (executor.Done, error)

// at does a deed at a place: in the focused window if none is named.
func (h *Keys) at(ctx context.Context, b *executor.Binding, s plan.Step, to place, do deed) (executor.Done, error) {
	if to == (place{}) {
		return do(ctx, b)
	}
	return h.visit(ctx, b, s, to, do)
}

// visit does something in an application that need not have the focus: it
// focuses the application's window, acts, and gives the focus back if the user
// has not moved it meanwhile.
func (h *Keys) visit(ctx context.Context, b *executor.Binding, s plan.Step, to place, act deed) (executor.Done, error) {
	state, err := h.Desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	w, err := h.chooseWindow(state, s, to)
	if err != nil {
		return executor.Done{}, err
	}
	if err := h.mayWrite(b, s, w); err != nil {
		return executor.Done{}, err // before the focus moves
	}
	home, hadFocus := state.Focused()
	if hadFocus && home.ID == w.ID {
		return act(ctx, &executor.Binding{Window: uint64(w.ID), Approved: b.Approved})
	}
	if !b.Approved {
		if why := disturbs(state, home, w); why != "" {
			return executor.Done{}, plan.Refuse(plan.NeedsConfirmation, "confirm: this %s to %s%s", why, name(w), toType(s))
		}
	}
	if err := h.Desktop.Focus(ctx, w.ID); err != nil {
		return executor.Done{Window: uint64(w.ID)}, err
	}
	done, err := act(ctx, &executor.Binding{Window: uint64(w.ID), Approved: b.Approved})
	// A user who cancels it still wants to be where they were.
	wayBack, cancel := context.WithTimeout(context.WithoutCancel(ctx), backTime)
	defer cancel()
	if back := h.goBack(wayBack, home, hadFocus, w.ID); back != "" && err == nil {
		done.Message += "; " + back
	}
	return done, err
}

// chooseWindow returns the window that a step means: the one it names, else the
// application's focused one, else the only one on this workspace, else the only
// one. It never guesses.
func (h *Keys) chooseWindow(state *compositor.State, s plan.Step, to place) (compositor.Window, error) {
	if id := to.windowID; id != "" {
		n, err := strconv.ParseUint(id, 10, 64)
		w, ok := state.Window(compositor.WindowID(n))
		if err != nil || !ok {
			return compositor.Window{}, plan.Refuse(plan.NotFound, "the window %s is gone", id)
		}
		return w, nil
	}
	open, app := h.WindowsOf(state, to.app)
	if len(open) == 0 {
		return compositor.Window{}, plan.Refuse(plan.NotFound, "%s has no window open", app)
	}
	ws, _ := state.FocusedWorkspace()
	var near []compositor.Window
	for _, w := range open {
		if w.Focused {
			return w, nil
		}
		if w.Workspace == ws.ID {
			near = append(near, w)
		}
	}
	switch {
	case len(near) == 1:
		return near[0], nil
	case len(open) == 1:
		return open[0], nil
	}
	e := plan.Refuse(plan.Ambiguous, "%s has %d windows", app, len(open))
	for _, w := range open {
		step := s
		step.Args = intoWindow(s.Args, fmt.Sprint(w.ID))
		e.Choices = append(e.Choices, plan.Choice{Label: cmp.Or(w.Title, app),
			Origin: fmt.Sprintf("window %d on %s", w.ID, w.Output), Steps: []plan.Step{step}})
	}
	return compositor.Window{}, e
}

// intoWindow returns keys or text that go to a window instead of an application.
func intoWindow(a op.Args, id string) op.Args {
	switch a := a.(type) {
	case op.Key:
		a.App, a.WindowID = "", id
		return a
	case op.TypeText:
		a.App, a.WindowID = "", id
		return a
	}
	return a
}

// disturbs says what going to w would do to the user's view, or "".
func disturbs(state *compositor.State, home, w compositor.Window) string {
	if home.Fullscreen {
		return "leaves a fullscreen window to go"
	}
	if ws, ok := state.Workspace(w.Workspace); ok && !ws.Visible {
		return "goes to another workspace"
	}
	return ""
}

// toType says which text a step types, for the question whether to.
func toType(s plan.Step) string {
	text, ok := s.Args.(op.TypeText)
	if !ok {
		return ""
	}
	return ", and types “" + visible.Text(text.Text) + "”"
}

// goBack gives the focus back, and says why where it does not.
func (h *Keys) goBack(ctx context.Context, home compositor.Window, hadFocus bool, visited compositor.WindowID) string {
	if !hadFocus {
		return ""
	}
	now, err := h.Desktop.Read(ctx)
	if err != nil {
		return "the focus could not be restored"
	}
	if w, ok := now.Focused(); !ok || w.ID != visited {
		return "" // the user, or the application, has moved on
	}
	if err := h.Desktop.Focus(ctx, home.ID); err != nil {
		return "the focus could not be restored"
	}
	return ""
}
