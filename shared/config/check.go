package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"utter/shared/plugin/protocol"
)

// Mistakes takes apart what Load, Decode and Faults return: every error alone,
// in the order of the file. What has no place in the file has a Reason alone.
func Mistakes(err error) (all []*FieldError) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, Mistakes(e)...)
		}
		slices.SortStableFunc(all, func(a, b *FieldError) int { return a.Line - b.Line })
		return all
	}
	var field *FieldError
	if !errors.As(err, &field) {
		field = &FieldError{Reason: err.Error()}
	}
	return []*FieldError{field}
}

// A Warning is something that a valid configuration may not be meant to say.
type Warning struct {
	Line int // that it is about; 0 where it is about none
	Text string
}

// Warnings looks for what may not be meant. It looks for the folders and programs
// that the configuration names.
func (c Config) Warnings() (list []Warning) {
	warn := func(line int, format string, args ...any) {
		list = append(list, Warning{line, fmt.Sprintf(format, args...)})
	}
	for _, n := range c.Notices {
		warn(n.Line, "%s %s", n.Field, n.Reason)
	}
	if len(c.Plugin) == 0 {
		warn(0, "there are no plugins")
	}
	for _, p := range c.Plugin {
		for _, text := range p.warnings(c.Security.Enforce != "false") {
			warn(p.Line, "plugin %s: %s", p.ID, text)
		}
	}
	if c.Socket == nil {
		return list
	}
	if c.Socket.AdmitsNobody() {
		warn(0, "[socket] admits no one: every client will be rejected")
	}
	for _, name := range c.Socket.AllowBinaries {
		if !filepath.IsAbs(name) {
			warn(0, "[socket] allow_binaries: %s admits every program of that name; write its path", name)
		}
	}
	return list
}

// WarningsOf are the warnings about the [[plugin]] of that id.
func (c Config) WarningsOf(id string) (list []string) {
	if i := slices.IndexFunc(c.Plugin, func(p Plugin) bool { return p.ID == id }); i >= 0 {
		list = c.Plugin[i].warnings(c.Security.Enforce != "false")
	}
	return list
}

// warnings looks for what may not be meant in one [[plugin]].
func (p Plugin) warnings(sandboxed bool) (list []string) {
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if p.Runtime != protocol.RuntimeSubprocess {
		warn("runtime %s is not supported; it will not run", p.Runtime)
	}
	if len(p.Entrypoint) == 1 && strings.ContainsRune(p.Entrypoint[0], ' ') {
		if _, err := exec.LookPath(p.Entrypoint[0]); err != nil {
			warn("entrypoint is one program with a space in its name; write a list: %s", EntrypointOf(p.Entrypoint[0]))
		}
	}
	if p.Dir != "" && !filepath.IsAbs(p.Dir) {
		warn("cwd %s is relative to the folder where the runner was started; write an absolute path", p.Dir)
	} else if p.Dir != "" {
		if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
			warn("cwd %s is not a folder", p.Dir)
		}
	}
	for _, g := range p.Grants() {
		switch {
		case g.Granted && len(g.Paths) == 0 && sandboxed:
			warn("it may %s files, but no path is set: use --%s-path FOLDER, or %s_paths in config.toml", g.Does, g.Does, g.Does)
		case !g.Granted && len(g.Paths) > 0:
			warn("%s_paths has no effect without the permission %s", g.Does, g.Permission)
		}
	}
	for _, s := range slices.Concat(p.Provides, p.Requires) {
		if !protocol.KnownCapability(s) {
			warn("unknown capability %s", s)
		}
	}
	return list
}

// EntrypointOf writes a command line as the list that an entrypoint is.
func EntrypointOf(line string) string { return quoted(strings.Fields(line)) }

// A Grant is a permission that holds for some paths.
type Grant struct {
	Permission string
	Does       string // read or write
	Granted    bool
	Paths      []string
}

// Grants are the permissions that hold for the paths of an entry.
func (p Plugin) Grants() []Grant {
	has := func(permission string) bool { return slices.Contains(p.Permissions, permission) }
	return []Grant{
		{protocol.PermissionFilesystemRead, "read", has(protocol.PermissionFilesystemRead), p.ReadPaths},
		{protocol.PermissionFilesystemWrite, "write", has(protocol.PermissionFilesystemWrite), p.WritePaths},
	}
}
