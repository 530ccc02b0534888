package e2e

import (
	"bytes"
	"context"
	"os/exec"
	"time"

	"utter/shared/wayland"
)

// A keyboard plays the keyboard on the user's desk: a full keymap with a chosen
// active group, plugged in all the time. A headless seat has none by itself.
type keyboard struct {
	conn  *wayland.Conn
	id    wayland.ID
	group uint32
}

// newKeyboard plugs a keyboard in.
func newKeyboard(s *Session, layouts string, group int) *keyboard {
	s.t.Helper()
	if layouts == "" {
		layouts = "us"
	}
	keymap, err := exec.Command("xkbcli", "compile-keymap", "--layout", layouts).Output()
	if err != nil {
		s.t.Fatalf("xkbcli compile-keymap --layout %s: %v", layouts, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := wayland.Dial(ctx, wayland.SocketPath(s.env["WAYLAND_DISPLAY"], s.env["XDG_RUNTIME_DIR"]))
	if err != nil {
		s.t.Fatal(err)
	}
	k := &keyboard{conn: conn, group: uint32(group)}
	if err := k.plug(ctx, append(bytes.TrimRight(keymap, "\x00"), 0)); err != nil {
		s.t.Fatalf("plug the keyboard in: %v", err)
	}
	return k
}

func (k *keyboard) plug(ctx context.Context, keymap []byte) error {
	seat, err := k.conn.Bind(wayland.Seat, 5, nil)
	if err != nil {
		return err
	}
	manager, err := k.conn.Bind(wayland.VirtualKeyboardManager, 1, nil)
	if err != nil {
		return err
	}
	k.id, err = k.conn.Create(wayland.VirtualKeyboard, nil, manager,
		wayland.VirtualKeyboardManagerCreate, seat, wayland.NewID)
	if err != nil {
		return err
	}
	file, err := wayland.TempFile("keymap", keymap)
	if err != nil {
		return err
	}
	defer file.Close()
	err = k.conn.Send(k.id, wayland.VirtualKeyboardKeymap, uint32(wayland.KeymapFormatXKB), file, uint32(len(keymap)))
	if err != nil {
		return err
	}
	if err := k.modifiers(0); err != nil {
		return err
	}
	return k.conn.Roundtrip(ctx)
}

// Modifiers as bits of the usual keymaps.
const (
	modShift = 1 << 0
	modCtrl  = 1 << 2
)

// Evdev codes of the keys that the tests press by hand.
const (
	codeEscape    = 1
	codeTab       = 15
	codeT         = 20
	codeEnter     = 28
	codeLeftCtrl  = 29
	codeS         = 31
	codeLeftShift = 42
	codeHome      = 102
	codeDown      = 108
)

// press presses keys together, in order, as a hand does. mods are the bits that
// they set.
func (k *keyboard) press(mods uint32, codes ...uint32) error {
	for i, code := range codes {
		if i == len(codes)-1 {
			if err := k.modifiers(mods); err != nil {
				return err
			}
		}
		if err := k.key(code, wayland.KeyStatePressed); err != nil {
			return err
		}
	}
	for i := len(codes) - 1; i >= 0; i-- {
		if err := k.key(codes[i], wayland.KeyStateReleased); err != nil {
			return err
		}
	}
	return k.modifiers(0)
}

func (k *keyboard) key(code, state uint32) error {
	now := uint32(time.Now().UnixMilli())
	return k.conn.Send(k.id, wayland.VirtualKeyboardKey, now, code, state)
}

func (k *keyboard) modifiers(mods uint32) error {
	return k.conn.Send(k.id, wayland.VirtualKeyboardModifiers, mods, uint32(0), uint32(0), k.group)
}

// close pulls the plug.
func (k *keyboard) close() { k.conn.Close() }
