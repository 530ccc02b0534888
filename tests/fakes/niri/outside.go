package fakeniri

import (
	"encoding/json"
	"fmt"
	"time"
)

// What happens on a desktop without anybody asking niri for it.

// A Toplevel is a window that a program opens.
type Toplevel struct {
	AppID, Title string
	PID          int
	Stubborn     bool // it does not close when it is asked to
}

// Open opens a window beside the active one, which takes the focus. It returns
// the id.
func (n *Niri) Open(w Toplevel) uint64 {
	var id uint64
	n.change(func(d *desktop) { id = d.open(w).id })
	return id
}

// Remove closes a window as its own program does.
func (n *Niri) Remove(id uint64) { n.change(func(d *desktop) { d.remove(d.windows[id]) }) }

// Rename gives a window another title.
func (n *Niri) Rename(id uint64, title string) {
	n.change(func(d *desktop) { d.windows[id].title = title })
}

// Reload reads the configuration again, as when its file changes.
func (n *Niri) Reload(ok bool) { n.change(func(d *desktop) { d.reload(ok) }) }

// Plug plugs another output in, with a workspace of its own.
func (n *Niri) Plug(o Monitor) { n.change(func(d *desktop) { d.plug(o) }) }

// Pass lets time go by on the niri's clock. Nothing else moves it.
func (n *Niri) Pass(t time.Duration) { n.change(func(d *desktop) { d.pass(t) }) }

// Do carries out an action, such as {"FocusWindow":{"id":2}}, as a key of the
// person at the desktop does. It panics if that is not an action.
func (n *Niri) Do(action string) {
	name, play, err := parseAction(json.RawMessage(action))
	if err != nil {
		panic(fmt.Sprintf("fakeniri: %s: %v", action, err))
	}
	if name == "Quit" {
		n.end()
		return
	}
	n.change(play)
}

// Say answers a request such as "Windows" without a connection.
func (n *Niri) Say(request string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return string(n.encode(n.desktop.answer(request)))
}
