package keys

import (
	"cmp"
	"context"
	"slices"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/input"
	"utter/shared/op"
	"utter/shared/plan"
)

// scroll turns the wheel over the middle of the window.
func (h *Keys) scroll(ctx context.Context, b *executor.Binding, _ plan.Step, a op.Scroll) (executor.Done, error) {
	w, err := h.target(ctx, b)
	if err != nil {
		return executor.Done{}, err
	}
	if !w.Placed || !w.Rect.Known() {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "the compositor does not report where %s is", name(w))
	}
	if err := h.settled(ctx, w); err != nil {
		return executor.Done{}, err
	}
	state := h.Desktop.State()
	x, y, ok := openPoint(state, w)
	if !ok {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "%s is covered by other windows", name(w))
	}
	p := point(state, x, y)
	if err := h.alive(w)(); err != nil {
		return executor.Done{}, err
	}
	if err := h.Devices.Scroll(ctx, p, input.Direction(a.Direction), cmp.Or(a.Amount, op.DefaultScroll)); err != nil {
		return executor.Done{}, err
	}
	return executor.Done{Evidence: plan.Delivered, Window: uint64(w.ID)}, nil
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

func (h *Keys) click(ctx context.Context, _ *executor.Binding, _ plan.Step, a op.ClickPoint) (executor.Done, error) {
	state, err := h.Desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	if len(state.Outputs) == 0 {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "the compositor does not list its outputs")
	}
	if err := h.Devices.Click(ctx, point(state, a.X, a.Y)); err != nil {
		return executor.Done{}, err
	}
	return executor.Done{Evidence: plan.Delivered}, nil
}

// point places x,y of the layout's coordinates within its bounds.
func point(s *compositor.State, x, y int) input.Point {
	b := s.Bounds()
	return input.Point{X: x - b.X, Y: y - b.Y, Width: b.Width, Height: b.Height}
}
