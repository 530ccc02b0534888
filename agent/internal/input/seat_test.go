package input_test

import (
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

// A seat that has no keyboard, even after a virtual one came, cannot tell which
// keys there are. It must not be asked: that is fatal.
func TestSeatWithoutKeyboard(t *testing.T) {
	c, in := begin(t, fakewayland.Options{NoKeyboard: true})
	wantError(t, in.Press(t.Context(), chords("a"), alive), plan.Refused, plan.Missing, "the seat's keymap")
	_, err := in.Type(t.Context(), text("hi", input.Keyboard))
	wantError(t, err, plan.Refused, plan.Missing, "the seat's keymap")
	mustType(t, in, text("hi", input.Auto), input.Typed{Way: input.InputMethod, Evidence: plan.Delivered})
	if n := c.Count(getKeyboard); n != 0 || c.Errors() != nil || c.Clients() != 1 {
		t.Errorf("%d keyboards were asked for; errors %q", n, c.Errors())
	}
	if maps := c.Keymaps(); len(maps) != 1 || !isDefault(maps[0]) {
		t.Errorf("%d keymaps were uploaded, want the default one", len(maps))
	}
}

func isDefault(keymap string) bool {
	return strings.HasPrefix(keymap, "xkb_keymap {") && strings.Contains(keymap, `include "pc+us+inet(evdev)"`)
}

// On wlroots the virtual keyboard becomes the seat's first, and the default
// keymap comes back filled in.
func TestSeatGetsItsFirstKeyboard(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{Keymap: cutKeymap(), NoField: true})
	in := inputFor(t, input.Display{Socket: bareSeat(t, c)})
	for range 2 {
		if err := in.Press(t.Context(), chords("ctrl+t"), alive); err != nil {
			t.Fatal(err)
		}
	}
	mustType(t, in, text("hi", input.Auto), input.Typed{Way: input.Keyboard, Evidence: plan.Delivered})
	if got := events(c.Keys()[:4]); got != "+29 +20/4@0 -20/4@0 -29/4@0" {
		t.Errorf("pressed %s", got)
	}
	if maps := c.Keymaps(); len(maps) != 2 || !isDefault(maps[0]) || maps[1] != fakewayland.Keymap {
		t.Errorf("%d keymaps were uploaded, want the default one and the seat's, completed", len(maps))
	}
	var order []string
	for _, r := range c.Requests() {
		if r.Name == "get_keyboard" || r.Name == "create_virtual_keyboard" {
			order = append(order, r.Name)
		}
	}
	if i := slices.Index(order, "create_virtual_keyboard"); i != 0 || len(order) != 4 {
		t.Errorf("requests %q, want the virtual keyboard first", order)
	}
}

// A bare is a connection through which the seat has no keyboard until there is
// a virtual one.
type bare struct {
	client, server *wayland.Socket

	mu        sync.Mutex
	seat      wayland.ID
	manager   wayland.ID // of virtual keyboards
	virtual   wayland.ID // the virtual keyboard, or 0
	keyboards []wayland.ID
}

// bareSeat listens before c and returns where.
func bareSeat(t *testing.T, c *fakewayland.Compositor) (path string) {
	t.Helper()
	path = filepath.Join(filepath.Dir(c.Path()), "bare")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	t.Cleanup(func() { l.Close(); c.Close(); work.Wait() })
	work.Go(func() {
		for {
			client, err := l.AcceptUnix()
			if err != nil {
				return
			}
			server, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: c.Path(), Net: "unix"})
			if err != nil {
				client.Close()
				return
			}
			b := &bare{client: wayland.NewSocket(client), server: wayland.NewSocket(server)}
			work.Go(func() { b.pump(b.client, b.server, b.requestFDs, b.request) })
			work.Go(func() { b.pump(b.server, b.client, b.eventFDs, b.event) })
		}
	})
	return path
}

// pump passes messages on until one side has gone.
func (b *bare) pump(from, to *wayland.Socket, fds func(wayland.ID, uint16) int, look func(*wayland.Message)) {
	defer from.Close()
	defer to.Close()
	for {
		m, err := from.Receive(fds)
		if err != nil {
			return
		}
		look(&m)
		err = to.Send(m)
		for _, f := range m.FDs {
			f.Close()
		}
		if err != nil {
			return
		}
	}
}

func (b *bare) requestFDs(id wayland.ID, opcode uint16) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id == b.virtual && opcode == wayland.VirtualKeyboardKeymap {
		return 1
	}
	return 0
}

func (b *bare) eventFDs(id wayland.ID, opcode uint16) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Contains(b.keyboards, id) && opcode == wayland.KeyboardOnKeymap {
		return 1
	}
	return 0
}

// request notes the objects that matter. The registry is object 2.
func (b *bare) request(m *wayland.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	args := wayland.Message{Body: m.Body}.Args()
	switch {
	case m.Object == 2 && m.Opcode == wayland.RegistryBind:
		_, name, _, id := args.Uint(), args.String(), args.Uint(), args.ID()
		switch name {
		case "wl_seat":
			b.seat = id
		case "zwp_virtual_keyboard_manager_v1":
			b.manager = id
		}
	case m.Object == b.manager && m.Opcode == wayland.VirtualKeyboardManagerCreate:
		_, b.virtual = args.ID(), args.ID()
		has, _ := wayland.NewMessage(b.seat, wayland.SeatOnCapabilities, uint32(wayland.SeatHasKeyboard))
		b.client.Send(has)
	case m.Object == b.seat && m.Opcode == wayland.SeatGetKeyboard:
		b.keyboards = append(b.keyboards, args.ID())
	}
}

func (b *bare) event(m *wayland.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case m.Object == b.seat && m.Opcode == wayland.SeatOnCapabilities && b.virtual == 0:
		*m, _ = wayland.NewMessage(b.seat, wayland.SeatOnCapabilities, uint32(0))
	case m.Object == 1 && m.Opcode == wayland.DisplayOnDeleteID:
		gone := wayland.Message{Body: m.Body}.Args().ID()
		b.keyboards = slices.DeleteFunc(b.keyboards, func(id wayland.ID) bool { return id == gone })
	}
}
