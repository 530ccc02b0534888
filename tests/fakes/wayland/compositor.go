// Package fakewayland is a Wayland compositor for tests: it speaks the
// protocols that Utter types, points and copies with on a real socket, keeps
// what it was told, and fails in chosen ways at chosen moments. It draws
// nothing, has no windows and no keyboard layouts; one pretend application with
// one text field has the focus. Towards a client that violates the protocol it is as
// strict as libwayland and wlroots.
package fakewayland

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"utter/shared/wayland"
)

// Options say what the compositor is like. The zero Options offer everything,
// to an ordinary text field that reports nothing back.
type Options struct {
	Without     []string // the globals that are missing, by the name of the interface
	NoKeyboard  bool     // the seat has no keyboard: get_keyboard is fatal
	Keymap      string   // the seat's, without a final NUL; "" means Keymap
	CutNames    bool     // send it with long key names cut off, as libxkbcommon 1.7 writes it
	EchoKeymaps bool     // do what niri does after a key from another keymap: send the keymap twice
	// SameKeymap tells EchoKeymaps whether an uploaded text is the seat's
	// keymap. nil compares the texts.
	SameKeymap  func(seat, uploaded string) bool
	InputMethod InputMethodMode
	Field       Field // what has the focus at first
	NoField     bool  // nothing has it
	Clipboard   Clipboard
	Pasting     Pasting
	ByteByByte  bool // send every event in pieces of one byte
	Faults      []Fault
}

// globals are the interfaces on offer and their versions, in the order in which
// they are announced.
var globals = []struct {
	iface   string
	version uint32
}{
	{"wl_seat", 9},
	{"zwp_input_method_manager_v2", 1},
	{"zwp_virtual_keyboard_manager_v1", 1},
	{"zwlr_virtual_pointer_manager_v1", 2},
	{"ext_data_control_manager_v1", 1},
	{"zwlr_data_control_manager_v1", 2},
	{"xdg_activation_v1", 1},
}

// A Compositor is a running fake. Its methods may be called from any goroutine.
type Compositor struct {
	options  Options
	path     string
	listener *net.UnixListener
	closing  chan struct{}
	work     sync.WaitGroup // the goroutines

	mu        sync.Mutex // guards what follows, and everything of the clients
	closed    bool
	clients   []*client
	withdrawn []string // globals that have gone
	field     textField
	input     *inputMethod // the one that the seat has, or nil
	selection *selection   // never nil
	records
}

// Start runs a compositor until the test ends.
func Start(t testing.TB, o Options) *Compositor {
	t.Helper()
	if o.Keymap == "" {
		o.Keymap = Keymap
	}
	o.check(t)
	dir, err := os.MkdirTemp("", "wl") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "wayland-0")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	c := &Compositor{
		options:   o,
		path:      path,
		listener:  l,
		closing:   make(chan struct{}),
		field:     textField{Field: o.Field, focused: !o.NoField},
		selection: &selection{content: o.Clipboard, types: o.Clipboard.types()},
		records:   newRecords(),
	}
	c.work.Go(c.accept)
	t.Cleanup(c.Close)
	return c
}

// check ends the test over a misspelt name, which would only make it pass.
func (o Options) check(t testing.TB) {
	t.Helper()
	for _, name := range o.Without {
		if version(name) == 0 {
			t.Fatalf("fakewayland: Without: there is no global %q", name)
		}
	}
	for _, f := range o.Faults {
		if f.On != Connect && !known(f.On) {
			t.Fatalf("fakewayland: Fault: there is no request %q", f.On)
		}
	}
}

// version returns the version of a global, 0 if there is none of that name.
func version(iface string) uint32 {
	for _, g := range globals {
		if g.iface == iface {
			return g.version
		}
	}
	return 0
}

// Path returns where the compositor listens.
func (c *Compositor) Path() string { return c.path }

// Close ends the compositor as a crash does: the clients read the end of the
// stream, and the socket is gone. It waits until all goroutines have ended.
func (c *Compositor) Close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.closing)
		c.listener.Close()
		for _, client := range c.clients {
			client.hangUp()
		}
	}
	c.mu.Unlock()
	c.work.Wait()
}

// Clients returns how many clients are connected.
func (c *Compositor) Clients() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.clients)
}

// Withdraw takes a global away, as if the compositor had switched it off.
func (c *Compositor) Withdraw(iface string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, g := range globals {
		if g.iface == iface && c.offers(iface) {
			c.withdrawn = append(c.withdrawn, iface)
			c.each("wl_registry", func(client *client, o *object) {
				client.event(o, wayland.RegistryOnRemove, uint32(i+1))
			})
		}
	}
}

func (c *Compositor) offers(iface string) bool {
	return version(iface) > 0 && !slices.Contains(c.options.Without, iface) && !slices.Contains(c.withdrawn, iface)
}

// each calls f for every object of a kind, of all clients, oldest first.
func (c *Compositor) each(iface string, f func(*client, *object)) {
	for _, client := range slices.Clone(c.clients) {
		for _, o := range client.list(iface) {
			f(client, o)
		}
	}
}

func (c *Compositor) accept() {
	for number := 1; ; number++ {
		conn, err := c.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			c.mu.Lock()
			c.errors = append(c.errors, err.Error())
			c.mu.Unlock()
			return
		}
		c.join(number, conn)
	}
}

func (c *Compositor) join(number int, conn *net.UnixConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	client := newClient(c, number, conn)
	if c.closed {
		client.hangUp()
		return
	}
	c.clients = append(c.clients, client)
	if f := c.due(Connect); f != nil {
		f.Do.do(client, client.objects[1])
	}
	c.work.Go(client.serve)
	c.wake()
}
