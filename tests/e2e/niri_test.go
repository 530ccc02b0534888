package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"time"
)

// niri is the desktop on a niri that runs as a window of a headless sway. Its
// seat has a keyboard of its own, with the layouts of its configuration.
type niri struct {
	s       *Session
	path    string
	host    sway
	process *process
}

func (d *niri) name() string { return "niri" }

func (d *niri) start() {
	d.host.start()
	hostDisplay := d.s.env["WAYLAND_DISPLAY"]
	delete(d.s.env, "SWAYSOCK")
	d.s.write("niri.kdl", d.config())
	runtime := d.s.env["XDG_RUNTIME_DIR"]
	before := sockets(runtime, "wayland-*")
	d.process = d.s.start("niri", d.path, "-c", d.s.file("niri.kdl"))
	delete(d.s.env, "WAYLAND_DISPLAY")
	d.s.await("niri", 30*time.Second, func() bool {
		for path := range sockets(runtime, "wayland-*") {
			if !before[path] && filepath.Base(path) != hostDisplay {
				d.s.env["WAYLAND_DISPLAY"] = filepath.Base(path)
			}
		}
		for path := range sockets(runtime, "niri.*.sock") {
			d.s.env["NIRI_SOCKET"] = path
		}
		var version string
		return d.s.env["WAYLAND_DISPLAY"] != "" && d.ask(`"Version"`, "Version", &version)
	})
	d.s.env["XDG_CURRENT_DESKTOP"] = "niri"
}

func (d *niri) config() string {
	layouts := d.s.o.Layouts
	if layouts == "" {
		layouts = "us"
	}
	return fmt.Sprintf("input { keyboard { xkb { layout %q; }; }; }\n", layouts) +
		"hotkey-overlay { skip-at-startup; }\nprefer-no-csd\nanimations { off; }\n" +
		"output \"winit\" { scale 1.0; }\n"
}

func (d *niri) plugIn() {
	if d.s.o.Group != 0 {
		d.action(fmt.Sprintf(`{"SwitchLayout":{"layout":{"Index":%d}}}`, d.s.o.Group))
	}
}

// ask sends one request and decodes the reply called name into v. It reports
// whether that came.
func (d *niri) ask(request, name string, v any) bool {
	conn, err := net.DialTimeout("unix", d.s.env["NIRI_SOCKET"], time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := fmt.Fprintln(conn, request); err != nil {
		return false
	}
	var reply struct{ Ok json.RawMessage }
	if json.NewDecoder(conn).Decode(&reply) != nil || reply.Ok == nil {
		return false
	}
	if v == nil {
		return true
	}
	var named map[string]json.RawMessage
	return json.Unmarshal(reply.Ok, &named) == nil && json.Unmarshal(named[name], v) == nil
}

func (d *niri) action(action string) {
	d.s.t.Helper()
	if !d.ask(`{"Action":`+action+`}`, "", nil) {
		d.s.t.Fatalf("niri does not take %s", action)
	}
}

func (d *niri) focus(id uint64) {
	d.s.t.Helper()
	d.action(fmt.Sprintf(`{"FocusWindow":{"id":%d}}`, id))
}

// A niriWorkspace is one of niri's workspaces. People call it by its name or
// its index on its output.
type niriWorkspace struct {
	ID        uint64  `json:"id"`
	Index     int     `json:"idx"`
	Name      *string `json:"name"`
	Output    string  `json:"output"`
	IsFocused bool    `json:"is_focused"`
}

func (w niriWorkspace) called() string {
	if w.Name != nil {
		return *w.Name
	}
	return fmt.Sprint(w.Index)
}

func (d *niri) workspaces() (all []niriWorkspace) {
	d.ask(`"Workspaces"`, "Workspaces", &all)
	return all
}

func (d *niri) windows() (windows []Window) {
	var all []struct {
		ID          uint64 `json:"id"`
		Title       string `json:"title"`
		AppID       string `json:"app_id"`
		PID         int    `json:"pid"`
		WorkspaceID uint64 `json:"workspace_id"`
		IsFocused   bool   `json:"is_focused"`
		IsFloating  bool   `json:"is_floating"`
	}
	d.ask(`"Windows"`, "Windows", &all)
	places := d.workspaces()
	for _, w := range all {
		out := Window{ID: w.ID, AppID: w.AppID, Title: w.Title, PID: w.PID, Focused: w.IsFocused, Floating: w.IsFloating}
		for _, p := range places {
			if p.ID == w.WorkspaceID {
				out.Workspace, out.Output = p.called(), p.Output
			}
		}
		windows = append(windows, out)
	}
	return windows
}

func (d *niri) workspace() string {
	for _, w := range d.workspaces() {
		if w.IsFocused {
			return w.called()
		}
	}
	return ""
}

func (d *niri) pids() []int {
	pids := d.host.pids()
	if d.process != nil {
		pids = append(pids, d.process.pid())
	}
	return pids
}

func (d *niri) stop() {
	if d.process != nil {
		d.process.stop(3 * time.Second)
	}
	d.host.stop()
}
