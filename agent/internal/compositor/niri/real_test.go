package niri

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"utter/agent/internal/compositor/compositortest"
)

// A desk is a real niri as a window of a private headless sway, with its
// windows. What the tests compare with comes from its socket, read here.
type desk struct {
	t         *testing.T
	dir       string
	env       []string
	display   string
	socket    string
	processes []*exec.Cmd
	windows   map[string]*exec.Cmd
}

// newDesk starts the niri that UTTER_E2E_NIRI names. It ends with the test.
func newDesk(t *testing.T, config string) *desk {
	t.Helper()
	niri := os.Getenv("UTTER_E2E_NIRI")
	if niri == "" {
		t.Skip("UTTER_E2E_NIRI names no niri binary")
	}
	for _, program := range []string{"sway", "foot"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; run this in the bed: scripts/dev go test ./agent/internal/compositor/...", program)
		}
	}
	dir := compositortest.ShortDir(t)
	d := &desk{t: t, dir: dir, windows: map[string]*exec.Cmd{}, env: []string{
		"HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_CONFIG_HOME=" + dir, "LANG=C.UTF-8",
		"GSETTINGS_BACKEND=memory", "LIBGL_ALWAYS_SOFTWARE=1", "PATH=" + os.Getenv("PATH"),
	}}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.end)
	d.write("sway.conf", "xwayland disable\ndefault_border none\nswaybg_command -\noutput HEADLESS-1 mode 1280x800@60Hz\n")
	d.write("niri.kdl",
		"hotkey-overlay { skip-at-startup; }\nprefer-no-csd\nanimations { off; }\noutput \"winit\" { scale 1.0; }\n"+
			"input { keyboard { xkb { layout \"us,de\"; }; }; }\n"+config)
	d.run([]string{"WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman", "LIBSEAT_BACKEND=noop"},
		"sway", "-c", d.at("sway.conf"))
	host := d.appears("wayland-*", "")
	d.run([]string{"WAYLAND_DISPLAY=" + host}, niri, "-c", d.at("niri.kdl"))
	d.socket = d.at(d.appears("niri.*.sock", ""))
	d.display = d.appears("wayland-*", host)
	return d
}

func (d *desk) at(name string) string { return filepath.Join(d.dir, name) }

func (d *desk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.at(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// run starts a program, whose output goes into a log.
func (d *desk) run(env []string, argv ...string) *exec.Cmd {
	d.t.Helper()
	log, err := os.Create(d.at(filepath.Base(argv[0]) + ".log"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(append([]string(nil), d.env...), env...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.processes = append(d.processes, cmd)
	return cmd
}

// appears waits for a socket that answers and is not called other.
func (d *desk) appears(pattern, other string) (name string) {
	d.t.Helper()
	ok := compositortest.Eventually(func() bool {
		found, _ := filepath.Glob(d.at(pattern))
		for _, path := range found {
			c, err := net.Dial("unix", path)
			if err != nil || filepath.Base(path) == other {
				continue
			}
			c.Close()
			name = filepath.Base(path)
		}
		return name != ""
	})
	if !ok {
		log, _ := os.ReadFile(d.at("niri.log"))
		d.t.Fatalf("no socket %s; niri says: %s", pattern, log)
	}
	return name
}

// ask sends a request and decodes what is behind Ok into v.
func (d *desk) ask(request string, v any) {
	d.t.Helper()
	c, err := net.Dial("unix", d.socket)
	if err != nil {
		d.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	io.WriteString(c, request+"\n")
	line, err := bufio.NewReader(c).ReadBytes('\n')
	var reply struct{ Ok json.RawMessage }
	if err != nil || json.Unmarshal(line, &reply) != nil || json.Unmarshal(reply.Ok, v) != nil {
		d.t.Fatalf("%s: %s, %v", request, line, err)
	}
}

func (d *desk) do(action string) {
	d.t.Helper()
	var handled string
	d.ask(`{"Action":`+action+`}`, &handled)
}

// open opens a foot and waits until it has the focus and its size.
func (d *desk) open(app string) {
	d.t.Helper()
	cmd := d.run([]string{"WAYLAND_DISPLAY=" + d.display}, "foot", "--app-id="+app, "--title="+app, "cat")
	d.windows[app] = cmd
	if !compositortest.Eventually(func() bool {
		var answer struct {
			FocusedWindow *struct {
				AppID string `json:"app_id"`
			}
		}
		d.ask(`"FocusedWindow"`, &answer)
		return answer.FocusedWindow != nil && answer.FocusedWindow.AppID == app
	}) {
		d.t.Fatalf("%s did not come", app)
	}
}

func (d *desk) backend() *Backend {
	d.t.Helper()
	b, err := Connect(d.t.Context(),
		compositortest.Getenv(map[string]string{"NIRI_SOCKET": d.socket, "WAYLAND_DISPLAY": d.display}), d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { b.Close() })
	return b.(*Backend)
}

// picture tells the windows by their columns, from niri's own answers.
func (d *desk) picture() string {
	d.t.Helper()
	var answer struct {
		Workspaces []struct {
			ID, Idx uint64
			Focused bool `json:"is_focused"`
		}
		Windows []window
	}
	d.ask(`"Workspaces"`, &answer)
	d.ask(`"Windows"`, &answer)
	var all []string
	for _, ws := range answer.Workspaces {
		for _, w := range answer.Windows {
			if w.WorkspaceID == nil || *w.WorkspaceID != ws.ID {
				continue
			}
			place := "floating"
			if slot := w.Layout.Slot; slot != nil {
				place = fmt.Sprintf("%d.%d", slot[0], slot[1])
			}
			all = append(all, fmt.Sprintf("%s %d/%s%s", *w.AppID, ws.Idx, place, flags("*", w.Focused)))
		}
	}
	return strings.Join(all, "; ")
}

// end takes everything down, by process id.
func (d *desk) end() {
	for i := len(d.processes) - 1; i >= 0; i-- {
		p := d.processes[i]
		p.Process.Signal(syscall.SIGCONT)
		p.Process.Kill()
		p.Wait()
	}
}
