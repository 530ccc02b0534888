package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestPeerThatDoesNotReadIsLeft(t *testing.T) {
	noLeaks(t)
	p, r, wait := rawPeer(t, Options{WriteTimeout: 50 * time.Millisecond, Handle: echo})
	go func() {
		for i := 0; ; i++ {
			if WriteFrame(r.w, fmt.Appendf(nil, `{"id":%d,"method":"m"}`, i)) != nil {
				return
			}
		}
	}()
	if err := wait(); err != ErrWriteTimeout || p.Err() != err {
		t.Errorf("Run returned %v", err)
	}
}

func TestFrameThatDoesNotEndIsLeft(t *testing.T) {
	noLeaks(t)
	_, r, wait := rawPeer(t, Options{FrameTimeout: 50 * time.Millisecond})
	io.WriteString(r.w, "Content-")
	if err := wait(); err != ErrFrameTimeout {
		t.Errorf("Run returned %v", err)
	}
}

func TestEndOfTheStream(t *testing.T) {
	noLeaks(t)
	in, w, _ := os.Pipe()
	out, w2, _ := os.Pipe()
	defer out.Close()
	defer w.Close()
	p := NewPeer(Pipe(in, w2),
		Options{Drain: 5 * time.Second, Handle: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			select {
			case <-time.After(50 * time.Millisecond):
				return struct{}{}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}})
	wait := run(t, p)
	if err := WriteFrame(w, []byte(`{"id":1,"method":"m"}`)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	got, err := io.ReadAll(out)
	if err != nil || !strings.Contains(string(got), `"result":{}`) {
		t.Errorf("got %s, %v", got, err)
	}
	if err := wait(); err != nil {
		t.Errorf("Run returned %v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	noLeaks(t)
	in, w, _ := os.Pipe()
	defer w.Close()
	out, w2, _ := os.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("asked to")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if err := NewPeer(Pipe(in, w2), Options{}).Run(ctx); err != why {
		t.Errorf("Run returned %v", err)
	}
}

func TestReplyGoesBeforeWhatFollowsIt(t *testing.T) {
	noLeaks(t)
	var p *Peer
	p, r, _ := rawPeer(t, Options{Handle: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		return Reply{Result: struct{}{}, Then: func() { p.Notify(ctx, "frame", nil) }}, nil
	}})
	for i := range 50 {
		r.send(fmt.Sprintf(`{"id":%d,"method":"m"}`, i))
		if a, b := r.read(), r.read(); !strings.Contains(a, "result") || !strings.Contains(b, "frame") {
			t.Fatalf("%s then %s", a, b)
		}
	}
}

func BenchmarkCallNetPipe(b *testing.B) {
	one, two := pair(b, Options{}, Options{Handle: echo})
	benchmarkCall(b, one, two)
}

func BenchmarkCallOSPipe(b *testing.B) {
	r1, w1, _ := os.Pipe()
	r2, w2, _ := os.Pipe()
	benchmarkCall(b, NewPeer(Pipe(r1, w2), Options{}), NewPeer(Pipe(r2, w1), Options{Handle: echo}))
}

func benchmarkCall(b *testing.B, one, two *Peer) {
	go one.Run(b.Context())
	go two.Run(b.Context())
	for b.Loop() {
		if _, err := one.Call(b.Context(), "m", map[string]string{"utterance": "open youtube"}); err != nil {
			b.Fatal(err)
		}
	}
	one.Close()
}
