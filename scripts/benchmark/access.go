package main

import (
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"
)

const atspi = "org.a11y.atspi."

// A place is where a widget is on the accessibility bus.
type place struct {
	Bus  string
	Path dbus.ObjectPath
}

// A text is a text box of another program, as assistive programs have it.
type text struct {
	conn  *dbus.Conn
	place place
}

// findText waits for the text box of a process whose name begins with some
// words.
func findText(pid int, name string) (*text, error) {
	session, err := dbus.ConnectSessionBus()
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var address string
	if err := session.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		return nil, fmt.Errorf("the accessibility bus: %w", err)
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		return nil, fmt.Errorf("the accessibility bus: %w", err)
	}
	t := &text{conn: conn}
	err = await(func() bool {
		for _, p := range t.children(place{atspi + "Registry", "/org/a11y/atspi/accessible/root"}) {
			var owner uint32
			conn.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, p.Bus).Store(&owner)
			if int(owner) == pid && t.find(p, name) {
				return true
			}
		}
		return false
	})
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("a text box %q: %w", name, err)
	}
	return t, nil
}

func (t *text) children(p place) (all []place) {
	t.conn.Object(p.Bus, p.Path).Call(atspi+"Accessible.GetChildren", 0).Store(&all)
	return all
}

// find looks for the text box at p and below.
func (t *text) find(p place, name string) bool {
	const textBox = 61
	var r uint32
	object := t.conn.Object(p.Bus, p.Path)
	if object.Call(atspi+"Accessible.GetRole", 0).Store(&r) == nil && r == textBox {
		v, err := object.GetProperty(atspi + "Accessible.Name")
		if called, _ := v.Value().(string); err == nil && strings.HasPrefix(called, name) {
			t.place = p
			return true
		}
	}
	for _, child := range t.children(p) {
		if t.find(child, name) {
			return true
		}
	}
	return false
}

// set replaces what is in the text box.
func (t *text) set(words string) error {
	var ok bool
	err := t.conn.Object(t.place.Bus, t.place.Path).Call(atspi+"EditableText.SetTextContents", 0, words).Store(&ok)
	if err == nil && !ok {
		err = fmt.Errorf("the text box takes no text")
	}
	return err
}

func (t *text) close() { t.conn.Close() }
