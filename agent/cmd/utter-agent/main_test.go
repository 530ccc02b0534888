package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/shared/bus"
	"utter/tests/fakes/privatebus"
)

// patience is for other processes on a loaded machine.
const patience = 20 * time.Second

// isolate gives the process a fresh home and nothing of this machine's desktop.
func isolate(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, dir := range map[string]string{
		"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state",
		"XDG_CACHE_HOME":  "cache",
		"XDG_RUNTIME_DIR": "run", "XDG_DATA_DIRS": "share", "PATH": "bin",
	} {
		t.Setenv(name, filepath.Join(root, dir))
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"WAYLAND_DISPLAY", "SWAYSOCK", "I3SOCK", "NIRI_SOCKET", "DISPLAY",
		"XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS"} {
		t.Setenv(name, "")
	}
	return root
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestUsage(t *testing.T) {
	root := isolate(t)
	file := func(name string) string { return filepath.Join(root, name) }
	good, bad, other := file("good.toml"), file("bad.toml"), file("other.toml")
	writeFile(t, good, "[agent]\ntype_with = \"clipboard\"\n[policy]\nenabled_ops = [\"terminal\"]\n")
	writeFile(t, bad, "[policy]\nenabled_ops = [\"terminal\"]\nconfirm_opps = []\n[agent]\ntype_wth = \"auto\"\n")
	writeFile(t, other, "[search]\nengine = \"gogle\"\n")
	for _, tt := range []struct {
		args           []string
		status         int
		stdout, stderr []string // what they say
	}{
		{[]string{"--version"}, exitOK, []string{"utter-agent " + version}, nil},
		{[]string{"-version"}, exitOK, []string{"utter-agent " + version}, nil},
		{[]string{"--help"}, exitOK, nil, []string{"-check-config", "-config FILE", "-debug", "-version"}},
		{[]string{"--bogus"}, exitUsage, nil, []string{"-bogus"}},
		{[]string{"--config"}, exitUsage, nil, []string{"-config"}},
		{[]string{"--debug=perhaps"}, exitUsage, nil, []string{"perhaps"}},
		{[]string{"serve"}, exitUsage, nil, []string{"utter-agent: unexpected argument \"serve\""}},
		{[]string{"--check-config", "serve"}, exitUsage, nil, []string{"serve"}},
		// Without a file the defaults count, but a file that is named must be there.
		{[]string{"--check-config"}, exitOK, []string{"valid"}, nil},
		{[]string{"--check-config", "--config", file("missing.toml")}, exitConfig, nil, []string{"missing.toml"}},
		{[]string{"--check-config", "--config", good}, exitOK, []string{"valid"}, nil},
		{[]string{"--check-config", "--config", root}, exitConfig, nil, []string{root}},
		{[]string{"--config=" + bad, "--check-config"}, exitConfig, nil, // every error, with its place and what to write
			[]string{"bad.toml:3:1: policy.confirm_opps", `"policy.confirm_ops"`, "bad.toml:5:1: agent.type_wth",
				`"agent.type_with"`}},
		{[]string{"--check-config", "--config", other}, exitConfig, nil, []string{"other.toml", "search.engine"}},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), tt.args, &stdout, &stderr)
		if status != tt.status {
			t.Errorf("%q: exit status %d, want %d", tt.args, status, tt.status)
		}
		for _, out := range []struct {
			name, text string
			want       []string
		}{{"output", stdout.String(), tt.stdout}, {"error", stderr.String(), tt.stderr}} {
			if len(out.want) == 0 && out.text != "" {
				t.Errorf("%q: its %s is %q", tt.args, out.name, out.text)
			}
			for _, w := range out.want {
				if !strings.Contains(out.text, w) {
					t.Errorf("%q: its %s %q does not say %q", tt.args, out.name, out.text, w)
				}
			}
		}
	}
	// The usual file, where there is one.
	writeFile(t, filepath.Join(root, "config/utter/config.toml"), "[serach]\n")
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"--check-config"}, &stdout, &stderr); status != exitConfig ||
		!strings.Contains(stderr.String(), `"search"`) {
		t.Errorf("the usual file: exit status %d: %s", status, &stderr)
	}
}

// Without a session bus the agent ends, says which variable to look at, and
// starts no bus of its own.
func TestWithoutABusTheAgentEnds(t *testing.T) {
	root := isolate(t)
	trace := filepath.Join(root, "trace")
	writeFile(t, filepath.Join(root, "bin/dbus-launch"), "#!/bin/sh\n: >"+trace+"\n")
	if err := os.Chmod(filepath.Join(root, "bin/dbus-launch"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"", "unix:path=" + filepath.Join(root, "nowhere"), "nonsense"} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), nil, &stdout, &stderr)
		if status != exitFailed || !strings.Contains(stderr.String(), "DBUS_SESSION_BUS_ADDRESS") || stdout.Len() > 0 {
			t.Errorf("%q: exit status %d: %s", address, status, &stderr)
		}
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("dbus-launch was run")
	}
}

// A log is written to by several goroutines.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A running is an agent that serves.
type running struct {
	stderr *log
	wait   func() int // waits for its end and returns its exit status
	end    func() int // asks it to end, and waits
}

// start runs the agent and waits until it has its name.
func start(t *testing.T, address string, args ...string) *running {
	t.Helper()
	watcher := privatebus.Connect(t, address)
	if err := watcher.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, bus.Agent)); err != nil {
		t.Fatal(err)
	}
	owners := make(chan *dbus.Signal, 8)
	watcher.Signal(owners)
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{stderr: &log{}}
	status := make(chan int, 1)
	go func() { status <- run(ctx, args, &log{}, r.stderr) }()
	r.wait = sync.OnceValue(func() int {
		select {
		case s := <-status:
			return s
		case <-time.After(patience):
			t.Error("the agent does not end")
			return -1
		}
	})
	r.end = func() int {
		cancel()
		return r.wait()
	}
	t.Cleanup(func() { r.end() })
	select {
	case <-owners:
	case s := <-status:
		t.Fatalf("the agent ends with %d: %s", s, r.stderr)
	case <-time.After(patience):
		t.Fatalf("the agent does not claim its name: %s", r.stderr)
	}
	return r
}

// The agent serves without a compositor, says so, makes room for nobody, and
// ends well when it is asked to.
func TestTheAgentServes(t *testing.T) {
	root := isolate(t)
	address := privatebus.Start(t, nil)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	file := filepath.Join(root, "config/utter/config.toml")
	writeFile(t, file, "[agent]\n\ntype_wth = \"auto\"\n[policy]\nenabled_ops = [\"terminal\"]\n")
	agent := start(t, address)
	client, err := bus.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	if p, err := client.PlanWithOptions(t.Context(), "workspace 3", bus.PlanOptions{}); err != nil || !p.Found {
		t.Errorf("the plan = %+v, %v", p, err)
	}
	reply, err := client.RunWithOptions(t.Context(), "workspace 3", bus.RunOptions{})
	if err != nil || reply.Outcome != "refused" || len(reply.Steps) != 1 || reply.Last().Reason != "missing" {
		t.Errorf("run without a compositor = %+v, %v", reply, err)
	}
	// Of a broken configuration nothing counts: what is dangerous is off.
	reply, err = client.RunWithOptions(t.Context(), "run command ls", bus.RunOptions{})
	if err != nil || reply.Outcome == "completed" || reply.Last().Token != "" {
		t.Errorf("run of a command = %+v, %v", reply, err)
	}
	status, err := client.Status(t.Context())
	if err != nil || len(status.Problems) != 1 {
		t.Fatalf("Status = %+v, %v", status, err)
	}
	if p := status.Problems[0]; p.File != file || p.Severity != "error" || p.Line != 3 ||
		!strings.Contains(p.Message, "agent.type_with") {
		t.Errorf("the problem = %+v, want one in line 3 of %s", p, file)
	}
	parts, err := client.Doctor(t.Context())
	if err != nil || len(parts) < 5 || parts[0].Name != "compositor" || parts[0].State != "absent" {
		t.Errorf("Doctor = %v, %v", parts, err)
	}

	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), nil, &stdout, &stderr); status != exitOK ||
		!strings.Contains(stderr.String(), "another agent is running") {
		t.Errorf("a second agent: exit status %d: %s", status, &stderr)
	}
	if _, err := client.Status(t.Context()); err != nil {
		t.Errorf("afterwards the first answers %v", err)
	}

	if status := agent.end(); status != exitOK {
		t.Errorf("exit status %d: %s", status, agent.stderr)
	}
	if _, err := client.Status(t.Context()); !errors.Is(err, bus.ErrNoAgent) {
		t.Errorf("after its end: %v", err)
	}
}

// What is said is in no log, unless it is asked for.
func TestUtterancesAreNotLogged(t *testing.T) {
	isolate(t)
	address := privatebus.Start(t, nil)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	agent := start(t, address)
	client, err := bus.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var said sync.WaitGroup
	for _, utterance := range []string{"type my secret", "search for my secret",
		"open https://my.secret.example/secret", "my secret gibberish"} {
		said.Go(func() {
			if _, err := client.RunWithOptions(t.Context(), utterance, bus.RunOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	said.Wait()
	agent.end()
	if text := agent.stderr.String(); strings.Contains(text, "secret") || !strings.Contains(text, "ready") {
		t.Errorf("it logs\n%s", text)
	}
}

// The agent ends with an error where the bus goes away: whoever started it may
// start it again.
func TestTheAgentEndsWithTheBus(t *testing.T) {
	isolate(t)
	address, end := privatebus.StartEnding(t, nil)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	agent := start(t, address)
	end()
	if status := agent.wait(); status != exitFailed {
		t.Errorf("exit status %d: %s", status, agent.stderr)
	}
}
