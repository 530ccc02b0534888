package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/tests/fakes/privatebus"
)

// A heard is one call that an application got.
type heard struct {
	PID    int
	Method string
	URLs   []string
	Data   map[string]string
}

// An application answers as GApplication does and tells what it heard.
type application struct{ told chan heard }

func (a *application) hear(method string, urls []string, data map[string]dbus.Variant) *dbus.Error {
	h := heard{PID: os.Getpid(), Method: method, URLs: urls, Data: map[string]string{}}
	for name, v := range data {
		h.Data[name], _ = v.Value().(string)
	}
	a.told <- h
	return nil
}

func (a *application) export(conn *dbus.Conn, path dbus.ObjectPath) error {
	return conn.ExportMethodTable(map[string]any{
		"Activate": func(data map[string]dbus.Variant) *dbus.Error { return a.hear("Activate", nil, data) },
		"Open": func(urls []string, data map[string]dbus.Variant) *dbus.Error {
			return a.hear("Open", urls, data)
		},
	}, path, "org.freedesktop.Application")
}

// playApplication is an application that the bus starts: it tells the stage what
// it hears, and goes with the bus.
func playApplication(name, socket string) {
	stage, err := net.Dial("unix", socket)
	if err != nil {
		panic(err)
	}
	conn, err := dbus.Connect(os.Getenv("DBUS_STARTER_ADDRESS"))
	if err != nil {
		panic(err)
	}
	a := &application{make(chan heard, 8)}
	path := dbus.ObjectPath("/" + strings.ReplaceAll(strings.ReplaceAll(name, ".", "/"), "-", "_"))
	if err := a.export(conn, path); err != nil {
		panic(err)
	}
	if _, err := conn.RequestName(name, 0); err != nil {
		panic(err)
	}
	for {
		select {
		case h := <-a.told:
			json.NewEncoder(stage).Encode(h)
		case <-conn.Context().Done():
			os.Exit(0)
		}
	}
}

// The bus starts the application, and what is asked reaches it once, with the
// token under both names.
func TestActivateStartsAnApplication(t *testing.T) {
	const name = "org.example.Note-Book"
	s := newStage(t)
	l := busLauncher(t,
		privatebus.Start(t, map[string]string{name: fmt.Sprintf("%s play application %s %s", self(), name, s.socket)}))
	calls := make(chan heard)
	go func() {
		for conn, err := s.listener.Accept(); err == nil; conn, err = s.listener.Accept() {
			for d := json.NewDecoder(conn); ; {
				var h heard
				if d.Decode(&h) != nil {
					break
				}
				calls <- h
			}
		}
	}()
	if pid := l.OwnerPID(t.Context(), name); pid != 0 {
		t.Errorf("OwnerPID before the start = %d", pid)
	}
	for _, tt := range []struct {
		token string
		urls  []string
		want  string
	}{
		{"the-token", nil, "Activate [] map[activation-token:the-token desktop-startup-id:the-token]"},
		{"", []string{"https://a.example/?q=x%20&y", "mailto:b"}, "Open [https://a.example/?q=x%20&y mailto:b] map[]"},
		{"", nil, "Activate [] map[]"},
	} {
		if err := l.Activate(t.Context(), name, tt.token, tt.urls); err != nil {
			t.Fatalf("Activate = %v", err)
		}
		var h heard
		select {
		case h = <-calls:
		case <-time.After(patience):
			t.Fatal("it hears nothing")
		}
		if got := fmt.Sprint(h.Method, " ", h.URLs, " ", h.Data); got != tt.want {
			t.Errorf("it heard %s, want %s", got, tt.want)
		}
		if pid := l.OwnerPID(t.Context(), name); pid != h.PID {
			t.Errorf("OwnerPID = %d, want %d", pid, h.PID)
		}
	}
}

// What the bus cannot start may be started otherwise; what got the call and
// failed may not, for it may be running.
func TestActivateTellsWhatMayBeStartedOtherwise(t *testing.T) {
	address := privatebus.Start(t, map[string]string{
		"org.example.Failing": self() + " play exit 3",
		"org.example.Dead":    "/nonexistent/program",
	})
	l := busLauncher(t, address)
	other := privatebus.Connect(t, address)
	privatebus.Own(t, other, "org.example.Deaf") // has the name and no such object

	angry := privatebus.Connect(t, address)
	refuse := func(map[string]dbus.Variant) *dbus.Error {
		return dbus.NewError("org.example.Error.Busy", []any{"not now"})
	}
	if err := angry.ExportMethodTable(map[string]any{"Activate": refuse}, "/org/example/Angry",
		"org.freedesktop.Application"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, angry, "org.example.Angry")

	// So says the bus where systemd starts its services, and this one is masked.
	masked := privatebus.Connect(t, address)
	mask := func(map[string]dbus.Variant) *dbus.Error {
		return dbus.NewError("org.freedesktop.systemd1.UnitMasked", nil)
	}
	if err := masked.ExportMethodTable(map[string]any{"Activate": mask}, "/org/example/Masked",
		"org.freedesktop.Application"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, masked, "org.example.Masked")

	dying := privatebus.Connect(t, address)
	die := func(map[string]dbus.Variant) *dbus.Error { dying.Close(); return nil }
	if err := dying.ExportMethodTable(map[string]any{"Activate": die}, "/org/example/Dying",
		"org.freedesktop.Application"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, dying, "org.example.Dying")

	for _, tt := range []struct {
		name      string
		otherwise bool
	}{
		{"org.example.Unknown", true}, // no service file
		{"org.example.Failing", true},
		{"org.example.Dead", true},
		{"org.example.Deaf", true},
		{"org.example.Masked", true},
		{"org.example.Angry", false},
		{"org.example.Dying", false},
	} {
		err := l.Activate(t.Context(), tt.name, "", nil)
		if err == nil || errors.Is(err, ErrNotActivatable) != tt.otherwise || !strings.Contains(err.Error(), tt.name) {
			t.Errorf("Activate(%s) = %v; may be started otherwise: %v", tt.name, err, tt.otherwise)
		}
	}
}

func TestActivateWithoutABus(t *testing.T) {
	l := newLauncher(t)
	if err := l.Activate(t.Context(), "org.example.App", "", nil); !errors.Is(err, ErrNotActivatable) {
		t.Errorf("Activate = %v", err)
	}
	if pid := l.OwnerPID(t.Context(), "org.example.App"); pid != 0 {
		t.Errorf("OwnerPID = %d", pid)
	}
}

// An application that never answers holds nobody up whose context ends.
func TestActivateEndsWithItsContext(t *testing.T) {
	address := privatebus.Start(t, nil)
	slow := privatebus.Connect(t, address)
	asked, hold := make(chan bool, 1), make(chan bool)
	defer close(hold)
	never := func(map[string]dbus.Variant) *dbus.Error { asked <- true; <-hold; return nil }
	if err := slow.ExportMethodTable(map[string]any{"Activate": never}, "/org/example/Slow",
		"org.freedesktop.Application"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, slow, "org.example.Slow")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	err := busLauncher(t, address).Activate(ctx, "org.example.Slow", "", nil)
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrNotActivatable) {
		t.Errorf("Activate = %v, want context.Canceled", err)
	}
}
