package sway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
)

// A desk is a private headless sway with its windows. What the tests compare
// with comes from swaymsg, not from this package.
type desk struct {
	t       *testing.T
	dir     string
	runtime string
	outputs int
	sway    *exec.Cmd
	exited  chan struct{} // closed when sway has been waited for
	display string
	socket  string
	windows []*exec.Cmd
}

// newDesk starts a sway with outputs of 1280x800 side by side. It ends with
// the test.
func newDesk(t *testing.T, outputs int) *desk {
	t.Helper()
	for _, program := range []string{"sway", "swaymsg", "foot"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; run this in the bed: scripts/dev go test ./agent/internal/compositor/...", program)
		}
	}
	dir := compositortest.ShortDir(t)
	d := &desk{t: t, dir: dir, runtime: filepath.Join(dir, "r"), outputs: outputs}
	for _, name := range []string{"r", "h", "c", "d", "k", "s"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(d.end)
	d.start()
	return d
}

// start starts sway, for the first time or after kill.
func (d *desk) start() {
	d.t.Helper()
	config := "xwayland disable\ndefault_border none\nfocus_follows_mouse no\nswaybg_command -\n"
	for n := range d.outputs {
		config += fmt.Sprintf("output HEADLESS-%d mode 1280x800@60Hz position %d 0\n", n+1, 1280*n)
	}
	file := filepath.Join(d.dir, "sway.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		d.t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(d.dir, "sway.log"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	before := d.displays()
	d.sway = exec.Command("sway", "-c", file)
	d.sway.Env = append(d.env(), "WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman",
		fmt.Sprintf("WLR_HEADLESS_OUTPUTS=%d", d.outputs), "LIBSEAT_BACKEND=noop")
	d.sway.Stdout, d.sway.Stderr = log, log
	if err := d.sway.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.exited = make(chan struct{})
	go func(sway *exec.Cmd, exited chan struct{}) {
		sway.Wait()
		close(exited)
	}(d.sway, d.exited)
	d.socket = filepath.Join(d.runtime, fmt.Sprintf("sway-ipc.%d.%d.sock", os.Getuid(), d.sway.Process.Pid))
	d.await("sway", func() bool {
		for name := range d.displays() {
			if !before[name] {
				d.display = name
			}
		}
		out, err := d.command("swaymsg", "-r", "-t", "get_outputs").Output()
		return err == nil && bytes.Count(out, []byte(`"active": true`)) == d.outputs && d.display != ""
	})
	d.msg("focus output HEADLESS-1") // the first workspace is made on the last one
}

// env is what programs on the desk see.
func (d *desk) env() []string {
	at := func(name string) string { return filepath.Join(d.dir, name) }
	return []string{
		"HOME=" + at("h"), "XDG_RUNTIME_DIR=" + d.runtime, "XDG_CONFIG_HOME=" + at("c"), "XDG_DATA_HOME=" + at("d"),
		"XDG_CACHE_HOME=" + at("k"), "XDG_STATE_HOME=" + at("s"), "LANG=C.UTF-8", "GSETTINGS_BACKEND=memory",
		"PATH=" + os.Getenv("PATH"),
	}
}

func (d *desk) displays() map[string]bool {
	names := map[string]bool{}
	paths, _ := filepath.Glob(filepath.Join(d.runtime, "wayland-*"))
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			names[filepath.Base(path)] = true
		}
	}
	return names
}

func (d *desk) command(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(d.env(), "WAYLAND_DISPLAY="+d.display, "SWAYSOCK="+d.socket)
	return cmd
}

// msg runs one of sway's own commands.
func (d *desk) msg(format string, args ...any) {
	d.t.Helper()
	text := fmt.Sprintf(format, args...)
	if out, err := d.command("swaymsg", "--", text).CombinedOutput(); err != nil {
		d.t.Fatalf("swaymsg %s: %v: %s", text, err, out)
	}
}

// open opens a foot and waits until it has the focus.
func (d *desk) open(app string) compositor.WindowID {
	d.t.Helper()
	cmd := d.command("foot", "--app-id="+app, "--title="+app, "cat")
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.windows = append(d.windows, cmd)
	d.await(app, func() bool {
		n, ok := d.find(func(n *oracle) bool { return n.AppID == app })
		return ok && n.Focused
	})
	return d.id(app)
}

// pid is the process of the window of app.
func (d *desk) pid(app string) int {
	d.t.Helper()
	n, ok := d.find(func(n *oracle) bool { return n.AppID == app })
	if !ok {
		d.t.Fatalf("there is no %s", app)
	}
	return n.PID
}

func (d *desk) id(app string) compositor.WindowID {
	d.t.Helper()
	n, ok := d.find(func(n *oracle) bool { return n.AppID == app })
	if !ok {
		d.t.Fatalf("there is no %s", app)
	}
	return compositor.WindowID(n.ID)
}

// An oracle is a node of the tree as swaymsg prints it.
type oracle struct {
	ID         int64     `json:"id"`
	Type       string    `json:"type"`
	Name       string    `json:"name"`
	AppID      string    `json:"app_id"`
	PID        int       `json:"pid"`
	Focused    bool      `json:"focused"`
	Fullscreen int       `json:"fullscreen_mode"`
	Floating   string    `json:"floating"`
	Nodes      []*oracle `json:"nodes"`
	FloatNodes []*oracle `json:"floating_nodes"`
}

// visit calls see for every node with the names of its output and workspace.
func (n *oracle) visit(output, workspace string, see func(n *oracle, output, workspace string)) {
	switch n.Type {
	case "output":
		output = n.Name
	case "workspace":
		workspace = n.Name
	}
	see(n, output, workspace)
	for _, child := range append(n.Nodes, n.FloatNodes...) {
		child.visit(output, workspace, see)
	}
}

func (d *desk) tree() *oracle {
	d.t.Helper()
	out, err := d.command("swaymsg", "-r", "-t", "get_tree").Output()
	root := &oracle{}
	if err != nil || json.Unmarshal(out, root) != nil {
		d.t.Fatalf("swaymsg -t get_tree: %v: %s", err, out)
	}
	return root
}

// workspaces returns the names of all workspaces.
func (d *desk) workspaces() (names []string) {
	d.t.Helper()
	d.tree().visit("", "", func(n *oracle, _, _ string) {
		if n.Type == "workspace" {
			names = append(names, n.Name)
		}
	})
	return names
}

func (d *desk) find(is func(*oracle) bool) (found *oracle, ok bool) {
	d.t.Helper()
	d.tree().visit("", "", func(n *oracle, _, _ string) {
		if is(n) {
			found, ok = n, true
		}
	})
	return found, ok
}

// where says in sway's words what has the focus and where.
func (d *desk) where() (where string) {
	d.t.Helper()
	d.tree().visit("", "", func(n *oracle, output, workspace string) {
		if n.Focused {
			where = fmt.Sprintf("%s on %s, %s", strings.TrimSuffix(n.AppID+" "+n.Type, " con"), workspace, output)
		}
	})
	return strings.TrimSpace(where)
}

func (d *desk) await(what string, ok func() bool) {
	d.t.Helper()
	if !compositortest.Eventually(ok) {
		log, _ := os.ReadFile(filepath.Join(d.dir, "sway.log"))
		d.t.Fatalf("%s did not come; sway says: %s", what, log)
	}
}

// connector finds the desk's sway as the agent does.
func (d *desk) connector(getenv func(string) string) func(context.Context) (compositor.Backend, error) {
	return func(ctx context.Context) (compositor.Backend, error) {
		b, err := Connect(ctx, getenv, d.runtime)
		if err != nil {
			return nil, err // a nil *Backend is not a nil Backend
		}
		return b, nil
	}
}

func (d *desk) backend() compositor.Backend {
	d.t.Helper()
	env := compositortest.Getenv(map[string]string{"SWAYSOCK": d.socket, "WAYLAND_DISPLAY": d.display})
	b, err := d.connector(env)(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { b.Close() })
	return b
}

// follow returns a Desktop on the desk.
func (d *desk) follow() *compositor.Desktop {
	d.t.Helper()
	return compositortest.Follow(d.t, d.backend())
}

// kill ends sway without warning. Its display name stays taken, as it does
// while a client of the old one lives on.
func (d *desk) kill() {
	d.t.Helper()
	lock := filepath.Join(d.runtime, d.display+".lock")
	d.sway.Process.Kill()
	<-d.exited
	d.endWindows()
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { f.Close() })
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		d.t.Fatal(err)
	}
	d.display = ""
}

func (d *desk) endWindows() {
	for _, w := range d.windows {
		w.Process.Signal(syscall.SIGCONT)
		w.Process.Kill()
		w.Wait()
	}
	d.windows = nil
}

// end takes everything down, by process id.
func (d *desk) end() {
	d.endWindows()
	if d.exited == nil {
		return
	}
	d.sway.Process.Signal(syscall.SIGCONT)
	d.sway.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(5 * time.Second):
		d.sway.Process.Kill()
		<-d.exited
	}
}
