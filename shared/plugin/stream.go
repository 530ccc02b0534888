package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A Subscriber receives a stream.
type Subscriber struct {
	s      *session
	id     string
	method string
	window int64 // of credit; 0 for a lossy one
	life   context.Context
	end    context.CancelCauseFunc
	turn   chan struct{} // holds a token while a frame is sent

	mu    sync.Mutex
	sent  int64         // the last seq
	acked int64         // the last seq that the runner has named
	more  chan struct{} // closed when acked rises
}

// Reliable reports whether the subscriber gets every frame. If not, it gets the
// newest ones, with a gap in seq if it was too slow.
func (u *Subscriber) Reliable() bool { return u.window > 0 }

// Send sends data as the next frame. For a reliable subscriber it waits until the
// runner accepts another frame or ctx ends; after an error the frame was not sent.
// For a lossy one it waits only until the frame has left this process. It may be
// called from several goroutines.
func (u *Subscriber) Send(ctx context.Context, data any) error {
	text, err := rpc.Marshal(data)
	if err != nil {
		return fmt.Errorf("stream %s: %w", u.method, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(u.life, func() { cancel(context.Cause(u.life)) })()
	select {
	case u.turn <- struct{}{}:
		defer func() { <-u.turn }()
	case <-ctx.Done():
		return u.gone(ctx)
	}
	seq, err := u.credit(ctx)
	if err != nil {
		return err
	}
	u.note(seq) // before it is sent: its ack may come at once
	send := u.s.peer.Notify
	if seq%together == 0 && !u.Reliable() {
		send = u.s.peer.Send // waits until this and all before it have left us
	}
	if err := send(ctx, u.method, protocol.StreamFrame{StreamID: u.id, Seq: &seq, Data: text}); err != nil {
		if u.Reliable() {
			u.note(seq - 1) // it was not queued; a lossy one may have a gap
		}
		return fmt.Errorf("stream %s: %w", u.method, err)
	}
	return nil
}

// note says that seq is the last that was sent.
func (u *Subscriber) note(seq int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sent = seq
}

// together is how many frames of a lossy stream wait to be written: so it
// leaves room for replies.
const together = 16

// credit waits until a frame may be sent and returns its seq.
func (u *Subscriber) credit(ctx context.Context) (seq int64, err error) {
	for {
		u.mu.Lock()
		seq, more := u.sent+1, u.more
		free := !u.Reliable() || u.sent-u.acked < u.window
		u.mu.Unlock()
		if ctx.Err() != nil {
			return 0, u.gone(ctx)
		}
		if free {
			return seq, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
		}
	}
}

func (u *Subscriber) gone(ctx context.Context) error {
	return fmt.Errorf("stream %s: %w", u.method, context.Cause(ctx))
}

// acknowledge notes what the runner has taken. An ack for more than was sent
// counts as one for all of it.
func (u *Subscriber) acknowledge(seq int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if seq = min(seq, u.sent); seq > u.acked {
		u.acked = seq
		close(u.more)
		u.more = make(chan struct{})
	}
}

// errUnsubscribed is why the ctx of a Feeder ends while the plugin goes on.
var errUnsubscribed = errors.New("the subscriber is gone")

func (s *session) subscribe(ctx context.Context, params json.RawMessage) (any, error) {
	var in protocol.SubscribeParams
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s.plugin.Streams, func(st Stream) bool { return st.Name == in.Method })
	if i < 0 {
		return nil, protocol.Errorf(protocol.CodeUnavailable, "plugin %s has no stream %.80q", s.plugin.ID, in.Method)
	}
	feed := s.plugin.Streams[i].Feed
	if err := feed.args.fits(in.Params); err != nil {
		return nil, wire(ctx, fmt.Errorf("%s: %w", in.Method, err))
	}
	u := &Subscriber{s: s, method: in.Method, turn: make(chan struct{}, 1), more: make(chan struct{})}
	switch in.Mode {
	case "", protocol.ModeLossy:
	case protocol.ModeReliable:
		u.window = int64(in.Window)
		if u.window <= 0 {
			u.window = protocol.DefaultCredit
		}
	default:
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "mode is %.40q, not lossy or reliable", in.Mode)
	}
	if err := s.add(u); err != nil {
		return nil, err
	}
	return rpc.Reply{
		Result: protocol.SubscribeResult{StreamID: u.id, Mode: in.Mode},
		Then:   func() { s.work.Go(func() { s.feed(u, feed, in.Params) }) },
	}, nil
}

// add enters u and gives it its id.
func (s *session) add(u *Subscriber) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.feeds) >= maxStreams {
		return protocol.Errorf(protocol.CodeUnavailable, "%d streams are being fed",
			maxStreams).With(protocol.Data{Reason: protocol.ReasonBusy})
	}
	s.lastID++
	u.id = fmt.Sprintf("%s-%d", u.method, s.lastID)
	u.life, u.end = context.WithCancelCause(s.life)
	s.feeds[u.id] = u
	return nil
}

// feed runs a Feeder, and tells a subscriber that is still there how it ended.
func (s *session) feed(u *Subscriber, f Feeder, params json.RawMessage) {
	err := context.Cause(u.life) // it may have been stopped by now
	if err == nil {
		err = guard("stream "+u.method, func() error { return f.feed(u.life, orEmpty(params), u) })
	}
	stopped := u.life.Err() != nil
	u.end(nil)
	s.mu.Lock()
	delete(s.feeds, u.id)
	s.mu.Unlock()
	if stopped {
		return
	}
	u.mu.Lock()
	last := protocol.StreamEnd{StreamID: u.id, LastSeq: u.sent}
	u.mu.Unlock()
	if said, ok := errors.AsType[*protocol.Error](wire(s.life, err)); ok {
		last.Error = said
	}
	_ = s.peer.Notify(s.life, protocol.NotifyStreamEnd, last) // else the runner has gone
}

func (s *session) subscriber(id string) *Subscriber {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.feeds[id]
}

// ack adds credit. An unknown stream is not an error: it may just have ended.
func (s *session) ack(_ context.Context, params json.RawMessage) (any, error) {
	var in protocol.AckParams
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	if u := s.subscriber(in.StreamID); u != nil {
		u.acknowledge(in.Seq)
	}
	return None{}, nil
}

func (s *session) stop(_ context.Context, params json.RawMessage) (any, error) {
	var in protocol.StopParams
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	if u := s.subscriber(in.StreamID); u != nil {
		u.end(errUnsubscribed)
	}
	return None{}, nil
}
