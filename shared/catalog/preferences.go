package catalog

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"utter/shared/desktopentry"
	"utter/shared/filestamp"
	"utter/shared/profile"
	"utter/shared/xdg"
)

// stampLists tells whether a list of preferences has changed.
func (k *Keeper) stampLists() string {
	var b strings.Builder
	for _, dir := range mimeDirs(k.source.Dirs) {
		for _, name := range PreferenceFiles(k.source.Desktop) {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
				fmt.Fprintf(&b, "%s/%s %v\n", dir, name, filestamp.Of(info))
			}
		}
	}
	return b.String()
}

// PreferenceFiles are the names of the lists that say what the user prefers.
func PreferenceFiles(desktops []string) []string {
	names := []string{"mimeapps.list", "xdg-terminals.list"}
	for _, d := range desktops {
		d = strings.ToLower(d)
		names = append(names, d+"-mimeapps.list", d+"-xdg-terminals.list")
	}
	return names
}

func mimeDirs(d xdg.Dirs) []string {
	dirs := append([]string{d.Config}, d.ConfigDirs...)
	dirs = append(dirs, filepath.Join(d.Data, "applications"))
	for _, data := range d.DataDirs {
		dirs = append(dirs, filepath.Join(data, "applications"))
	}
	return dirs
}

// preferred finds the user's default applications.
func preferred(mime desktopentry.Defaults, s Source) map[profile.Kind][]string {
	return map[profile.Kind][]string{
		profile.Browser: slices.Concat(
			mime.For("x-scheme-handler/https"), mime.For("x-scheme-handler/http"), mime.For("text/html")),
		profile.FileManager: mime.For("inode/directory"),
		profile.Editor:      mime.For("text/plain"),
		profile.Terminal:    terminals(s),
	}
}

// terminals reads the preference of xdg-terminal-exec.
func terminals(s Source) []string {
	var names []string
	for _, d := range s.Desktop {
		names = append(names, strings.ToLower(d)+"-xdg-terminals.list")
	}
	names = append(names, "xdg-terminals.list")
	var ids []string
	for _, name := range names {
		f, err := os.Open(filepath.Join(s.Dirs.Config, name))
		if err != nil {
			continue // no preference
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			id, _, _ := strings.Cut(strings.TrimSpace(lines.Text()), ":")
			if id != "" && id[0] != '#' && id[0] != '/' && id[0] != '-' {
				ids = append(ids, strings.TrimSuffix(strings.TrimPrefix(id, "+"), ".desktop"))
			}
		}
		f.Close()
	}
	return ids
}
