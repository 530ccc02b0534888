package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
)

func do(ctx context.Context, a op.Args) (executor.Done, error) {
	handlers := executor.Handlers{}
	Register(handlers)
	return handlers[a.Op()].Do(ctx, nil, plan.Step{Args: a})
}

func TestWaitTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for want, ms := range map[time.Duration]*int{300 * time.Millisecond: nil, 0: new(0),
			1500 * time.Millisecond: new(1500), 10 * time.Second: new(10_000)} {
			began := time.Now()
			if _, err := do(t.Context(), op.Wait{MS: ms}); err != nil || time.Since(began) != want {
				t.Errorf("it took %v, want %v: %v", time.Since(began), want, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if _, err := do(ctx, op.Wait{MS: new(9000)}); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) != time.Second {
			t.Errorf("a wait that is interrupted: %v after %v", err, time.Since(began))
		}
	})
}

func TestDoneIsDone(t *testing.T) {
	if d, err := do(t.Context(), op.Done{}); err != nil || d.Evidence != plan.ByState {
		t.Errorf("done: %+v, %v", d, err)
	}
}
