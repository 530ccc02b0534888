package keys

import (
	"context"
	"strings"

	"utter/agent/internal/executor"
	"utter/agent/internal/input"
	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/plan"
)

// command types a command into the shell of the focused terminal and presses Return. It types nothing into any other
// program that may run there.
func (h *Keys) command(ctx context.Context, b *executor.Binding, _ plan.Step, a op.Terminal) (executor.Done, error) {
	if a.Command == "" || strings.ContainsAny(a.Command, "\n\r\x00") {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "a command is one line")
	}
	w, err := h.target(ctx, b)
	if err != nil {
		return executor.Done{}, err
	}
	if !h.IsTerminal(w) {
		return executor.Done{}, plan.Refuse(plan.NotFound, "%s is not a terminal", name(w))
	}
	program, isShell, err := h.Foreground(w.PID)
	if err != nil {
		return executor.Done{}, plan.Refuse(plan.NotFound, "cannot tell what is running in %s: %v", name(w), err)
	}
	if !isShell {
		return executor.Done{}, plan.Refuse(plan.PolicyReason, "%s runs in %s, not a shell", program, name(w))
	}
	if err := h.settled(ctx, w); err != nil {
		return executor.Done{}, err
	}
	alive := h.alive(w)
	if _, err := h.Devices.Type(ctx,
		input.Text{Text: a.Command, Way: h.Way(), Paste: h.Paste(w), Alive: alive}); err != nil {
		return executor.Done{Window: uint64(w.ID)}, err
	}
	if a.Enter != nil && !*a.Enter {
		return executor.Done{Evidence: plan.Delivered, Window: uint64(w.ID), Message: "typed, not run"}, h.after(ctx, w)
	}
	ret, err := chord.Parse("return")
	if err != nil {
		return executor.Done{}, err
	}
	if err := h.Devices.Press(ctx, chord.Sequence{ret}, alive); err != nil {
		return executor.Done{Window: uint64(w.ID)}, plan.Unsure(plan.NotFound,
			"the command was typed, but may not run: %v", err)
	}
	return executor.Done{Evidence: plan.Delivered, Window: uint64(w.ID), Message: "given to " + program}, h.after(ctx, w)
}
