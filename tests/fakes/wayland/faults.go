package fakewayland

import "time"

// Connect, as Fault.On, means the arrival of a client.
const Connect = "connect"

// A Fault is something that goes wrong when a request comes. There is at most
// one a request: the first in the list.
type Fault struct {
	On  string // a request, as "zwp_input_method_v2.commit", or Connect
	Nth int    // which of these, counted over all clients; 0 is the first too
	Do  Failure
}

// A Failure is a way to fail.
type Failure struct {
	instead bool // the request itself is not carried out
	do      func(*client, *object)
}

// ProtocolError refuses the request with a fatal error on its object.
func ProtocolError(code uint32, message string) Failure {
	return Failure{true, func(c *client, o *object) { c.fatal(o, code, message) }}
}

// HangUp closes the connection instead of carrying out the request.
func HangUp() Failure {
	return Failure{true, func(c *client, _ *object) { c.hangUp() }}
}

// Garbage sends data as it is, instead of carrying out the request.
func Garbage(data []byte) Failure {
	return Failure{true, func(c *client, _ *object) {
		c.conn.SetWriteDeadline(time.Now().Add(sendTimeout))
		if _, err := c.conn.Write(data); err != nil {
			c.hangUp()
		}
	}}
}

// StopReading leaves the request and all that follow unread until
// ResumeReading. What was on its way already, a few kB, may still be read.
func StopReading() Failure {
	return Failure{true, func(c *client, _ *object) {
		if c.stopped == nil {
			c.stopped = make(chan struct{})
		}
	}}
}

// Flood sends n keymaps, each with a descriptor, to every wl_keyboard of the
// client after the request.
func Flood(n int) Failure {
	return Failure{false, func(c *client, _ *object) {
		for range n {
			for _, o := range c.list("wl_keyboard") {
				c.sendKeymap(o)
			}
		}
	}}
}

// LoseFocus takes the focus from the text field after the request.
func LoseFocus() Failure {
	return Failure{false, func(c *client, _ *object) { c.comp.unfocus() }}
}

// Inject does a to every client that is connected.
func (c *Compositor) Inject(a Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, client := range c.clients {
		a.do(client, client.objects[1])
	}
}

// ResumeReading ends what StopReading began.
func (c *Compositor) ResumeReading() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, client := range c.clients {
		client.resume()
	}
}

// due counts one more of on and returns the fault that comes with it, or nil.
func (c *Compositor) due(on string) *Fault {
	c.counts[on]++
	for i, f := range c.options.Faults {
		if f.On == on && max(f.Nth, 1) == c.counts[on] {
			return &c.options.Faults[i]
		}
	}
	return nil
}
