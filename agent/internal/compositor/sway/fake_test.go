package sway

import (
	"encoding/binary"
	"net"
	"sync"
	"testing"
)

// A fake is a socket at which a test plays sway. It answers with the recording
// of a real one, except where the test says otherwise.
type fake struct {
	path string
	r    recording

	mu      sync.Mutex
	answers map[messageType]func(net.Conn)
	asked   map[messageType]int
	open    int           // connections
	events  chan net.Conn // those that subscribed
	done    chan struct{}
}

// newFake listens at path.
func newFake(t testing.TB, path string) *fake {
	t.Helper()
	f := &fake{
		path: path, r: record(t, "sway"), answers: map[messageType]func(net.Conn){},
		asked: map[messageType]int{}, events: make(chan net.Conn, 10), done: make(chan struct{}),
	}
	l, err := net.Listen("unix", f.path)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { f.serve(c) })
		}
	})
	t.Cleanup(func() {
		close(f.done)
		l.Close()
		serving.Wait()
	})
	return f
}

// on makes answer what happens to questions of type t.
func (f *fake) on(t messageType, answer func(net.Conn)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[t] = answer
}

// count returns how often t was asked.
func (f *fake) count(t messageType) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[t]
}

// connections returns how many are open.
func (f *fake) connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

func (f *fake) serve(c net.Conn) {
	f.note(1)
	defer f.note(-1)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-f.done:
		case <-ended:
		}
		c.Close()
	}()
	for {
		t, _, err := readMessage(c)
		if err != nil {
			return
		}
		f.mu.Lock()
		answer := f.answers[t]
		f.asked[t]++
		f.mu.Unlock()
		if answer == nil {
			answer = says(t, string(f.usual(t)))
		}
		answer(c)
		if t == subscribe {
			f.events <- c
		}
	}
}

func (f *fake) note(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open += n
}

func (f *fake) usual(t messageType) []byte {
	switch t {
	case getTree:
		return f.r.tree
	case getWorkspaces:
		return f.r.workspaces
	case getOutputs:
		return f.r.outputs
	case getInputs:
		return f.r.inputs
	case getVersion:
		return f.r.version
	case runCommand:
		return []byte(`[{"success":true}]`)
	}
	return []byte(`{"success":true}`)
}

// says answers with one message.
func says(t messageType, payload string) func(net.Conn) {
	return func(c net.Conn) { writeMessage(c, t, payload) }
}

// sends answers with bytes as they are, and then ends the connection if end.
func sends(end bool, data []byte) func(net.Conn) {
	return func(c net.Conn) {
		c.Write(data)
		if end {
			c.Close()
		}
	}
}

// header is that of a message of n bytes.
func header(n uint32, t messageType) []byte {
	b := binary.NativeEndian.AppendUint32([]byte(magic), n)
	return binary.NativeEndian.AppendUint32(b, uint32(t))
}

// dialFake connects to f; the connection ends with the test.
func dialFake(t testing.TB, f *fake) *Backend {
	t.Helper()
	b, err := Dial(t.Context(), f.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}
