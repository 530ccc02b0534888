package plugintest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A Stream is a subscription. A reliable one fails the test if the plugin exceeds its
// credit.
type Stream struct {
	ID string

	s      *Session
	method string
	window int64 // 0 for a lossy one
	// Under s.mu.
	frames []protocol.StreamFrame
	seq    int64 // of the last that came
	acked  int64
	end    *protocol.StreamEnd
}

// Subscribe opens a lossy stream; params may be nil.
func (s *Session) Subscribe(ctx context.Context, name string, params any) (*Stream, error) {
	return s.subscribe(ctx, name, params, 0)
}

// SubscribeReliable opens a reliable stream with a credit of window frames.
func (s *Session) SubscribeReliable(ctx context.Context, name string, params any, window int) (*Stream, error) {
	return s.subscribe(ctx, name, params, window)
}

func (s *Session) subscribe(ctx context.Context, name string, params any, window int) (*Stream, error) {
	in := protocol.SubscribeParams{Method: name, Mode: protocol.ModeLossy}
	if window > 0 {
		in.Mode, in.Window = protocol.ModeReliable, window
	}
	if params != nil {
		text, err := rpc.Marshal(params)
		if err != nil {
			return nil, err
		}
		in.Params = text
	}
	var said protocol.SubscribeResult
	if err := s.ask(ctx, protocol.MethodStreamSubscribe, in, &said); err != nil {
		return nil, err
	}
	st := &Stream{ID: said.StreamID, s: s, method: name, window: int64(window)}
	s.change(func() {
		s.feeds[st.ID] = st
		early := s.early
		s.early = nil
		for _, n := range early {
			s.note(n)
		}
	})
	return st, nil
}

// frame enters a frame, or the end of a stream. It holds s.mu.
func (s *Session) frame(n note) error {
	var f struct {
		StreamID string          `json:"stream_id"`
		Seq      *int64          `json:"seq"`
		Data     json.RawMessage `json:"data"`
	}
	if err := rpc.Unmarshal(n.params, &f); err != nil {
		return err
	}
	st := s.feeds[f.StreamID]
	switch {
	case st == nil:
		s.early = append(s.early, n)
		return nil
	case st.end != nil:
		return fmt.Errorf("comes after the end of the stream")
	case n.method == protocol.NotifyStreamEnd:
		st.end = &protocol.StreamEnd{}
		return rpc.Unmarshal(n.params, st.end)
	case n.method != st.method:
		return fmt.Errorf("is a frame of another stream")
	case f.Seq == nil || *f.Seq <= st.seq:
		return fmt.Errorf("seq does not increase from %d", st.seq)
	case st.window > 0 && *f.Seq > st.acked+st.window:
		return fmt.Errorf("is over the credit: %d acknowledged, a window of %d", st.acked, st.window)
	}
	st.seq = *f.Seq
	st.frames = append(st.frames, protocol.StreamFrame{StreamID: f.StreamID, Seq: f.Seq, Data: f.Data})
	return nil
}

// Next returns the next frame. After the last it returns io.EOF, or the error
// that the stream ended with.
func (st *Stream) Next(ctx context.Context) (protocol.StreamFrame, error) {
	for {
		st.s.mu.Lock()
		heard, end := st.s.heard, st.end
		if len(st.frames) > 0 {
			f := st.frames[0]
			st.frames = st.frames[1:]
			st.s.mu.Unlock()
			return f, nil
		}
		st.s.mu.Unlock()
		switch {
		case end != nil && end.Error != nil:
			return protocol.StreamFrame{}, end.Error
		case end != nil:
			return protocol.StreamFrame{}, io.EOF
		}
		select {
		case <-heard:
		case <-st.s.peer.Done():
			return protocol.StreamFrame{}, st.s.peer.Err()
		case <-ctx.Done():
			return protocol.StreamFrame{}, context.Cause(ctx)
		}
	}
}

// Waiting returns the number of frames that have arrived but were not taken.
func (st *Stream) Waiting() int {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	return len(st.frames)
}

// Ack acknowledges every frame up to seq.
func (st *Stream) Ack(ctx context.Context, seq int64) error {
	st.s.mu.Lock()
	st.acked = max(st.acked, min(seq, st.seq))
	st.s.mu.Unlock()
	_, err := st.s.peer.Call(ctx, protocol.MethodStreamAck, protocol.AckParams{StreamID: st.ID, Seq: seq})
	return err
}

// Stop unsubscribes.
func (st *Stream) Stop(ctx context.Context) error {
	_, err := st.s.peer.Call(ctx, protocol.MethodStreamStop, protocol.StopParams{StreamID: st.ID})
	return err
}
