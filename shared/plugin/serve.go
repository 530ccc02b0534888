package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

const (
	// drainTime is what a request in flight has after the end of the input. The
	// runner waits two seconds before it terminates a plugin.
	drainTime = 1500 * time.Millisecond
	// leaveTime is what Run and the streams have after their ctx has ended.
	leaveTime = time.Second
	// maxStreams bounds how many subscribers are fed at once.
	maxStreams = 64
)

// A session is the connection of one plugin.
type session struct {
	plugin    *Plugin
	transport string
	peer      *rpc.Peer
	methods   map[string]rpc.Handler

	life   context.Context // of Run and the streams
	end    context.CancelCauseFunc
	work   sync.WaitGroup // Run and the streams
	acting chan struct{}  // holds a token while an op runs

	greeting sync.Mutex // held during Start
	greeted  bool       // Start went well

	mu      sync.Mutex
	ready   bool // greeted, and not told to stop
	stopped bool
	lastID  int
	feeds   map[string]*Subscriber
	handles handles
}

// Serve is Main for another connection: it serves p on s until s ends, and returns
// nil if it ended regularly. transport is its name in protocol.hello.
func Serve(ctx context.Context, p Plugin, s rpc.Stream, transport string) error {
	if err := p.check(); err != nil {
		s.Close()
		return err
	}
	ses := &session{plugin: &p, transport: transport, acting: make(chan struct{}, 1), feeds: map[string]*Subscriber{}}
	ses.life, ses.end = context.WithCancelCause(context.WithValue(ctx, sessionKey{}, ses))
	ses.methods = ses.table()
	ses.peer = rpc.NewPeer(s, rpc.Options{
		MaxBody: rpc.MaxFromPlugin, Drain: drainTime, Handle: ses.handle,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	err := ses.peer.Run(ctx)
	cause := context.Cause(ses.life)
	ses.end(nil)
	if late := ses.leave(); late != nil {
		err = cmp.Or(err, late)
	}
	if failed, ok := errors.AsType[*runError](cause); ok {
		return failed
	}
	if err != nil && ctx.Err() != nil {
		return nil // asked to stop
	}
	return err
}

// A runError is what Run returned.
type runError struct{ error }

func (e *runError) Unwrap() error { return e.error }

// leave waits for what the plugin runs by itself.
func (s *session) leave() error {
	gone := make(chan struct{})
	go func() { s.work.Wait(); close(gone) }()
	select {
	case <-gone:
		return nil
	case <-time.After(leaveTime):
		return fmt.Errorf("plugin %s: Run or a stream continues although its ctx has ended", s.plugin.ID)
	}
}

type sessionKey struct{}

// table holds what is answered, by method.
func (s *session) table() map[string]rpc.Handler {
	all := s.plugin.own()
	bound := map[string]rpc.Handler{}
	for method, answer := range all {
		bound[method] = func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
			return answer(s, ctx, params)
		}
	}
	for _, m := range s.plugin.Methods {
		bound[m.Name] = func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
			return s.run(ctx, m.Name, func() (any, error) { return m.Do.call(ctx, params) })
		}
	}
	return bound
}

type answer func(s *session, ctx context.Context, params json.RawMessage) (any, error)

// own holds the methods of the protocol that p answers.
func (p *Plugin) own() map[string]answer {
	all := map[string]answer{
		protocol.MethodHello:       (*session).hello,
		protocol.MethodDescribe:    (*session).describe,
		protocol.MethodHealth:      (*session).health,
		protocol.MethodShutdown:    (*session).shutdown,
		protocol.MethodHandleFetch: (*session).fetch,
	}
	if len(p.Ops) > 0 {
		all[protocol.MethodActionCapabilities] = func(s *session, _ context.Context, _ json.RawMessage) (any, error) {
			return s.plugin.ops(), nil
		}
		all[protocol.MethodActionInvoke] = (*session).invoke
	}
	if p.Route != nil {
		all[protocol.MethodRouterPlan] = (*session).plan
	}
	if p.Desktop != nil {
		all[protocol.MethodContextSnapshot] = (*session).desktop
	}
	if len(p.Streams) > 0 {
		all[protocol.MethodStreamSubscribe] = (*session).subscribe
		all[protocol.MethodStreamAck] = (*session).ack
		all[protocol.MethodStreamStop] = (*session).stop
	}
	return all
}

// anytime are the methods that are answered before hello and after shutdown.
var anytime = []string{protocol.MethodHello, protocol.MethodDescribe, protocol.MethodHealth,
	protocol.MethodActionCapabilities, protocol.MethodShutdown}

// handle serves a request.
func (s *session) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	do := s.methods[method]
	if do == nil {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "plugin %s has no method %.80q", s.plugin.ID, method)
	}
	s.mu.Lock()
	ready, stopped := s.ready, s.stopped
	s.mu.Unlock()
	switch {
	case ready || slices.Contains(anytime, method):
	case stopped:
		return nil, protocol.Errorf(protocol.CodeUnavailable, "plugin %s is stopping", s.plugin.ID)
	default:
		return nil, protocol.Errorf(protocol.CodeInvalidRequest, "protocol.hello comes first")
	}
	return do(context.WithValue(ctx, sessionKey{}, s), method, params)
}

// run calls an author's function under ctx.
func (s *session) run(ctx context.Context, what string, do func() (any, error)) (result any, err error) {
	err = guard(what, func() (err error) { result, err = do(); return err })
	return result, wire(ctx, err)
}

func (s *session) hello(ctx context.Context, params json.RawMessage) (any, error) {
	var in struct {
		Protocol string          `json:"protocol"`
		ABI      int             `json:"abi"`
		Settings json.RawMessage `json:"settings"`
	}
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	if in.Protocol != protocol.Version || in.ABI != protocol.ABI {
		return nil, protocol.Errorf(protocol.CodeIncompatible,
			"the runner speaks protocol %.20q, abi %d; plugin %s speaks %s, %d",
			in.Protocol, in.ABI, s.plugin.ID, protocol.Version, protocol.ABI).With(protocol.Data{Negotiated: protocol.Version})
	}
	s.greeting.Lock()
	defer s.greeting.Unlock()
	if s.greeted {
		return s.plugin.hello(s.transport), nil
	}
	if err := s.settle(in.Settings); err != nil {
		return nil, wire(ctx, err)
	}
	if s.plugin.Start != nil {
		if _, err := s.run(ctx, "Start", func() (any, error) { return nil, s.plugin.Start(ctx) }); err != nil {
			return nil, err
		}
	}
	s.greeted = true
	s.mu.Lock()
	s.ready = !s.stopped
	s.mu.Unlock()
	return rpc.Reply{Result: s.plugin.hello(s.transport), Then: s.startRun}, nil
}

// settle reads the user's settings into the plugin's.
func (s *session) settle(settings json.RawMessage) error {
	into := s.plugin.Settings
	if into == nil {
		into = &None{}
	}
	if len(settings) == 0 || string(settings) == "null" {
		return nil
	}
	form, err := schemaOf(reflect.TypeOf(into).Elem())
	if err != nil {
		return err
	}
	if err := form.optional().fits(settings); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := rpc.Unmarshal(settings, into); err != nil {
		return Invalid("settings: %w", err)
	}
	return nil
}

func (s *session) startRun() {
	if s.plugin.Run == nil {
		return
	}
	s.work.Go(func() {
		err := guard("Run", func() error { return s.plugin.Run(s.life) })
		if err == nil || s.life.Err() != nil {
			return
		}
		s.end(&runError{err})
		s.peer.Close()
	})
}

func (s *session) describe(context.Context, json.RawMessage) (any, error) {
	d := protocol.DescribeResult{Methods: slices.Sorted(maps.Keys(s.methods)), Streams: []string{}}
	for _, stream := range s.plugin.Streams {
		d.Streams = append(d.Streams, stream.Name)
	}
	return d, nil
}

func (s *session) health(ctx context.Context, _ json.RawMessage) (any, error) {
	h := protocol.HealthResult{Status: "ok", Detail: s.plugin.ID + " is ready"}
	if s.plugin.Health != nil {
		if err := guard("Health", func() error { return s.plugin.Health(ctx) }); err != nil {
			h = protocol.HealthResult{Status: "degraded", Detail: err.Error()}
		}
	}
	return h, nil
}

// shutdown refuses what comes from now on. What is in flight may end; the end
// of the input follows.
func (s *session) shutdown(context.Context, json.RawMessage) (any, error) {
	s.mu.Lock()
	s.ready, s.stopped = false, true
	s.mu.Unlock()
	s.end(errShutdown)
	return None{}, nil
}

var errShutdown = errors.New("the runner ends the plugin")
