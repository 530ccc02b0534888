package fakewayland_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
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

func bind(t *testing.T, conn *wayland.Conn, i *wayland.Interface, h wayland.Handler) wayland.ID {
	t.Helper()
	id, err := conn.Bind(i, 9, h)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// create makes an object with a request whose last argument is its ID.
func create(t *testing.T, conn *wayland.Conn, i *wayland.Interface, h wayland.Handler, on wayland.ID,
	opcode uint16, args ...any) wayland.ID {
	t.Helper()
	id, err := conn.Create(i, h, on, opcode, append(args, wayland.NewID)...)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func send(t *testing.T, conn *wayland.Conn, id wayland.ID, opcode uint16, args ...any) {
	t.Helper()
	if err := conn.Send(id, opcode, args...); err != nil {
		t.Fatal(err)
	}
}

func roundtrip(t *testing.T, conn *wayland.Conn) {
	t.Helper()
	if err := conn.Roundtrip(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// ended waits until the connection has ended and returns why.
func ended(t *testing.T, conn *wayland.Conn) error {
	t.Helper()
	select {
	case <-conn.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("the connection did not end")
	}
	return conn.Err()
}

// wantFatal checks that the connection ends with a protocol error.
func wantFatal(t *testing.T, conn *wayland.Conn, iface string, code uint32) {
	t.Helper()
	err := ended(t, conn)
	perr, ok := errors.AsType[*wayland.ProtocolError](err)
	if !ok || perr.Interface != iface || perr.Code != code {
		t.Errorf("the connection ended with %v, want error %d of %s", err, code, iface)
	}
}

func TestGlobals(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{Without: []string{"xdg_activation_v1", "ext_data_control_manager_v1"}})
	conn := dial(t, c)
	c.Withdraw("zwp_input_method_manager_v2")
	roundtrip(t, conn)
	tests := []struct {
		iface *wayland.Interface
		want  bool
	}{
		{wayland.Seat, true},
		{wayland.InputManager, false},
		{wayland.VirtualKeyboardManager, true},
		{wayland.VirtualPointerManager, true},
		{wayland.ExtDataControlManager, false},
		{wayland.WlrDataControlManager, true},
		{wayland.ActivationManager, false},
	}
	for _, tt := range tests {
		if got := conn.Has(tt.iface); got != tt.want {
			t.Errorf("Has(%s) = %v, want %v", tt.iface.Name, got, tt.want)
		}
	}
}

func TestKeymapIsTheSeats(t *testing.T) {
	tests := []struct {
		name    string
		options fakewayland.Options
		want    string
	}{
		{"complete", fakewayland.Options{}, fakewayland.Keymap},
		{"chosen", fakewayland.Options{Keymap: "xkb_keymap {};"}, "xkb_keymap {};"},
		{"byte by byte", fakewayland.Options{ByteByByte: true}, fakewayland.Keymap},
		{"cut", fakewayland.Options{CutNames: true},
			strings.NewReplacer("Prevgroup", "Prevgrou", "Nextgroup", "Nextgrou").Replace(fakewayland.Keymap)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn := dial(t, fakewayland.Start(t, tt.options))
			var got []string
			keyboard(t, conn, &got)
			roundtrip(t, conn)
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("got %d keymaps, of %d bytes; want one of %d", len(got), len(strings.Join(got, "")), len(tt.want))
			}
		})
	}
}

// keyboard makes a wl_keyboard that keeps the keymaps which it is sent.
func keyboard(t *testing.T, conn *wayland.Conn, keymaps *[]string) wayland.ID {
	seat := bind(t, conn, wayland.Seat, nil)
	return create(t, conn, wayland.Keyboard, func(opcode uint16, args *wayland.Args) {
		if opcode != wayland.KeyboardOnKeymap {
			return
		}
		args.Uint()
		f := args.File()
		data := make([]byte, args.Uint())
		if f == nil {
			return
		}
		defer f.Close()
		f.ReadAt(data, 0)
		*keymaps = append(*keymaps, strings.TrimRight(string(data), "\x00"))
	}, seat, wayland.SeatGetKeyboard)
}

func TestSeatWithoutKeyboard(t *testing.T) {
	conn := dial(t, fakewayland.Start(t, fakewayland.Options{NoKeyboard: true}))
	capabilities := uint32(99)
	seat := bind(t, conn, wayland.Seat, func(opcode uint16, args *wayland.Args) {
		if opcode == wayland.SeatOnCapabilities {
			capabilities = args.Uint()
		}
	})
	roundtrip(t, conn)
	if capabilities != 0 {
		t.Errorf("capabilities = %d, want 0", capabilities)
	}
	create(t, conn, wayland.Keyboard, nil, seat, wayland.SeatGetKeyboard)
	wantFatal(t, conn, "wl_seat", 0)
}

func TestActivationTokens(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	manager := bind(t, conn, wayland.ActivationManager, nil)
	var got string
	token := create(t, conn, wayland.ActivationToken, func(_ uint16, args *wayland.Args) { got = args.String() },
		manager, wayland.ActivationGetToken)
	send(t, conn, token, wayland.ActivationTokenAppID, "org.example.App")
	send(t, conn, token, wayland.ActivationTokenCommit)
	roundtrip(t, conn)
	if want := (fakewayland.Token{AppID: "org.example.App", Name: got}); got == "" ||
		!slices.Equal(c.Tokens(), []fakewayland.Token{want}) {
		t.Errorf("token %q, Tokens() = %v", got, c.Tokens())
	}
	send(t, conn, token, wayland.ActivationTokenCommit)
	wantFatal(t, conn, "xdg_activation_token_v1", 0)
}

func TestMistakesAreFatal(t *testing.T) {
	tests := []struct {
		name string
		do   func(conn *wayland.Conn)
		want string // part of Errors
	}{
		{"unknown object", func(conn *wayland.Conn) { conn.Send(77, 0) }, "invalid object 77"},
		{"unknown request", func(conn *wayland.Conn) { conn.Send(1, 9) }, "invalid method 9"},
		{"gap between IDs", func(conn *wayland.Conn) { conn.Send(1, wayland.DisplaySync, wayland.ID(50)) },
			"not a valid new object id (50)"},
		{"ID in use", func(conn *wayland.Conn) { conn.Send(1, wayland.DisplaySync, wayland.ID(2)) },
			"not a valid new object id (2)"},
		{"argument missing", func(conn *wayland.Conn) { conn.Send(1, wayland.DisplaySync) }, "argument missing"},
		{"argument too many", func(conn *wayland.Conn) { conn.Send(1, wayland.DisplaySync, wayland.ID(4), uint32(1)) },
			"4 bytes too many"},
		{"null string", func(conn *wayland.Conn) {
			conn.Send(2, wayland.RegistryBind, uint32(1), uint32(0), uint32(1), wayland.ID(4))
		}, "has no NUL"},
		{"version too high", func(conn *wayland.Conn) {
			conn.Send(2, wayland.RegistryBind, uint32(1), "wl_seat", uint32(99), wayland.ID(4))
		}, "have 9, wanted 99"},
		{"unknown global", func(conn *wayland.Conn) {
			conn.Send(2, wayland.RegistryBind, uint32(2), "wl_seat", uint32(1), wayland.ID(4))
		}, "invalid global wl_seat (2)"},
		{"too long", func(conn *wayland.Conn) {
			conn.SendAll(wayland.Message{Object: 2, Opcode: wayland.RegistryBind, Body: make([]byte, 4096)})
		}, "request of 4104 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := fakewayland.Start(t, fakewayland.Options{})
			conn := dial(t, c)
			tt.do(conn)
			ended(t, conn)
			if got := c.Errors(); len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("Errors() = %q, want one with %q", got, tt.want)
			}
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	if c.Clients() != 1 {
		t.Errorf("Clients() = %d, want 1", c.Clients())
	}
	c.Close()
	ended(t, conn)
	if c.Clients() != 0 {
		t.Errorf("Clients() = %d after Close, want 0", c.Clients())
	}
	if _, err := wayland.Dial(context.Background(), c.Path()); err == nil {
		t.Error("Dial after Close = nil, want an error")
	}
	if _, err := os.Stat(c.Path()); err == nil {
		t.Error("the socket is there after Close")
	}
}

// FuzzClient checks that no client can make the fake panic: a test would fail
// for the wrong reason.
func FuzzClient(f *testing.F) {
	f.Add([]byte{0, 0}, []byte("\x01\x00\x00\x00\x00\x00\x0c\x00\x04\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, opcodes, body []byte) {
		c := fakewayland.Start(t, fakewayland.Options{Clipboard: fakewayland.Clipboard{"text/plain": []byte("old")}})
		conn, err := wayland.Dial(t.Context(), c.Path())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []*wayland.Interface{wayland.Seat, wayland.InputManager, wayland.VirtualKeyboardManager,
			wayland.VirtualPointerManager, wayland.WlrDataControlManager, wayland.ActivationManager} {
			if _, err := conn.Bind(i, 9, nil); err != nil {
				t.Fatal(err)
			}
		}
		for i, opcode := range opcodes {
			m := wayland.Message{Object: wayland.ID(opcode >> 4), Opcode: uint16(opcode & 15)}
			if n := 4 * i; n < len(body) {
				m.Body = body[n:min(len(body), n+4*int(opcode&3))]
				m.Body = m.Body[:len(m.Body)&^3]
			}
			if err := conn.SendAll(m); err != nil {
				break
			}
		}
		conn.Close()
		c.WaitFor(t, "the client's end", func() bool { return c.Clients() == 0 })
		c.Close()
	})
}
