package fakewayland

import (
	"cmp"
	"fmt"
	"net"
	"slices"

	"utter/shared/wayland"
)

// The ranges of object IDs.
const (
	firstClientID = 2
	firstServerID = 0xff000000
)

// A client is one connection. Its fields are guarded by the compositor's mutex.
type client struct {
	comp    *Compositor
	number  int
	conn    *net.UnixConn
	socket  *wayland.Socket
	objects map[wayland.ID]*object
	next    wayland.ID    // the lowest ID that the client has never used
	ours    wayland.ID    // the same of the compositor
	free    []wayland.ID  // of the compositor, to be used again
	stopped chan struct{} // not nil while the compositor does not read
	gone    bool
}

// An object is what one ID of a client stands for.
type object struct {
	id      wayland.ID
	iface   string
	version uint32
	data    any // what the interface's file keeps; see mortal
}

// A mortal must be told when its object, or the client, has gone.
type mortal interface{ die() }

func newClient(comp *Compositor, number int, conn *net.UnixConn) *client {
	c := &client{
		comp:    comp,
		number:  number,
		conn:    conn,
		socket:  wayland.NewSocket(conn),
		objects: map[wayland.ID]*object{},
		next:    firstClientID,
		ours:    firstServerID,
	}
	c.objects[1] = &object{id: 1, iface: "wl_display", version: 1}
	return c
}

// serve reads requests until the client has gone.
func (c *client) serve() {
	defer c.leave()
	for {
		c.pause()
		m, err := c.socket.Receive(c.fds)
		if err != nil {
			return
		}
		c.pause()
		if !c.handle(m) {
			return
		}
	}
}

// pause returns when the compositor reads from the client again.
func (c *client) pause() {
	c.comp.mu.Lock()
	stopped := c.stopped
	c.comp.mu.Unlock()
	if stopped == nil {
		return
	}
	select {
	case <-stopped:
	case <-c.comp.closing:
	}
}

// leave forgets the client.
func (c *client) leave() {
	c.comp.mu.Lock()
	defer c.comp.mu.Unlock()
	c.hangUp()
	c.socket.Close()
	c.comp.clients = slices.DeleteFunc(c.comp.clients, func(other *client) bool { return other == c })
	for _, o := range c.list("") {
		if m, ok := o.data.(mortal); ok {
			m.die()
		}
	}
	c.comp.wake()
}

// hangUp closes the connection. What is left of the client goes with serve.
func (c *client) hangUp() {
	c.gone = true
	c.conn.Close() // not the socket, which serve may be reading
	c.resume()
}

// resume ends a StopReading.
func (c *client) resume() {
	if c.stopped != nil {
		close(c.stopped)
		c.stopped = nil
	}
}

// list returns the objects of a kind, or all of them if iface is "".
func (c *client) list(iface string) []*object {
	var found []*object
	for _, o := range c.objects {
		if iface == "" || o.iface == iface {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(a, b *object) int { return cmp.Compare(a.id, b.id) })
	return found
}

func (c *client) fds(id wayland.ID, opcode uint16) int {
	c.comp.mu.Lock()
	defer c.comp.mu.Unlock()
	o, ok := c.objects[id]
	if !ok || int(opcode) >= len(protocol[o.iface]) {
		return 0
	}
	return protocol[o.iface][opcode].fds()
}

// create makes an object that the client numbered. As with libwayland the IDs
// have no gaps and are not used twice.
func (c *client) create(id wayland.ID, iface string, version uint32) (*object, error) {
	if _, used := c.objects[id]; used || id == 0 || id > c.next {
		return nil, fmt.Errorf("not a valid new object id (%d)", id)
	}
	if id == c.next {
		c.next++
	}
	c.objects[id] = &object{id: id, iface: iface, version: version}
	return c.objects[id], nil
}

// announce makes an object that the compositor numbers. It uses the IDs of
// dead objects again at once, as libwayland does.
func (c *client) announce(iface string, version uint32) *object {
	id := c.ours
	if n := len(c.free); n > 0 {
		id, c.free = c.free[n-1], c.free[:n-1]
	} else {
		c.ours++
	}
	c.objects[id] = &object{id: id, iface: iface, version: version}
	return c.objects[id]
}

// remove ends an object, and tells the client if it numbered it.
func (c *client) remove(o *object) {
	if m, ok := o.data.(mortal); ok {
		m.die()
	}
	delete(c.objects, o.id)
	if o.id >= firstServerID {
		c.free = append(c.free, o.id)
		return
	}
	c.event(c.objects[1], wayland.DisplayOnDeleteID, o.id)
}
