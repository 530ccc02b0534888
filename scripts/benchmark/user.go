package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"utter/shared/wayland"
)

// A user is a keyboard and a mouse at the seat of the session, which has none by
// itself.
type user struct {
	conn              *wayland.Conn
	keyboard, pointer wayland.ID
}

func newUser(ctx context.Context) (*user, error) {
	conn, err := wayland.Dial(ctx, wayland.SocketPath(os.Getenv("WAYLAND_DISPLAY"), os.Getenv("XDG_RUNTIME_DIR")))
	if err != nil {
		return nil, err
	}
	u := &user{conn: conn}
	if err := u.plug(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return u, nil
}

func (u *user) plug(ctx context.Context) error {
	keymap, err := exec.Command("xkbcli", "compile-keymap", "--layout", "us").Output()
	if err != nil {
		return fmt.Errorf("xkbcli: %w", err)
	}
	seat, err := u.conn.Bind(wayland.Seat, 5, nil)
	if err != nil {
		return err
	}
	keyboards, err := u.conn.Bind(wayland.VirtualKeyboardManager, 1, nil)
	if err != nil {
		return err
	}
	pointers, err := u.conn.Bind(wayland.VirtualPointerManager, 1, nil)
	if err != nil {
		return err
	}
	u.keyboard, err = u.conn.Create(wayland.VirtualKeyboard, nil, keyboards,
		wayland.VirtualKeyboardManagerCreate, seat, wayland.NewID)
	if err != nil {
		return err
	}
	u.pointer, err = u.conn.Create(wayland.VirtualPointer, nil, pointers,
		wayland.VirtualPointerManagerCreate, seat, wayland.NewID)
	if err != nil {
		return err
	}
	file, err := wayland.TempFile("keymap", append(bytes.TrimRight(keymap, "\x00"), 0))
	if err != nil {
		return err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := u.conn.Send(u.keyboard, wayland.VirtualKeyboardKeymap, uint32(wayland.KeymapFormatXKB), file,
		uint32(size)); err != nil {
		return err
	}
	return u.conn.Roundtrip(ctx)
}

// press presses a key and lets it go, while the modifiers of a usual keymap
// are held.
func (u *user) press(mods, code uint32) error {
	var all []wayland.Message
	add := func(opcode uint16, args ...any) {
		m, err := wayland.NewMessage(u.keyboard, opcode, args...)
		if err != nil {
			panic(err) // numbers have a wire form
		}
		all = append(all, m)
	}
	now := uint32(time.Now().UnixMilli())
	add(wayland.VirtualKeyboardModifiers, mods, uint32(0), uint32(0), uint32(0))
	add(wayland.VirtualKeyboardKey, now, code, uint32(wayland.KeyStatePressed))
	add(wayland.VirtualKeyboardKey, now, code, uint32(wayland.KeyStateReleased))
	add(wayland.VirtualKeyboardModifiers, uint32(0), uint32(0), uint32(0), uint32(0))
	return u.conn.SendAll(all...)
}

// wheel turns the mouse's wheel, with the pointer at a place in a square of
// 1000 x 1000 on the screen.
func (u *user) wheel(x, y uint32, steps int32) error {
	now := uint32(time.Now().UnixMilli())
	for _, m := range []struct {
		opcode uint16
		args   []any
	}{
		{wayland.VirtualPointerMotionTo, []any{now, x, y, uint32(1000), uint32(1000)}},
		{wayland.VirtualPointerFrame, nil},
		{wayland.VirtualPointerAxisSource, []any{uint32(wayland.PointerSourceWheel)}},
		{wayland.VirtualPointerAxisDiscrete,
			[]any{now, uint32(wayland.PointerAxisVertical), wayland.ToFixed(15 * float64(steps)), steps}},
		{wayland.VirtualPointerFrame, nil},
	} {
		if err := u.conn.Send(u.pointer, m.opcode, m.args...); err != nil {
			return err
		}
	}
	return nil
}

func (u *user) close() { u.conn.Close() }
