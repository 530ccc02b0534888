package fakeniri

import "time"

// A Fault is what a niri that misbehaves makes of one request. The zero Fault
// is none.
type Fault struct {
	Wait    time.Duration // before anything happens
	Instead func()        // happens in place of what was asked for; the reply stays the same
	Late    time.Duration // after the reply, not before it, the effect comes
	Say     []byte        // goes out as it is in place of the reply
	Silent  bool          // nothing goes out
	End     bool          // and then the connection ends
}

// Nothing is what a niri does that says Handled and no more.
func Nothing() {}

// Misbehave asks f before every request what goes wrong. name is that of the
// request, or of the action, as "Windows" or "CloseWindow". f and Instead may
// use the niri.
func (n *Niri) Misbehave(f func(name string) Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault = f
}

// On makes f go wrong with every request called name, and no other.
func (n *Niri) On(name string, f Fault) {
	n.Misbehave(func(other string) Fault {
		if other == name {
			return f
		}
		return Fault{}
	})
}

// Send sends bytes as they are to all who have asked for events.
func (n *Niri) Send(data string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.clients {
		c.queue([]byte(data))
	}
}

// HangUp ends all connections; niri stays.
func (n *Niri) HangUp() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.clients {
		c.conn.Close()
	}
}
