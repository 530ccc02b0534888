package compositor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"utter/shared/plan"
)

const (
	// focusTime is how long a focus may take to arrive.
	focusTime = 500 * time.Millisecond
	// closeTime is how long an application may take to close its window.
	closeTime = 3 * time.Second
)

// Perform carries out a and proves it by comparing the state before and after.
// It returns nil only if the effect is there; else a *plan.Error that says what
// is known. The window that a was about is returned where there was one.
func (d *Desktop) Perform(ctx context.Context, a Action) (WindowID, error) {
	s := d.vocabulary.specs[a.Name]
	b, err := d.connected()
	if err != nil {
		return 0, err
	}
	name := b.Info().Name
	before, err := b.Read(ctx)
	if err != nil {
		return 0, unread(ctx, name, err)
	}
	before = d.ordered(before)
	target, err := targetOf(before, a, s)
	if err != nil {
		return 0, err
	}
	a.Window = target
	if w, ok := before.Window(target); ok && a.Want != nil && w.Fullscreen == *a.Want {
		return target, nil // it is so already
	}
	if err := b.Do(ctx, before, a); err != nil {
		return target, refusal(name, a, err)
	}
	return target, d.prove(ctx, b, s.Class, before, a)
}

// targetOf returns the window that a is about, if it needs one.
func targetOf(before *State, a Action, s spec) (WindowID, error) {
	if a.Window != 0 {
		if _, ok := before.Window(a.Window); !ok {
			return 0, plan.Refuse(plan.NotFound, "the window %d is gone", a.Window)
		}
		return a.Window, nil
	}
	if len(s.Args) == 1 && s.Args[0].Type == "window" {
		return 0, plan.Refuse(plan.NotFound, "%s: no window is given", a.Name)
	}
	w, ok := before.Focused()
	needs := slices.Contains([]class{classClose, classMove, classMoveWorkspace, classMoveOutput, classFullscreen,
		classFloating, classSize}, s.Class)
	if needs && !ok {
		return 0, plan.Refuse(plan.NotFound, "no window is focused")
	}
	return w.ID, nil
}

func refusal(name string, a Action, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return plan.Unsure(plan.Cancelled, "%s was interrupted", a.Name)
	case errors.Is(err, ErrNotSupported):
		return plan.Refuse(plan.NotSupported, "%s has no %s", name, a.Name)
	case errors.Is(err, ErrNotFound):
		return plan.Refuse(plan.NotFound, "%v", err)
	case errors.Is(err, ErrGone):
		return plan.Unsure(plan.Missing, "%s went away during %s", name, a.Name)
	default:
		var known *plan.Error
		if errors.As(err, &known) {
			return known
		}
		return plan.Fail("%s: %s: %v", name, a.Name, err)
	}
}

// prove reads the state until it shows what an action of class c does. It does
// not look at what Watch brings: that may be from before the action.
func (d *Desktop) prove(ctx context.Context, b Backend, c class, before *State, a Action) error {
	shown, observable := proofs[c]
	if !observable {
		return plan.Unsure("", "%s does not report the effect of %s", b.Info().Name, a.Name)
	}
	wait, cancel := context.WithTimeout(ctx, proofTime(c))
	defer cancel()
	for {
		changed := d.Changed()
		after, err := b.Read(ctx)
		switch {
		case ctx.Err() != nil:
			return plan.Unsure(plan.Cancelled, "%s was interrupted", a.Name)
		case err != nil && c == classSession && !errors.Is(err, os.ErrDeadlineExceeded):
			return nil // it went away, as it was asked to
		case err != nil:
			return plan.Unsure(plan.Missing, "%s went away during %s", b.Info().Name, a.Name)
		case shown(before, after, a):
			d.ordered(after)
			return nil
		case wait.Err() != nil:
			return unproved(c, a)
		}
		select {
		case <-changed:
		case <-wait.Done(): // look once more
		}
	}
}

// proofTime is how long the effect of an action of class c may take.
func proofTime(c class) time.Duration {
	switch c {
	case classClose, classScreenshot:
		return closeTime
	case classFocus, classFocusAny, classWorkspace, classOutput:
		return focusTime / 5 // compositors do these at once
	}
	return focusTime
}

// unproved says what it means that a state of class c did not come.
func unproved(c class, a Action) error {
	switch c {
	case classFocus, classFocusAny, classWorkspace, classOutput, classMove, classMoveWorkspace,
		classMoveOutput, classWorkspacePlace:
		return plan.Refuse(plan.Edge, "there is nothing in that direction; %s changed nothing", a.Name)
	case classClose:
		return plan.Unsure(plan.Timeout, "the window was asked to close but is still open; it may be showing a dialog")
	default:
		return plan.Unsure(plan.Timeout, "%s had no visible effect", a.Name)
	}
}

// proofs says for each class whether the state after shows the effect.
var proofs = map[class]func(before, after *State, a Action) bool{
	classClose: func(_, after *State, a Action) bool {
		_, there := after.Window(a.Window)
		return !there
	},
	classFocusWindow: func(_, after *State, a Action) bool { return focusedID(after) == a.Window },
	classFocus:       focusMoved, // sway leaves for an empty workspace of the next output
	classFocusAny:    focusMoved,
	classWorkspace: func(before, after *State, a Action) bool {
		now := focusedWorkspace(after)
		switch {
		case a.Arg.Number > 0:
			return isNumber(before, now, a.Arg.Number)
		case a.Arg.Text != "":
			return sameName(now.Name, a.Arg.Text)
		}
		return focusedWorkspace(before).ID != now.ID
	},
	classOutput: func(before, after *State, a Action) bool {
		if a.Arg.Text != "" {
			return sameName(focusedWorkspace(after).Output, a.Arg.Text)
		}
		return focusedWorkspace(before).Output != focusedWorkspace(after).Output
	},
	classMove: changed(func(s *State, w Window) any {
		return [5]any{w.Rect, w.Workspace, w.Column, w.Row, order(s, w.ID)}
	}),
	classMoveWorkspace: func(before, after *State, a Action) bool {
		w, there := after.Window(a.Window)
		ws, _ := after.Workspace(w.Workspace)
		switch {
		case !there:
			return false
		case a.Arg.Number > 0:
			return isNumber(before, ws, a.Arg.Number)
		case a.Arg.Text != "":
			return sameName(ws.Name, a.Arg.Text)
		}
		old, _ := before.Window(a.Window)
		return old.Workspace != w.Workspace
	},
	classMoveOutput: func(before, after *State, a Action) bool {
		old, _ := before.Window(a.Window)
		now, there := after.Window(a.Window)
		if a.Arg.Text != "" {
			return there && sameName(now.Output, a.Arg.Text)
		}
		return there && old.Output != now.Output
	},
	classWorkspacePlace: func(before, after *State, _ Action) bool { return !samePlaces(before, after) },
	classWorkspaceName: func(before, after *State, _ Action) bool {
		return focusedWorkspace(before).Name != focusedWorkspace(after).Name
	},
	classFullscreen: changed(func(_ *State, w Window) any { return w.Fullscreen }),
	classFloating:   floatingShown,
	classSize:       changed(func(_ *State, w Window) any { return w.Rect }),
	classUrgent:     changed(func(_ *State, w Window) any { return w.Urgent }),
	classLayout: func(before, after *State, a Action) bool {
		if a.Arg.Number > 0 {
			return after.Layout == a.Arg.Number-1
		}
		return before.Layout != after.Layout
	},
	classOverview: func(before, after *State, a Action) bool {
		switch a.Name {
		case "open-overview":
			return after.Overview
		case "close-overview":
			return !after.Overview
		}
		return before.Overview != after.Overview
	},
	classScreenshot: func(before, after *State, _ Action) bool { return after.Captures > before.Captures },
	classSession:    func(_, _ *State, _ Action) bool { return false },
}

// isNumber reports whether ws is the workspace that had the number n before, or
// has it now where there was none. Numbers shift as workspaces come and go.
func isNumber(before *State, ws Workspace, n int) bool {
	if old, ok := before.Numbered(n); ok {
		return ws.ID == old.ID
	}
	return ws.Number == n
}

func changed(look func(*State, Window) any) func(before, after *State, a Action) bool {
	return func(before, after *State, a Action) bool {
		old, ok := before.Window(a.Window)
		now, there := after.Window(a.Window)
		return ok && there && look(before, old) != look(after, now)
	}
}

// floatingShown takes it for done when a window floats, or not, as it was asked
// to, also if it did before.
func floatingShown(before, after *State, a Action) bool {
	old, _ := before.Window(a.Window)
	now, there := after.Window(a.Window)
	want := !old.Floating
	switch a.Name {
	case "move-window-to-floating":
		want = true
	case "move-window-to-tiling":
		want = false
	}
	return there && now.Floating == want
}

func focusMoved(before, after *State, _ Action) bool {
	return focusedID(before) != focusedID(after) || focusedWorkspace(before).ID != focusedWorkspace(after).ID
}

func focusedID(s *State) WindowID {
	w, _ := s.Focused()
	return w.ID
}

func focusedWorkspace(s *State) Workspace {
	w, _ := s.FocusedWorkspace()
	return w
}

// order is the place of a window among the windows of its workspace by id; it
// tells a move where a compositor shows no rectangles.
func order(s *State, id WindowID) int {
	w, _ := s.Window(id)
	n := 0
	for _, other := range s.Windows {
		if other.Workspace == w.Workspace && other.Rect.X < w.Rect.X {
			n++
		}
	}
	return n
}

func samePlaces(a, b *State) bool {
	place := func(s *State) string {
		w := focusedWorkspace(s)
		return fmt.Sprint(w.Number, w.Output)
	}
	return place(a) == place(b)
}
