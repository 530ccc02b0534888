package notify

import (
	"fmt"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"

	"utter/tests/fakes/privatebus"
)

// A server shows notifications, as a test says.
type server struct {
	conn  *dbus.Conn
	shown chan string // what is shown, in one line

	mu       sync.Mutex
	can      []string
	onNotify func(id uint32) *dbus.Error // before the answer
	ids      uint32
}

func (s *server) capabilities() ([]string, *dbus.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.can, nil
}

func (s *server) notify(app string, replaces uint32, icon, summary, body string, actions []string,
	hints map[string]dbus.Variant, ms int32) (uint32, *dbus.Error) {
	s.mu.Lock()
	s.ids++
	id, onNotify := s.ids, s.onNotify
	s.mu.Unlock()
	s.shown <- fmt.Sprintf("%s|%d|%s|%s|%s|%q|%v|%d", app, replaces, icon, summary, body, actions, hints, ms)
	if onNotify != nil {
		if err := onNotify(id); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// set changes how the server is.
func (s *server) set(can []string, onNotify func(id uint32) *dbus.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.can, s.onNotify = can, onNotify
}

// newServer owns the name of notifications on the bus.
func newServer(t *testing.T, address string) *server {
	t.Helper()
	s := &server{conn: privatebus.Connect(t, address), shown: make(chan string, 16)}
	methods := map[string]any{"GetCapabilities": s.capabilities, "Notify": s.notify}
	if err := s.conn.ExportMethodTable(methods, path, service); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, s.conn, service)
	return s
}

func emit(t *testing.T, conn *dbus.Conn, name string, values ...any) {
	t.Helper()
	if err := conn.Emit(path, service+"."+name, values...); err != nil {
		t.Error(err)
	}
}
