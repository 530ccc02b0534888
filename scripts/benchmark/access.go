package main

import (
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"
)

const atspi = "org.a11y.atspi."

// A widget is where one is on the accessibility bus.
type widget struct {
	Bus  string
	Path dbus.ObjectPath
}

// A textBox is one of another program, as assistive programs have it.
type textBox struct {
	conn *dbus.Conn
	widget
}

// findText waits for the text box of a process whose name begins with some
// words.
func findText(pid int, name string) (*textBox, error) {
	session, err := dbus.ConnectSessionBus()
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var address string
	launcher := session.Object("org.a11y.Bus", "/org/a11y/bus")
	if err := launcher.Call("org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		return nil, fmt.Errorf("the accessibility bus: %w", err)
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		return nil, fmt.Errorf("the accessibility bus: %w", err)
	}
	t := &textBox{conn: conn}
	err = await(func() bool {
		for _, w := range t.children(widget{atspi + "Registry", "/org/a11y/atspi/accessible/root"}) {
			var owner uint32
			conn.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, w.Bus).Store(&owner)
			if int(owner) == pid && t.find(w, name) {
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

func (t *textBox) children(w widget) (all []widget) {
	t.conn.Object(w.Bus, w.Path).Call(atspi+"Accessible.GetChildren", 0).Store(&all)
	return all
}

// find looks for the text box at w and below.
func (t *textBox) find(w widget, name string) bool {
	const role = 61 // of a text box
	var r uint32
	object := t.conn.Object(w.Bus, w.Path)
	if object.Call(atspi+"Accessible.GetRole", 0).Store(&r) == nil && r == role {
		v, err := object.GetProperty(atspi + "Accessible.Name")
		if called, _ := v.Value().(string); err == nil && strings.HasPrefix(called, name) {
			t.widget = w
			return true
		}
	}
	for _, child := range t.children(w) {
		if t.find(child, name) {
			return true
		}
	}
	return false
}

// set replaces what is in the text box.
func (t *textBox) set(words string) error {
	var ok bool
	err := t.conn.Object(t.Bus, t.Path).Call(atspi+"EditableText.SetTextContents", 0, words).Store(&ok)
	if err == nil && !ok {
		err = fmt.Errorf("the text box takes no text")
	}
	return err
}

func (t *textBox) close() { t.conn.Close() }
