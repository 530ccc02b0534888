package fakewayland_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

func TestFaults(t *testing.T) {
	// The second sync: the first is Dial's.
	on := func(a fakewayland.Failure) fakewayland.Options {
		return fakewayland.Options{Faults: []fakewayland.Fault{{On: "wl_display.sync", Nth: 2, Do: a}}}
	}
	t.Run("protocol error", func(t *testing.T) {
		conn := dial(t, fakewayland.Start(t, on(fakewayland.ProtocolError(3, "out of order"))))
		err := conn.Roundtrip(t.Context())
		perr, ok := errors.AsType[*wayland.ProtocolError](err)
		if !ok || perr.Code != 3 || perr.Message != "out of order" {
			t.Errorf("Roundtrip = %v, want the protocol error", err)
		}
	})
	t.Run("hang up", func(t *testing.T) {
		conn := dial(t, fakewayland.Start(t, on(fakewayland.HangUp())))
		if err := conn.Roundtrip(t.Context()); err == nil {
			t.Error("Roundtrip = nil, want an error")
		}
	})
	t.Run("garbage", func(t *testing.T) {
		conn := dial(t, fakewayland.Start(t, on(fakewayland.Garbage([]byte("\x01\x00\x00\x00\x00\x00\x03\x00")))))
		if err := conn.Roundtrip(t.Context()); !errors.Is(err, wayland.ErrMalformed) {
			t.Errorf("Roundtrip = %v, want ErrMalformed", err)
		}
	})
	t.Run("stopped reader", func(t *testing.T) {
		c := fakewayland.Start(t, on(fakewayland.StopReading()))
		conn := dial(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := conn.Roundtrip(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Roundtrip = %v, want its deadline", err)
		}
		c.ResumeReading()
		roundtrip(t, conn)
	})
	t.Run("flood", func(t *testing.T) {
		c := fakewayland.Start(t, on(fakewayland.Flood(300)))
		conn := dial(t, c)
		var got []string
		keyboard(t, conn, &got)
		roundtrip(t, conn)
		roundtrip(t, conn)
		if len(got) != 301 {
			t.Errorf("%d keymaps, want 301", len(got))
		}
	})
}

func TestFaultOnConnect(t *testing.T) {
	c := fakewayland.Start(t,
		fakewayland.Options{Faults: []fakewayland.Fault{{On: fakewayland.Connect, Nth: 2, Do: fakewayland.HangUp()}}})
	first := dial(t, c)
	if conn, err := wayland.Dial(t.Context(), c.Path()); err == nil {
		conn.Close()
		t.Error("the second Dial = nil, want an error")
	}
	roundtrip(t, first)
	dial(t, c)
}

func TestInject(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	first, second := dial(t, c), dial(t, c)
	c.Inject(fakewayland.HangUp())
	ended(t, first)
	ended(t, second)
	c.WaitFor(t, "both to go", func() bool { return c.Clients() == 0 })
}
