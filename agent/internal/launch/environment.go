package launch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"utter/shared/xdg"
)

// sessionEnvironment returns the variables of the user's session: the agent's
// own, and those that systemd's user manager has and the agent lacks: it may
// have been started before they were set. The path has the places of both, and
// those where distributions put programs of the user.
func (l *Launcher) sessionEnvironment(ctx context.Context) []string {
	env := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	paths := []string{env["PATH"]}
	for _, kv := range l.managerEnvironment(ctx) {
		name, value, _ := strings.Cut(kv, "=")
		if _, own := env[name]; !own {
			env[name] = value
		}
		if name == "PATH" {
			paths = append(paths, value)
		}
	}
	env["PATH"] = CompletePath(strings.Join(paths, ":"), env["HOME"])
	all := make([]string, 0, len(env))
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}

// managerEnvironment asks systemd's user manager, where there is one.
func (l *Launcher) managerEnvironment(ctx context.Context) []string {
	const limit = 200 * time.Millisecond
	if l.session == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var owned bool
	asked := l.session.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.systemd1")
	if asked.Store(&owned) != nil || !owned {
		return nil
	}
	var env []string
	object := l.session.Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1")
	got := object.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0,
		"org.freedesktop.systemd1.Manager", "Environment")
	if got.Store(&env) != nil {
		return nil // one that does not answer has nothing to add
	}
	return env
}

// CompletePath returns path with the folders behind it, of those that exist, in
// which a session's programs lie although a service's own path lacks them.
func CompletePath(path, home string) string {
	var dirs []string
	add := func(dir string) {
		if filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for dir := range strings.SplitSeq(path, ":") {
		add(dir)
	}
	for _, dir := range []string{
		filepath.Join(home, ".local/bin"), filepath.Join(home, "bin"), "/usr/local/bin", "/usr/bin", "/bin", "/usr/games",
		filepath.Join(home, ".local/share/flatpak/exports/bin"), "/var/lib/flatpak/exports/bin", "/snap/bin",
		filepath.Join(home, ".nix-profile/bin"), "/run/current-system/sw/bin",
	} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			add(dir)
		}
	}
	return strings.Join(dirs, ":")
}

// A State says what there is to start.
type State string

// The states of a Program.
const (
	Found         State = "found"
	NotFound      State = "not_found"
	NotExecutable State = "not_executable" // a folder, or a file that must not be run
	Empty         State = "empty"          // no program is named
)

// A Program is what was found for an argument list.
type Program struct {
	State State
	Path  string // of what was found, or ""
}

// Find looks for the program that Start would start, and starts nothing.
func (l *Launcher) Find(ctx context.Context, argv []string) Program {
	if len(argv) == 0 || argv[0] == "" {
		return Program{State: Empty}
	}
	return find(argv[0], l.sessionEnvironment(ctx))
}

// find looks for a program as an environment says. Of what may not be run the
// first is told where nothing else is found.
func find(program string, env []string) Program {
	program = xdg.ExpandHome(program, value(env, "HOME"))
	places := []string{program}
	if !strings.Contains(program, "/") {
		places = nil
		for dir := range strings.SplitSeq(value(env, "PATH"), ":") {
			places = append(places, filepath.Join(dir, program))
		}
	}
	other := Program{State: NotFound}
	for _, place := range places {
		info, err := os.Stat(place)
		switch {
		case err != nil:
		case info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0:
			return Program{Found, place}
		case other.Path == "":
			other = Program{NotExecutable, place}
		}
	}
	return other
}

// value returns a variable of an environment.
func value(env []string, name string) string {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v
		}
	}
	return ""
}
