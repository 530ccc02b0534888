package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is for other processes on a loaded machine.
const patience = 20 * time.Second

// TestMain lets the test binary play the probe, a runner that is killed, and a
// bubblewrap that leaves something out.
func TestMain(m *testing.M) {
	BecomeProbe()
	if len(os.Args) > 2 && os.Args[1] == "play" {
		switch os.Args[2] {
		case "runner":
			playRunner(os.Args[3], os.Args[4])
		case "bwrap":
			playBwrap(os.Args[3], os.Args[4], os.Args[5], os.Args[6:])
		}
		panic("there is no such part: " + os.Args[2])
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // of the programs that are started
	probeEnv = []string{"GORACE=atexit_sleep_ms=0"}
	os.Exit(m.Run())
}

// A desk is a session with everything a plugin must be kept from, and a folder
// for everything it may be given. All of it is real, but no part is the user's.
type desk struct {
	t    *testing.T
	host Host
	box  *Box
	root string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	root, err := os.MkdirTemp("", "desk-") // short: a socket's path has 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	d := &desk{t: t, root: root, host: Host{
		Home:    filepath.Join(root, "home"),
		Runtime: filepath.Join(root, "run"),
		Bus:     "unix:path=" + filepath.Join(root, "run/bus") + ",guid=1",
		Wayland: filepath.Join(root, "run/wayland-1"),
		Socket:  filepath.Join(root, "run/utter/runner.sock"),
		Private: []string{filepath.Join(root, "home/.config/utter")},
	}}
	for _, dir := range []string{"run/utter", "run/pulse", "home/.config/utter", "plugin", "read", "write", "temp"} {
		d.mkdir(dir)
	}
	for _, name := range []string{"run/bus", "run/wayland-1", "run/utter/runner.sock",
		"run/pipewire-0", "run/pulse/native"} {
		d.listen("unix", d.path(name))
	}
	for _, name := range []string{"home/.profile", "home/.config/utter/config.toml", "plugin/given",
		"read/given", "write/given"} {
		d.write(name, "the text of "+name)
	}
	d.box = New(d.host)
	return d
}

// boxed is newDesk on a machine with a sandbox. Elsewhere the test is skipped.
func boxed(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	if r := works(); !r.Works {
		t.Skip("no sandbox here: " + r.Reason)
	}
	return d
}

var works = sync.OnceValue(func() Report { return New(Host{}).Probe(testContext{}) })

func (d *desk) path(name string) string { return filepath.Join(d.root, name) }

func (d *desk) mkdir(name string) {
	d.t.Helper()
	if err := os.MkdirAll(d.path(name), 0o700); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.path(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) link(target, name string) {
	d.t.Helper()
	if err := os.Symlink(target, d.path(name)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) listen(network, address string) net.Listener {
	d.t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	return l
}

// spec gives what a plugin usually has.
func (d *desk) spec(granted ...string) Spec {
	return Spec{
		Folder: d.path("plugin"), ReadPaths: []string{d.path("read")}, WritePaths: []string{d.path("write")},
		Temp: d.path("temp"), Dir: d.path("plugin"), Granted: granted, Env: []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
	}
}

// probe makes the attempts as a plugin of spec, in the sandbox.
func (d *desk) probe(spec Spec, attempts ...attempt) answer {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	spec.Argv, spec.Program, spec.Env = []string{self, probeArgument}, self, slices.Concat(spec.Env, probeEnv)
	cmd, err := d.box.Command(spec)
	if err != nil {
		d.t.Fatal(err)
	}
	a, err := run(d.t.Context(), cmd, attempts)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// python starts a program of Python's, in the sandbox or outside.
func (d *desk) python(inside bool, spec Spec, program string, args ...string) (*Cmd, *bytes.Buffer) {
	d.t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		d.t.Skip("there is no python3")
	}
	d.write("plugin/plugin.py", program)
	spec.Program, spec.Argv = interpreter, append([]string{"python3", d.path("plugin/plugin.py")}, args...)
	cmd := Plain(spec)
	if inside {
		if cmd, err = d.box.Command(spec); err != nil {
			d.t.Fatal(err)
		}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 100 * time.Millisecond // what a stray holds open
	d.t.Cleanup(func() { cmd.Kill() })
	return cmd, &out
}

// says runs a program of Python's to its end and returns what it prints.
func (d *desk) says(inside bool, spec Spec, program string, args ...string) string {
	d.t.Helper()
	cmd, out := d.python(inside, spec, program, args...)
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		d.t.Fatalf("the plugin: %v\n%s", err, out)
	}
	return strings.TrimSpace(out.String())
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out: %s", what)
		}
	}
}

// playRunner starts a plugin in a sandbox that has a child in a session of its
// own, tells their numbers, and waits to be killed.
func playRunner(folder, program string) {
	cmd, err := New(Host{}).Command(Spec{Program: program, Argv: []string{program, "plugin.py"},
		Folder: folder, Dir: folder})
	if err != nil {
		panic(err)
	}
	said, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if _, err := said.Read(make([]byte, 1)); err != nil {
		panic(err)
	}
	json.NewEncoder(os.Stdout).Encode(cmd.Alive())
	select {}
}

// playBwrap is the bubblewrap real with the options changed: drop is taken away,
// those of add come behind the private /tmp.
func playBwrap(realBwrap, drop, add string, args []string) {
	if len(args) < 2 || args[0] != "--args" {
		panic(syscall.Exec(realBwrap, append([]string{"bwrap"}, args...), nil))
	}
	fd, err := strconv.Atoi(args[1])
	if err != nil {
		panic(err)
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		panic(err)
	}
	options := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	if i := slices.Index(options, drop); i >= 0 {
		options = slices.Delete(options, i, i+1)
	}
	options = slices.Insert(options, slices.Index(options, "/tmp")+1, strings.Fields(add)...)
	file, err := sealed("options", []byte(strings.Join(options, "\x00")+"\x00"))
	if err != nil {
		panic(err)
	}
	if err := unix.Dup3(int(file.Fd()), fd, 0); err != nil {
		panic(err)
	}
	panic(syscall.Exec(realBwrap, append([]string{"bwrap"}, args...), nil))
}
