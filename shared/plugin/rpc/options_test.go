package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestAdmit(t *testing.T) {
	noLeaks(t)
	_, r, _ := rawPeer(t, Options{Handle: echo, Admit: func(method string) error {
		if method == "no" {
			return Errorf(-32003, "slow down")
		}
		return nil
	}})
	r.send(`{"id":1,"method":"no"}`)
	if got := r.read(); !strings.Contains(got, `"id":1,"error":{"code":-32003`) {
		t.Errorf("got %s", got)
	}
	r.send(`{"id":1,"method":"yes"}`)
	if got := r.read(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("got %s", got)
	}
}

func TestReserve(t *testing.T) {
	noLeaks(t)
	left := 100 << 10
	released := make(chan int, 10)
	_, r, wait := rawPeer(t, Options{
		Handle: func(context.Context, string, json.RawMessage) (any, error) { return struct{}{}, nil },
		Reserve: func(n int) (func(), bool) {
			return func() { released <- n }, n <= left
		},
	})
	big := func(n int) string {
		return `{"id":1,"method":"m","params":{"a":"` + strings.Repeat("x", n) + `"}}`
	}
	r.send(big(10))
	r.read()
	r.send(big(90 << 10))
	if got := r.read(); !strings.Contains(got, "result") {
		t.Errorf("got %s", got)
	}
	if n := <-released; n < 90<<10 {
		t.Errorf("released %d", n)
	}
	go io.WriteString(r.w, "Content-Length: 200000\r\n\r\n")
	if got := r.read(); !strings.Contains(got, `"id":null,"error":{"code":-32005`) || !strings.Contains(got, "busy") {
		t.Errorf("got %s", got)
	}
	if err := wait(); err != ErrBusy {
		t.Errorf("Run returned %v", err)
	}
	if len(released) > 0 {
		t.Error("released what was not given")
	}
}

func TestSendWaitsUntilWritten(t *testing.T) {
	noLeaks(t)
	p, r, _ := rawPeer(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.Send(ctx, "n", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody reads: %v", err)
	}
	sent := make(chan error, 1)
	go func() { sent <- p.Send(t.Context(), "n", nil) }()
	r.read()
	r.read()
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// TestAFullQueueWaitsAsLongAsItsCaller: a sender is held by its own context.
func TestAFullQueueWaitsAsLongAsItsCaller(t *testing.T) {
	noLeaks(t)
	p, _, _ := rawPeer(t, Options{QueueFrames: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for range 10 {
		err := p.Notify(ctx, "n", nil)
		if err == nil {
			continue
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		_, err = p.Call(ctx, "m", nil)
		if e, ok := errors.AsType[*CallError](err); !ok || e.Delivered {
			t.Errorf("got %v", err)
		}
		return
	}
	t.Error("ten frames went into a queue of one")
}

func TestCallsAreBounded(t *testing.T) {
	noLeaks(t)
	p, r, _ := rawPeer(t, Options{MaxCalls: 1})
	c, err := p.Start(t.Context(), "m", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Start(t.Context(), "m", nil); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	r.read()
	r.send(`{"id":"` + c.ID() + `","error":{"code":-7,"message":"m","data":{"b":1,"a":[2.0]}}}`)
	_, err = c.Wait(t.Context())
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != -7 || e.Message != "m" ||
		string(e.Data) != `{"b":1,"a":[2.0]}` {
		t.Errorf("got %+v", err)
	}
	if p.Heard().IsZero() {
		t.Error("nothing was heard")
	}
}
