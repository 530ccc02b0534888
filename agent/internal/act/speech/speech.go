// Package speech has the handler that says something to the user.
package speech

import (
	"context"
	"errors"

	"utter/agent/internal/executor"
	"utter/agent/internal/notify"
	"utter/shared/op"
	"utter/shared/plan"
)

// A Speaker says a text aloud, or shows it, and returns how. Its error is notify.ErrNone where it can do neither.
type Speaker interface {
	Speak(ctx context.Context, text string) (how string, err error)
}

// Register registers the handler.
func Register(to executor.Handlers, speaker Speaker) {
	executor.On(to, func(ctx context.Context, _ *executor.Binding, _ plan.Step, a op.Speak) (executor.Done, error) {
		how, err := speaker.Speak(ctx, a.Text)
		if errors.Is(err, notify.ErrNone) {
			return executor.Done{}, plan.Refuse(plan.Missing,
				"speak: neither spd-say (speech-dispatcher) nor a notification service is available")
		}
		return executor.Done{Evidence: plan.Delivered, Message: "said by " + how}, err
	})
}
