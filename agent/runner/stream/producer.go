package stream

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

const (
	maxPending   = 64               // subscribes that a plugin has not answered
	maxStopped   = 256              // ids that are remembered as stopped
	maxOrphans   = 1024             // asks that may wait before frames of nobody's streams add to them
	maxAsked     = 64               // stream.ack and stream.stop that a plugin has not answered
	askPatience  = 10 * time.Second // for an answer to them
	stopPatience = 2 * time.Second  // for an answer to stream.stop, before another subscribe
	emitPerSec   = 100
)

// An asker is the part of *rpc.Peer that a plugin is asked by.
type asker interface {
	Start(ctx context.Context, method string, params any) (*rpc.Call, error)
}

// A Producer feeds the streams of one life of a plugin.
type Producer struct {
	table   *Table
	plugin  string
	peer    asker
	ctx     context.Context // until Close
	cancel  context.CancelFunc
	running sync.WaitGroup
	work    chan struct{} // holds one token while there may be something to ask

	// Under table.mu.
	closed  *protocol.Error          // why, once it is
	streams map[string]*subscription // by the plugin's id
	pending []*wanted                // subscribes on their way
	early   map[string]*early        // frames that may belong to one of them
	stopped []string                 // ids that were told to stop, the oldest first

	asks     []*ask          // in order
	acks     map[string]*ask // those of stream.ack, which later ones join
	asking   bool            // tell runs
	stopping int             // stream.stop without an answer
	quiet    chan struct{}   // closed while stopping is 0

	emitted [emitPerSec]time.Time // when; the oldest is at emitAt
	emitAt  int
}

// An early flow has no subscriber yet.
type early struct {
	method string // "" where only its end came
	flow   flow
}

// NewProducer returns the streams of one life of a plugin.
func (t *Table) NewProducer(plugin string, p *rpc.Peer) *Producer { return t.newProducer(plugin, p) }

func (t *Table) newProducer(plugin string, p asker) *Producer {
	ctx, cancel := context.WithCancel(context.Background())
	quiet := make(chan struct{})
	close(quiet)
	return &Producer{
		table: t, plugin: plugin, peer: p, ctx: ctx, cancel: cancel, work: make(chan struct{}, 1),
		streams: map[string]*subscription{}, early: map[string]*early{}, acks: map[string]*ask{}, quiet: quiet,
	}
}

// subscribe asks the plugin for a stream of c.
func (p *Producer) subscribe(ctx context.Context, c *Consumer, want wanted) (*subscription, error) {
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	if err := p.expect(&want); err != nil {
		return nil, err
	}
	params := protocol.SubscribeParams{Method: want.method, Params: want.params, Mode: protocol.ModeLossy}
	if want.reliable {
		params.Mode, params.Window = protocol.ModeReliable, want.window
	}
	call, err := p.peer.Start(ctx, protocol.MethodStreamSubscribe, params)
	var result json.RawMessage
	if err == nil {
		result, err = call.Wait(ctx)
	}
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	defer p.answered(&want)
	if err != nil {
		return nil, protocol.CallFailure(ctx, err)
	}
	return p.adopt(c, want, result)
}

// settle waits until no stream.stop is on its way, for a while: after its answer
// an id can be used again, and frames of it are new ones.
func (p *Producer) settle(ctx context.Context) error {
	p.table.mu.Lock()
	quiet := p.quiet
	p.table.mu.Unlock()
	select {
	case <-quiet:
		return nil
	default:
	}
	patience := time.NewTimer(stopPatience)
	defer patience.Stop()
	select {
	case <-quiet:
	case <-patience.C:
	case <-p.ctx.Done():
	case <-ctx.Done():
		return protocol.CallFailure(ctx, &rpc.CallError{Method: protocol.MethodStreamSubscribe, Err: context.Cause(ctx)})
	}
	return nil
}

// expect notes that a subscribe is on its way.
func (p *Producer) expect(want *wanted) error {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	switch {
	case p.closed != nil:
		return p.closed
	case len(p.pending) >= maxPending:
		return busy("too many subscribes wait for the plugin")
	}
	p.pending = append(p.pending, want)
	return nil
}

// answered takes back expect. What nobody claimed goes with the last. Under mu.
func (p *Producer) answered(want *wanted) {
	for i, w := range p.pending {
		if w == want {
			p.pending = append(p.pending[:i], p.pending[i+1:]...)
			break
		}
	}
	if len(p.pending) > 0 {
		return
	}
	for _, e := range p.early {
		p.table.change(&e.flow, (*flow).clear)
	}
	clear(p.early)
}

// adopt opens the stream that the plugin named, with the frames that came before
// its name was known. Under mu.
func (p *Producer) adopt(c *Consumer, want wanted, result json.RawMessage) (*subscription, error) {
	var named protocol.SubscribeResult
	if rpc.Unmarshal(result, &named) != nil || named.StreamID == "" {
		return nil, protocol.Errorf(protocol.CodeUnavailable, "the plugin gave no stream_id")
	}
	if p.streams[named.StreamID] != nil {
		return nil, protocol.Errorf(protocol.CodePlugin, "the plugin gave a stream_id that is in use")
	}
	t := p.table
	f := t.newFlow(want)
	if e := p.early[named.StreamID]; e != nil && (e.method == "" || e.method == want.method) {
		delete(p.early, named.StreamID)
		t.change(&e.flow, func(f *flow) { f.become(want.reliable, want.window) })
		f = e.flow
	}
	sub := t.subscribe(c, want.method, f)
	sub.producerID = named.StreamID
	switch {
	case p.closed != nil:
		sub.flow.end(p.closed)
	case sub.flow.failed:
		p.stop(named.StreamID)
	case sub.flow.ended: // by the plugin
	default:
		sub.producer = p
		p.streams[named.StreamID] = sub
	}
	return sub, nil
}

// Notified takes a notification of the plugin: a frame, or stream.end. It never
// blocks. False means that it was neither, or that nobody wants it.
func (p *Producer) Notified(method string, params json.RawMessage) bool {
	var said struct {
		StreamID string          `json:"stream_id"`
		Seq      json.RawMessage `json:"seq"`
		Data     json.RawMessage `json:"data"`
		Error    json.RawMessage `json:"error"`
	}
	if rpc.Unmarshal(params, &said) != nil || said.StreamID == "" {
		return false
	}
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if p.closed != nil {
		return false
	}
	if method == protocol.NotifyStreamEnd {
		var why *protocol.Error
		if rpc.Unmarshal(said.Error, &why) != nil {
			why = nil
		}
		return p.ended(said.StreamID, why)
	}
	sub := p.streams[said.StreamID]
	if sub == nil {
		return p.unclaimed(method, said.StreamID, said.Seq, said.Data)
	}
	if sub.method != method {
		return false
	}
	if p.push(&sub.flow, said.Seq, said.Data) != nil {
		p.stop(said.StreamID)
		p.table.detach(sub)
	}
	p.table.wake(sub)
	return true
}

// push is flow.push with the counts kept. Under mu.
func (p *Producer) push(f *flow, seq, data json.RawMessage) (why *protocol.Error) {
	t := p.table
	t.change(f, func(f *flow) { why = f.push(seq, data, t.room()) })
	return why
}

// ended takes the plugin's stream.end. Under mu.
func (p *Producer) ended(id string, why *protocol.Error) bool {
	if sub := p.streams[id]; sub != nil {
		sub.flow.end(why)
		p.table.detach(sub)
		p.table.wake(sub)
		return true
	}
	if len(p.pending) == 0 {
		return false
	}
	e := p.keep("", id)
	if e == nil {
		return false
	}
	e.flow.end(why)
	return true
}

// unclaimed keeps a frame of a stream that a pending subscribe may turn out to
// be. Else the stream is nobody's, and the plugin is told so, once. Under mu.
func (p *Producer) unclaimed(method, id string, seq, data json.RawMessage) bool {
	if len(p.pending) == 0 {
		for _, stopped := range p.stopped {
			if stopped == id {
				return false
			}
		}
		if len(p.asks) < maxOrphans {
			p.stop(id)
		}
		return false
	}
	e := p.keep(method, id)
	if e == nil || e.method != method {
		return false
	}
	p.push(&e.flow, seq, data) // its error shows when it is adopted
	return true
}

// keep returns the early flow of id, or nil where there cannot be one: no
// subscribe for its method is pending, or there are too many. Under mu.
func (p *Producer) keep(method, id string) *early {
	if e := p.early[id]; e != nil {
		return e
	}
	asked := method == ""
	var like wanted
	for _, w := range p.pending {
		if w.method == method {
			asked = true
			like.reliable = like.reliable || w.reliable
			like.window = max(like.window, w.window)
		}
	}
	if !asked || len(p.early) >= maxPending {
		return nil
	}
	e := &early{method, p.table.newFlow(like)}
	p.early[id] = e
	return e
}

// Emit gives an event to every subscriber of protocol.NotifyRunnerEvent. An
// event without a name or over protocol.MaxEmit is -32602, more than 100 a second
// are -32003 with reason rate_limited.
func (p *Producer) Emit(e protocol.EmitParams) error {
	switch {
	case e.Event == "":
		return protocol.Errorf(protocol.CodeInvalidParams, "event is missing")
	case len(e.Event)+len(e.Data) > protocol.MaxEmit:
		return protocol.Errorf(protocol.CodeInvalidParams, "an event has at most %d bytes", protocol.MaxEmit)
	}
	data, err := rpc.Marshal(protocol.EventData{Plugin: p.plugin, Event: e.Event, Data: e.Data})
	if err != nil {
		return protocol.Errorf(protocol.CodeInvalidParams, "the event is not JSON")
	}
	t := p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if now.Sub(p.emitted[p.emitAt]) < time.Second {
		return protocol.Denied(protocol.ReasonRateLimited, "more than %d events a second", emitPerSec)
	}
	p.emitted[p.emitAt] = now
	p.emitAt = (p.emitAt + 1) % emitPerSec
	for sub := range t.events {
		p.push(&sub.flow, nil, data)
		t.wake(sub)
	}
	return nil
}

// Close ends every stream of s; its subscribers are told why after they got what
// waits for them. Call it when the plugin's connection has ended.
func (p *Producer) Close(why *protocol.Error) {
	if why == nil {
		why = protocol.Errorf(protocol.CodePlugin, "the plugin %s ended", p.plugin)
	}
	p.table.mu.Lock()
	if p.closed == nil {
		p.closed = why
	}
	for _, sub := range all(p.streams) {
		sub.flow.end(why)
		p.table.detach(sub)
		p.table.wake(sub)
	}
	p.asks = nil
	p.table.mu.Unlock()
	p.cancel()
	p.running.Wait()
}
