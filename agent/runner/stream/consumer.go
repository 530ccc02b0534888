package stream

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// What a client's writer hands over at once: replies find room between.
const (
	batchFrames = 16
	batchBytes  = 64 << 10
)

// A subscriber is the part of *rpc.Peer that frames are written to.
type subscriber interface {
	Notify(ctx context.Context, method string, params any) error
	Send(ctx context.Context, method string, params any) error
}

// A Consumer owns the streams of one connection. Nobody else can touch them.
type Consumer struct {
	table   *Table
	peer    subscriber
	ctx     context.Context // until Close
	cancel  context.CancelFunc
	running sync.WaitGroup
	work    chan struct{} // holds one token while there may be work

	// Under table.mu.
	closed   bool
	writing  bool // the writer runs
	asking   int  // subscribes on their way
	streams  map[string]*subscription
	ready    []*subscription // with something to take, each once, served in turn
	handover chan struct{}   // closed when what was taken is queued; nil while nothing is
}

// NewConsumer returns the streams of the connection p.
func (t *Table) NewConsumer(p *rpc.Peer) *Consumer { return t.newConsumer(p) }

func (t *Table) newConsumer(p subscriber) *Consumer {
	ctx, cancel := context.WithCancel(context.Background())
	return &Consumer{
		table: t, peer: p, ctx: ctx, cancel: cancel, work: make(chan struct{}, 1), streams: map[string]*subscription{},
	}
}

// Subscribe asks the plugin from for the stream p, or, where from is nil, takes
// protocol.NotifyRunnerEvent. ctx is the request's; p.Window may lower the
// window, not raise it. The Reply goes out before the first frame; it must be
// returned from the handler. Its errors have codes.
func (c *Consumer) Subscribe(ctx context.Context, from *Producer, p protocol.SubscribeParams) (rpc.Reply, error) {
	sub, err := c.subscribe(ctx, from, p)
	if err != nil {
		return rpc.Reply{}, err
	}
	mode := protocol.ModeLossy
	if sub.flow.reliable {
		mode = protocol.ModeReliable
	}
	return rpc.Reply{
		Result: protocol.SubscribeResult{StreamID: sub.id, Mode: mode},
		Then:   func() { c.begin(sub) },
	}, nil
}

func (c *Consumer) subscribe(ctx context.Context, from *Producer, p protocol.SubscribeParams) (*subscription, error) {
	want, err := c.table.read(from, p)
	if err != nil {
		return nil, err
	}
	if err := c.reserve(); err != nil {
		return nil, err
	}
	var sub *subscription
	if from == nil {
		sub = c.events(want)
	} else {
		sub, err = from.subscribe(ctx, c, want)
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.asking--
	if err != nil {
		return nil, err
	}
	if c.closed {
		c.table.abandon(sub)
		return nil, protocol.Errorf(protocol.CodeCancelled, "the connection ended")
	}
	if !c.writing {
		c.writing = true
		c.running.Go(c.write)
	}
	return sub, nil
}

// A wanted is a checked SubscribeParams.
type wanted struct {
	method   string
	params   json.RawMessage
	reliable bool
	window   int
}

func (t *Table) read(from *Producer, p protocol.SubscribeParams) (wanted, error) {
	w := wanted{p.Method, p.Params, p.Mode == protocol.ModeReliable, t.opts.Window}
	if p.Window > 0 {
		w.window = min(p.Window, w.window)
	}
	if w.params == nil {
		w.params = json.RawMessage("{}")
	}
	switch {
	case p.Method == "":
		return w, protocol.Errorf(protocol.CodeInvalidParams, "method is missing")
	case strings.HasPrefix(p.Method, "$/") || p.Method == protocol.NotifyStreamEnd:
		return w, protocol.Errorf(protocol.CodeInvalidParams, "%.80q cannot be a stream", p.Method)
	case p.Mode != "" && p.Mode != protocol.ModeLossy && !w.reliable:
		return w, protocol.Errorf(protocol.CodeInvalidParams, "mode is %.40q, not %q or %q", p.Mode,
			protocol.ModeLossy, protocol.ModeReliable)
	case p.Window < 0:
		return w, protocol.Errorf(protocol.CodeInvalidParams, "window is negative")
	case w.params[0] != '{':
		return w, protocol.Errorf(protocol.CodeInvalidParams, "params are not an object")
	case from == nil && p.Method != protocol.NotifyRunnerEvent:
		return w, protocol.Errorf(protocol.CodeUnavailable, "no plugin has the stream %.80q", p.Method)
	case from == nil && w.reliable:
		return w, protocol.Errorf(protocol.CodeInvalidParams, "%s is a lossy stream", p.Method)
	}
	return w, nil
}

// reserve counts a subscribe on its way. Its caller takes it back.
func (c *Consumer) reserve() error {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	if len(c.streams)+c.asking >= c.table.opts.MaxStreams {
		return busy("a client has at most %d streams", c.table.opts.MaxStreams)
	}
	c.asking++
	return nil
}

func (c *Consumer) events(want wanted) *subscription {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	sub := c.table.subscribe(c, want.method, c.table.newFlow(want))
	c.table.events[sub] = struct{}{}
	return sub
}

func (t *Table) newFlow(w wanted) flow {
	return flow{reliable: w.reliable, window: w.window, lossy: t.opts.Lossy}
}

// begin lets frames follow the reply.
func (c *Consumer) begin(sub *subscription) {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	sub.begun = true
	c.table.wake(sub)
}

// Ack acknowledges what the client got. Streams that are not its own, unknown
// or lossy are left alone.
func (c *Consumer) Ack(p protocol.AckParams) {
	t := c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	sub := c.streams[p.StreamID]
	if sub == nil {
		return
	}
	through, moved := sub.flow.ack(p.Seq)
	if !moved {
		return
	}
	if sub.producer != nil {
		sub.producer.ack(sub.producerID, through)
	}
	t.wake(sub)
}

// Stop ends a stream and tells its plugin so. When it returns no frame follows,
// unless ctx ended. Unknown and foreign streams are left alone.
func (c *Consumer) Stop(ctx context.Context, p protocol.StopParams) {
	c.table.mu.Lock()
	sub, handover := c.streams[p.StreamID], c.handover
	if sub != nil {
		c.table.abandon(sub)
	}
	c.table.mu.Unlock()
	if sub == nil || handover == nil {
		return
	}
	select {
	case <-handover:
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
}

// abandon forgets a subscription and stops the plugin's side. Under mu.
func (t *Table) abandon(sub *subscription) {
	if sub.producer != nil {
		sub.producer.stop(sub.producerID)
	}
	t.remove(sub)
}

// Close stops every stream of c. Call it when the connection has ended.
func (c *Consumer) Close() {
	c.table.mu.Lock()
	c.closed = true
	for _, sub := range all(c.streams) {
		c.table.abandon(sub)
	}
	c.ready = nil
	c.table.mu.Unlock()
	c.cancel()
	c.running.Wait()
}

// A notification is on its way to the client.
type notification struct {
	sub    *subscription
	method string
	params any
}

// write hands over what the streams of c hold, until Close or the end of the
// connection. It waits until a batch has left, so that what waits for a slow
// client waits in its streams.
func (c *Consumer) write() {
	for {
		batch := c.take()
		if len(batch) == 0 {
			select {
			case <-c.work:
				continue
			case <-c.ctx.Done():
				return
			}
		}
		if !c.send(batch) {
			return
		}
	}
}

// take returns what is to be sent next: a frame of each stream in turn. send, or
// sent, must follow.
func (c *Consumer) take() (batch []notification) {
	t := c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	for bytes := 0; len(c.ready) > 0 && len(batch) < batchFrames && bytes < batchBytes; {
		sub := c.ready[0]
		c.ready = c.ready[1:]
		sub.listed = false
		if sub.gone {
			continue
		}
		var next frame
		var ok bool
		t.change(&sub.flow, func(f *flow) { next, ok = f.take() })
		switch {
		case ok:
			batch = append(batch,
				notification{sub, sub.method, protocol.StreamFrame{StreamID: sub.id, Seq: &next.seq, Data: next.data}})
			bytes += next.size()
			t.wake(sub)
		case sub.flow.ready():
			batch = append(batch, notification{sub, protocol.NotifyStreamEnd,
				protocol.StreamEnd{StreamID: sub.id, LastSeq: sub.flow.last, Error: sub.flow.why}})
			t.remove(sub)
		}
	}
	if len(batch) > 0 {
		c.handover = make(chan struct{})
	}
	return batch
}

// send hands a batch over. False means that the connection has ended.
func (c *Consumer) send(batch []notification) bool {
	defer c.sent()
	for i, m := range batch {
		write := c.peer.Notify
		if i == len(batch)-1 {
			write = c.peer.Send
		}
		err := write(c.ctx, m.method, m.params)
		if errors.Is(err, rpc.ErrTooLarge) { // the peer takes less than package rpc says
			c.fail(m.sub, protocol.Errorf(protocol.CodeTooLargeInline, "a frame is too large for this connection"))
		} else if err != nil {
			return false
		}
	}
	return true
}

func (c *Consumer) sent() {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	close(c.handover)
	c.handover = nil
}

// fail ends a stream at once.
func (c *Consumer) fail(sub *subscription, why *protocol.Error) {
	t := c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if sub.gone {
		return
	}
	if sub.producer != nil {
		sub.producer.stop(sub.producerID)
		t.detach(sub)
	}
	t.change(&sub.flow, (*flow).clear)
	sub.flow.end(why)
	t.wake(sub)
}
