package addons

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/executor"
	"utter/agent/internal/router"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// TestASilentRunnerIsNotWaitedForLong: one that takes the connection and says
// nothing.
func TestASilentRunnerIsNotWaitedForLong(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "silent")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := newAddons(socket, nil)
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if ops := p.Ops(ctx); ops != nil || ctx.Err() != nil {
		t.Errorf("ops: %v, %v", ops, ctx.Err())
	}
	got := run(t, p, note(), false)
	if got.Outcome != plan.Refused || got.Reason != plan.Timeout {
		t.Errorf("a step that nobody took: %+v", got)
	}
	if ops := p.Ops(ctx); ops != nil || !p.rests["what plugins can do"].After(time.Now()) {
		t.Errorf("it is asked again at once: %v, %v", ops, p.rests)
	}
}

// TestARunnerThatGoesDuringTheCall: the step may have had its effect.
func TestARunnerThatGoesDuringTheCall(t *testing.T) {
	_, p := newRunner(t, func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		if method == protocol.MethodRunnerInvoke {
			ctx.Value(peerKey{}).(*rpc.Peer).Close()
		}
		return nil, errNotMine
	})
	if got := run(t, p, note(), false); got.Outcome != plan.Unknown || got.Reason != plan.Missing ||
		!strings.Contains(got.Message, "went away") {
		t.Errorf("%+v", got)
	}
}

// TestAConnectionThatEndsIsMadeAgain by Run, though the socket stays: else the
// runner has nobody to ask.
func TestAConnectionThatEndsIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "confirm-token"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &fakeRunner{socket: filepath.Join(dir, "runner.sock")}
	r.listen(t)
	p := newAddons(r.socket, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	defer func() { cancel(); <-ended; p.Close() }()
	for n := range 2 {
		await(t, "a registration", func() bool { return r.count(protocol.MethodRunnerConfirmerRegister) == n+1 })
		r.drop()
	}
}

// TestAHungRouterIsLeftAlone for a while: it would hold up every utterance.
func TestAHungRouterIsLeftAlone(t *testing.T) {
	asked := make(chan struct{}, 9)
	_, p := newRunner(t, func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		if method != protocol.MethodRunnerPlan {
			return nil, errNotMine
		}
		asked <- struct{}{}
		return nil, protocol.Errorf(protocol.CodeTimeout, "the plugin did not respond in time")
	})
	for range 3 {
		if made, err := p.Route(t.Context(), "x", plan.FromUser, router.Context{}); made != nil || err == nil {
			t.Errorf("%v, %v", made, err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("asked %d times", len(asked))
	}
}

// TestCancel: a call that the user cancels is not one that the runner lost.
func TestCancel(t *testing.T) {
	called := make(chan struct{})
	_, p := newRunner(t, func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		if method != protocol.MethodRunnerInvoke {
			return nil, errNotMine
		}
		close(called)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-called; cancel(errors.New("the user says so")) }()
	e := executor.New(nil, executor.HandlerFunc(p.Do), allowed{})
	got := e.Run(ctx, &plan.Plan{Steps: []plan.Step{note()}}, executor.Approval{}, func(int, plan.Result) {})
	if got.Outcome != plan.Unknown || got.Reason != plan.Cancelled || !strings.Contains(got.Message, "interrupted") {
		t.Errorf("%+v", got)
	}
}
