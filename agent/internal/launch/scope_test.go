package launch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/tests/fakes/privatebus"
)

// A scope is one call of StartTransientUnit.
type scope struct {
	unit, mode string
	properties map[string]any
}

type property struct {
	Name  string
	Value dbus.Variant
}

// fakeSystemd owns systemd's name on the bus and tells the units it is asked to
// start. It answers none.
func fakeSystemd(t *testing.T, address string) <-chan scope {
	t.Helper()
	conn := privatebus.Connect(t, address)
	scopes, hold := make(chan scope, 8), make(chan bool)
	t.Cleanup(func() { close(hold) })
	start := func(unit, mode string, properties []property, _ []struct {
		Name       string
		Properties []property
	}) (dbus.ObjectPath, *dbus.Error) {
		s := scope{unit, mode, map[string]any{}}
		for _, p := range properties {
			s.properties[p.Name] = p.Value.Value()
		}
		scopes <- s
		<-hold
		return "/job/1", nil
	}
	if err := conn.ExportMethodTable(map[string]any{"StartTransientUnit": start},
		"/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, conn, "org.freedesktop.systemd1")
	return scopes
}

// Where systemd runs the session, a program gets a scope of its own, and nobody
// waits for systemd.
func TestAProgramGetsAScope(t *testing.T) {
	address := privatebus.Start(t, nil)
	scopes := fakeSystemd(t, address)
	l, s := busLauncher(t, address), newStage(t)
	for _, name := range []string{"org.example.Viewer", "firefox-esr"} {
		p, err := l.Start(t.Context(), Command{Argv: s.argv(), Name: name})
		if err != nil {
			t.Fatal(err)
		}
		s.enter(t).tell(t, "ping")
		var got scope
		select {
		case got = <-scopes:
		case <-time.After(patience):
			t.Fatal("systemd is not asked")
		}
		if want := fmt.Sprintf("app-utter-%s-%d.scope", strings.ReplaceAll(name, "-", `\x2d`),
			p.PID); got.unit != want || got.mode != "fail" {
			t.Errorf("unit %s, mode %s; want %s, fail", got.unit, got.mode, want)
		}
		if id := cgroupAppID("0::/user.slice/app.slice/" + got.unit + "\n"); id != name {
			t.Errorf("AppID of it is %q, want %q", id, name)
		}
		pids, _ := got.properties["PIDs"].([]uint32)
		if !slices.Equal(pids, []uint32{uint32(p.PID)}) || got.properties["CollectMode"] != "inactive-or-failed" ||
			got.properties["Description"] != name {
			t.Errorf("properties %v", got.properties)
		}
	}
}

// A session without systemd is left as it is: the bus is not asked to start one.
func TestSystemdIsNotStarted(t *testing.T) {
	const systemd = "org.freedesktop.systemd1"
	s := newStage(t)
	address := privatebus.Start(t, map[string]string{systemd: fmt.Sprintf("%s play puppet %s", self(), s.socket)})
	l := busLauncher(t, address)
	if _, err := l.Start(t.Context(), Command{Argv: s.argv("the program"), Name: "x"}); err != nil {
		t.Fatal(err)
	}
	// The bus has read the request when it answers this; it would start the
	// service before it reads on.
	l.OwnerPID(t.Context(), systemd)
	if _, err := l.Start(t.Context(), Command{Argv: s.argv("the program"), Name: "x"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if p := s.enter(t); len(p.Args) != 1 {
			t.Errorf("the bus started %v", p.Args)
		}
	}
}
