// Package pause does what touches nothing: it waits, or does nothing at all.
package pause

import (
	"context"
	"time"

	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
)

// Register registers the handlers of wait and done.
func Register(to executor.Handlers) {
	executor.On(to, wait)
	executor.On(to, nothing)
}

func wait(ctx context.Context, _ *executor.Binding, _ plan.Step, a op.Wait) (executor.Done, error) {
	ms := op.DefaultWait
	if a.MS != nil {
		ms = *a.MS
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return executor.Done{Evidence: plan.ByState}, nil
	case <-ctx.Done():
		return executor.Done{}, ctx.Err()
	}
}

func nothing(context.Context, *executor.Binding, plan.Step, op.Done) (executor.Done, error) {
	return executor.Done{Evidence: plan.ByState}, nil
}
