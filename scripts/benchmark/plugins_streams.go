package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// bareFrames writes n frames as a stream does, each by itself.
func bareFrames(n int, stdout io.Writer) error {
	for i := range int64(n) {
		seq := i + 1
		data, err := rpc.Marshal(protocol.StreamFrame{StreamID: "hello_go.notes-1", Seq: &seq, Data: noteFrame})
		if err != nil {
			return err
		}
		if err := rpc.WriteFrame(stdout,
			fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"hello_go.notes","params":%s}`, data)); err != nil {
			return err
		}
	}
	return nil
}

// streams sends notes to a client that pauses, and the same frames through a bare
// pipe to one that does not.
func (p *pluginsBench) streams() error {
	if err := os.WriteFile(p.notes, bytes.Repeat([]byte(noteText+"\n"), frames), 0o600); err != nil {
		return err
	}
	defer os.Remove(p.notes)
	bare, err := p.rawFrames()
	if err != nil {
		return err
	}
	r, err := p.start(1)
	if err != nil {
		return err
	}
	defer r.stop()
	for _, mode := range []string{protocol.ModeReliable, protocol.ModeLossy} {
		seen, took, err := p.stream(r, mode)
		if err != nil {
			return fmt.Errorf("%s stream: %w", mode, err)
		}
		rate := frames / took.Seconds()
		target := ""
		if mode == protocol.ModeReliable {
			target = "none lost"
		}
		p.row(mode+" stream, slow reader",
			fmt.Sprintf("%.0f frames/s, %.2f ×; %d of %d seen", rate, rate/bare, seen, frames),
			fmt.Sprintf("bare pipe: %.0f frames/s", bare), target, seen == frames)
	}
	return nil
}

// rawFrames returns how many frames a second a pipe carries.
func (p *pluginsBench) rawFrames() (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	_, out, end, err := p.piped(self, "frames", strconv.Itoa(frames))
	if err != nil {
		return 0, err
	}
	defer end()
	in := bufio.NewReader(out)
	began := time.Now()
	for n := range frames {
		if _, err := rpc.ReadFrame(in, rpc.MaxFromPlugin); err != nil {
			return 0, fmt.Errorf("frame %d of a bare pipe: %w", n, err)
		}
	}
	return frames / time.Since(began).Seconds(), nil
}

// stream reads all notes, with a pause of a millisecond after every 32, and
// returns how many frames came and how long the stream took.
func (p *pluginsBench) stream(r *running, mode string) (seen int64, took time.Duration, err error) {
	const together = 32
	var count, newest atomic.Int64
	arrived, ended := make(chan struct{}, 1), make(chan protocol.StreamEnd, 1)
	client, err := r.dial(p.ctx, func(_ context.Context, method string, params json.RawMessage) {
		if method == protocol.NotifyStreamEnd {
			var end protocol.StreamEnd
			_ = protocol.DecodeParams(params, &end) // the runner's own
			ended <- end
			return
		}
		var f protocol.StreamFrame
		if protocol.DecodeParams(params, &f) != nil || f.Seq == nil {
			return
		}
		newest.Store(*f.Seq)
		if count.Add(1)%together == 0 {
			time.Sleep(time.Millisecond)
		}
		select {
		case arrived <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	began := time.Now()
	var sub protocol.SubscribeResult
	if err := client.Call(p.ctx, protocol.MethodStreamSubscribe,
		protocol.SubscribeParams{Method: "hello_go.notes", Mode: mode}, &sub); err != nil {
		return 0, 0, err
	}
	for acked := int64(0); ; {
		select {
		case <-arrived:
			if seq := newest.Load(); mode == protocol.ModeReliable && seq >= acked+together {
				acked = seq
				if err := client.Call(p.ctx, protocol.MethodStreamAck,
					protocol.AckParams{StreamID: sub.StreamID, Seq: seq}, nil); err != nil {
					return 0, 0, err
				}
			}
		case end := <-ended:
			if end.Error != nil || end.LastSeq != frames {
				return 0, 0, fmt.Errorf("it ended with %+v", end)
			}
			return count.Load(), time.Since(began), nil
		case <-client.Done():
			return 0, 0, fmt.Errorf("the runner hung up")
		case <-time.After(time.Minute):
			return 0, 0, fmt.Errorf("nothing comes after %d frames", count.Load())
		}
	}
}
