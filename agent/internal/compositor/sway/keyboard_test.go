package sway

import (
	"bytes"
	"context"
	"os/exec"
	"time"

	"utter/shared/wayland"
)

// plug plugs a keyboard in: a headless seat has none. With no layouts it never
// says what its keys mean. It is pulled with the test.
func (d *desk) plug(layouts string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 5*time.Second)
	defer cancel()
	c, err := wayland.Dial(ctx, wayland.SocketPath(d.display, d.runtime))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { c.Close() })
	if err := plug(c, layouts); err != nil {
		d.t.Fatalf("plug a keyboard in: %v", err)
	}
	if err := c.Roundtrip(ctx); err != nil {
		d.t.Fatal(err)
	}
}

func plug(c *wayland.Conn, layouts string) error {
	seat, err := c.Bind(wayland.Seat, 5, nil)
	if err != nil {
		return err
	}
	manager, err := c.Bind(wayland.VirtualKeyboardManager, 1, nil)
	if err != nil {
		return err
	}
	id, err := c.Create(wayland.VirtualKeyboard, nil, manager, wayland.VirtualKeyboardManagerCreate, seat, wayland.NewID)
	if err != nil || layouts == "" {
		return err
	}
	keymap, err := exec.Command("xkbcli", "compile-keymap", "--layout", layouts).Output()
	if err != nil {
		return err
	}
	keymap = append(bytes.TrimRight(keymap, "\x00"), 0)
	file, err := wayland.TempFile("keymap", keymap)
	if err != nil {
		return err
	}
	defer file.Close()
	return c.Send(id, wayland.VirtualKeyboardKeymap, uint32(wayland.KeymapFormatXKB), file, uint32(len(keymap)))
}
