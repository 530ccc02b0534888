// Package fakeniri is a model of niri for tests: it speaks niri's socket, keeps
// windows, workspaces, outputs and the keyboard as niri does, and can also be
// slow, late and wrong. What it says is checked against recordings of a real
// niri 25.11; see replay_test.go for what it does not play. It starts no
// programs, draws nothing, and its clock moves only when a test moves it.
package fakeniri

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Version is what the model calls itself.
const Version = "25.11 (model)"

// Options say what the niri is like. The zero Options are one of a single
// output without windows.
type Options struct {
	Path    string    // of the socket; "" is a new one
	Outputs []Monitor // from left to right; none is winit, 1280x800
	Named   []string  // the workspaces that the configuration names
	Layouts []string  // of the keyboard; none is "English (US)"
	First   uint64    // the id of the first window; 0 is 1
	FloatAt Point     // where windows begin to float: niri takes it from the scroll of its view
	// BackAndForth has a workspace that is asked for, and has the focus
	// already, give way to the one before.
	BackAndForth bool
	Newer        bool // fields and events that nobody knows yet are everywhere
	Older        bool // what 25.11 may leave out is missing
}

// A Monitor is an output.
type Monitor struct {
	Name          string
	X, Y          int
	Width, Height int
}

// A Point is on an output, from its top left corner.
type Point struct{ X, Y float64 }

// A Niri is a running model. Its methods may be called from any goroutine.
type Niri struct {
	options  Options
	path     string
	listener *net.UnixListener
	work     sync.WaitGroup
	closing  chan struct{}
	file     os.FileInfo // of the socket

	mu       sync.Mutex // guards what follows
	closed   bool
	desktop  *desktop
	told     *snapshot // what the subscribers know
	clients  map[*client]bool
	requests []string
	fault    func(name string) Fault
}

// Start runs a niri until the test ends. A socket that lies at Options.Path is
// replaced.
func Start(t testing.TB, o Options) *Niri {
	t.Helper()
	if o.Path == "" {
		dir, err := os.MkdirTemp("", "n") // t.TempDir is too long for a socket
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		o.Path = filepath.Join(dir, "niri.wayland-1.1.sock")
	}
	os.Remove(o.Path)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: o.Path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false) // see Close
	info, err := os.Stat(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	n := &Niri{
		options: o, path: o.Path, listener: l, closing: make(chan struct{}), file: info,
		desktop: newDesktop(o), clients: map[*client]bool{},
	}
	n.told = n.desktop.snapshot()
	n.work.Go(n.accept)
	t.Cleanup(n.Close)
	return n
}

// Path returns where the niri listens.
func (n *Niri) Path() string { return n.path }

// Close ends the niri: the socket is gone and all connections end. It waits
// until all goroutines have ended.
func (n *Niri) Close() {
	n.end()
	n.work.Wait()
}

func (n *Niri) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.closed = true
	close(n.closing)
	n.listener.Close()
	if info, err := os.Stat(n.path); err == nil && os.SameFile(info, n.file) {
		os.Remove(n.path) // unless it has been replaced by another's
	}
	for c := range n.clients {
		c.conn.Close()
	}
}

func (n *Niri) accept() {
	for {
		conn, err := n.listener.AcceptUnix()
		if err != nil {
			return
		}
		c := &client{niri: n, conn: conn}
		n.mu.Lock()
		if n.closed {
			conn.Close()
		} else {
			n.clients[c] = true
			n.work.Go(c.serve)
		}
		n.mu.Unlock()
	}
}

// Clients returns how many connections there are.
func (n *Niri) Clients() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.clients)
}

// Requests returns the requests that came, as they were written.
func (n *Niri) Requests() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.requests...)
}

// change lets f change the desktop and tells the subscribers. niri tells in two
// goes: workspaces that are left empty go away after what emptied them.
func (n *Niri) change(f func(*desktop)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(n.desktop)
	n.desktop.addTrailing()
	n.tell()
	n.desktop.sweep()
	n.tell()
}

// tell sends what has changed since it told the last time.
func (n *Niri) tell() {
	now := n.desktop.snapshot()
	if n.desktop.noteFocus(n.told, now) {
		now = n.desktop.snapshot()
	}
	for _, event := range append(n.desktop.takeNews(), changes(n.told, now)...) {
		n.send(event)
	}
	n.told = now
}

// pause waits, and reports whether the niri is still there.
func (n *Niri) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-n.closing:
		return false
	}
}
