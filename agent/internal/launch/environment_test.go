package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/tests/fakes/privatebus"
)

// program puts the test binary at path.
func program(t *testing.T, path string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.Symlink(self(), path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Field bug 23: an agent that was started early lacks the session's variables.
// Systemd's manager has them; what the agent has itself goes before.
func TestTheSessionsEnvironmentReachesPrograms(t *testing.T) {
	dir := t.TempDir()
	program(t, filepath.Join(dir, "manager-bin", "utter-of-the-manager"))
	address := privatebus.Start(t, nil)
	systemd := privatebus.Connect(t, address)
	get := func(iface, name string) (dbus.Variant, *dbus.Error) {
		return dbus.MakeVariant([]string{
			"WAYLAND_DISPLAY=wayland-9", "UTTER_BOTH=the manager's", "NOTIFY_SOCKET=/run/x", "UTTER_EQUALS=a=b", "UTTER_NOTHING",
			"PATH=relative:" + filepath.Join(dir, "manager-bin")}), nil
	}
	if err := systemd.ExportMethodTable(map[string]any{"Get": get}, "/org/freedesktop/systemd1",
		"org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, systemd, "org.freedesktop.systemd1")
	t.Setenv("PATH", "/usr/bin:/bin")
	t.Setenv("WAYLAND_DISPLAY", "")
	os.Unsetenv("WAYLAND_DISPLAY")
	t.Setenv("UTTER_BOTH", "the agent's")

	s := newStage(t)
	l := busLauncher(t, address)
	if _, err := l.Start(t.Context(),
		Command{Argv: append([]string{"utter-of-the-manager"}, s.argv()[1:]...)}); err != nil {
		t.Fatal(err)
	}
	p := s.enter(t)
	for name, want := range map[string]string{"WAYLAND_DISPLAY": "wayland-9",
		"UTTER_BOTH": "the agent's", "UTTER_EQUALS": "a=b"} {
		if got, _ := p.env(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if v, set := p.env("NOTIFY_SOCKET"); set {
		t.Errorf("NOTIFY_SOCKET=%s is passed on", v)
	}
	if path, _ := p.env("PATH"); !strings.HasPrefix(path, "/usr/bin:/bin:"+dir) || strings.Contains(path, "relative") {
		t.Errorf("PATH = %s", path)
	}
}

// A manager that never answers holds a launch up for a moment only.
func TestAManagerThatHangs(t *testing.T) {
	address := privatebus.Start(t, nil)
	hung := privatebus.Connect(t, address)
	asked, hold := make(chan bool, 1), make(chan bool)
	defer close(hold)
	get := func(string, string) (dbus.Variant, *dbus.Error) {
		asked <- true
		<-hold
		return dbus.MakeVariant(""), nil
	}
	if err := hung.ExportMethodTable(map[string]any{"Get": get}, "/org/freedesktop/systemd1",
		"org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, hung, "org.freedesktop.systemd1")
	s := newStage(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	start := time.Now()
	if _, err := busLauncher(t, address).Start(ctx, Command{Argv: s.argv()}); err != nil {
		t.Fatal(err)
	}
	s.enter(t)
	<-asked
	if took := time.Since(start); took > patience/2 {
		t.Errorf("it took %v", took)
	}
}

func TestCompletePath(t *testing.T) {
	home := t.TempDir()
	program(t, filepath.Join(home, ".local/bin/utter-at-home"))
	got := strings.Split(CompletePath("/usr/bin:/opt/missing:relative::.:/usr/bin", home), ":")
	if len(got) < 3 || got[0] != "/usr/bin" || got[1] != "/opt/missing" || got[2] != filepath.Join(home, ".local/bin") {
		t.Errorf("CompletePath = %q", got)
	}
	seen := map[string]bool{}
	for _, dir := range got {
		if seen[dir] || !filepath.IsAbs(dir) {
			t.Errorf("%q stands in %q", dir, got)
		}
		seen[dir] = true
	}

	t.Setenv("HOME", home)
	t.Setenv("PATH", "/usr/bin")
	s := newStage(t)
	l := newLauncher(t)
	if _, err := l.Start(t.Context(), Command{Argv: append([]string{"utter-at-home"}, s.argv()[1:]...)}); err != nil {
		t.Fatal(err)
	}
	s.enter(t)
	// The folder where the agent happens to be is not a place for programs.
	t.Chdir(filepath.Join(home, ".local/bin"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", ":.:/usr/bin")
	if _, err := l.Start(t.Context(), Command{Argv: []string{"utter-at-home"}}); !errors.Is(err, ErrNoProgram) {
		t.Errorf("Start of a program in the working folder = %v", err)
	}
}
