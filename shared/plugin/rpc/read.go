package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// read handles messages until the stream ends. It returns why.
func (p *Peer) read(ctx context.Context) error {
	in := bufio.NewReader(p.stream)
	watch := newWatch(p.opts.FrameTimeout, func() { p.end(ErrFrameTimeout) })
	defer watch.stop()
	for {
		if _, err := in.Peek(1); err == io.EOF {
			p.drain()
			return ErrClosed
		} else if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		watch.begin()
		body, release, err := p.frame(in)
		watch.done()
		if err == nil {
			p.heard.Store(time.Now().UnixNano())
			err = p.take(ctx, body, release)
		}
		if err != nil {
			return p.farewell(err)
		}
	}
}

// frame reads one frame. release is not nil and must be called once.
func (p *Peer) frame(in *bufio.Reader) (body []byte, release func(), err error) {
	const free = 64 << 10
	release = func() {}
	length, err := readHeader(in, p.opts.MaxBody)
	if err != nil {
		return nil, release, err
	}
	if p.opts.Reserve != nil && length > free {
		back, ok := p.opts.Reserve(length)
		if !ok {
			return nil, release, ErrBusy
		}
		release = back
	}
	if body, err = readBody(in, length); err != nil {
		release()
	}
	return body, release, err
}

// farewell tells the peer why we hang up and returns why.
func (p *Peer) farewell(err error) error {
	var said *Error
	if _, ok := errors.AsType[*FrameError](err); ok {
		said = Errorf(codeParse, "%v", err)
	} else if errors.Is(err, ErrBusy) {
		said = busy()
	} else {
		return err
	}
	if _, tryErr := p.out.try(newFrame(errorFrame(nil, said)), true); tryErr == nil {
		p.flush(time.Second)
	}
	return err
}

// drain gives requests in flight their time to end, and their replies to go.
func (p *Peer) drain() {
	if p.opts.Drain <= 0 {
		return
	}
	patience := time.After(p.opts.Drain)
	for {
		if _, requests := p.Waiting(); requests == 0 {
			break
		}
		select {
		case <-p.idle:
		case <-patience:
			return
		case <-p.ended:
			return
		}
	}
	p.flush(time.Second)
}

// flush waits until all that is queued by now is written.
func (p *Peer) flush(patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	mark := newFrame(nil)
	mark.gone = make(chan struct{})
	if p.out.put(ctx, mark) != nil {
		return
	}
	select {
	case <-mark.gone:
	case <-ctx.Done():
	}
}

// take handles one message. The error ends the connection.
func (p *Peer) take(ctx context.Context, body []byte, release func()) error {
	m, err := parse(body)
	var refused *StrictError
	switch {
	case err != nil && !errors.As(err, &refused):
		release()
		return &FrameError{"body", err}
	case err != nil || m.badID || m.kind == unclear:
		release()
		p.refuse(m, err)
		return nil
	}
	if m.kind == request && !isCancel(m.method) {
		p.request(ctx, m, release)
		return nil
	}
	defer release()
	switch {
	case m.kind == reply:
		p.settle(m)
	case m.params == nil:
		p.mu.Lock()
		p.stats.Ignored++
		p.mu.Unlock()
	case isCancel(m.method):
		p.cancel(m.params)
	case p.opts.Notified != nil:
		p.opts.Notified(ctx, m.method, m.params)
	}
	return nil
}

// refuse answers what is not a request with -32600. Replies get no answer.
func (p *Peer) refuse(m message, err error) {
	switch {
	case m.kind == reply:
		p.mu.Lock()
		p.stats.Foreign++
		p.mu.Unlock()
		return
	case err != nil:
	case m.badID:
		err = errors.New("the id is neither a string nor a number")
	default:
		err = errUnclear
	}
	p.answer(m.id, Errorf(codeInvalidRequest, "invalid request: %v", err))
}

func busy() *Error {
	return Errorf(codeUnavailable, "too much at once").With(map[string]string{"reason": "busy"})
}
