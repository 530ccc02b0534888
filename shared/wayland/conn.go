package wayland

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Handler takes the events of one object. It runs on the goroutine that reads
// the connection, so it must not wait for another event. The descriptors it
// does not take are closed.
type Handler func(opcode uint16, args *Args)

// A ProtocolError is the compositor's last word: it has closed the connection.
type ProtocolError struct {
	Interface string
	Code      uint32
	Message   string
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("wayland: %s error %d: %s", e.Interface, e.Code, e.Message)
}

// ErrNoGlobal means that the compositor does not offer an interface.
var ErrNoGlobal = errors.New("the compositor does not offer this")

// A Conn is a client's connection. Its methods may be called from several
// goroutines; handlers run on one of its own.
type Conn struct {
	socket *Socket
	done   chan struct{} // closed when the reader has gone

	order sync.Mutex // held from the choice of a new ID until it is sent

	mu       sync.Mutex
	objects  map[ID]object
	next     ID
	free     []ID
	globals  map[uint32]global
	registry ID
	err      error
}

type object struct {
	iface   *Interface
	handler Handler // nil once the client has destroyed it
	dead    bool    // the compositor has said that it is gone
}

type global struct {
	iface   string
	version uint32
}

// Dial connects to the socket at path and returns when the first list of
// globals has come.
func Dial(ctx context.Context, path string) (*Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("wayland: %w", err)
	}
	return NewConn(ctx, c.(*net.UnixConn))
}

// SocketPath returns where the display called name (WAYLAND_DISPLAY) listens.
func SocketPath(name, runtimeDir string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(runtimeDir, name)
}

// NewConn is Dial on a connection that is already there. It owns c.
func NewConn(ctx context.Context, c *net.UnixConn) (_ *Conn, err error) {
	conn := &Conn{
		socket:  NewSocket(c),
		done:    make(chan struct{}),
		objects: map[ID]object{},
		next:    2,
		globals: map[uint32]global{},
	}
	conn.objects[1] = object{iface: display, handler: conn.onDisplay}
	go conn.read()
	conn.registry, err = conn.Create(registry, conn.onRegistry, 1, DisplayGetRegistry, NewID)
	if err == nil {
		err = conn.Roundtrip(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// Close ends the connection and waits until its reader has gone. A handler must
// not call it.
func (c *Conn) Close() error {
	err := c.socket.Close()
	<-c.done
	return err
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended, or nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
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

// NewID stands in the arguments of Create where the new object's ID goes.
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

// Send sends one request; NewMessage says which arguments it takes.
func (c *Conn) Send(id ID, opcode uint16, args ...any) error {
	m, err := NewMessage(id, opcode, args...)
	if err != nil {
		return err
	}
	return c.SendAll(m)
}

// SendAll sends requests in one system call.
func (c *Conn) SendAll(messages ...Message) error {
	if err := c.Err(); err != nil {
		return err
	}
	err := c.socket.Send(messages...)
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.fail(err)
		c.socket.Close()
	}
	// The reader may be about to learn why the connection has ended.
	select {
	case <-c.done:
		return c.Err()
	case <-time.After(lastWordTime):
		return err
	}
}

// lastWordTime is how long a failed Send waits for the compositor's own words.
const lastWordTime = 100 * time.Millisecond

// Roundtrip waits until the compositor has dealt with all requests so far and
// the handlers with all events that it sent before.
func (c *Conn) Roundtrip(ctx context.Context) error {
	done := make(chan struct{})
	if _, err := c.Create(callback, func(uint16, *Args) { close(done) }, 1, DisplaySync, NewID); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-c.done:
		return c.Err()
	case <-ctx.Done():
		return fmt.Errorf("wayland: wait for the compositor: %w", ctx.Err())
	}
}

// read hands events to handlers until the connection ends.
func (c *Conn) read() {
	defer close(c.done)
	for {
		m, err := c.socket.Receive(c.fdCount)
		if err == nil {
			err = c.dispatch(m)
		}
		if err != nil {
			c.fail(err)
			c.socket.Close()
			return
		}
	}
}

func (c *Conn) fdCount(id ID, opcode uint16) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o, ok := c.objects[id]; ok {
		return o.iface.eventFDs[opcode]
	}
	return 0
}

func (c *Conn) dispatch(m Message) error {
	c.mu.Lock()
	o := c.objects[m.Object]
	if o.iface == callback {
		c.objects[m.Object] = object{iface: callback} // it fires once
	}
	c.mu.Unlock()
	args := m.Args()
	defer args.Close()
	if o.handler != nil {
		o.handler(m.Opcode, args)
	}
	if err := args.Err(); err != nil {
		return fmt.Errorf("%s event %d: %w", o.iface.Name, m.Opcode, err)
	}
	return c.Err()
}

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

func (c *Conn) onDisplay(opcode uint16, args *Args) {
	switch opcode {
	case DisplayOnError:
		id, code, message := args.ID(), args.Uint(), args.String()
		c.mu.Lock()
		name := "object"
		if o, ok := c.objects[id]; ok {
			name = o.iface.Name
		}
		c.mu.Unlock()
		c.fail(&ProtocolError{name, code, message})
	case DisplayOnDeleteID:
		id := args.ID()
		c.mu.Lock()
		defer c.mu.Unlock()
		if o, ok := c.objects[id]; ok && o.handler == nil {
			delete(c.objects, id)
			c.free = append(c.free, id)
		} else if ok {
			o.dead = true
			c.objects[id] = o
		}
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

// TempFile returns an anonymous file that holds data, to be passed as a
// descriptor. The caller closes it.
func TempFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("wayland: make %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, fmt.Errorf("wayland: write %s: %w", name, err)
	}
	return f, nil
}
