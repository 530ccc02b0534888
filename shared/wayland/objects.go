package wayland

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoGlobal means that the compositor does not offer an interface.
var ErrNoGlobal = errors.New("the compositor does not support this")

type object struct {
	iface   *Interface
	handler Handler // nil once the client has destroyed it
	dead    bool    // the compositor has said that it is gone
}

type global struct {
	iface   string
	version uint32
}

// Has reports whether the compositor offers i.
func (c *Conn) Has(i *Interface) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.globals {
		if g.iface == i.Name {
			return true
		}
	}
	return false
}

// Bind makes an object of the first global of kind i, at the given version or
// the compositor's if that is lower.
func (c *Conn) Bind(i *Interface, version uint32, h Handler) (ID, error) {
	c.mu.Lock()
	var name uint32
	var found bool
	for n, g := range c.globals {
		if g.iface == i.Name && (!found || n < name) {
			name, found = n, true
		}
	}
	version = min(version, c.globals[name].version)
	c.mu.Unlock()
	if !found {
		return 0, fmt.Errorf("wayland: %s: %w", i.Name, ErrNoGlobal)
	}
	return c.Create(i, h, c.registry, RegistryBind, name, i.Name, version, NewID)
}

// NewID is the placeholder in the arguments of Create for the new object's ID.
const NewID = ID(0xffffffff)

// Create sends the request opcode of target, which makes an object of kind i,
// and returns the object's ID. The compositor wants new IDs in order, so the
// choice of the ID and the sending of the request are one step.
func (c *Conn) Create(i *Interface, h Handler, target ID, opcode uint16, args ...any) (ID, error) {
	if _, err := NewMessage(target, opcode, args...); err != nil {
		return 0, err // before an ID is taken: there must be no gap
	}
	c.order.Lock()
	defer c.order.Unlock()
	id, err := c.reserve(i, h)
	if err != nil {
		return 0, err
	}
	args = slices.Clone(args)
	for n, a := range args {
		if a == NewID {
			args[n] = id
		}
	}
	return id, c.Send(target, opcode, args...)
}

// reserve chooses an ID and notes what it is for.
func (c *Conn) reserve(i *Interface, h Handler) (ID, error) {
	if h == nil {
		h = func(uint16, *Args) {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	id := c.next
	if n := len(c.free); n > 0 {
		id, c.free = c.free[n-1], c.free[:n-1]
	} else {
		c.next++
	}
	c.objects[id] = object{iface: i, handler: h}
	return id, nil
}

// firstServerID is where the IDs that compositors hand out begin.
const firstServerID = 0xff000000

// Adopt takes an object that the compositor made.
func (c *Conn) Adopt(id ID, i *Interface, h Handler) error {
	if id < firstServerID {
		return fmt.Errorf("%w: new object %d is in the client's range", ErrMalformed, id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[id] = object{iface: i, handler: h}
	return nil
}

// Drop forgets an object whose destroying request has been sent. Events still
// on their way to it are read and thrown away.
func (c *Conn) Drop(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id >= firstServerID {
		delete(c.objects, id) // the protocol never says that it is gone
	} else if o, ok := c.objects[id]; ok && o.dead {
		delete(c.objects, id)
		c.free = append(c.free, id)
	} else if ok {
		o.handler = nil
		c.objects[id] = o
	}
}

func (c *Conn) onRegistry(opcode uint16, args *Args) {
	name := args.Uint()
	switch opcode {
	case RegistryOnGlobal:
		iface, version := args.String(), args.Uint()
		c.mu.Lock()
		c.globals[name] = global{iface, version}
		c.mu.Unlock()
	case RegistryOnRemove:
		c.mu.Lock()
		delete(c.globals, name)
		c.mu.Unlock()
	}
}
