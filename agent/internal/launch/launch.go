// Package launch starts programs from an argument list or by D-Bus activation, never
// through a shell. They keep running without the agent.
package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/godbus/dbus/v5"
)

// ErrNotActivatable means that nothing on the bus starts an application by its
// name.
var ErrNotActivatable = errors.New("it cannot be activated")

// ErrNoProgram means that the program of a command is not there.
var ErrNoProgram = errors.New("no such program")

// A Command is a program to start.
type Command struct {
	Argv []string
	Dir  string            // "" for the home folder
	Env  map[string]string // on top of the agent's own environment
	Name string            // of the application, for its systemd scope
}

// A Launcher starts programs. It is safe for concurrent use.
type Launcher struct {
	session *dbus.Conn // nil where there is no session bus
}

// New returns a Launcher. From now on no descriptor that the agent itself
// inherited is passed on.
func New(session *dbus.Conn) (*Launcher, error) {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	for _, f := range fds {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return &Launcher{session}, nil
}

// A Process is a program that was started.
type Process struct {
	PID  int
	done chan struct{}
	err  error // valid once done is closed
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Failed returns how the program ended if that was not a success; nil while it
// runs.
func (p *Process) Failed() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// stale are variables that belong to the agent alone, or to one launch.
var stale = []string{
	"XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID", "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
	"INVOCATION_ID", "JOURNAL_STREAM", "MANAGERPID", "SYSTEMD_EXEC_PID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
	"DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "WATCHDOG_PID", "WATCHDOG_USEC",
}

// environment returns own without what is stale, with extra on top.
func environment(own []string, extra map[string]string) []string {
	var env []string
	for _, kv := range own {
		name, _, _ := strings.Cut(kv, "=")
		if _, replaced := extra[name]; !replaced && !slices.Contains(stale, name) {
			env = append(env, kv)
		}
	}
	for name, value := range extra {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// Start starts c in a session of its own and, where systemd runs the user's
// session, in a scope of its own. ctx does not end the program.
func (l *Launcher) Start(ctx context.Context, c Command) (*Process, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("launch: empty command")
	}
	env := environment(l.sessionEnvironment(ctx), c.Env)
	program := find(c.Argv[0], env)
	if program.State != Found {
		return nil, fmt.Errorf("launch %s: %w", c.Argv[0], ErrNoProgram)
	}
	cmd := exec.Command(program.Path, c.Argv[1:]...)
	cmd.Args[0] = c.Argv[0]
	cmd.Dir = c.Dir
	if cmd.Dir == "" {
		cmd.Dir, _ = os.UserHomeDir()
	}
	// Of a folder that is not there the kernel says that the program is not.
	switch _, err := os.Stat(cmd.Dir); {
	case err != nil && c.Dir != "":
		return nil, fmt.Errorf("launch %s: %w", c.Argv[0], err)
	case err != nil:
		cmd.Dir = "" // homeless: where the agent is
	}
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("launch %s: %w", c.Argv[0], err)
	}
	p := &Process{PID: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	l.scope(ctx, c.Name, p.PID)
	return p, nil
}

// scope moves a process out of the agent's own unit, so that it outlives it.
// Without systemd there is nothing to move out of.
func (l *Launcher) scope(ctx context.Context, name string, pid int) {
	if l.session == nil {
		return
	}
	type property struct {
		Name  string
		Value dbus.Variant
	}
	type auxiliary struct {
		Name       string
		Properties []property
	}
	unit := fmt.Sprintf("app-utter-%s-%d.scope", escapeUnit(name), pid)
	l.session.Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1").CallWithContext(ctx,
		"org.freedesktop.systemd1.Manager.StartTransientUnit", dbus.FlagNoAutoStart|dbus.FlagNoReplyExpected,
		unit, "fail", []property{
			{"PIDs", dbus.MakeVariant([]uint32{uint32(pid)})},
			{"CollectMode", dbus.MakeVariant("inactive-or-failed")},
			{"Description", dbus.MakeVariant(name)},
		}, []auxiliary{})
}

// escapeUnit writes s as a part of a unit's name, as systemd-escape does: a dash
// separates such parts.
func escapeUnit(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}

func unescapeUnit(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, `\x`)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if len(after) < 2 {
			return b.String() + `\x` + after
		}
		c, err := strconv.ParseUint(after[:2], 16, 8)
		if err != nil {
			return b.String() + `\x` + after
		}
		b.WriteByte(byte(c))
		s = after[2:]
	}
}

// Activate starts or raises the application busName by D-Bus, or opens urls in
// it. It returns ErrNotActivatable, wrapped, if the bus knows no way to start it
// or starting failed; it may then be started otherwise.
func (l *Launcher) Activate(ctx context.Context, busName, token string, urls []string) error {
	if l.session == nil {
		return fmt.Errorf("activate %s: no session bus: %w", busName, ErrNotActivatable)
	}
	path := dbus.ObjectPath("/" + strings.NewReplacer(".", "/", "-", "_").Replace(busName))
	data := map[string]dbus.Variant{}
	if token != "" {
		data["activation-token"] = dbus.MakeVariant(token)
		data["desktop-startup-id"] = dbus.MakeVariant(token)
	}
	method, args := "Activate", []any{data}
	if len(urls) > 0 {
		method, args = "Open", []any{urls, data}
	}
	err := l.session.Object(busName, path).CallWithContext(ctx, "org.freedesktop.Application."+method, 0, args...).Err
	var dbusErr dbus.Error
	if errors.As(err, &dbusErr) && cannotActivate(dbusErr.Name) {
		return fmt.Errorf("activate %s: %s: %w", busName, dbusErr.Name, ErrNotActivatable)
	}
	if err != nil {
		return fmt.Errorf("activate %s: %w", busName, err)
	}
	return nil
}

func cannotActivate(name string) bool {
	switch name {
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
		"org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject",
		"org.freedesktop.DBus.Error.UnknownInterface":
		return true
	}
	return strings.HasPrefix(name, "org.freedesktop.DBus.Error.Spawn.") ||
		strings.HasPrefix(name, "org.freedesktop.systemd1.")
}

// OwnerPID returns the process behind a bus name, or 0.
func (l *Launcher) OwnerPID(ctx context.Context, busName string) int {
	if l.session == nil {
		return 0
	}
	var pid uint32
	asked := l.session.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, busName)
	if asked.Store(&pid) != nil {
		return 0
	}
	return int(pid)
}

// Stopped reports whether a process is stopped, by a signal or a debugger: it
// reads nothing that is sent to it.
func Stopped(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if pid <= 0 || err != nil {
		return false
	}
	// The state is behind the name, which is in parentheses and may have
	// any character in it.
	i := strings.LastIndexByte(string(stat), ')')
	return i >= 0 && i+2 < len(stat) && (stat[i+2] == 'T' || stat[i+2] == 't')
}

// Descends reports whether pid is ancestor or one of its descendants. Of a
// program that was started here those count too whose parent has ended.
func Descends(pid, ancestor int) bool {
	if session, err := unix.Getsid(max(pid, 1)); err == nil && session == ancestor && pid > 1 {
		return true
	}
	for range 32 {
		if pid == ancestor {
			return pid > 0
		}
		if pid <= 1 {
			return false
		}
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			return false
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 {
			return false
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			return false
		}
	}
	return false
}

// Programs returns what the program of a process is called: its file, and the name
// that the process gives itself.
func Programs(pid int) []string {
	if pid <= 0 {
		return nil
	}
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	var names []string
	if file, err := os.Readlink(filepath.Join(dir, "exe")); err == nil {
		names = append(names, strings.TrimSuffix(filepath.Base(file), " (deleted)"))
	}
	if comm, err := os.ReadFile(filepath.Join(dir, "comm")); err == nil {
		names = append(names, strings.TrimSpace(string(comm)))
	}
	return names
}

// AppID returns the application that systemd's name for the process's cgroup
// tells, such as org.mozilla.firefox in app-flatpak-org.mozilla.firefox-12.scope,
// or "".
func AppID(pid int) string {
	cgroup, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cgroup"))
	if pid <= 0 || err != nil {
		return ""
	}
	return cgroupAppID(string(cgroup))
}

func cgroupAppID(cgroup string) string {
	for _, unit := range slices.Backward(strings.FieldsFunc(cgroup, func(r rune) bool { return r == '/' || r == '\n' })) {
		if id := unitAppID(unit); id != "" {
			return id
		}
	}
	return ""
}

// unitAppID reads app[-LAUNCHER]-ID[-RANDOM].scope and
// app[-LAUNCHER]-ID[@RANDOM].service.
func unitAppID(unit string) string {
	name, isScope := strings.CutSuffix(unit, ".scope")
	isService := false
	if !isScope {
		name, isService = strings.CutSuffix(unit, ".service")
		name, _, _ = strings.Cut(name, "@")
	}
	name, isApp := strings.CutPrefix(name, "app-")
	if !isApp || !isScope && !isService {
		return ""
	}
	if i := strings.LastIndexByte(name, '-'); isScope && i > 0 && strings.Trim(name[i+1:], "0123456789abcdef") == "" {
		name = name[:i] // the process or a random number
	}
	if i := strings.IndexByte(name, '-'); i > 0 {
		name = name[i+1:] // who started it
	}
	return unescapeUnit(name)
}
