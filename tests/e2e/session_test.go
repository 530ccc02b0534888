package e2e

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// Options describe the desktop that a test wants. The zero value is one
// output, a us keyboard and everything that is installed.
type Options struct {
	Outputs  int               // 1 if 0
	Layouts  string            // as xkbcli takes them: "us,ru"
	Group    int               // the active one of Layouts, from 0
	Config   string            // more configuration for the compositor
	Agent    string            // the agent's config.toml
	Profiles map[string]string // the user's profiles: file name to YAML
	Programs []string          // the only programs in PATH, if any
	Env      map[string]string // more environment for everything
}

// A Session is a desktop of its own: home, bus, compositor and keyboard. It
// ends with the test, and fails the test if a process outlives it.
type Session struct {
	t       *testing.T
	o       Options
	dir     string // short: socket paths are limited
	home    string
	env     map[string]string
	desktop desktop
	bus     *process
	conn    *dbus.Conn
}

// NewSession brings a desktop up. The agent is not started: the first call
// activates it.
func NewSession(t *testing.T, o Options) *Session {
	t.Helper()
	s := &Session{t: t, o: o, env: map[string]string{}}
	var err error
	if s.dir, err = os.MkdirTemp("", "u"); err != nil {
		t.Fatal(err)
	}
	s.desktop = newDesktop(t, s)
	t.Cleanup(s.end)
	s.makeFolders()
	s.writeFiles()
	s.desktop.start()
	s.startBus()
	s.desktop.plugIn()
	return s
}

// makeFolders makes the fresh home and fills the environment.
func (s *Session) makeFolders() {
	s.home = s.folder("h")
	s.folder("log")
	s.env = map[string]string{
		"HOME":                      s.home,
		"XDG_RUNTIME_DIR":           s.folder("r"),
		"XDG_CONFIG_HOME":           s.folder("c"),
		"XDG_DATA_HOME":             s.folder("d"),
		"XDG_CACHE_HOME":            s.folder("k"),
		"XDG_STATE_HOME":            s.folder("s"),
		"XDG_DATA_DIRS":             "/usr/local/share:/usr/share",
		"XDG_CONFIG_DIRS":           "/etc/xdg",
		"XDG_SESSION_TYPE":          "wayland",
		"LANG":                      "C.UTF-8",
		"TMPDIR":                    s.folder("tmp"),
		"GSETTINGS_BACKEND":         "memory",
		"GSK_RENDERER":              "cairo",
		"LIBGL_ALWAYS_SOFTWARE":     "1",
		"MOZ_CRASHREPORTER_DISABLE": "1",
		"PS1":                       "$ ",
		"PATH":                      s.path(),
		"DBUS_SESSION_BUS_ADDRESS":  "unix:path=" + filepath.Join(s.dir, "r", "bus"),
	}
	maps.Copy(s.env, s.o.Env)
}

// path returns the PATH: wrappers first, then the programs under test, then
// either what is installed or links to the listed programs.
func (s *Session) path() string {
	parts := []string{s.folder("bin"), built.bin}
	if s.o.Programs == nil {
		return strings.Join(append(parts, "/usr/local/bin", "/usr/bin", "/bin"), ":")
	}
	only := s.folder("only")
	for _, name := range s.o.Programs {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(only, name))
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return strings.Join(append(parts, only), ":")
}

// writeFiles writes what has to be there before anything starts.
func (s *Session) writeFiles() {
	s.write("d/dbus-1/services/org.utter.Agent.service",
		"[D-BUS Service]\nName=org.utter.Agent\nExec="+filepath.Join(built.bin, "utter-agent")+"\n")
	s.write("c/xdg-terminals.list", "foot.desktop\n")
	s.write("c/mimeapps.list", "[Default Applications]\ntext/plain=org.gnome.TextEditor.desktop\n"+
		"x-scheme-handler/http=firefox-esr.desktop\nx-scheme-handler/https=firefox-esr.desktop\n"+
		"text/html=firefox-esr.desktop\n")
	s.write("c/foot/foot.ini", "[main]\nfont=DejaVu Sans Mono:size=10\n")
	if s.o.Agent != "" {
		s.write("c/utter/config.toml", s.o.Agent)
	}
	for name, text := range s.o.Profiles {
		s.write("c/utter/profiles/"+name, text)
	}
	s.installFirefoxWrapper()
}

// startBus starts the bus. Everything is exported by then: activated services
// inherit the bus's environment.
func (s *Session) startBus() {
	s.bus = s.start("bus-and-agent", "dbus-daemon", "--session", "--nofork",
		"--address="+s.env["DBUS_SESSION_BUS_ADDRESS"])
	s.await("the bus", 5*time.Second, func() bool {
		conn, err := dbus.Connect(s.env["DBUS_SESSION_BUS_ADDRESS"])
		s.conn = conn
		return err == nil
	})
}

// in returns s for a subtest, which then gets its failures.
func (s *Session) in(t *testing.T) *Session {
	sub := *s
	sub.t = t
	return &sub
}

// folder makes the session's folder called name and returns its path.
func (s *Session) folder(name string) string {
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// file returns the path of a file of the session.
func (s *Session) file(name string) string { return filepath.Join(s.dir, name) }

func (s *Session) write(name, text string) {
	s.t.Helper()
	s.writeMode(name, text, 0o600)
}

func (s *Session) writeMode(name, text string, mode os.FileMode) {
	s.t.Helper()
	s.folder(filepath.Dir(name))
	if err := os.WriteFile(s.file(name), []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

func (s *Session) environ() []string {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		env = append(env, name+"="+s.env[name])
	}
	return env
}

// await waits until ok, and ends the test if that does not come.
func (s *Session) await(what string, within time.Duration, ok func() bool) {
	s.t.Helper()
	if !eventually(within, ok) {
		s.t.Fatalf("%s: not within %v", what, within)
	}
}

// eventually reports whether ok becomes true in time.
func eventually(within time.Duration, ok func() bool) bool {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// stays reports whether ok is true now and all the time.
func stays(during time.Duration, ok func() bool) bool {
	return !eventually(during, func() bool { return !ok() })
}

// end takes everything down, in the order in which a user's session ends.
func (s *Session) end() {
	if s.t.Failed() || os.Getenv("UTTER_E2E_SHOTS") == "1" {
		s.picture()
	}
	if s.t.Failed() {
		s.t.Logf("windows: %+v", s.desktop.windows())
	}
	if s.conn != nil {
		s.conn.Close()
	}
	var keep []int
	if s.bus != nil {
		keep = append(keep, s.bus.pid())
	}
	endAll(syscall.SIGTERM, append(keep, s.desktop.pids()...)...)
	eventually(2*time.Second, func() bool { return len(descendants()) <= len(keep)+len(s.desktop.pids()) })
	s.desktop.stop()
	if s.bus != nil {
		s.bus.stop(2 * time.Second)
	}
	checkNoProcess(s.t)
	if s.t.Failed() {
		s.printLogs()
	}
	os.RemoveAll(s.dir)
}

// printLogs shows the end of what every program wrote.
func (s *Session) printLogs() {
	files, _ := filepath.Glob(s.file("log/*.log"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		if n := len(lines) - 60; n > 0 {
			lines = lines[n:]
		}
		s.t.Logf("%s:\n%s", filepath.Base(f), strings.Join(lines, "\n"))
	}
}

// picture saves what the desktop shows in shots/.
func (s *Session) picture() {
	if s.env["WAYLAND_DISPLAY"] == "" {
		return
	}
	name := strings.NewReplacer("/", "-", " ", "_", "#", "-").Replace(s.t.Name())
	path, err := filepath.Abs(filepath.Join("shots", name+".png"))
	if err != nil || os.MkdirAll("shots", 0o755) != nil {
		return
	}
	if out, err := s.command("grim", path).CombinedOutput(); err != nil {
		s.t.Logf("grim: %v %s", err, out)
	}
}
