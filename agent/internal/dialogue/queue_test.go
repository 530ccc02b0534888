package dialogue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/dialogue/dialoguetest"
	"utter/shared/op"
	"utter/shared/plan"
)

// slow is an agent whose keys take a second each and are noted.
func slow(t *testing.T, r *dialoguetest.Rig) (*dialogue.Dialogue, func() []string) {
	var mu sync.Mutex
	var log []string
	a := r.Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(ctx context.Context, s plan.Step) error {
		mu.Lock()
		log = append(log, s.Args.(op.Key).Chord)
		mu.Unlock()
		select {
		case <-time.After(time.Second):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}})
	return a, func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(log) }
}

// TestOneRunsEightWaitTheNextIsBusy in their order.
func TestOneRunsEightWaitTheNextIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dialoguetest.New()
		a, pressed := slow(t, r)
		answers := make([]dialogue.Reply, 9)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = a.Run(t.Context(), fmt.Sprint("press f", i+1), byUser) })
			synctest.Wait() // it has its place
		}
		if got := pressed(); len(got) != 1 {
			t.Errorf("pressed %q while the first runs", got)
		}
		began := time.Now()
		check(t, "the tenth", a.Run(t.Context(), "press f10", byUser), plan.Refused, plan.Busy)
		if time.Since(began) != 0 {
			t.Errorf("busy after %v", time.Since(began))
		}
		all.Wait()
		if took := time.Since(began); took != 9*time.Second {
			t.Errorf("nine plans of a second took %v", took)
		}
		if got := strings.Join(pressed(), " "); got != "f1 f2 f3 f4 f5 f6 f7 f8 f9" {
			t.Errorf("pressed %s", got)
		}
		for i, answer := range answers {
			check(t, fmt.Sprint("plan ", i+1), answer, plan.Completed, "")
		}
		check(t, "afterwards", a.Run(t.Context(), "press f11", byUser), plan.Completed, "")
		states := strings.ReplaceAll(r.Heard(), "started 1, step 0 completed, finished completed", "x")
		if states != "running, x, x, x, x, x, x, x, x, x, ready, running, x, ready" {
			t.Errorf("heard %s", states)
		}
	})
}

func TestCancelEndsThePlanAndEmptiesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dialoguetest.New()
		a, pressed := slow(t, r)
		if n := a.Cancel(); n != 0 || r.Heard() != "" {
			t.Errorf("with nothing to cancel: %d", n)
		}
		answers := make([]dialogue.Reply, 4)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = a.Run(t.Context(), fmt.Sprintf("press f%d then press f12", i+1), byUser) })
			synctest.Wait()
		}
		time.Sleep(1500 * time.Millisecond) // the second step of the first plan runs
		began := time.Now()
		if n := a.Cancel(); n != 4 || time.Since(began) != 0 {
			t.Errorf("cancelled %d in %v", n, time.Since(began))
		}
		all.Wait()
		if time.Since(began) != 0 {
			t.Errorf("the plans ended %v later", time.Since(began))
		}
		check(t, "the one that ran", answers[0], plan.Unknown, plan.Cancelled)
		if r := answers[0].Results; len(r) != 2 || r[0].Outcome != plan.Completed || r[1].Outcome != plan.Unknown {
			t.Errorf("its steps: %+v", r)
		}
		for _, answer := range answers[1:] {
			check(t, "one that waited", answer, plan.Refused, plan.Cancelled)
		}
		if got := strings.Join(pressed(), " "); got != "f1 f12" {
			t.Errorf("pressed %s", got)
		}
		check(t, "afterwards", a.Run(t.Context(), "press f11", byUser), plan.Completed, "")
		if heard := r.Heard(); !strings.HasSuffix(heard, "ready") {
			t.Errorf("heard %s", heard)
		}
	})
}

func TestCancelDropsTheQuestion(t *testing.T) {
	r := dialoguetest.New()
	a := r.Agent(t, nil)
	w := ask(t, a, "open chat", plan.Ambiguous)
	r.Heard()
	a.Cancel()
	if _, err := a.Choose(t.Context(), w.Token, 0); !errors.Is(err, dialogue.ErrNoToken) || r.Heard() != "ready" {
		t.Errorf("%v", err)
	}
}

func TestACallerThatGoesAwayLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, pressed := slow(t, dialoguetest.New())
		var all sync.WaitGroup
		all.Go(func() { a.Run(t.Context(), "press f1", byUser) })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		all.Go(func() { check(t, "who left", a.Run(ctx, "press f2", byUser), plan.Refused, plan.Cancelled) })
		synctest.Wait()
		all.Go(func() { check(t, "the next", a.Run(t.Context(), "press f3", byUser), plan.Completed, "") })
		synctest.Wait()
		cancel()
		all.Wait()
		if got := strings.Join(pressed(), " "); got != "f1 f3" {
			t.Errorf("pressed %s", got)
		}
	})
}

// TestAQuestionLeavesTheQueueFree: other plans run while it waits.
func TestAQuestionLeavesTheQueueFree(t *testing.T) {
	r := dialoguetest.New()
	a := r.Agent(t, nil)
	w := ask(t, a, "log out", plan.NeedsConfirmation)
	r.Heard()
	if n := a.Cancel(); n != 0 {
		t.Errorf("%d plans are in the queue", n)
	}
	check(t, "another", a.Run(t.Context(), "press f1", byUser), plan.Completed, "")
	if w.Token == "" {
		t.Error("no token")
	}
}
