// Package xdg finds the base directories of a user, by the XDG Base Directory
// Specification. It reads the environment it is given and touches no file.
package xdg

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
)

// Dirs are the base directories. All are absolute.
type Dirs struct {
	Home   string
	Config string // $XDG_CONFIG_HOME
	Data   string // $XDG_DATA_HOME
	State  string // $XDG_STATE_HOME
	Cache  string // $XDG_CACHE_HOME
	// Runtime is $XDG_RUNTIME_DIR, or /run/user/UID where that is unset.
	Runtime string
	// DataDirs are the system's data directories, the most important first.
	DataDirs []string
	// ConfigDirs are the system's configuration directories, the most important first.
	ConfigDirs []string
}

// New returns the directories of the user uid whose environment getenv reads.
// A relative path in the environment counts as unset, as the specification says.
func New(getenv func(string) string, uid int) Dirs {
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		home = "/"
	}
	dir := func(name, otherwise string) string {
		if v := getenv(name); filepath.IsAbs(v) {
			return filepath.Clean(v)
		}
		return otherwise
	}
	d := Dirs{
		Home:    home,
		Config:  dir("XDG_CONFIG_HOME", filepath.Join(home, ".config")),
		Data:    dir("XDG_DATA_HOME", filepath.Join(home, ".local/share")),
		State:   dir("XDG_STATE_HOME", filepath.Join(home, ".local/state")),
		Cache:   dir("XDG_CACHE_HOME", filepath.Join(home, ".cache")),
		Runtime: dir("XDG_RUNTIME_DIR", filepath.Join("/run/user", strconv.Itoa(uid))),
	}
	d.DataDirs = absolute(cmp.Or(getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share"))
	d.ConfigDirs = absolute(cmp.Or(getenv("XDG_CONFIG_DIRS"), "/etc/xdg"))
	return d
}

// absolute splits a list of folders and drops relative ones.
func absolute(list string) (dirs []string) {
	for p := range strings.SplitSeq(list, ":") {
		if filepath.IsAbs(p) {
			dirs = append(dirs, filepath.Clean(p))
		}
	}
	return dirs
}

// ExpandHome writes a path out that begins with "~/".
func ExpandHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// Profiles is where the user's own profiles lie.
func (d Dirs) Profiles() string { return filepath.Join(d.Config, "utter", "profiles") }

// Phrases is where the user's own words lie.
func (d Dirs) Phrases() string { return filepath.Join(d.Config, "utter", "data") }

// ConfigFile is the user's configuration.
func (d Dirs) ConfigFile() string { return filepath.Join(d.Config, "utter", "config.toml") }

// RunnerFolder is where the plugin runner has its socket, its tokens and the
// sockets of its plugins. tmp is where it is without $XDG_RUNTIME_DIR, or /tmp.
// It is absolute: nothing is ever made where somebody happens to work.
func RunnerFolder(getenv func(string) string, uid int, tmp string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "utter")
	}
	if !filepath.IsAbs(tmp) {
		tmp = "/tmp"
	}
	return filepath.Join(tmp, "utter-"+strconv.Itoa(uid), "utter")
}

// Applications returns the folders with .desktop files, the most important
// first: the user's, those of XDG_DATA_DIRS in its order, then flatpak's two and the
// system's.
func (d Dirs) Applications() []string {
	roots := append([]string{d.Data}, d.DataDirs...)
	roots = append(roots,
		filepath.Join(d.Home, ".local/share/flatpak/exports/share"),
		"/var/lib/flatpak/exports/share",
		"/usr/local/share",
		"/usr/share",
	)
	var dirs []string
	seen := map[string]bool{}
	for _, r := range roots {
		if !seen[r] {
			seen[r] = true
			dirs = append(dirs, filepath.Join(r, "applications"))
		}
	}
	return dirs
}
