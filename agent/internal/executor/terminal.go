package executor

import (
	"context"
	"strings"

	"utter/agent/internal/input"
	"utter/shared/chord"
	"utter/shared/plan"
)

// Terminal is the handler of terminal steps: it types a command into the shell
// of the focused terminal and presses Return. It types nothing into any other
// program that may run there.
func (h *Hands) Terminal(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	command := s.Args.Text("command")
	if command == "" || strings.ContainsAny(command, "\n\r\x00") {
		return Done{}, plan.Refuse(plan.NotSupported, "a command is one line")
	}
	w, err := h.target(ctx, b)
	if err != nil {
		return Done{}, err
	}
	if !h.IsTerminal(w.AppID) {
		return Done{}, plan.Refuse(plan.NotFound, "%s is no terminal", name(w))
	}
	program, isShell, err := h.Foreground(w.PID)
	if err != nil {
		return Done{}, plan.Refuse(plan.NotFound, "what runs in %s cannot be told: %v", name(w), err)
	}
	if !isShell {
		return Done{}, plan.Refuse(plan.PolicyReason, "%s runs in %s, not a shell", program, name(w))
	}
	if err := h.settled(ctx, w); err != nil {
		return Done{}, err
	}
	alive := h.alive(w)
	if _, err := h.Devices.Type(ctx, input.Text{Text: command, Way: h.Way(), Paste: h.Paste(w.AppID), Alive: alive}); err != nil {
		return Done{Window: uint64(w.ID)}, err
	}
	if enter, given := s.Args["enter"].(bool); given && !enter {
		return Done{Evidence: plan.Delivered, Window: uint64(w.ID), Message: "typed, not run"}, h.after(ctx, w)
	}
	ret, err := chord.Parse("return")
	if err != nil {
		return Done{}, err
	}
	if err := h.Devices.Press(ctx, chord.Sequence{ret}, alive); err != nil {
		return Done{Window: uint64(w.ID)}, plan.Unsure(plan.NotFound, "the command was typed, but may not run: %v", err)
	}
	return Done{Evidence: plan.Delivered, Window: uint64(w.ID), Message: "given to " + program}, h.after(ctx, w)
}
