package supervisor

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"utter/agent/runner/sandbox"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/xdg"
)

// passed are the variables of the runner's that every plugin gets, besides LC_*.
var passed = []string{"PATH", "HOME", "USER", "LANG", "TZ"}

// environment returns what the plugin gets, sorted. A later source wins, ours
// over all.
func (p *Plugin) environment(socket string) []string {
	own := map[string]string{}
	for _, entry := range p.shared.Environ {
		name, value, _ := strings.Cut(entry, "=")
		own[name] = value
	}
	env := map[string]string{}
	for name, value := range own {
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") || slices.Contains(p.Entry.PassEnv, name) {
			env[name] = value
		}
	}
	if path := join(p.shared.Python, own["PYTHONPATH"]); path != "" {
		env["PYTHONPATH"] = path
	}
	for name, value := range p.Entry.Env {
		env[name] = value
	}
	if path, given := p.Entry.Env["PYTHONPATH"]; given {
		env["PYTHONPATH"] = join(p.shared.Python, path)
	}
	env[protocol.EnvPluginID] = p.ID()
	env[protocol.EnvPluginCookie] = rand.Text()
	if socket != "" {
		env[protocol.EnvPluginSocket] = socket
		env[protocol.EnvPluginTransport] = p.Entry.Transport
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// join joins the parts of search paths that are not empty.
func join(paths ...string) string {
	var parts []string
	for _, path := range paths {
		for part := range strings.SplitSeq(path, ":") {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	return strings.Join(parts, ":")
}

// spec says what is started, and what it sees of the file system.
func (p *Plugin) spec(socket, temp string) (sandbox.Spec, error) {
	e := p.Entry
	s := sandbox.Spec{Argv: e.Entrypoint, Env: p.environment(socket), Dir: p.shared.Dir, Temp: temp, Granted: e.Permissions}
	if e.Dir != "" {
		s.Dir = p.absolute(e.Dir)
		if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
			return s, &EntryError{fmt.Sprintf("cwd %s is not a folder", s.Dir)}
		}
	}
	var err error
	if s.Program, err = p.program(s.Env); err != nil {
		return s, err
	}
	home := xdg.New(func(name string) string { return value(p.shared.Environ, name) }, os.Getuid()).Home
	read, write := granted(e)
	for _, path := range read {
		s.ReadPaths = append(s.ReadPaths, xdg.ExpandHome(path, home))
	}
	for _, path := range write {
		path = xdg.ExpandHome(path, home)
		if err := p.shared.unguarded(path); err != nil {
			return s, err
		}
		s.WritePaths = append(s.WritePaths, path)
	}
	s.Folder = p.folder(s)
	if e.Dir != "" && s.Dir != s.Folder {
		s.ReadPaths = append(s.ReadPaths, s.Dir)
	}
	return s, nil
}

// granted returns the paths of an entry that the plugin gets: the permission
// decides whether, the paths say what.
func granted(e config.Plugin) (read, write []string) {
	if slices.Contains(e.Permissions, protocol.PermissionFilesystemRead) {
		read = e.ReadPaths
	}
	if slices.Contains(e.Permissions, protocol.PermissionFilesystemWrite) {
		write = e.WritePaths
	}
	return read, write
}

// unguarded refuses a path to write in which one of our own files lies: who
// writes the configuration grants permissions.
func (s *Shared) unguarded(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return &EntryError{fmt.Sprintf("write path: %v", err)}
	}
	for _, file := range s.Guarded {
		folder, err := filepath.EvalSymlinks(filepath.Dir(file))
		if err != nil {
			continue // it is not there
		}
		rel, err := filepath.Rel(real, filepath.Join(folder, filepath.Base(file)))
		if err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return &EntryError{fmt.Sprintf("write path %s contains %s, which grants the permissions", path, file)}
		}
	}
	return nil
}

func (p *Plugin) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.shared.Dir, path)
}

// folder finds the plugin's own folder: where its program lies or, behind an
// interpreter, its script; else its working directory.
func (p *Plugin) folder(s sandbox.Spec) string {
	own := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular() && !strings.HasPrefix(path, "/usr/")
	}
	if strings.Contains(s.Argv[0], "/") && own(s.Program) {
		return filepath.Dir(s.Program)
	}
	for _, arg := range s.Argv[1:] {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		if !strings.HasPrefix(arg, "-") && own(path) {
			return filepath.Dir(path)
		}
	}
	if p.Entry.Dir != "" {
		return s.Dir
	}
	return ""
}

// program finds what argv[0] names.
func (p *Plugin) program(env []string) (string, error) {
	name := p.Entry.Entrypoint[0]
	if strings.Contains(name, "/") {
		path := p.absolute(name)
		err := executable(path)
		if hint := p.listInstead(); err != nil && hint != "" {
			return "", &EntryError{fmt.Sprintf("entrypoint %s: %v; %s", path, err, hint)}
		}
		if err != nil {
			return "", &EntryError{fmt.Sprintf("entrypoint %s: %v", path, err)}
		}
		return path, nil
	}
	path := value(env, "PATH")
	if found := search(name, path); found != "" {
		return found, nil
	}
	if name == "python" && search("python3", path) != "" {
		return "", &EntryError{`entrypoint: there is no "python" here, but "python3": write entrypoint = ["python3", ...]`}
	}
	return "", &EntryError{fmt.Sprintf("entrypoint: there is no program %q in PATH; %s", name,
		cmp.Or(p.listInstead(), "write its path"))}
}

// listInstead says how to write an entrypoint that is a whole command line in one
// text; "" of another.
func (p *Plugin) listInstead() string {
	argv := p.Entry.Entrypoint
	if len(argv) != 1 || !strings.Contains(argv[0], " ") {
		return ""
	}
	return "write a list: entrypoint = " + config.EntrypointOf(argv[0])
}

// search finds a program in a PATH, or "". Relative folders do not count.
func search(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if found := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(found) == nil {
			return found
		}
	}
	return ""
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("does not exist")
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a folder")
	case info.Mode()&0o111 == 0:
		return errors.New("is not executable (chmod +x fixes it)")
	}
	return nil
}

// value returns a variable of an environment, the last of that name.
func value(env []string, name string) (v string) {
	for _, entry := range env {
		if n, val, _ := strings.Cut(entry, "="); n == name {
			v = val
		}
	}
	return v
}
