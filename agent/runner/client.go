package runner

import (
	"context"
	"encoding/json"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"utter/agent/runner/handle"
	"utter/agent/runner/stream"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A client is one connection to the socket.
type client struct {
	runner  *Runner
	peer    *rpc.Peer
	streams *stream.Consumer
	handles *handle.Owner

	known   atomic.Bool // it may ask for anything
	rate    rate
	turns   turns
	auth    sync.Mutex   // one runner.auth at a time
	authing atomic.Int32 // runner.auth requests that were read and are not decided
	decided chan struct{}
	wrong   atomic.Int32 // tokens that were not right
	busy    atomic.Int32 // requests being served, but for acks
}

// What a client may do at most.
const (
	maxWrong      = 5                // tokens
	silence       = 10 * time.Second // before it is known
	maxBodies     = 128 << 20        // bytes of all clients' large bodies
	maxClients    = 2048
	maxInFlight   = 64   // requests of a client
	maxAcks       = 4096 // and its acks, which must not be lost: a stream would stop
	rateLimit     = 1000 // requests
	rateWindow    = 10 * time.Second
	clientFrames  = 256
	clientTimeout = 30 * time.Second
)

// serveClient serves a connection until it ends.
func (r *Runner) serveClient(ctx context.Context, conn net.Conn, a admission) {
	c := &client{runner: r, decided: make(chan struct{}, 1), rate: rate{limit: rateLimit, window: rateWindow}}
	c.known.Store(!a.needsToken)
	c.peer = rpc.NewPeer(conn, rpc.Options{
		MaxBody: rpc.MaxFromClient, MaxInFlight: maxInFlight + maxAcks, QueueFrames: clientFrames,
		FrameTimeout: clientTimeout,
		Admit:        c.admit, Enter: c.turns.enter, Reserve: r.clients.reserve, Log: r.log,
		Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			return c.handle(ctx, a, method, params)
		},
	})
	c.streams, c.handles = r.streams.NewConsumer(c.peer), r.handles.NewOwner()
	r.clients.add(c)
	if a.needsToken {
		quiet := time.AfterFunc(silence, c.hurry)
		defer quiet.Stop()
	}
	if err := c.peer.Run(ctx); err != nil && ctx.Err() == nil {
		r.log.Debug("a client's connection ended", "client", a.who, "error", err)
	}
	r.clients.remove(c)
	c.streams.Close()
	c.handles.Close()
}

// hurry closes the connection of a client that does not say who it is.
func (c *client) hurry() {
	if !c.known.Load() {
		c.peer.Close()
	}
}

// vouched reports whether the client's yes may count: it was admitted by a token
// or by the [socket] table.
func (c *client) vouched() bool { return c.known.Load() }

// progress passes on what a plugin says of the client's request. What the client
// does not take in time is left out.
func (c *client) progress(ctx context.Context) func(protocol.Progress) {
	id := rpc.RequestID(ctx)
	if id == nil {
		return nil
	}
	return func(p protocol.Progress) {
		p.ID = id
		now, cancel := context.WithCancel(context.Background())
		cancel() // it is called while a plugin's connection is read
		_ = c.peer.Notify(now, protocol.NotifyProgress, p)
	}
}

// clients are those connected now.
type clients struct {
	mu      sync.Mutex
	all     map[*client]bool
	holder  *client // of the role of the confirmer
	places  int
	tokens  map[string]string // set before the first client comes
	pending int64             // bytes of large bodies
}

// take takes a place for one more connection, if there is one.
func (s *clients) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places >= maxClients {
		return false
	}
	s.places++
	return true
}

func (s *clients) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places--
}

func (s *clients) add(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[c] = true
}

func (s *clients) remove(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, c)
	if s.holder == c {
		s.holder = nil
	}
}

func (s *clients) confirmer() *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holder
}

// confirms makes c the confirmer. There is one.
func (s *clients) confirms(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder != nil && s.holder != c {
		return false
	}
	s.holder = c
	return true
}

// reserve keeps all large bodies together below a bound.
func (s *clients) reserve(bytes int) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending+int64(bytes) > maxBodies {
		return nil, false
	}
	s.pending += int64(bytes)
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pending -= int64(bytes)
	}), true
}

// A rate lets so many through in any window. Only one goroutine uses it.
type rate struct {
	limit  int
	window time.Duration
	times  []time.Time // of the last ones, a ring
	next   int
}

func (r *rate) admit(now time.Time) bool {
	if len(r.times) < r.limit {
		r.times = append(r.times, now)
		return true
	}
	if now.Sub(r.times[r.next]) < r.window {
		return false
	}
	r.times[r.next] = now
	r.next = (r.next + 1) % r.limit
	return true
}
