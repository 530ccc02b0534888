package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
	"utter/shared/turnstile"
)

// TestPipelinedActionsKeepTheirOrder: of what a client asks for in a row, each
// thing is done after the one before, although all are served at the same time.
func TestPipelinedActionsKeepTheirOrder(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	for round := range 30 {
		held := b.runner.queue.join(t.Context())
		var calls []*rpc.Call
		for n := range turnstile.MaxWaiting {
			method, params := protocol.MethodRunnerInvoke, any(invoke("note", "count", `{}`))
			if n%3 == 2 {
				method, params = protocol.MethodRunnerCommand, protocol.CommandParams{Utterance: `steps [{"op":"count"}]`}
			}
			call, err := u.peer.Start(t.Context(), method, params)
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, call)
			if method == protocol.MethodRunnerCommand { // what comes after does not wait for its plan
				b.until("the command stands in line", func() bool { return b.runner.queue.length() == n+2 })
			}
		}
		b.runner.queue.leave(held)
		for n, call := range calls {
			result, err := call.Wait(t.Context())
			if want := fmt.Sprintf(`"detail":"%d"`, round*turnstile.MaxWaiting+n+1); err != nil ||
				!strings.Contains(string(result), want) {
				t.Fatalf("round %d, call %d: %s, %v; want %s", round, n, result, err, want)
			}
		}
	}
}

// TestWhatIsRefusedLetsNobodyPast: those behind it still wait for those before it.
func TestWhatIsRefusedLetsNobodyPast(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	done := 0
	for range 60 {
		var calls []*rpc.Call
		for _, op := range []string{"count", "nosuch", "count", "nosuch", "count"} {
			call, err := u.peer.Start(t.Context(), protocol.MethodRunnerInvoke, invoke("note", op, `{}`))
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, call)
		}
		for n, call := range calls {
			result, err := call.Wait(t.Context())
			if n%2 == 1 {
				if protocol.CodeOf(err) != protocol.CodeMethodNotFound {
					t.Fatalf("%s, %v", result, err)
				}
				continue
			}
			done++
			if want := fmt.Sprintf(`"detail":"%d"`, done); err != nil || !strings.Contains(string(result), want) {
				t.Fatalf("call %d: %s, %v; want %s", n, result, err, want)
			}
		}
	}
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.line.Len()
}

// TestAnActionThatWaitsForTheUserHoldsNobodyUp: its question does not keep back
// one that was asked for later. That of a command does: its steps belong together.
func TestAnActionThatWaitsForTheUserHoldsNobodyUp(t *testing.T) {
	answer := make(chan bool)
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	asked := make(chan struct{}, 1)
	u := b.confirming(func(protocol.ConfirmParams) any {
		asked <- struct{}{}
		return protocol.ConfirmResult{Approved: <-answer}
	})
	careful, err := u.peer.Start(t.Context(), protocol.MethodRunnerInvoke, invoke("note", "careful", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	u.ok(protocol.MethodRunnerInvoke, invoke("note", "note", `{}`))
	answer <- true
	if result, err := careful.Wait(t.Context()); err != nil {
		t.Errorf("%s, %v", result, err)
	}
}

// TestTurns: who may go before whom.
func TestTurns(t *testing.T) {
	act := json.RawMessage(`{"plugin":"p","method":"action.invoke","params":{}}`)
	free := json.RawMessage(`{"plugin":"p","method":"router.plan","params":{}}`)
	synctest.Test(t, func(t *testing.T) {
		var s turns
		enter := func(method string, params json.RawMessage) *turn { return turnOf(s.enter(t.Context(), method, params)) }
		command := enter(protocol.MethodRunnerCommand, json.RawMessage(`{}`))
		first := enter(protocol.MethodRunnerInvoke, act)
		second := enter(protocol.MethodRunnerInvoke, act)
		last := enter(protocol.MethodRunnerCommand, json.RawMessage(`{}`))
		may := func(u *turn) bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return u.wait(ctx)
		}
		if enter(protocol.MethodRunnerInvoke, free) != nil || enter(protocol.MethodRunnerStatus, nil) != nil || !may(nil) {
			t.Error("what does not act has a turn")
		}
		if !may(command) || !may(first) || may(second) || may(last) {
			t.Error("at the beginning only the first of each kind may go")
		}
		first.give()
		first.give()
		if !may(second) || may(last) {
			t.Error("after the first action the second may go, and no command")
		}
		second.give()
		if may(last) {
			t.Error("a command went before another command")
		}
		command.give()
		if !may(last) {
			t.Error("the last may not go")
		}
		if last.give(); last.after != nil {
			t.Error("it keeps those before it")
		}

		// One that gives its turn up early lets nobody past those before it.
		one, two, three := enter(protocol.MethodRunnerInvoke, act), enter(protocol.MethodRunnerInvoke, act),
			enter(protocol.MethodRunnerInvoke, act)
		two.give()
		if may(three) || !may(two) {
			t.Error("the third went before the first, or the second still waits")
		}
		one.give()
		if !may(three) {
			t.Error("the third may not go")
		}
		for range 100 { // nor do those that were refused pile up
			three = enter(protocol.MethodRunnerInvoke, act)
			one.give()
			one = three
		}
		if len(three.after) != 1 || len(three.after[0].after) > 1 {
			t.Errorf("%d turns are kept", len(three.after))
		}
	})
}

// TestQueueGivesUp: a request that does not get inside in time leaves the queue, and the
// next one comes.
func TestQueueGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		leave, err := q.enter(t.Context(), nil, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.enter(t.Context(), nil, time.Second); protocol.CodeOf(err) != protocol.CodeTimeout ||
			protocol.ErrorData(err).Outcome != protocol.OutcomeNotStarted {
			t.Errorf("err = %v", err)
		}
		done := make(chan func())
		go func() {
			leave, err := q.enter(t.Context(), nil, time.Minute)
			if err != nil {
				t.Error(err)
			}
			done <- leave
		}()
		synctest.Wait()
		leave()
		(<-done)()
		if n := q.length(); n != 0 {
			t.Errorf("%d are in line", n)
		}
	})
}
