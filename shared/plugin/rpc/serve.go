package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// A job is a request to be served.
type job struct {
	ctx     context.Context
	message message
	cancel  context.CancelCauseFunc
	release func()
}

// request admits a request and starts serving it.
func (p *Peer) request(ctx context.Context, m message, release func()) {
	if err := p.admit(&m); err != nil {
		release()
		p.answer(m.id, err)
		return
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, idKey{}, m.id))
	p.mu.Lock()
	p.incoming[string(m.id)] = cancel
	p.mu.Unlock()
	if p.opts.Enter != nil {
		ctx = p.opts.Enter(ctx, m.method, m.params)
	}
	j := &job{ctx, m, cancel, release}
	select { // a goroutine that waits for one is quicker than a new one
	case p.jobs <- j:
	default:
		p.serving.Go(func() {
			p.do(j)
			p.wait()
		})
	}
}

// maxSpare is how many goroutines wait for a request.
const maxSpare = 2

// wait serves requests that come later, unless enough goroutines do.
func (p *Peer) wait() {
	for p.spare.Add(1) <= maxSpare {
		select {
		case j := <-p.jobs:
			p.spare.Add(-1)
			p.do(j)
		case <-p.ended:
			return
		}
	}
	p.spare.Add(-1)
}

func (p *Peer) do(j *job) {
	p.serve(j.ctx, j.message)
	j.cancel(nil)
	j.release()
}

// admit takes a slot for m, or says why not.
func (p *Peer) admit(m *message) *Error {
	if p.opts.Admit != nil {
		if err := p.opts.Admit(m.method); err != nil {
			return p.wire(context.Background(), m, err)
		}
	}
	switch {
	case m.params == nil:
		return Errorf(codeInvalidParams, "%.80s: params are not an object", m.method)
	case p.opts.Handle == nil:
		return Errorf(codeNoMethod, "there is no method %.80q", m.method)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.incoming[string(m.id)]; taken {
		return Errorf(codeInvalidRequest, "invalid request: another request with this id is in flight")
	}
	if p.slots >= p.opts.MaxInFlight {
		return busy()
	}
	p.slots++
	return nil
}

// serve calls the handler and sends what it returns. The id is free again
// before the reply goes, the slot after.
func (p *Peer) serve(ctx context.Context, m message) {
	result, err := p.handle(ctx, m)
	p.mu.Lock()
	delete(p.incoming, string(m.id))
	p.mu.Unlock()
	if err != nil {
		p.answer(m.id, p.wire(ctx, &m, err))
	} else {
		p.reply(&m, result)
	}
	p.mu.Lock()
	p.slots--
	last := p.slots == 0
	p.mu.Unlock()
	if last {
		select {
		case p.idle <- struct{}{}:
		default:
		}
	}
}

// handle calls the handler. A panic in it is a fault of ours, not the end of
// the process for all peers.
func (p *Peer) handle(ctx context.Context, m message) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return p.opts.Handle(ctx, m.method, m.params)
}

// wire turns the error of a handler into what crosses the wire.
func (p *Peer) wire(ctx context.Context, m *message, err error) *Error {
	if said, ok := errors.AsType[*Error](err); ok {
		if said.Code == codeCancelled && len(said.Data) == 0 {
			return cancelled(m.id)
		}
		return said
	}
	if errors.Is(context.Cause(ctx), ErrCancelled) {
		return cancelled(m.id)
	}
	if ctx.Err() == nil {
		p.opts.Log.Error("request failed", "method", m.method, "error", err)
	}
	return Errorf(codeInternal, "internal error")
}

func cancelled(id json.RawMessage) *Error {
	return Errorf(codeCancelled, "cancelled").With(map[string]json.RawMessage{"id": id})
}

// reply sends a result.
func (p *Peer) reply(m *message, result any) {
	r, ok := result.(Reply)
	if !ok {
		r.Result = result
	}
	text, err := Marshal(r.Result)
	switch {
	case err == nil && len(text) > p.opts.MaxSend:
		err = ErrTooLarge
	case err == nil && len(r.Files) > 0 && !p.CanSendFiles():
		err = Errorf(codeUnavailable, "%v", ErrNoFiles)
	}
	if err != nil {
		for _, f := range r.Files {
			f.Close()
		}
		p.answer(m.id, p.wire(context.Background(), m, err))
		return
	}
	f := newFrame(resultFrame(m.id, text), r.Files...)
	f.urgent = len(r.Files) == 0
	if p.out.put(context.Background(), f) == nil && r.Then != nil {
		r.Then()
	}
}

// answer sends an error. A nil id is null.
func (p *Peer) answer(id json.RawMessage, said *Error) {
	f := newFrame(errorFrame(id, said))
	f.urgent = true
	_ = p.out.put(context.Background(), f) // else the connection has ended
}

type idKey struct{}

// RequestID returns the id of the request that a handler's ctx serves, as the
// peer wrote it, or nil. $/progress is sent with it.
func RequestID(ctx context.Context) json.RawMessage {
	id, _ := ctx.Value(idKey{}).(json.RawMessage)
	return id
}

func isCancel(method string) bool { return method == "$/cancel" || method == "$/cancelRequest" }

// cancel cancels the request that the peer names, if there is one.
func (p *Peer) cancel(params json.RawMessage) {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	if Unmarshal(params, &named) != nil {
		return
	}
	p.mu.Lock()
	cancel := p.incoming[string(named.ID)]
	p.mu.Unlock()
	if cancel != nil {
		cancel(ErrCancelled)
	}
}

// settle gives a reply to the call that waits for it.
func (p *Peer) settle(m message) {
	id := m.text()
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[id]
	switch {
	case c == nil && !strings.HasPrefix(id, fmt.Sprintf("%d:", p.opts.Epoch)):
		p.stats.Foreign++
		return
	case c == nil:
		p.stats.Unknown++
		return
	case c.given:
		p.stats.Late++
		p.given--
	case m.failed != nil:
		c.err = m.failure()
	default:
		c.result = m.result
	}
	delete(p.calls, id)
	close(c.done)
}
