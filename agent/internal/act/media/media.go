// Package media has the handler that controls media players.
package media

import (
	"context"

	"utter/agent/internal/executor"
	"utter/agent/internal/mpris"
	"utter/shared/op"
	"utter/shared/plan"
)

// A Remote controls the players that run. names are what the player that is meant may call itself; none is any player.
type Remote interface {
	Do(ctx context.Context, command string, names []string) (mpris.Obeyed, error)
}

// Register registers the handler. namesOf returns what the player of an application may call itself, nil for "".
func Register(to executor.Handlers, remote Remote, namesOf func(app string) []string) {
	executor.On(to, func(ctx context.Context, _ *executor.Binding, _ plan.Step, a op.Media) (executor.Done, error) {
		r, err := remote.Do(ctx, a.Command, namesOf(a.App))
		if err != nil {
			return executor.Done{}, err
		}
		message := r.Player
		if r.Note != "" {
			message += "; " + r.Note
		}
		return executor.Done{Evidence: plan.ByState, Message: message}, nil
	})
}
