package fakewayland

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"os"
	"slices"

	"utter/shared/wayland"
)

// maxRequest is the longest request that libwayland reads, in bytes. A client
// that sends a longer one is cut off without a word.
const maxRequest = 4096

// The ranges of object IDs.
const (
	firstClientID = 2
	firstServerID = 0xff000000
)

// Error codes of wl_display.
const (
	invalidObject = 0
	invalidMethod = 1
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

// A call is a request on its way to the code that carries it out.
type call struct {
	Request
	on   *object
	made *object  // by the argument that names a new object
	file *os.File // closed after the call
}

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
	c.comp.clients = slices.DeleteFunc(c.comp.clients, func(other *client) bool { return other == c })
	for _, o := range c.list("") {
		if m, ok := o.data.(mortal); ok {
			m.die()
		}
	}
	c.comp.wake()
}

func (c *client) hangUp() {
	c.gone = true
	c.socket.Close()
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

// handle checks, keeps and carries out one request. It reports whether the
// client is still there.
func (c *client) handle(m wayland.Message) bool {
	c.comp.mu.Lock()
	defer c.comp.mu.Unlock()
	defer c.comp.wake()
	args := m.Args()
	defer args.Close()
	if size := 8 + len(m.Body); size > maxRequest {
		c.comp.errors = append(c.comp.errors, fmt.Sprintf("request of %d bytes", size))
		c.hangUp()
	}
	if c.gone {
		return false
	}
	on, ok := c.objects[m.Object]
	if !ok {
		c.fatal(c.objects[1], invalidObject, fmt.Sprintf("invalid object %d", m.Object))
		return false
	}
	requests := protocol[on.iface]
	if int(m.Opcode) >= len(requests) || requests[m.Opcode].since > on.version {
		c.fatal(c.objects[1], invalidMethod, fmt.Sprintf("invalid method %d, object %s#%d", m.Opcode, on.iface, on.id))
		return false
	}
	r := requests[m.Opcode]
	k, err := c.decode(on, r, args, len(m.Body))
	if k.file != nil {
		defer k.file.Close()
	}
	if err != nil {
		c.fatal(c.objects[1], invalidMethod, fmt.Sprintf("invalid arguments for %s#%d.%s: %v", on.iface, on.id, r.name, err))
		return false
	}
	c.comp.requests = append(c.comp.requests, k.Request)
	fault := c.comp.due(k.name())
	if fault == nil || !fault.Do.instead {
		c.carryOut(k, r.destroys())
	}
	if fault != nil {
		fault.Do.do(c, on)
	}
	return !c.gone
}

// decode reads the arguments of r, which fill size bytes, and makes the object
// that they name.
func (c *client) decode(on *object, r request, args *wayland.Args, size int) (call, error) {
	k := call{Request: Request{Client: c.number, Interface: on.iface, Name: r.name}, on: on}
	for _, a := range r.args {
		value, err := c.argument(&k, a, args)
		if err == nil {
			err = args.Err()
		}
		if err != nil {
			return k, err
		}
		switch value := value.(type) {
		case nil: // a descriptor
			continue
		case string:
			size -= 4 + (len(value)+4)&^3
		default:
			size -= 4
		}
		k.Args = append(k.Args, value)
	}
	if size > 0 {
		return k, fmt.Errorf("%d bytes too many", size)
	}
	return k, nil
}

func (c *client) argument(k *call, a arg, args *wayland.Args) (any, error) {
	switch a.kind {
	case "uint":
		return args.Uint(), nil
	case "int":
		return args.Int(), nil
	case "fixed":
		return args.Fixed(), nil
	case "fd":
		k.file = args.File()
		return nil, nil
	case "string":
		data := args.Array()
		end := bytes.IndexByte(data, 0)
		if end != len(data)-1 {
			return "", fmt.Errorf("string %q does not end at its end", data)
		}
		return string(data[:end]), nil
	case "object":
		id := args.ID()
		o, ok := c.objects[id]
		if id == 0 && a.null {
			return id, nil
		}
		if !ok || o.iface != a.iface {
			return id, fmt.Errorf("object %d is no %s", id, a.iface)
		}
		return id, nil
	default: // new
		id := args.ID()
		if a.iface == "" {
			return id, nil // bind says later what it is
		}
		var err error
		k.made, err = c.create(id, a.iface, k.on.version)
		return id, err
	}
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

// carryOut hands a request to the file of its interface.
func (c *client) carryOut(k call, last bool) {
	switch k.Interface {
	case "wl_display":
		c.displayRequest(k)
	case "wl_registry":
		c.bind(k)
	case "wl_seat":
		c.seatRequest(k)
	case "zwp_input_method_manager_v2", "zwp_input_method_v2":
		c.inputMethodRequest(k)
	case "zwp_virtual_keyboard_v1":
		c.virtualKeyboardRequest(k)
	case "zwlr_virtual_pointer_v1":
		c.virtualPointerRequest(k)
	case "xdg_activation_v1", "xdg_activation_token_v1":
		c.activationRequest(k)
	default:
		c.dataControlRequest(k)
	}
	if last {
		c.remove(k.on)
	}
}
