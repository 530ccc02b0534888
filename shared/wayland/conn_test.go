package wayland_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

func dial(t *testing.T, c *fakewayland.Compositor) *wayland.Conn {
	t.Helper()
	conn, err := wayland.Dial(t.Context(), c.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// atSync makes something go wrong at the first roundtrip after Dial.
func atSync(a fakewayland.Failure) fakewayland.Options {
	return fakewayland.Options{Faults: []fakewayland.Fault{{On: "wl_display.sync", Nth: 2, Do: a}}}
}

func TestSocketPath(t *testing.T) {
	tests := []struct{ name, dir, want string }{
		{"wayland-1", "/run/user/1000", "/run/user/1000/wayland-1"},
		{"/tmp/wl/socket", "/run/user/1000", "/tmp/wl/socket"},
	}
	for _, tt := range tests {
		if got := wayland.SocketPath(tt.name, tt.dir); got != tt.want {
			t.Errorf("SocketPath(%q, %q) = %q, want %q", tt.name, tt.dir, got, tt.want)
		}
	}
}

func TestDialWithoutCompositor(t *testing.T) {
	if _, err := wayland.Dial(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Dial = %v, want that there is no file", err)
	}
}

func TestDialGivesUpInTime(t *testing.T) {
	c := fakewayland.Start(t,
		fakewayland.Options{Faults: []fakewayland.Fault{{On: fakewayland.Connect, Do: fakewayland.StopReading()}}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := wayland.Dial(ctx, c.Path()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Dial = %v, want its deadline", err)
	}
}

func TestHowAConnectionEnds(t *testing.T) {
	tests := []struct {
		name string
		do   fakewayland.Failure
		want func(err error) bool
	}{
		{"protocol error", fakewayland.ProtocolError(3, "out of order"), func(err error) bool {
			perr, ok := errors.AsType[*wayland.ProtocolError](err)
			return ok && *perr == wayland.ProtocolError{Interface: "wl_display", Code: 3, Message: "out of order"}
		}},
		{"end", fakewayland.HangUp(), func(err error) bool { return err != nil }},
		{"garbage", fakewayland.Garbage([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")),
			func(err error) bool { return errors.Is(err, wayland.ErrMalformed) }},
		{"event without its arguments", fakewayland.Garbage([]byte("\x01\x00\x00\x00\x01\x00\x08\x00")),
			func(err error) bool { return errors.Is(err, wayland.ErrMalformed) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := fakewayland.Start(t, atSync(tt.do))
			conn := dial(t, c)
			if conn.Err() != nil {
				t.Errorf("Err = %v while it lives", conn.Err())
			}
			if err := conn.Roundtrip(t.Context()); !tt.want(err) {
				t.Errorf("Roundtrip = %v", err)
			}
			<-conn.Done()
			if !tt.want(conn.Err()) {
				t.Errorf("Err = %v", conn.Err())
			}
			if _, err := conn.Create(wayland.Seat, nil, 1, wayland.DisplaySync, wayland.NewID); !tt.want(err) {
				t.Errorf("Create = %v afterwards", err)
			}
			if err := conn.Send(1, wayland.DisplaySync, wayland.ID(9)); !tt.want(err) {
				t.Errorf("Send = %v afterwards", err)
			}
		})
	}
}

// A ProtocolError is found although the connection was closed right after it
// and a request met the closed end first.
func TestProtocolErrorIsNotHiddenByABrokenPipe(t *testing.T) {
	for range 1000 {
		c := fakewayland.Start(t, atSync(fakewayland.ProtocolError(3, "out of order")))
		conn := dial(t, c)
		_, err := conn.Create(wayland.Seat, nil, 1, wayland.DisplaySync, wayland.NewID)
		for err == nil {
			err = conn.Roundtrip(t.Context())
		}
		if _, ok := errors.AsType[*wayland.ProtocolError](err); !ok {
			t.Fatalf("Roundtrip = %v, want the protocol error", err)
		}
		conn.Close()
		c.Close()
	}
}

func TestEventsByteByByte(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{ByteByByte: true})
	conn := dial(t, c)
	keymaps := countKeymaps(t, conn)
	if err := conn.Roundtrip(t.Context()); err != nil || keymaps.Load() != 1 {
		t.Errorf("Roundtrip = %v, %d keymaps", err, keymaps.Load())
	}
}

// countKeymaps makes a keyboard whose handler does not take the descriptors.
func countKeymaps(t *testing.T, conn *wayland.Conn) *atomic.Int32 {
	t.Helper()
	n := new(atomic.Int32)
	seat, err := conn.Bind(wayland.Seat, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Create(wayland.Keyboard, func(opcode uint16, _ *wayland.Args) {
		if opcode == wayland.KeyboardOnKeymap {
			n.Add(1)
		}
	}, seat, wayland.SeatGetKeyboard, wayland.NewID)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKeymapFloodLeaksNothing(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{Faults: []fakewayland.Fault{
		{On: "wl_seat.get_keyboard", Do: fakewayland.Flood(2000)}}})
	conn := dial(t, c)
	keymaps := countKeymaps(t, conn)
	if err := conn.Roundtrip(t.Context()); err != nil || keymaps.Load() != 2001 {
		t.Errorf("Roundtrip = %v, %d keymaps, want 2001", err, keymaps.Load())
	}
	if n := openKeymaps(t); n != 0 {
		t.Errorf("%d descriptors of keymaps are open", n)
	}
}

func TestKeymapsForADroppedKeyboardLeakNothing(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	keymaps := countKeymaps(t, conn)
	if err := conn.Roundtrip(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id wayland.ID
	for _, r := range c.Requests() {
		if r.Name == "get_keyboard" {
			id = r.Args[0].(wayland.ID)
		}
	}
	conn.Drop(id)
	c.Inject(fakewayland.Flood(100))
	if err := conn.Roundtrip(t.Context()); err != nil || keymaps.Load() != 1 {
		t.Errorf("Roundtrip = %v, %d keymaps, want 1", err, keymaps.Load())
	}
	if n := openKeymaps(t); n != 0 {
		t.Errorf("%d descriptors of keymaps are open", n)
	}
}

// openKeymaps counts this process' descriptors of keymaps.
func openKeymaps(t *testing.T) (n int) {
	t.Helper()
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, _ := os.Readlink(filepath.Join(dir, e.Name()))
		if strings.Contains(target, "memfd:keymap") {
			n++
		}
	}
	return n
}

func TestRoundtripAfterItsDeadline(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	c.Inject(fakewayland.StopReading())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := conn.Roundtrip(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Roundtrip = %v, want its deadline", err)
	}
	c.ResumeReading()
	if err := conn.Roundtrip(t.Context()); err != nil {
		t.Errorf("Roundtrip = %v when the compositor is back", err)
	}
}

// A compositor that reads nothing costs one timeout, not one a request.
func TestStoppedCompositorEndsTheConnection(t *testing.T) {
	t.Parallel()
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	c.Inject(fakewayland.StopReading())
	text := strings.Repeat("x", 3900)
	var err error
	for err == nil {
		err = conn.Send(1, wayland.DisplaySync, text) // nobody will read it
	}
	start := time.Now()
	if err := conn.Send(1, wayland.DisplaySync, text); err == nil || time.Since(start) > time.Second {
		t.Errorf("the next Send = %v after %v, want an error at once", err, time.Since(start))
	}
	if conn.Err() == nil {
		t.Error("Err = nil")
	}
}

func TestCloseWhileOthersWait(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	c.Inject(fakewayland.StopReading())
	waiting := make(chan error)
	go func() { waiting <- conn.Roundtrip(t.Context()) }()
	conn.Close()
	if err := <-waiting; err == nil {
		t.Error("Roundtrip = nil on a closed connection")
	}
	if conn.Err() == nil {
		t.Error("Err = nil on a closed connection")
	}
}

func TestTempFile(t *testing.T) {
	f, err := wayland.TempFile("keys", []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data := make([]byte, 5)
	if n, _ := f.ReadAt(data, 0); string(data[:n]) != "data" {
		t.Errorf("it holds %q", data[:n])
	}
}
