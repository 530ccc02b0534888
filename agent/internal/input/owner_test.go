package input_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

// own makes another client put names on the clipboard. It calls send, on a
// goroutine, with each descriptor that somebody wants filled.
func own(t *testing.T, c *fakewayland.Compositor, names []string, send func(name string, f *os.File)) {
	t.Helper()
	conn, err := wayland.Dial(t.Context(), c.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	seat, err := conn.Bind(wayland.Seat, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	manager, err := conn.Bind(wayland.ExtDataControlManager, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	device, err := conn.Create(wayland.DataControlDevice, nil, manager, wayland.DataManagerGetDevice, wayland.NewID, seat)
	if err != nil {
		t.Fatal(err)
	}
	source, err := conn.Create(wayland.DataControlSource, func(opcode uint16, args *wayland.Args) {
		if opcode == wayland.DataSourceOnSend {
			name, f := args.String(), args.File()
			if f != nil {
				go send(name, f)
			}
		}
	}, manager, wayland.DataManagerCreateSource, wayland.NewID)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if err := conn.Send(source, wayland.DataSourceOffer, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Send(device, wayland.DataDeviceSetSelection, source); err != nil {
		t.Fatal(err)
	}
	if err := conn.Roundtrip(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// An application that answers none of many forms costs little time.
func TestOwnerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	c, in := begin(t, fakewayland.Options{})
	var mu sync.Mutex
	var held []*os.File
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, f := range held {
			f.Close()
		}
	})
	var names []string
	for _, c := range "abcdefghijklmnop" {
		names = append(names, "a/"+string(c))
	}
	own(t, c, names, func(_ string, f *os.File) {
		mu.Lock()
		defer mu.Unlock()
		held = append(held, f)
	})
	within(t, 3*time.Second, func() {
		mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered,
			Note: "part of the previous clipboard contents is lost"})
	})
}

// Another application's content comes back as it was, even one that is slow.
func TestOwnerThatIsSlow(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	own(t, c, []string{"text/html", "text/plain"}, func(name string, f *os.File) {
		defer f.Close()
		for _, b := range []byte(name) {
			time.Sleep(10 * time.Millisecond)
			f.Write([]byte{b})
		}
	})
	mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	wantClipboard(t, c, fakewayland.Clipboard{"text/html": []byte("text/html"), "text/plain": []byte("text/plain")})
}

// A clipboard with nothing on it, and one whose owner has gone, are nothing to
// put back.
func TestNothingToPutBack(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	var last string
	for _, r := range c.Requests() {
		if r.Name == "set_selection" {
			last = r.String()
		}
	}
	if last != setSelection+"(0)" {
		t.Errorf("the last selection was %s, want none", last)
	}
	wantClipboard(t, c, fakewayland.Clipboard{})
}
