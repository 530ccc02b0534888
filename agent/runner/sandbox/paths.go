package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A PathError says which path a plugin cannot be given, and why.
type PathError struct {
	What   string // "read path", "write path", "plugin folder", …
	Path   string
	Reason string
}

func (e *PathError) Error() string { return fmt.Sprintf("%s %s %s", e.What, e.Path, e.Reason) }

// A mount is one file or folder of the host that the sandbox shows, under its
// own name.
type mount struct {
	what  string
	path  string // canonical
	alias string // the name it was given by, if that is another
	write bool
	file  *os.File // what was checked, so that it cannot be exchanged afterwards
}

// mounts resolves, checks and opens all that spec gives. The caller closes them.
// A parent comes before what lies in it, so that the deeper one takes precedence.
func (b *Box) mounts(spec Spec) (all []mount, err error) {
	defer func() {
		if err != nil {
			closeMounts(all)
			all = nil
		}
	}()
	type given struct {
		what, path string
		write      bool
	}
	var list []given
	if spec.Folder != "" {
		list = append(list, given{"plugin folder", spec.Folder, false})
	}
	for _, p := range spec.ReadPaths {
		list = append(list, given{"read path", p, false})
	}
	for _, p := range spec.WritePaths {
		list = append(list, given{"write path", p, true})
	}

	// The plugin decides what links lie in its own folder and where it may
	// write: there they must not lead out.
	var its []string
	for _, g := range list {
		if g.write || g.path == spec.Folder {
			if path, _, err := walk(g.path); err == nil {
				its = append(its, path)
			}
		}
	}
	for _, g := range list {
		m, err := b.mount(g.what, g.path, g.write, its)
		if err != nil {
			return all, err
		}
		all = append(all, m)
	}
	if spec.Temp != "" {
		m, err := open("private folder for temporary files", spec.Temp, nil)
		if err != nil {
			return all, err
		}
		m.path, m.alias, m.write = tempInside, "", true
		all = append(all, m)
	}
	more, err := b.interpreter(spec.Program)
	all = append(all, more...)
	if err != nil {
		return all, err
	}
	slices.SortStableFunc(all, func(a, b mount) int {
		if c := cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	return onePerPath(all), nil
}

// onePerPath keeps one mount for each path, the one that may be written to first.
func onePerPath(sorted []mount) (kept []mount) {
	for _, m := range sorted {
		if last := len(kept) - 1; last >= 0 && kept[last].path == m.path {
			kept[last].alias = cmp.Or(kept[last].alias, m.alias)
			if m.write && !kept[last].write {
				kept[last], m = m, kept[last]
				kept[last].alias = cmp.Or(kept[last].alias, m.alias)
			}
			m.file.Close()
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

func closeMounts(all []mount) {
	for _, m := range all {
		m.file.Close()
	}
}

// mount checks and opens one configured path.
func (b *Box) mount(what, path string, write bool, its []string) (mount, error) {
	if !filepath.IsAbs(path) {
		return mount{}, &PathError{what, path, "is not absolute"}
	}
	if reason := b.refusal(filepath.Clean(path), write); reason != "" {
		return mount{}, &PathError{what, path, reason}
	}
	m, err := open(what, path, its)
	if err != nil {
		return mount{}, err
	}
	if reason := b.refusal(m.path, write); reason != "" {
		m.file.Close()
		return mount{}, &PathError{what, path, fmt.Sprintf("is %s, which %s", m.path, reason)}
	}
	m.write = write
	return m, nil
}

// open resolves path and opens what is there, unless a link in one of the
// folders its leads out of that folder.
func open(what, path string, its []string) (mount, error) {
	canonical, passed, err := walk(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mount{}, &PathError{what, path, "does not exist"}
	case err != nil:
		return mount{}, fmt.Errorf("%s %s: %w", what, path, err)
	}
	for _, folder := range its {
		if !within(canonical, folder) && slices.ContainsFunc(passed, func(p string) bool { return within(p, folder) }) {
			return mount{}, &PathError{what, path,
				fmt.Sprintf("leads out of %s, which the plugin controls, to %s", folder, canonical)}
		}
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, canonical, &how)
	if err != nil {
		return mount{}, fmt.Errorf("%s %s: open: %w", what, canonical, err)
	}
	m := mount{what: what, path: canonical, file: os.NewFile(uintptr(fd), canonical)}
	if clean := filepath.Clean(path); clean != canonical {
		m.alias = clean
	}
	info, err := m.file.Stat()
	if err != nil {
		m.file.Close()
		return mount{}, fmt.Errorf("%s: %w", what, err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		m.file.Close()
		return mount{}, &PathError{what, path,
			"is neither a file nor a folder: devices and sockets come with a permission only"}
	}
	return m, nil
}

// walk follows every link in path. It returns the canonical path and all that
// it passed on the way.
func walk(path string) (canonical string, passed []string, err error) {
	canonical = "/"
	rest := strings.Split(filepath.Clean(path), "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			canonical = filepath.Dir(canonical)
			continue
		}
		next := filepath.Join(canonical, name)
		passed = append(passed, next)
		info, err := os.Lstat(next)
		if err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			canonical = next
			continue
		}
		if links++; links > 40 {
			return "", nil, &fs.PathError{Op: "follow", Path: path, Err: unix.ELOOP}
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", nil, err
		}
		if filepath.IsAbs(target) {
			canonical = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return canonical, passed, nil
}

// within tells whether path is folder or lies in it. Both are clean.
func within(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder+"/")
}

// refusal says why a plugin may not be given a path, or "".
func (b *Box) refusal(path string, write bool) string {
	absent := []string{"/run", "/var/run", "/proc", "/sys", "/dev", "/tmp/.X11-unix", "/tmp/.ICE-unix", b.host.Runtime}
	if b.host.Socket != "" {
		absent = append(absent, filepath.Dir(b.host.Socket))
	}
	for _, a := range named(absent) {
		if within(path, a) && !strings.HasPrefix(path, "/run/media/") { // where disks of the user are mounted
			return "is in " + a + ", which no plugin sees"
		}
		if within(a, path) {
			return "contains " + a + ", which no plugin sees"
		}
	}
	for _, whole := range named([]string{"/home", "/root", "/tmp", b.host.Home}) {
		if within(whole, path) {
			return "is or contains all of " + whole + ": give only the folders that are needed"
		}
	}
	for _, ours := range named(b.host.Private) {
		if within(ours, path) || write && within(path, ours) {
			return "would give the plugin Utter's own " + ours
		}
	}
	return ""
}

// named returns the paths, and their canonical forms where those differ.
func named(paths []string) (all []string) {
	for _, p := range paths {
		if !filepath.IsAbs(p) || filepath.Clean(p) == "/" {
			continue
		}
		all = append(all, filepath.Clean(p))
		if canonical, err := filepath.EvalSymlinks(p); err == nil && canonical != all[len(all)-1] {
			all = append(all, canonical)
		}
	}
	return all
}

// interpreter opens the program and, where it is a Python outside /usr, what
// belongs to it: a virtual environment has its settings beside its bin.
func (b *Box) interpreter(program string) (all []mount, err error) {
	m, err := open("program", program, nil)
	if err != nil {
		return nil, err
	}
	names := []string{m.path}
	if m.alias != "" {
		names = append(names, m.alias)
		if inSystem(m.alias) || b.hidden(m.alias) {
			m.alias = "" // it is there by its canonical name
		}
	}
	all = append(all, m)
	for _, name := range names {
		if inSystem(name) {
			continue
		}
		prefix := filepath.Dir(filepath.Dir(name))
		for _, pattern := range []string{"pyvenv.cfg", "lib/python3*", "lib64/python3*", "lib/libpython3*"} {
			found, _ := filepath.Glob(filepath.Join(prefix, pattern))
			for _, path := range found {
				m, err := open("library of the program", path, nil)
				if err != nil {
					return all, err
				}
				if b.hidden(m.path) {
					m.file.Close()
					continue
				}
				all = append(all, m)
			}
		}
	}
	// On NixOS and Guix a store takes the place of /usr, and everybody may read it.
	for _, store := range []string{"/nix/store", "/gnu/store"} {
		if within(names[0], store) {
			m, err := open("store of packages", store, nil)
			if err != nil {
				return all, err
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// hidden tells whether path lies where a sandbox shows nothing.
func (b *Box) hidden(path string) bool {
	return within(path, "/run") || filepath.IsAbs(b.host.Runtime) && within(path, filepath.Clean(b.host.Runtime))
}

// inSystem tells whether path is there in every sandbox.
func inSystem(path string) bool {
	return slices.ContainsFunc(append([]string{"/usr"}, systemLinks...),
		func(dir string) bool { return within(path, dir) })
}
