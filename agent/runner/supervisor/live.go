package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"utter/agent/runner/stream"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A Live is one process of a plugin, from its start to its end.
type Live struct {
	Plugin    *Plugin
	Epoch     int
	Hello     protocol.HelloResult
	Agreement protocol.Agreement
	Methods   []string // of plugin.describe
	Names     []string // its streams
	Streams   *stream.Producer

	proc   *process
	peer   *rpc.Peer
	ctx    context.Context // ends with the Live
	failed chan error      // why it must end
	reread chan struct{}   // its ops have changed
	own    sync.WaitGroup  // its goroutines

	places  chan struct{} // one each for a call on its way
	waiting atomic.Int32  // for a place
	bodies  atomic.Int64  // bytes of its large messages that are not done with

	said  protocol.HealthResult // under Plugin.mu
	lacks string                // what the others do not provide any more; under Plugin.mu

	mu       sync.Mutex
	ops      []AdvertisedOp
	late     <-chan struct{}                    // a reply that is overdue; nothing is called before
	progress map[string]func(protocol.Progress) // by the id of our call
	early    []protocol.Progress                // of calls whose id we do not know yet
}

// live runs one process of the plugin until it ends, and returns why.
func (p *Plugin) live(ctx context.Context) error {
	var epoch int
	p.set(func(s *State) { s.Status, s.Reason, s.Live, epoch = protocol.StatusStarting, "", nil, s.Epoch })
	proc, conn, err := p.spawn(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &Live{
		Plugin: p, Epoch: epoch, proc: proc, ctx: ctx, failed: make(chan error, 1), reread: make(chan struct{}, 1),
		places:   make(chan struct{}, maxCalls),
		progress: map[string]func(protocol.Progress){},
	}
	l.peer = rpc.NewPeer(conn, rpc.Options{
		Epoch: epoch, MaxBody: rpc.MaxFromPlugin, Reserve: l.reserve, Log: p.log,
		Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			return p.shared.Events.Serve(ctx, l, method, params)
		},
		Notified: l.notified,
	})
	l.Streams = p.shared.Streams.NewProducer(p.ID(), l.peer)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.peer.Run(context.WithoutCancel(ctx)) // peer.Err says the same
	}()

	err = l.begin(ctx)
	if err == nil {
		err = l.watch(ctx)
	}
	cancel()
	p.set(func(s *State) {
		if s.Live != nil {
			s.Live, s.Status, s.Reason = nil, protocol.StatusStopped, ""
		}
	})
	l.end(err)
	<-ended
	l.own.Wait()
	p.shared.Events.Gone(p)
	return proc.lastWords(err)
}

// begin shakes hands and makes the Live usable.
func (l *Live) begin(ctx context.Context) error {
	p := l.Plugin
	if err := l.handshake(ctx); err != nil {
		return l.because(err)
	}
	p.set(func(s *State) { s.Last = l })
	if err := p.shared.Events.Admit(ctx, p, l.Agreement); err != nil {
		return err
	}
	if err := l.readOps(ctx); err != nil {
		l.said = unwell(err)
	}
	if l.peer.Err() != nil {
		return l.crashed()
	}
	p.set(func(s *State) { s.Live = l; s.Status, s.Reason = l.condition() })
	p.log.Info("the plugin is ready", "epoch", l.Epoch, "name", l.Hello.Plugin.Name, "version", l.Hello.Plugin.Version)
	return nil
}

// condition is the status of a Live that runs, and why it is not ok.
func (l *Live) condition() (status, reason string) {
	switch {
	case l.lacks != "":
		return protocol.StatusDegraded, l.lacks
	case l.said.Status != protocol.StatusOK:
		return protocol.StatusDegraded, escaped(l.said.Detail)
	}
	return protocol.StatusOK, ""
}

// watch keeps the Live until something ends it, and returns what.
func (l *Live) watch(ctx context.Context) error {
	l.own.Go(l.beat)
	l.own.Go(l.follow)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-l.Plugin.again:
		return errAgain
	case err := <-l.failed:
		return err
	case <-l.peer.Done():
	case <-l.proc.exited:
	}
	return l.crashed()
}

// crashed says how a Live ended that nobody asked to end. What it said last is
// still read.
func (l *Live) crashed() error {
	select {
	case <-l.peer.Done():
	case <-time.After(500 * time.Millisecond):
	}
	err := errors.New("the plugin crashed")
	if l.proc.gone(0) {
		err = &crashError{"the plugin crashed: " + l.proc.how()}
	}
	return l.because(err)
}

// because adds to err what is known of the end of the process or connection.
func (l *Live) because(err error) error {
	stray, cause := l.proc.stray(), l.peer.Err()
	_, garbled := errors.AsType[*rpc.FrameError](cause)
	cut := errors.Is(cause, io.ErrUnexpectedEOF) // its last frame, by its end
	ended := cause != nil && (!garbled || cut) && l.proc.gone(200*time.Millisecond)
	switch {
	case ended && stray != "":
		return &crashError{"the plugin " + stray + "; then " + l.proc.how()}
	case ended:
		return &crashError{"the plugin crashed: " + l.proc.how()}
	case cause == nil && stray != "":
		return fmt.Errorf("%w; it %s", err, stray)
	case cause == nil:
		return err
	case stray != "":
		return errors.New("the plugin " + stray)
	case garbled:
		return fmt.Errorf("the plugin wrote something that is not a frame: %w", cause)
	case errors.Is(cause, rpc.ErrClosed):
		return errors.New("the plugin closed its end of the connection")
	}
	return fmt.Errorf("the connection to the plugin ended: %w", cause)
}

// end ends the process: asked, where it still listens, else at once.
func (l *Live) end(why error) {
	p := l.Plugin
	l.Streams.Close(protocol.Errorf(protocol.CodePlugin, "the plugin ended"))
	asked := errors.Is(why, context.Canceled) || errors.Is(why, errAgain)
	if asked && l.peer.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		if _, err := l.peer.Call(ctx, protocol.MethodShutdown, nil); err != nil {
			p.log.Debug("shutdown", "answer", err)
		}
		cancel()
	}
	if asked || l.peer.Err() == nil {
		l.closing()
		l.proc.stop(p)
	} else {
		l.proc.kill(p)
	}
	l.peer.Close()
}

// closing ends the connection of a plugin with a socket; that of the others ends
// with their input.
func (l *Live) closing() {
	if l.proc.socket {
		l.peer.Close()
	}
}

// maxBodies bounds the large messages of a plugin together, in bytes.
const maxBodies = 64 << 20

// reserve keeps a plugin from filling our memory.
func (l *Live) reserve(bytes int) (release func(), ok bool) {
	if l.bodies.Add(int64(bytes)) > maxBodies {
		l.bodies.Add(-int64(bytes))
		return nil, false
	}
	return sync.OnceFunc(func() { l.bodies.Add(-int64(bytes)) }), true
}

// fail ends the Live for a reason.
func (l *Live) fail(err error) {
	select {
	case l.failed <- err:
	default:
	}
}

// PID returns the process id of the plugin, or of its sandbox.
func (l *Live) PID() int { return l.proc.cmd.Process.Pid }

// Sandboxed tells whether the plugin runs in a sandbox.
func (l *Live) Sandboxed() bool { return l.proc.cmd.Sandboxed() }

// Waiting returns the calls that wait for the plugin, and its requests being
// served.
func (l *Live) Waiting() (calls, requests int) { return l.peer.Waiting() }
