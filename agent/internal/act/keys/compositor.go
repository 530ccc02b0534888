package keys

import (
	"context"
	"errors"
	"strconv"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
)

// perform has the compositor do what a command of the vocabulary means there.
func (h *Keys) perform(ctx context.Context, b *executor.Binding, _ plan.Step, n op.Niri) (executor.Done, error) {
	a, err := h.Desktop.Vocabulary().Parse(n.Command, n.Texts())
	if err != nil {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "%v", err)
	}
	if n.WindowID != "" {
		id, err := strconv.ParseUint(n.WindowID, 10, 64)
		if err != nil {
			return executor.Done{}, plan.Refuse(plan.NotSupported, "%q is not a window id", n.WindowID)
		}
		a.Window = compositor.WindowID(id)
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
		return executor.Done{Window: uint64(id)}, err
	}
	// What moves the focus, or may, ends what earlier steps settled.
	b.Window, b.Page = 0, nil
	if a.Name == "focus-window" {
		b.Window = uint64(id)
	}
	return executor.Done{Evidence: plan.ByState, Window: uint64(id)}, nil
}

// closePage closes the tab of a page that the plan found, never its window: the
// window may hold other tabs.
func (h *Keys) closePage(ctx context.Context, b *executor.Binding) (executor.Done, error) {
	w, err := h.target(ctx, b)
	if err != nil {
		return executor.Done{}, err
	}
	if !b.Page(w.Title) {
		return executor.Done{}, plan.Refuse(plan.NotFound, "%s no longer shows the page", name(w))
	}
	keys := h.CloseTab(w)
	if len(keys) == 0 {
		return executor.Done{}, plan.Refuse(plan.NotSupported,
			"%s has no shortcut for closing a tab, and its window may contain others", name(w))
	}
	if err := h.settled(ctx, w); err != nil {
		return executor.Done{}, err
	}
	if err := h.Devices.Press(ctx, keys, h.alive(w)); err != nil {
		return executor.Done{}, err
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
		return executor.Done{Window: uint64(w.ID)}, ctx.Err()
	case errors.Is(err, compositor.ErrGone):
		return executor.Done{Window: uint64(w.ID)}, plan.Unsure(plan.Missing,
			"the compositor went away while the tab was closed")
	default:
		return executor.Done{Window: uint64(w.ID)}, plan.Unsure(plan.Timeout,
			"the shortcut for closing the tab was pressed in %s, but the page is still shown", name(w))
	}
	return executor.Done{Evidence: plan.ByState, Window: uint64(w.ID), Message: "closed the tab"}, nil
}
