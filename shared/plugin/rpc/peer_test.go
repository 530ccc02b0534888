package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// noLeaks fails the test if it leaves goroutines behind.
func noLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
	})
}

// run runs p until the test ends and returns how to wait for its end.
func run(t *testing.T, p *Peer) (wait func() error) {
	result := make(chan error, 1)
	var once sync.Once
	var err error
	go func() { result <- p.Run(context.Background()) }()
	wait = func() error { once.Do(func() { err = <-result }); return err }
	t.Cleanup(func() { p.Close(); wait() })
	return wait
}

// pair returns two peers that talk with each other.
func pair(t testing.TB, a, b Options) (*Peer, *Peer) {
	one, two := net.Pipe()
	return NewPeer(one, a), NewPeer(two, b)
}

func echo(_ context.Context, method string, params json.RawMessage) (any, error) {
	return map[string]any{"method": method, "params": params}, nil
}

func TestCallBothWays(t *testing.T) {
	noLeaks(t)
	a, b := pair(t, Options{Handle: echo, Epoch: 3}, Options{Handle: echo})
	run(t, a)
	run(t, b)
	for _, p := range []*Peer{a, b} {
		got, err := p.Call(t.Context(), "x.y", map[string]any{"n": json.Number("12345678901234567890.10"), "s": "<ü>"})
		if want := `{"method":"x.y","params":{"n":12345678901234567890.10,"s":"<ü>"}}`; err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

// raw is the other end of a Peer, driven by hand.
type raw struct {
	t  *testing.T
	in *bufio.Reader
	w  io.WriteCloser
}

func rawPeer(t *testing.T, o Options) (*Peer, *raw, func() error) {
	one, two := net.Pipe()
	p := NewPeer(one, o)
	t.Cleanup(func() { two.Close() })
	two.SetDeadline(time.Now().Add(20 * time.Second))
	return p, &raw{t, bufio.NewReader(two), two}, run(t, p)
}

func (r *raw) send(body string) {
	r.t.Helper()
	if err := WriteFrame(r.w, []byte(body)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raw) read() string {
	r.t.Helper()
	body, err := ReadFrame(r.in, 1<<20)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(body)
}

func TestWhatIsAnswered(t *testing.T) {
	noLeaks(t)
	_, r, _ := rawPeer(t, Options{Handle: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		switch method {
		case "fail":
			return nil, fmt.Errorf("wrapped: %w", Errorf(-32006, "no").With(map[string]any{"fields": []string{"a"}}))
		case "secret":
			return nil, errors.New("/home/me/secret")
		case "panic":
			panic("at the disco")
		}
		return params, nil
	}})
	tests := []struct{ send, want string }{
		{`{"id":1,"method":"m","params":{"a" : 1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{`{"id":"1","method":"m"}`, `{"jsonrpc":"2.0","id":"1","result":{}}`},
		{`{"id":1.50e1,"method":"m"}`, `{"jsonrpc":"2.0","id":1.50e1,"result":{}}`},
		{`{"id":"ü\u00fc","method":"m"}`, `{"jsonrpc":"2.0","id":"üü","result":{}}`},
		{`{"id":1,"method":"m","params":[1]}`, `-32602`},
		{`{"id":1,"method":"m","params":null}`, `-32602`},
		{`{"id":[1],"method":"m"}`, `"id":null,"error":{"code":-32600`},
		{`{"id":true,"method":"m"}`, `"id":null,"error":{"code":-32600`},
		{`{"id":{},"method":"m"}`, `"id":null,"error":{"code":-32600`},
		{`[{"id":1,"method":"m"}]`, `"id":null,"error":{"code":-32600`},
		{`[]`, `"id":null,"error":{"code":-32600`},
		{`7`, `"id":null,"error":{"code":-32600`},
		{`{"id":4}`, `"id":4,"error":{"code":-32600`},
		{`{"id":4,"method":5}`, `"id":4,"error":{"code":-32600`},
		{`{"id":4,"method":"m","params":{"a":1,"\u0061":2}}`, `"id":4,"error":{"code":-32600`},
		{`{"id":4,"id":5,"method":"m"}`, `"id":null,"error":{"code":-32600`},
		{`{"id":4,"method":"m","params":{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}}`,
			`"id":4,"error":{"code":-32600`},
		{`{"id":4,"method":"m","params":{"a":"\ud800"}}`, `"id":4,"error":{"code":-32600`},
		{`{"ID":9,"id":4,"Method":"x","method":"m"}`, `{"jsonrpc":"2.0","id":4,"result":{}}`},
		{`{"id":4,"method":"fail"}`,
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32006,"message":"no","data":{"fields":["a"]}}}`},
		{`{"id":4,"method":"secret"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error"}}`},
		{`{"id":4,"method":"panic"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error"}}`},
	}
	for _, tt := range tests {
		r.send(tt.send)
		got := r.read()
		if got != tt.want && (tt.want[0] == '{' || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: got %s, want %s", tt.send, got, tt.want)
		}
	}
}

func TestWhatIsDropped(t *testing.T) {
	noLeaks(t)
	p, r, _ := rawPeer(t, Options{Handle: echo, Epoch: 2})
	for _, s := range []string{
		`{"id":"1:1","result":1}`, `{"id":1,"result":1}`, `{"result":1}`, `{"id":[],"error":{"code":1}}`, // foreign
		`{"id":"2:1","result":1}`,                        // unknown
		`{"method":"n","params":[]}`,                     // ignored
		`{"id":8,"method":"$/cancel","params":{"id":1}}`, // no reply
		`{"method":"$/cancel","params":{}}`,
		`{"method":"$/cancelRequest","params":{"id":{"a":1}}}`,
	} {
		r.send(s)
	}
	r.send(`{"id":7,"method":"m"}`)
	if got := r.read(); !strings.Contains(got, `"id":7,"result"`) {
		t.Errorf("the first answer is %s", got)
	}
	if got, want := p.Stats(), (Stats{Foreign: 4, Unknown: 1, Ignored: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestBrokenBytesAreToldAndEndIt(t *testing.T) {
	for _, s := range []string{
		"Content-Length: 1\r\n\r\n{", "Content-Length: x\r\n\r\n", "garbage\r\n\r\n",
		"Content-Length: 9999999999\r\n\r\n", "Content-Length: 2\r\n\r\n\"\xff", "Content-Length: 4\r\n\r\n{} x",
	} {
		t.Run("", func(t *testing.T) {
			noLeaks(t)
			_, r, wait := rawPeer(t, Options{Handle: echo})
			go io.WriteString(r.w, s)
			if got := r.read(); !strings.Contains(got, `"id":null,"error":{"code":-32700`) {
				t.Errorf("%q: got %s", s, got)
			}
			if _, err := ReadFrame(r.in, 100); err == nil {
				t.Errorf("%q: another frame came", s)
			}
			if _, ok := errors.AsType[*FrameError](wait()); !ok {
				t.Errorf("%q: Run returned %v", s, wait())
			}
		})
	}
}

func TestCancelReachesTheHandler(t *testing.T) {
	for _, method := range []string{"$/cancel", "$/cancelRequest"} {
		noLeaks(t)
		causes := make(chan error, 1)
		started := make(chan json.RawMessage, 1)
		_, r, _ := rawPeer(t, Options{Handle: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			started <- RequestID(ctx)
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}})
		r.send(`{"id":"a","method":"wait"}`)
		if id := <-started; string(id) != `"a"` {
			t.Errorf("RequestID %s", id)
		}
		r.send(`{"method":"` + method + `","params":{"id":"a"}}`)
		want := `{"jsonrpc":"2.0","id":"a","error":{"code":-32002,"message":"cancelled","data":{"id":"a"}}}`
		if got := r.read(); got != want {
			t.Errorf("got %s", got)
		}
		if cause := <-causes; cause != ErrCancelled {
			t.Errorf("cause %v", cause)
		}
	}
}

func TestGivenUpCallsAreCancelledAndSettleLate(t *testing.T) {
	noLeaks(t)
	p, r, _ := rawPeer(t, Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no time")
	go func() {
		r.read()
		cancel(why)
	}()
	_, err := p.Call(ctx, "slow", nil)
	e, ok := errors.AsType[*CallError](err)
	if !ok || !errors.Is(err, why) || !e.Delivered {
		t.Fatalf("%#v", err)
	}
	if got := r.read(); got != `{"jsonrpc":"2.0","method":"$/cancel","params":{"id":"0:1"}}` {
		t.Errorf("got %s", got)
	}
	select {
	case <-e.Settled:
		t.Error("settled before the reply")
	default:
	}
	r.send(`{"id":"0:1","result":{}}`)
	<-e.Settled
	if got := p.Stats(); got.Late != 1 {
		t.Errorf("%+v", got)
	}
}

func TestCallsKnowWhetherTheyWereDelivered(t *testing.T) {
	noLeaks(t)
	p, r, _ := rawPeer(t, Options{QueueFrames: 2})
	first := make(chan error, 1)
	go func() { _, err := p.Call(t.Context(), "first", nil); first <- err }()
	r.read()
	stuck := make(chan error, 1)
	go func() {
		_, err := p.Call(t.Context(), "stuck", map[string]string{"a": strings.Repeat("x", 9000)})
		stuck <- err
	}()
	if _, err := r.in.Peek(1); err != nil { // the writer has begun
		t.Fatal(err)
	}
	queued := make(chan error, 1)
	go func() { _, err := p.Call(t.Context(), "queued", nil); queued <- err }()
	for range 1000 {
		if calls, _ := p.Waiting(); calls == 3 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	p.Close()
	for what, c := range map[string]struct {
		err  chan error
		want bool
	}{"first": {first, true}, "stuck": {stuck, true}, "queued": {queued, false}} {
		e, ok := errors.AsType[*CallError](<-c.err)
		if !ok || e.Delivered != c.want || !errors.Is(e, ErrClosed) {
			t.Errorf("%s: %+v", what, e)
		}
	}
	if _, err := p.Call(t.Context(), "after", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestInFlightIsBounded(t *testing.T) {
	noLeaks(t)
	_, r, _ := rawPeer(t,
		Options{MaxInFlight: 2, Handle: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
	for i := range 3 {
		r.send(fmt.Sprintf(`{"id":%d,"method":"m"}`, i))
	}
	if got := r.read(); !strings.Contains(got, `"id":2,"error":{"code":-32005`) ||
		!strings.Contains(got, `"data":{"reason":"busy"}`) {
		t.Errorf("got %s", got)
	}
	r.send(`{"id":1,"method":"m"}`)
	if got := r.read(); !strings.Contains(got, `"id":1,"error":{"code":-32600`) {
		t.Errorf("an id in use: %s", got)
	}
}

func TestNotificationsComeInOrder(t *testing.T) {
	noLeaks(t)
	got := make(chan string, 100)
	a, b := pair(t, Options{}, Options{Notified: func(_ context.Context, method string, params json.RawMessage) {
		got <- method + string(params)
	}})
	run(t, a)
	run(t, b)
	for i := range 100 {
		if err := a.Notify(t.Context(), "$/n", map[string]int{"i": i}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		if s := <-got; s != fmt.Sprintf(`$/n{"i":%d}`, i) {
			t.Fatalf("%d: %s", i, s)
		}
	}
}
