package input_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

// A seat that has no keyboard, even after a virtual one came, cannot tell which
// keys there are. It must not be asked: that is fatal.
func TestSeatWithoutKeyboard(t *testing.T) {
	c, in := begin(t, fakewayland.Options{NoKeyboard: true})
	wantError(t, in.Press(t.Context(), chords("a"), alive), plan.Refused, plan.Missing, "the seat's keymap")
	_, err := in.Type(t.Context(), text("hi", typing.Keyboard))
	wantError(t, err, plan.Refused, plan.Missing, "the seat's keymap")
	mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	if n := c.Count(getKeyboard); n != 0 || c.Errors() != nil || c.Clients() != 1 {
		t.Errorf("%d keyboards were asked for; errors %q", n, c.Errors())
	}
	if maps := c.Keymaps(); len(maps) != 1 || !isStandard(maps[0]) {
		t.Errorf("%d keymaps were uploaded, want the standard one", len(maps))
	}
}

func isStandard(keymap string) bool {
	return strings.HasPrefix(keymap, "xkb_keymap {") && strings.Contains(keymap, `name[Group1]="English (US)"`) &&
		!strings.Contains(keymap, "Russian")
}

// On wlroots the virtual keyboard becomes the seat's first, and the seat
// then tells which keymap it has.
func TestSeatGetsItsFirstKeyboard(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{Keymap: cutKeymap(), NoField: true})
	path, _ := bareSeat(t, c)
	in := inputFor(t, input.Display{Socket: path})
	for range 2 {
		if err := in.Press(t.Context(), chords("ctrl+t"), alive); err != nil {
			t.Fatal(err)
		}
	}
	mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.Keyboard, Evidence: plan.Delivered})
	if got := events(c.Keys()[:4]); got != "+29 +20/4@0 -20/4@0 -29/4@0" {
		t.Errorf("pressed %s", got)
	}
	if maps := c.Keymaps(); len(maps) != 2 || !isStandard(maps[0]) || maps[1] != fakewayland.Keymap {
		t.Errorf("%d keymaps were uploaded, want the standard one and the seat's, completed", len(maps))
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

// wtypeKeymap is what "wtype -k Return" brings, as sway tells it.
func wtypeKeymap(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("xkb/testdata/wtype-return.xkb")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Once a tool that types has gone, sway's seat has no keymap until a key is
// pressed; while it runs, the seat has the tool's. Keys are pressed by the last
// good one, and the doctor hears of it.
func TestKeysAfterAnotherToolTyped(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{NoField: true})
	path, tell := bareSeat(t, c)
	in := inputFor(t, input.Display{Socket: path})
	for _, seat := range []struct{ keymap, note string }{
		{fakewayland.Keymap, ""},
		{"", "the seat's keymap: there is none at the moment; using the last good one"},
		{wtypeKeymap(t), "the seat's keymap: it has no keys for shift and control; using the last good one"},
		{"nonsense", "the seat's keymap: xkb: not a keymap; using the last good one"},
		{fakewayland.Keymap, ""},
	} {
		tell(seat.keymap)
		before := len(c.Keys())
		if err := in.Press(t.Context(), chords("ctrl+t"), alive); err != nil {
			t.Errorf("with the note %q: %v", seat.note, err)
		}
		mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.Keyboard, Evidence: plan.Delivered})
		if got := events(c.Keys()[before:]); !strings.HasPrefix(got, "+29 +20/4@0 -20/4@0 -29/4@0 ") ||
			len(c.Keys()) != before+8 {
			t.Errorf("with the note %q: pressed %s", seat.note, got)
		}
		if p, err := in.Parts(t.Context()); err != nil ||
			p.Ways[typing.Keyboard] != (input.Part{There: true, Note: seat.note}) {
			t.Errorf("Parts = %+v, %v; want the note %q", p, err, seat.note)
		}
	}
	if maps := c.Keymaps(); len(maps) != 2 || !isStandard(maps[0]) || maps[1] != fakewayland.Keymap {
		t.Errorf("%d keymaps were uploaded, want the standard one and the seat's", len(maps))
	}
}

// A seat of which no good keymap was seen has the standard one handed over,
// except where keys are read in the seat's whatever the virtual keyboard has.
func TestSeatWithoutAGoodKeymap(t *testing.T) {
	for name, keymap := range map[string]string{"nonsense": "nonsense", "no keys": "xkb_keymap {};",
		"wtype's": wtypeKeymap(t)} {
		t.Run(name, func(t *testing.T) {
			c, in := begin(t, fakewayland.Options{Keymap: keymap})
			for range 2 {
				if err := in.Press(t.Context(), chords("ctrl+t"), alive); err != nil {
					t.Fatal(err)
				}
			}
			if got := events(c.Keys()[:4]); got != "+29 +20/4@0 -20/4@0 -29/4@0" {
				t.Errorf("pressed %s", got)
			}
			if maps := c.Keymaps(); len(maps) != 1 || !isStandard(maps[0]) {
				t.Errorf("%d keymaps were uploaded, want the standard one", len(maps))
			}
			if p, err := in.Parts(t.Context()); err != nil || !p.Ways[typing.Keyboard].There ||
				!strings.HasSuffix(p.Ways[typing.Keyboard].Note, "using the default, English (US)") {
				t.Errorf("Parts = %+v, %v", p, err)
			}
		})
	}
	t.Run("keys read in the seat's", func(t *testing.T) {
		c := fakewayland.Start(t, fakewayland.Options{Keymap: "nonsense"})
		in := inputFor(t, input.Display{Socket: c.Path(), SeatLayout: true})
		wantError(t, in.Press(t.Context(), chords("a"), alive), plan.Refused, plan.Missing,
			"keys cannot be pressed here: the seat's keymap")
		_, err := in.Type(t.Context(), text("hi", typing.Keyboard))
		wantError(t, err, plan.Refused, plan.Missing, "keyboard: the seat's keymap")
		if p, err := in.Parts(t.Context()); err != nil ||
			p.Ways[typing.Keyboard] != (input.Part{Note: "the seat's keymap: xkb: not a keymap"}) {
			t.Errorf("Parts = %+v, %v", p, err)
		}
		if n := len(c.Keys()) + len(c.Keymaps()); n != 0 {
			t.Errorf("%d keys and keymaps were sent", n)
		}
	})
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

	told *atomic.Pointer[string] // the keymap to be told, nil for the compositor's
}

// bareSeat listens before c and returns where. tell changes the keymap that the
// seat tells; "" is none.
func bareSeat(t *testing.T, c *fakewayland.Compositor) (path string, tell func(keymap string)) {
	t.Helper()
	path = filepath.Join(filepath.Dir(c.Path()), "bare")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	told := new(atomic.Pointer[string])
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
			b := &bare{client: wayland.NewSocket(client), server: wayland.NewSocket(server), told: told}
			work.Go(func() { b.pump(b.client, b.server, b.requestFDs, b.request) })
			work.Go(func() { b.pump(b.server, b.client, b.eventFDs, b.event) })
		}
	})
	return path, func(keymap string) { told.Store(&keymap) }
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
	case slices.Contains(b.keyboards, m.Object) && m.Opcode == wayland.KeyboardOnKeymap && b.told.Load() != nil:
		b.tellKeymap(m, *b.told.Load())
	case m.Object == 1 && m.Opcode == wayland.DisplayOnDeleteID:
		gone := wayland.Message{Body: m.Body}.Args().ID()
		b.keyboards = slices.DeleteFunc(b.keyboards, func(id wayland.ID) bool { return id == gone })
	}
}

// tellKeymap puts another keymap into the event m.
func (b *bare) tellKeymap(m *wayland.Message, text string) {
	f, err := wayland.TempFile("keymap", []byte(text+"\x00"))
	if err != nil {
		return // the test then sees the compositor's
	}
	format, size := uint32(wayland.KeymapFormatXKB), uint32(len(text)+1)
	if text == "" {
		format, size = 0, 0
	}
	other, err := wayland.NewMessage(m.Object, m.Opcode, format, f, size)
	if err != nil {
		f.Close()
		return
	}
	for _, old := range m.FDs {
		old.Close()
	}
	*m = other
}
