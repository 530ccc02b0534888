// Package plugintest runs a plugin in a test, in the same process, and acts as its
// runner. It uses the real protocol and applies no policy. It fails the test if the
// plugin violates the protocol or does not exit when it should.
package plugintest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"utter/shared/plugin"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// patience is how long the plugin may take to begin and to end.
const patience = 5 * time.Second

// A Runner configures the runner that the plugin meets. The zero Runner is
// ready to use.
type Runner struct {
	Settings any             // the user's settings, encoded as a JSON object
	Desktop  plugin.Snapshot // the answer to the plugin's Windows
	Epoch    int
}

// Start starts p under a zero Runner.
func Start(t testing.TB, p plugin.Plugin) *Session { return Runner{}.Start(t, p) }

// Start starts p and waits for its answers to protocol.hello, plugin.describe and
// plugin.health. The plugin is shut down at the end of the test.
func (r Runner) Start(t testing.TB, p plugin.Plugin) *Session {
	t.Helper()
	s, err := r.Try(t, p)
	if err != nil {
		t.Fatalf("start the plugin: %v", err)
	}
	return s
}

// Try is Start for a plugin that may refuse to start: it returns the error with which
// the plugin answers protocol.hello.
func (r Runner) Try(t testing.TB, p plugin.Plugin) (*Session, error) {
	toPlugin, fromRunner := io.Pipe()
	toRunner, fromPlugin := io.Pipe()
	s := &Session{t: t, desktop: r.Desktop, input: fromRunner, ended: make(chan error, 1), heard: make(chan struct{}),
		feeds: map[string]*Stream{}}
	s.peer = rpc.NewPeer(rpc.Pipe(toRunner, fromRunner), rpc.Options{
		Epoch: r.Epoch, MaxBody: rpc.MaxFromPlugin, Handle: s.answer, Notified: s.notified,
	})
	s.running.Go(func() {
		if err := s.peer.Run(context.Background()); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the plugin broke the connection: %v", err)
		}
	})
	s.running.Go(func() {
		s.ended <- plugin.Serve(context.Background(), p, rpc.Pipe(toPlugin, fromPlugin), protocol.TransportStdio)
	})
	t.Cleanup(s.close)
	return s, s.greet(r)
}

// A Session is a running plugin. Its methods may be called from any goroutine.
type Session struct {
	Hello    protocol.HelloResult
	Describe protocol.DescribeResult
	Health   protocol.HealthResult // at the start
	Ops      []protocol.OpInfo     // its action.capabilities

	t       testing.TB
	peer    *rpc.Peer
	input   *io.PipeWriter
	desktop plugin.Snapshot
	ended   chan error
	running sync.WaitGroup
	closing sync.Once

	mu       sync.Mutex
	heard    chan struct{} // closed at each message
	log      []protocol.LogLine
	progress []protocol.Progress
	events   []protocol.EmitParams
	feeds    map[string]*Stream
	early    []note // frames of a stream whose subscribe is not answered yet
}

type note struct {
	method string
	params json.RawMessage
}

func (s *Session) greet(r Runner) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	hello := map[string]any{"protocol": protocol.Version, "abi": protocol.ABI, "runner": "plugintest", "epoch": r.Epoch}
	if r.Settings != nil {
		hello["settings"] = r.Settings
	}
	said, err := s.peer.Call(ctx, protocol.MethodHello, hello)
	if err != nil {
		return s.why(err)
	}
	if s.Hello, err = protocol.CheckHello(said); err != nil {
		return err
	}
	if err := s.ask(ctx, protocol.MethodDescribe, nil, &s.Describe); err != nil {
		return err
	}
	if err := s.ask(ctx, protocol.MethodHealth, nil, &s.Health); err != nil {
		return err
	}
	for _, m := range s.Describe.Methods {
		if m == protocol.MethodActionCapabilities {
			var all protocol.CapabilitiesResult
			err = s.ask(ctx, m, nil, &all)
			s.Ops = all.Ops
		}
	}
	return err
}

// why prefers what the plugin says to the end of the connection that follows.
func (s *Session) why(err error) error {
	if _, ok := errors.AsType[*protocol.Error](err); ok {
		return err
	}
	select {
	case ended := <-s.ended:
		s.ended <- ended
		return cmp.Or(ended, err)
	case <-time.After(patience):
		return err
	}
}

// close shuts the plugin down as the runner does.
func (s *Session) close() {
	s.closing.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, _ = s.peer.Call(ctx, protocol.MethodShutdown, nil) // any answer is consent
		s.input.Close()
		select {
		case err := <-s.ended:
			if err != nil {
				s.t.Logf("the plugin ended: %v", err)
			}
			s.ended <- err
		case <-ctx.Done():
			s.t.Errorf("the plugin has not ended within %v", patience)
		}
		s.peer.Close()
		s.running.Wait()
	})
}

// Close ends the plugin now and returns what its Main would have printed.
func (s *Session) Close() error {
	s.close()
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	default:
		return errors.New("it has not ended")
	}
}

// Call calls any method of the plugin.
func (s *Session) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return s.peer.Call(ctx, method, params)
}

func (s *Session) ask(ctx context.Context, method string, params, into any) error {
	said, err := s.peer.Call(ctx, method, params)
	if err == nil {
		err = rpc.Unmarshal(said, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// A Result is the answer of an op.
type Result struct {
	OK     bool
	Detail string
	All    json.RawMessage // every member
}

// Invoke carries out an op of the plugin on behalf of the user.
func (s *Session) Invoke(ctx context.Context, op string, args any) (Result, error) {
	text, err := rpc.Marshal(args)
	if args == nil {
		text = json.RawMessage("{}")
	}
	if err != nil {
		return Result{}, err
	}
	return s.invoke(ctx, protocol.InvokeParams{Op: op, Args: text, Provenance: protocol.FromUser})
}

func (s *Session) invoke(ctx context.Context, p protocol.InvokeParams) (Result, error) {
	said, err := s.peer.Call(ctx, protocol.MethodActionInvoke, p)
	if err != nil {
		return Result{}, err
	}
	var r protocol.InvokeResult
	if err := rpc.Unmarshal(said, &r); err != nil {
		return Result{}, err
	}
	return Result{r.Succeeded(), r.Text(), said}, nil
}

// Route asks the plugin's router.
func (s *Session) Route(ctx context.Context, utterance string) ([]protocol.Step, error) {
	var plan protocol.PlanResult
	err := s.ask(ctx, protocol.MethodRouterPlan,
		protocol.PlanParams{Utterance: utterance, Provenance: protocol.FromUser}, &plan)
	return plan.Steps, err
}

// Say does with an utterance what the runner does: it asks the plugin's router and
// carries out the steps until one fails. A plan without steps is an error, and so is
// a step with an op of another plugin.
func (s *Session) Say(ctx context.Context, utterance string) ([]Result, error) {
	steps, err := s.Route(ctx, utterance)
	if err == nil && len(steps) == 0 {
		err = fmt.Errorf("the plugin has no plan for %q", utterance)
	}
	var all []Result
	for _, step := range steps {
		r, err := s.invoke(ctx, protocol.InvokeParams{Op: step.Op, Args: step.Args,
			Provenance: step.Provenance.OfStep(protocol.FromUser)})
		if err != nil {
			return all, err
		}
		if all = append(all, r); !r.OK {
			break
		}
	}
	return all, err
}

// Log returns what the plugin has logged so far.
func (s *Session) Log() []protocol.LogLine { return get(s, &s.log) }

// Progress returns the progress it has reported.
func (s *Session) Progress() []protocol.Progress { return get(s, &s.progress) }

// Events returns what it has emitted.
func (s *Session) Events() []protocol.EmitParams { return get(s, &s.events) }

func get[T any](s *Session, list *[]T) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]T(nil), *list...)
}

// Wait waits until done returns true, and calls it again for every message of the
// plugin. It fails the test after a timeout.
func (s *Session) Wait(done func() bool) {
	s.t.Helper()
	patience := time.After(patience)
	for {
		s.mu.Lock()
		heard := s.heard
		s.mu.Unlock()
		if done() {
			return
		}
		select {
		case <-heard:
		case <-patience:
			s.t.Fatal("timed out")
		}
	}
}

// answer is what a plugin may ask its runner.
func (s *Session) answer(_ context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case protocol.MethodHostContext:
		return s.desktop, nil
	case protocol.MethodHostEmit:
		var e protocol.EmitParams
		if err := protocol.DecodeParams(params, &e); err != nil {
			return nil, err
		}
		s.change(func() { s.events = append(s.events, e) })
		return plugin.None{}, nil
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "a runner has no method %q", method)
}

func (s *Session) notified(_ context.Context, method string, params json.RawMessage) {
	s.change(func() { s.note(note{method, params}) })
}

// change changes s and wakes the waiters.
func (s *Session) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
	close(s.heard)
	s.heard = make(chan struct{})
}

func (s *Session) note(n note) {
	var err error
	switch n.method {
	case protocol.NotifyLog:
		var l protocol.LogLine
		err = rpc.Unmarshal(n.params, &l)
		s.log = append(s.log, l)
	case protocol.NotifyProgress:
		var p protocol.Progress
		err = rpc.Unmarshal(n.params, &p)
		s.progress = append(s.progress, p)
	default:
		err = s.frame(n)
	}
	if err != nil {
		s.t.Errorf("%s %s: %v", n.method, n.params, err)
	}
}
