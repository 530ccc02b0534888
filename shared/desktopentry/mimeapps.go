package desktopentry

import (
	"os"
	"path/filepath"
	"strings"
)

// A Defaults says which applications the user prefers for a MIME type, by the
// MIME Applications Associations specification.
type Defaults struct {
	byType map[string][]string // ids, the most preferred first
}

// LoadDefaults reads the mimeapps.list files in dirs, the most important folder
// first, those named after a desktop in current before the plain one. Missing
// and unreadable files count as empty: a preference is only a hint.
func LoadDefaults(dirs, current []string) Defaults {
	d := Defaults{byType: map[string][]string{}}
	for _, dir := range dirs {
		for _, desktop := range current {
			d.read(filepath.Join(dir, strings.ToLower(desktop)+"-mimeapps.list"))
		}
		d.read(filepath.Join(dir, "mimeapps.list"))
	}
	return d
}

func (d Defaults) read(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	inDefaults := false
	said := map[string]string{} // by type: the later of two lines counts
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inDefaults = line == "[Default Applications]"
			continue
		}
		if mime, ids, ok := strings.Cut(line, "="); ok && inDefaults && line[0] != '#' {
			said[strings.TrimSpace(mime)] = strings.TrimSpace(ids)
		}
	}
	for mime, ids := range said {
		for _, id := range splitList(ids) {
			d.byType[mime] = append(d.byType[mime], strings.TrimSuffix(id, ".desktop"))
		}
	}
}

// For returns the ids of the applications preferred for a type, the most
// preferred first. They need not be installed.
func (d Defaults) For(mime string) []string { return d.byType[mime] }
