package compositortest

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"utter/agent/internal/compositor"
)

// A Discovery says how compositors of one kind are found, so that its Test can
// check it.
type Discovery struct {
	Connect func(ctx context.Context, getenv func(string) string, runtimeDir string) (compositor.Backend, error)
	Dial    func(ctx context.Context, path string) error

	Kind      string        // "sway", as errors name it
	Variables []string      // environment variables that may name a socket
	Sockets   []string      // five file names that Connect looks for, in the order in which it does
	Others    []string      // further file names that it looks for
	ReplyTime time.Duration // how long Connect waits for a reply

	// Start serves path until the test ends and returns how many connections
	// are open. It behaves, but that it answers nothing if silent.
	Start func(t *testing.T, path string, silent bool) (connections func() int)
	// Wrong are programs that serve a path and are not a such compositor.
	Wrong map[string]func(t *testing.T, path string) (connections func() int)
}

// Test checks what Connect and Dial promise.
func (d Discovery) Test(t *testing.T) {
	for _, tt := range d.searches() {
		t.Run(tt.what, func(t *testing.T) { d.search(t, tt) })
	}
	t.Run("one that hangs", d.silence)
	t.Run("nobody", d.nobody)
}

// A search is a runtime folder and what is found in it.
type search struct {
	what     string
	live     []string // file names, as all that follow
	stale    []string // left behind
	wrong    string   // of a program that is not a such compositor
	impostor func(t *testing.T, path string) func() int
	env      []string // a variable and the socket that it names
	want     string   // the socket connected to, or ""
	err      error    // that the error is, else it names the variable to set
}

func (d Discovery) searches() []search {
	one, two, three := d.Sockets[0], d.Sockets[1], d.Sockets[2]
	first := d.Variables[0]
	all := []search{
		{what: "nothing", err: compositor.ErrNone},
		{what: "stale ones", live: []string{two}, stale: []string{one, three}, env: []string{first, three}, want: two},
		{what: "only a stale one", stale: []string{one}, env: []string{first, one}, err: compositor.ErrNone},
		{what: "several", live: []string{one, two}},
		{what: "several and one that is not there", live: []string{one, two}, env: []string{first, three}},
	}
	for _, name := range append([]string{one}, d.Others...) {
		all = append(all, search{what: "one at " + name, live: []string{name}, want: name})
	}
	for _, variable := range d.Variables {
		all = append(all,
			search{what: "several, the first in " + variable, live: []string{one, two}, env: []string{variable, one}, want: one},
			search{what: "several, the second in " + variable, live: []string{one, two},
				env: []string{variable, two}, want: two})
	}
	for what, start := range d.Wrong {
		all = append(all,
			search{what: what, wrong: one, impostor: start, err: compositor.ErrNone},
			search{what: what + " in " + first, wrong: one, impostor: start, live: []string{two},
				env: []string{first, one}, want: two})
	}
	return all
}

func (d Discovery) search(t *testing.T, tt search) {
	dir := ShortDir(t)
	at := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := map[string]func() int{}
	for _, name := range tt.live {
		open[name] = d.Start(t, at(name), false)
	}
	if tt.impostor != nil {
		open[tt.wrong] = tt.impostor(t, at(tt.wrong))
	}
	if tt.stale != nil { // and what has the name of a socket and is none
		if err := os.WriteFile(at(d.Sockets[3]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(at(d.Sockets[4]), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range tt.stale {
		leave(t, at(name))
	}
	env := map[string]string{}
	if tt.env != nil {
		env[tt.env[0]] = at(tt.env[1])
	}
	b, err := d.Connect(t.Context(), Getenv(env), dir)
	switch {
	case err == nil:
		d.check(t, b, filepath.Join(dir, tt.want))
		b.Close()
	case tt.want != "":
		t.Errorf("Connect = %v, want %s", err, tt.want)
	case tt.err != nil && (!errors.Is(err, tt.err) || !strings.Contains(err.Error(), d.Kind+": none is running")):
		t.Errorf("Connect = %v, want that none is running", err)
	case tt.err == nil && !strings.Contains(err.Error(), d.Variables[0]):
		t.Errorf("Connect = %v, want %s", err, d.Variables[0])
	}
	for name, connections := range open {
		if !Eventually(func() bool { return connections() == 0 }) {
			t.Errorf("%d connections to %s are left open", connections(), name)
		}
	}
}

// check checks that b is connected to the socket at want, and says so to the
// programs that it starts.
func (d Discovery) check(t *testing.T, b compositor.Backend, want string) {
	t.Helper()
	info := b.Info()
	if info.Name == "" || info.Version == "" {
		t.Errorf("Connect chose %+v, whose name or version is not known", info)
	}
	for _, variable := range d.Variables {
		if info.Env[variable] != want {
			t.Errorf("Connect chose %+v, want %s", info, want)
		}
	}
}

// silence checks that one that hangs does not keep the agent from one that answers.
func (d Discovery) silence(t *testing.T) {
	t.Parallel()
	dir := ShortDir(t)
	d.Start(t, filepath.Join(dir, d.Sockets[0]), true)
	want := filepath.Join(dir, d.Sockets[1])
	d.Start(t, want, false)
	start := time.Now()
	b, err := d.Connect(t.Context(), Getenv(nil), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	d.check(t, b, want)
	if took := time.Since(start); took > d.ReplyTime+3*time.Second {
		t.Errorf("that took %v", took)
	}
}

func (d Discovery) nobody(t *testing.T) {
	path := filepath.Join(ShortDir(t), "s")
	if err := d.Dial(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Dial without a socket = %v", err)
	}
	leave(t, path)
	if err := d.Dial(t.Context(), path); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("Dial of a stale socket = %v", err)
	}
}

// Getenv returns an os.Getenv for this environment.
func Getenv(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// ShortDir makes a folder whose path is short enough for sockets.
func ShortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "u")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// leave makes a socket that nobody listens at any more.
func leave(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}
