package wayland

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
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
