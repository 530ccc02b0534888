package fakewayland

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// waitTimeout bounds WaitFor.
const waitTimeout = 5 * time.Second

// records is everything that the clients told the compositor.
type records struct {
	changed   chan struct{} // closed and replaced after every change
	counts    map[string]int
	requests  []Request
	errors    []string
	commits   []string
	lost      []string
	keymaps   []string
	keys      []Key
	modifiers []Modifiers
	frames    [][]Request
	offered   [][]string
	pasted    []string
	tokens    []Token
}

func newRecords() records {
	return records{changed: make(chan struct{}), counts: map[string]int{}}
}

// wake lets WaitFor look again.
func (r *records) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// WaitFor returns once ok does, which it asks after every request and every
// coming and going of a client. After 5 seconds it ends the test.
func (c *Compositor) WaitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	timeout := time.After(waitTimeout)
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("fakewayland: timed out for %s; the last requests were %v, the errors %q",
				what, c.last(10), c.Errors())
		}
	}
}

func (c *Compositor) last(n int) []Request {
	all := c.Requests()
	return all[max(0, len(all)-n):]
}

// Requests returns all requests in the order of their arrival.
func (c *Compositor) Requests() []Request { return read(c, &c.requests) }

// Count returns how often a request came, named as "zwp_input_method_v2.commit".
func (c *Compositor) Count(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[name]
}

// Errors returns why clients were cut off: the protocol errors, and requests
// that were too long.
func (c *Compositor) Errors() []string { return read(c, &c.errors) }

// Typed returns what the input methods put into the focused field, in order.
func (c *Compositor) Typed() string { return strings.Join(c.Commits(), "") }

// Commits returns the pieces of Typed as they came.
func (c *Compositor) Commits() []string { return read(c, &c.commits) }

// Lost returns the texts that were thrown away: they came with a wrong serial,
// or no field had the focus.
func (c *Compositor) Lost() []string { return read(c, &c.lost) }

// Keymaps returns the texts that virtual keyboards uploaded, without a final
// NUL.
func (c *Compositor) Keymaps() []string { return read(c, &c.keymaps) }

// Keys returns the key events of all virtual keyboards.
func (c *Compositor) Keys() []Key { return read(c, &c.keys) }

// Modifiers returns the modifiers requests of all virtual keyboards.
func (c *Compositor) Modifiers() []Modifiers { return read(c, &c.modifiers) }

// PointerFrames returns what virtual pointers did, one slice for each frame
// request. What no frame has ended is not there.
func (c *Compositor) PointerFrames() [][]Request { return read(c, &c.frames) }

// Offered returns the MIME types of every selection that a client set. A
// selection that was cleared is nil.
func (c *Compositor) Offered() [][]string { return read(c, &c.offered) }

// Pasted returns what the focused application pasted by itself; see Pasting.
func (c *Compositor) Pasted() []string { return read(c, &c.pasted) }

// Tokens returns the activation tokens that were given out.
func (c *Compositor) Tokens() []Token { return read(c, &c.tokens) }

func read[T any](c *Compositor, list *[]T) []T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(*list)
}
