package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sway is the desktop on a headless sway.
type sway struct {
	s        *Session
	process  *process
	starts   int
	keyboard *keyboard
}

func (d *sway) name() string { return "sway" }

func (d *sway) start() {
	d.starts++
	name := fmt.Sprintf("sway-%d", d.starts)
	d.s.write(name+".conf", d.config())
	runtime := d.s.env["XDG_RUNTIME_DIR"]
	for name, value := range map[string]string{
		"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
		"WLR_HEADLESS_OUTPUTS": fmt.Sprint(max(1, d.s.o.Outputs)), "LIBSEAT_BACKEND": "noop",
	} {
		d.s.env[name] = value
	}
	delete(d.s.env, "WAYLAND_DISPLAY")
	delete(d.s.env, "SWAYSOCK")
	before := sockets(runtime, "wayland-*")
	d.process = d.s.start(name, "sway", "-c", d.s.file(name+".conf"))
	socket := filepath.Join(runtime, fmt.Sprintf("sway-ipc.%d.%d.sock", os.Getuid(), d.process.pid()))
	d.s.await("sway", 10*time.Second, func() bool {
		for path := range sockets(runtime, "wayland-*") {
			if !before[path] {
				d.s.env["WAYLAND_DISPLAY"] = filepath.Base(path)
			}
		}
		d.s.env["SWAYSOCK"] = socket
		_, err := d.s.command("swaymsg", "-t", "get_version").Output()
		return err == nil && d.s.env["WAYLAND_DISPLAY"] != ""
	})
	for name := range d.s.env {
		if strings.HasPrefix(name, "WLR_") || name == "LIBSEAT_BACKEND" {
			delete(d.s.env, name)
		}
	}
}

func (d *sway) config() string {
	var b strings.Builder
	b.WriteString("xwayland disable\ndefault_border none\nfocus_follows_mouse no\n")
	for n := range max(1, d.s.o.Outputs) {
		fmt.Fprintf(&b, "output HEADLESS-%d mode 1280x800@60Hz position %d 0\n", n+1, 1280*n)
		fmt.Fprintf(&b, "workspace %d output HEADLESS-%d\n", n+1, n+1)
	}
	b.WriteString(d.s.o.Config)
	return b.String()
}

// sockets returns the sockets that match, not their lock files.
func sockets(dir, pattern string) map[string]bool {
	found := map[string]bool{}
	paths, _ := filepath.Glob(filepath.Join(dir, pattern))
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode()&os.ModeSocket != 0 {
			found[p] = true
		}
	}
	return found
}

func (d *sway) plugIn() {
	d.do("focus output HEADLESS-1")
	d.keyboard = newKeyboard(d.s, d.s.o.Layouts, d.s.o.Group)
	d.s.await("the seat's keyboard", 3*time.Second, func() bool {
		return strings.Contains(string(d.ask("get_seats")), `"capabilities": 2`)
	})
}

// restart ends sway with no warning and brings another one up on other
// sockets, as after a crash.
func (d *sway) restart() {
	d.kill()
	d.again()
}

// again brings sway up after kill and tells the bus, as a user's configuration
// of sway does.
func (d *sway) again() {
	d.s.t.Helper()
	d.start()
	d.plugIn()
	names := map[string]string{"WAYLAND_DISPLAY": d.s.env["WAYLAND_DISPLAY"], "SWAYSOCK": d.s.env["SWAYSOCK"]}
	err := d.s.conn.BusObject().Call("org.freedesktop.DBus.UpdateActivationEnvironment", 0, names).Err
	if err != nil {
		d.s.t.Fatal(err)
	}
}

// kill ends sway with no warning. Its display name stays taken.
func (d *sway) kill() {
	lock := filepath.Join(d.s.env["XDG_RUNTIME_DIR"], d.s.env["WAYLAND_DISPLAY"]+".lock")
	d.process.cmd.Process.Kill()
	<-d.process.done
	d.keyboard.close()
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		d.s.t.Fatal(err)
	}
	d.s.t.Cleanup(func() { f.Close() })
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		d.s.t.Fatal(err)
	}
}

func (d *sway) pids() []int {
	if d.process == nil {
		return nil
	}
	return []int{d.process.pid()}
}

func (d *sway) stop() {
	if d.keyboard != nil {
		d.keyboard.close()
	}
	if d.process != nil {
		d.process.stop(2 * time.Second)
	}
}

// do runs one of sway's own commands.
func (d *sway) do(format string, args ...any) {
	d.s.t.Helper()
	text := fmt.Sprintf(format, args...)
	if out, err := d.s.command("swaymsg", "--", text).CombinedOutput(); err != nil {
		d.s.t.Fatalf("swaymsg %s: %v %s", text, err, out)
	}
}

func (d *sway) ask(kind string) []byte {
	out, _ := d.s.command("swaymsg", "-r", "-t", kind).Output()
	return out
}

func (d *sway) focus(id uint64) { d.s.t.Helper(); d.do("[con_id=%d] focus", id) }

// A node is a part of sway's tree.
type node struct {
	ID             uint64 `json:"id"`
	Type           string `json:"type"`
	Name           string `json:"name"`
	AppID          string `json:"app_id"`
	PID            int    `json:"pid"`
	Focused        bool   `json:"focused"`
	FullscreenMode int    `json:"fullscreen_mode"`
	Nodes          []node `json:"nodes"`
	FloatingNodes  []node `json:"floating_nodes"`
}

func (d *sway) windows() (windows []Window) {
	var root node
	if json.Unmarshal(d.ask("get_tree"), &root) != nil {
		return nil
	}
	var walk func(n node, output, workspace string)
	walk = func(n node, output, workspace string) {
		switch n.Type {
		case "output":
			output = n.Name
		case "workspace":
			workspace = n.Name
		}
		if n.PID != 0 {
			windows = append(windows, Window{n.ID, n.AppID, n.Name, n.PID, n.Focused, workspace, output,
				n.FullscreenMode != 0, n.Type == "floating_con"})
		}
		for _, child := range append(n.Nodes, n.FloatingNodes...) {
			walk(child, output, workspace)
		}
	}
	walk(root, "", "")
	return windows
}

func (d *sway) workspace() string {
	var all []struct {
		Name    string `json:"name"`
		Focused bool   `json:"focused"`
	}
	json.Unmarshal(d.ask("get_workspaces"), &all)
	for _, w := range all {
		if w.Focused {
			return w.Name
		}
	}
	return ""
}
