package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// TestEnterKeepsTheOrder: it sees what is served, in order, and nothing else.
func TestEnterKeepsTheOrder(t *testing.T) {
	noLeaks(t)
	type key struct{}
	n := 0
	_, r, _ := rawPeer(t, Options{
		MaxInFlight: 100,
		Admit: func(method string) error {
			if method == "no" {
				return Errorf(-1, "no")
			}
			return nil
		},
		Enter: func(ctx context.Context, method string, params json.RawMessage) context.Context {
			n++
			return context.WithValue(ctx, key{}, fmt.Sprint(n, method, string(params)))
		},
		Handle: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			return map[string]any{"place": ctx.Value(key{})}, nil
		},
	})
	want := map[string]bool{}
	go func() {
		for i := 1; i <= 50; i++ {
			WriteFrame(r.w, []byte(`{"id":0,"method":"no"}`))
			WriteFrame(r.w, []byte(`{"id":0,"method":"m","params":[]}`))
			WriteFrame(r.w, fmt.Appendf(nil, `{"id":%d,"method":"m","params":{"i":%d}}`, i, i))
		}
	}()
	for i := 1; i <= 50; i++ {
		want[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"place":"%dm{\"i\":%d}"}}`, i, i, i)] = true
	}
	for range 150 {
		got := r.read()
		if strings.Contains(got, "result") && !want[got] {
			t.Errorf("got %s", got)
		}
		delete(want, got)
	}
	if len(want) > 0 {
		t.Errorf("never came: %v", want)
	}
}

// TestWatch: only what goes on for too long is late, and the timer is not set
// for each beginning.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan time.Time, 10)
		w := newWatch(time.Second, func() { late <- time.Now() })
		defer w.stop()
		begin := time.Now()
		for range 5 {
			w.begin()
			time.Sleep(700 * time.Millisecond)
			w.done()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(late) > 0 {
			t.Errorf("late after %v, but nothing took a second", (<-late).Sub(begin))
		}
		w.begin()
		time.Sleep(900 * time.Millisecond)
		w.begin() // another one
		begin = time.Now()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(late) != 1 {
			t.Fatalf("late %d times, want once", len(late))
		}
		if took := (<-late).Sub(begin); took != time.Second {
			t.Errorf("late after %v, want 1s", took)
		}
	})
}

// ends returns connections of each kind that frames are written to at once.
func ends(t *testing.T) map[string][2]Stream {
	r1, w1, err1 := os.Pipe()
	r2, w2, err2 := os.Pipe()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil || err1 != nil || err2 != nil {
		t.Fatal(err, err1, err2)
	}
	defer l.Close()
	one, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	two, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return map[string][2]Stream{"pipe": {Pipe(r1, w2), Pipe(r2, w1)}, "socket": {one, two}}
}

// TestWhatDoesNotFitIsWrittenLater: replies larger than what a connection holds
// come whole and in order, also to a peer that reads late.
func TestWhatDoesNotFitIsWrittenLater(t *testing.T) {
	for name, s := range ends(t) {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			if newNowait(s[0]) == nil {
				t.Fatal("it is not written to at once")
			}
			blob := strings.Repeat("ü", 200<<10)
			a := NewPeer(s[0], Options{MaxBody: 1 << 20, Handle: func(context.Context, string, json.RawMessage) (any, error) {
				return map[string]string{"blob": blob}, nil
			}})
			b := NewPeer(s[1], Options{MaxBody: 1 << 20})
			run(t, a)
			var calls []*Call
			for range 5 { // nobody reads the answers yet
				c, err := b.Start(t.Context(), "m", nil)
				if err != nil {
					t.Fatal(err)
				}
				calls = append(calls, c)
			}
			run(t, b)
			for _, c := range calls {
				if got, err := c.Wait(t.Context()); err != nil || len(got) != len(blob)+len(`{"blob":""}`) {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			}
		})
	}
}

// TestACallThatDidNotFitWasNotDelivered: and one of which a part has left was.
func TestACallThatDidNotFitWasNotDelivered(t *testing.T) {
	for name, s := range ends(t) {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			defer s[1].Close()
			p := NewPeer(s[0], Options{})
			part, err := p.Start(t.Context(), "part", map[string]string{"a": strings.Repeat("x", 1<<20)})
			if err != nil {
				t.Fatal(err)
			}
			none, err := p.Start(t.Context(), "none", nil)
			if err != nil {
				t.Fatal(err)
			}
			p.Close()
			for c, want := range map[*Call]bool{part: true, none: false} {
				_, err := c.Wait(t.Context())
				if e, ok := err.(*CallError); !ok || e.Delivered != want {
					t.Errorf("%s: %+v, want delivered %v", c.method, err, want)
				}
			}
		})
	}
}

// TestAPeerThatDoesNotRead ends the connection, however much it took at once.
func TestAPeerThatDoesNotRead(t *testing.T) {
	for name, s := range ends(t) {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			defer s[1].Close()
			blob := strings.Repeat("x", 1<<20)
			p := NewPeer(s[0], Options{WriteTimeout: 100 * time.Millisecond,
				Handle: func(context.Context, string, json.RawMessage) (any, error) {
					return map[string]string{"blob": blob}, nil
				}})
			wait := run(t, p)
			if err := WriteFrame(s[1], []byte(`{"id":1,"method":"m"}`)); err != nil {
				t.Fatal(err)
			}
			if err := wait(); err != ErrWriteTimeout {
				t.Error(err)
			}
		})
	}
}

// TestADescriptorThatWouldWaitIsLeftToTheWriter: others may share it, and set it
// so.
func TestADescriptorThatWouldWaitIsLeftToTheWriter(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	q := newNowait(Pipe(r, w))
	if n := q.write([]byte("x")); n != 1 {
		t.Errorf("%d bytes are taken", n)
	}
	conn, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Control(func(fd uintptr) { err = unix.SetNonblock(int(fd), false) }); err != nil {
		t.Fatal(err)
	}
	if n := q.write(make([]byte, 1<<20)); err != nil || n != 0 {
		t.Errorf("%d bytes are taken, %v", n, err)
	}
}
