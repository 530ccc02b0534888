package rpc

import (
	"context"
	"encoding/json"
	"strconv"
)

// maxGiven bounds how many given-up calls a late reply is watched for.
const maxGiven = 256

// A Call is a request of ours on its way.
type Call struct {
	peer   *Peer
	id     string
	method string
	frame  *frame
	done   chan struct{} // closed when settled

	// Under peer.mu until done is closed.
	given  bool // its caller does not wait any more
	result json.RawMessage
	err    error
}

// Call sends a request and waits for its reply. It returns the result, compact
// and strict; or the peer's *Error; or a *CallError if there was no reply. A
// call given up because ctx ended tells the peer so by $/cancel.
func (p *Peer) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c, err := p.Start(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return c.Wait(ctx)
}

// Start queues a request, waiting for room until ctx ends. Wait must be called
// on what it returns. Its error is a *CallError of a call not delivered.
func (p *Peer) Start(ctx context.Context, method string, params any) (*Call, error) {
	c, err := p.newCall(method, params)
	if err == nil {
		if err = p.out.put(ctx, c.frame); err == nil {
			return c, nil
		}
		p.mu.Lock()
		delete(p.calls, c.id)
		p.mu.Unlock()
	}
	return nil, &CallError{Method: method, Err: err}
}

// newCall gives a request its id and notes that it waits.
func (p *Peer) newCall(method string, params any) (*Call, error) {
	object, err := encodeParams(params)
	if err != nil {
		return nil, err
	}
	if len(object) > p.opts.MaxSend {
		return nil, ErrTooLarge
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil:
		return nil, p.err
	case len(p.calls)-p.given >= p.opts.MaxCalls:
		return nil, ErrBusy
	}
	p.lastID++
	c := &Call{peer: p, id: strconv.Itoa(p.opts.Epoch) + ":" + strconv.Itoa(p.lastID),
		method: method, done: make(chan struct{})}
	c.frame = newFrame(requestFrame(c.id, method, object))
	c.frame.urgent = true
	p.calls[c.id] = c
	return c, nil
}

// ID returns the id of the request; the peer's $/progress names it.
func (c *Call) ID() string { return c.id }

// Done is closed when there is a reply, or never will be.
func (c *Call) Done() <-chan struct{} { return c.done }

// Wait waits for the reply as Call does. When ctx ends the call is given up.
func (c *Call) Wait(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-c.done:
	case <-ctx.Done():
		if err := c.giveUp(context.Cause(ctx)); err != nil {
			return nil, err
		}
	}
	return c.result, c.err
}

// giveUp abandons the call, or returns nil if it is settled by now.
func (c *Call) giveUp(cause error) error {
	p := c.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-c.done:
		return nil
	default:
	}
	if c.given {
		return c.err
	}
	c.given = true
	c.err = &CallError{Method: c.method, Delivered: true, Settled: c.done, Err: cause}
	switch {
	case p.err != nil: // end settles it
	case p.out.withdraw(c.frame):
		delete(p.calls, c.id)
		close(c.done)
		c.err = &CallError{Method: c.method, Err: cause}
	default:
		p.given++
		p.abandon(c)
	}
	return c.err
}

// abandon tells the peer that nobody waits for c.
func (p *Peer) abandon(c *Call) {
	if p.given > maxGiven {
		delete(p.calls, c.id)
		p.given--
		close(c.done)
	}
	f := newFrame(requestFrame("", "$/cancel", json.RawMessage(`{"id":"`+c.id+`"}`)))
	_, _ = p.out.try(f, true) // forced: one for each delivered call, so bounded by them
}

// fail settles a call whose connection has ended.
func (c *Call) fail(err error) {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	if !c.given {
		c.err = &CallError{Method: c.method, Delivered: !c.peer.out.withdraw(c.frame), Err: err}
	}
	close(c.done)
}
