package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A Handler serves requests, several at the same time. params are an
// object, compact and strict; they may be kept. It returns what the result
// says, or a Reply, or an error: an *Error goes out as it is, a cancelled ctx
// as -32002, all else as -32603 without its text. It must end when ctx does.
type Handler func(ctx context.Context, method string, params json.RawMessage) (any, error)

// A Reply is a result with what goes along with it.
type Reply struct {
	Result any
	Files  []*os.File // sent with the reply's first byte, then closed
	// Then runs when the reply is queued: what it sends comes after.
	Then func()
}

// Options says how a Peer behaves. Every zero value is usable.
type Options struct {
	Epoch        int           // of our own ids
	MaxBody      int           // bytes of a frame that we take; MaxFromClient
	MaxSend      int           // bytes of a body that we send; MaxFromPlugin
	MaxInFlight  int           // requests served at once; 64. More are -32005 "busy"
	MaxCalls     int           // calls of ours that wait for their reply; 1024
	QueueFrames  int           // frames that wait to be written; 64
	QueueBytes   int           // bytes that wait to be written; MaxSend
	WriteTimeout time.Duration // for the peer to take what is being written; 10 s
	FrameTimeout time.Duration // for the peer to end a frame it has begun; 30 s
	// Drain is how long requests may go on after a clean end of the stream
	// before they are cancelled. A plugin uses it, a server of clients does not.
	Drain time.Duration

	// Handle serves requests. Without it they are -32601.
	Handle Handler
	// Notified gets notifications inline, in order, "$/" ones too but for the
	// cancellations. While it runs, nothing else is read.
	Notified func(ctx context.Context, method string, params json.RawMessage)
	// Admit is asked inline, in order, before a request is served. Its error is
	// the reply.
	Admit func(method string) error
	// Enter is told inline, in order, of each request that is going to be served.
	// What must keep the order of the requests begins there. The ctx that it
	// returns is the handler's.
	Enter func(ctx context.Context, method string, params json.RawMessage) context.Context
	// Reserve is told the size of a body over 64 KiB before it is read. False
	// ends the connection with "busy"; release is called once when the message
	// is done with.
	Reserve func(bytes int) (release func(), ok bool)

	Log *slog.Logger // for faults of ours; nothing without it
}

func (o Options) withDefaults() Options {
	def := func(n *int, otherwise int) {
		if *n <= 0 {
			*n = otherwise
		}
	}
	def(&o.MaxBody, MaxFromClient)
	def(&o.MaxSend, MaxFromPlugin)
	def(&o.MaxInFlight, 64)
	def(&o.MaxCalls, 1024)
	def(&o.QueueFrames, 64)
	def(&o.QueueBytes, o.MaxSend)
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 10 * time.Second
	}
	if o.FrameTimeout <= 0 {
		o.FrameTimeout = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Stats counts what a Peer dropped without an answer.
type Stats struct {
	Foreign int // replies with an id of another epoch, or none of ours
	Unknown int // replies nobody waits for: duplicates, or far too late
	Late    int // replies to calls that their callers had given up
	Ignored int // notifications whose params are not an object
}

// A Peer is one end of a symmetric JSON-RPC 2.0 connection. Its methods may be
// called from any goroutine, before Run too.
type Peer struct {
	opts   Options
	stream Stream
	out    *outbox
	heard  atomic.Int64 // when the last message came, in Unix nanoseconds
	ended  chan struct{}
	idle   chan struct{} // holds a token after the last request was served

	serving sync.WaitGroup
	jobs    chan *job    // for goroutines that have served one and wait
	spare   atomic.Int32 // how many these are

	mu       sync.Mutex
	err      error // why it ended; set before ended is closed
	lastID   int
	calls    map[string]*Call
	given    int // of the calls, those given up
	incoming map[string]context.CancelCauseFunc
	slots    int // requests being served or replied to
	stats    Stats
}

// NewPeer returns a Peer on s, which it owns from now on. Run makes it work.
func NewPeer(s Stream, o Options) *Peer {
	o = o.withDefaults()
	return &Peer{
		opts: o, stream: s, out: newOutbox(o.QueueFrames, o.QueueBytes, newNowait(s)),
		ended: make(chan struct{}), idle: make(chan struct{}, 1), jobs: make(chan *job),
		calls: map[string]*Call{}, incoming: map[string]context.CancelCauseFunc{},
	}
}

// Run serves the connection until it ends, and returns when every goroutine of
// it has. It returns nil after Close or a clean end of the stream; a
// *FrameError if the peer's bytes are not frames or no JSON (it was told so by
// -32700); ErrWriteTimeout, ErrFrameTimeout or ErrBusy; the cause of ctx; or
// what the stream says. Call it once.
func (p *Peer) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })()
	serveCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var own sync.WaitGroup
	own.Go(p.write)
	own.Go(func() { <-p.ended; cancel(p.Err()) })
	p.end(p.read(serveCtx))
	p.serving.Wait()
	own.Wait()
	if err := p.Err(); !errors.Is(err, ErrClosed) {
		return err
	}
	return nil
}

// Close ends the connection at once. What waits to be written is dropped.
func (p *Peer) Close() { p.end(ErrClosed) }

// Done is closed when the connection has ended, Run may still be cleaning up.
func (p *Peer) Done() <-chan struct{} { return p.ended }

// Err says why the connection ended: ErrClosed for Close and a clean end. It is
// nil before.
func (p *Peer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Stats returns what was dropped so far.
func (p *Peer) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// Heard returns when the last message came; zero if none has.
func (p *Peer) Heard() time.Time {
	if n := p.heard.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

// Waiting returns the calls of ours that wait for a reply, and the peer's
// requests being served.
func (p *Peer) Waiting() (calls, requests int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) - p.given, p.slots
}

// CanSendFiles reports whether descriptors can go along with a message.
func (p *Peer) CanSendFiles() bool { _, ok := p.stream.(fdWriter); return ok }

// Notify sends a notification, waiting for room in the queue until ctx ends.
// params are anything that JSON says as an object; nil is an empty one. nil
// means queued, not received.
func (p *Peer) Notify(ctx context.Context, method string, params any) error {
	f, err := p.notification(method, params)
	if err != nil {
		return err
	}
	return p.out.put(ctx, f)
}

// Send is Notify that waits until the frame is written: what it returned nil
// for has left this process.
func (p *Peer) Send(ctx context.Context, method string, params any) error {
	f, err := p.notification(method, params)
	if err != nil {
		return err
	}
	f.gone = make(chan struct{})
	if err := p.out.put(ctx, f); err != nil {
		return err
	}
	select {
	case <-f.gone:
		return p.Err()
	case <-ctx.Done():
		p.out.withdraw(f)
		return context.Cause(ctx)
	}
}

func (p *Peer) notification(method string, params any) (*frame, error) {
	object, err := encodeParams(params)
	if err != nil {
		return nil, fmt.Errorf("notify %s: %w", method, err)
	}
	if len(object) > p.opts.MaxSend {
		return nil, fmt.Errorf("notify %s: %w", method, ErrTooLarge)
	}
	return newFrame(requestFrame("", method, object)), nil
}

// end ends the connection for the reason err, once.
func (p *Peer) end(err error) {
	p.mu.Lock()
	if p.err != nil {
		p.mu.Unlock()
		return
	}
	p.err = err
	calls := p.calls
	p.calls, p.given = map[string]*Call{}, 0
	p.mu.Unlock()

	p.out.close(err)
	for _, c := range calls {
		c.fail(err)
	}
	close(p.ended)
	p.stream.Close()
}

// write sends what is queued until the connection ends.
func (p *Peer) write() {
	watch := newWatch(p.opts.WriteTimeout, func() { p.end(ErrWriteTimeout) })
	defer watch.stop()
	for {
		batch := p.out.take()
		if batch == nil {
			return
		}
		watch.begin()
		if err := p.send(batch); err != nil {
			p.end(fmt.Errorf("write: %w", err))
		}
		watch.done()
		for _, f := range batch {
			f.settle()
		}
	}
}

func (p *Peer) send(batch []*frame) error {
	bytes := batch[0].bytes
	if files := batch[0].files; files != nil {
		return SendFiles(p.stream, bytes, files...)
	}
	if len(batch) > 1 {
		bytes = nil
		for _, f := range batch {
			bytes = append(bytes, f.bytes...)
		}
	}
	if len(bytes) == 0 { // a mark of flush
		return nil
	}
	_, err := p.stream.Write(bytes)
	return err
}
