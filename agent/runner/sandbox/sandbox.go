// Package sandbox starts a plugin so that it can do what it was granted and no
// more, and reports truthfully how much of that is enforced on this machine.
//
// The mechanism is bubblewrap: new user, pid, ipc, uts and (unless granted)
// network namespaces, no capabilities, and a root that contains the system's
// programs, the plugin's own folder, its interpreter and the configured paths.
// /run, the home folders and the runtime directory are not there, and therefore
// neither are the session bus, a display and the runner's own socket.
//
// The package never calls something enforced because an option was passed: Probe
// tries each thing from inside, where it must be refused, and from outside, where
// it must succeed. It does not limit memory or processor time, which would need a
// cgroup and is not a permission. It does not filter system calls.
//
// It cannot prevent connections to a socket inside a configured path, and granting
// the microphone grants everything the sound server offers, which with PipeWire may
// include cameras.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// A Mode is the value of `enforce` in the configuration's [security] table.
type Mode string

// The modes. The zero Mode counts as Auto.
const (
	Auto   Mode = "auto"  // a sandbox where it works; else plugins run, and all is advisory
	Always Mode = "true"  // no plugin starts without a sandbox
	Never  Mode = "false" // no sandbox
)

// ParseMode reads a mode; "" is Auto.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case "":
		return Auto, nil
	case Auto, Always, Never:
		return m, nil
	}
	return Auto, fmt.Errorf(`enforce = %q: write "auto", true or false`, s)
}

// ErrNoSandbox is the family of refusals to start a plugin without a sandbox.
var ErrNoSandbox = errors.New("no sandbox")

// A NoSandboxError says why there is none.
type NoSandboxError struct{ Reason string }

func (e *NoSandboxError) Error() string {
	return "enforce = true, and there is no sandbox here: " + e.Reason
}

// Unwrap makes every NoSandboxError match ErrNoSandbox.
func (e *NoSandboxError) Unwrap() error { return ErrNoSandbox }

// Applies tells whether plugins are to be started in a sandbox. In mode Always
// it returns a *NoSandboxError where that is not possible: start nothing then.
func Applies(mode Mode, r Report) (bool, error) {
	switch {
	case mode == Never:
		return false, nil
	case r.Works:
		return true, nil
	case mode == Always:
		return false, &NoSandboxError{r.Reason}
	}
	return false, nil
}

// A Host is what the sandbox must know of the session it keeps plugins out of.
type Host struct {
	Home    string // the user's home directory
	Runtime string // $XDG_RUNTIME_DIR
	Bus     string // $DBUS_SESSION_BUS_ADDRESS
	Wayland string // the path of the Wayland socket
	Socket  string // the runner's own socket

	// Private are folders of ours that no plugin may be given as a whole, nor
	// write into: the configuration that grants the permissions, our state.
	Private []string
}

// A Box makes sandboxes on one host. Its methods may be called from several
// goroutines.
type Box struct {
	host Host

	mu     sync.Mutex
	tool   *tool   // nil until looked for
	report *Report // nil until probed
}

// New returns a Box. It looks at nothing until it is used.
func New(host Host) *Box { return &Box{host: host} }

// A tool is the bubblewrap of this machine. It is never changed, but replaced.
type tool struct {
	path    string
	version string
	byFD    bool // mounts descriptors: no path is looked up twice
	closed  bool // forbids user namespaces inside
}

// bwrap finds bubblewrap and what it can do, once.
func (b *Box) bwrap() (*tool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tool != nil {
		return b.tool, nil
	}
	path, err := exec.LookPath("bwrap")
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("bubblewrap (bwrap) is not installed: %w", err)
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", path, err)
	}
	help, err := exec.Command(path, "--help").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s --help: %w", path, err)
	}
	has := func(option string) bool { return strings.Contains(string(help), "--"+option+" ") }
	b.tool = &tool{
		path:    path,
		version: strings.TrimSpace(strings.TrimPrefix(string(version), "bubblewrap ")),
		byFD:    has("ro-bind-fd") && has("bind-fd"),
		closed:  has("disable-userns"),
	}
	return b.tool, nil
}

// reopen takes back that user namespaces inside can be forbidden.
func (b *Box) reopen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	changed := *b.tool
	changed.closed = false
	b.tool = &changed
}

// Probe tries out what the sandbox holds here. The first call takes a few dozen
// milliseconds, the others return what it found; a probe that ctx ended is not
// kept. The program must call BecomeProbe first thing in main.
func (b *Box) Probe(ctx context.Context) Report {
	b.mu.Lock()
	known := b.report
	b.mu.Unlock()
	if known != nil {
		return *known
	}
	r := b.probe(ctx)
	if ctx.Err() == nil {
		b.mu.Lock()
		b.report = &r
		b.mu.Unlock()
	}
	return r
}
