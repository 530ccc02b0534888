package desktopentry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Scan reads the entries under dirs, the most important folder first. One id is
// one entry: the first folder wins, and an entry that is Hidden there takes
// those below it away. What cannot be read is left out and returned as an
// error; a missing folder is not an error.
func Scan(dirs []string, l Locale) ([]Entry, []error) { return new(Cache).Scan(dirs, l) }

// A Cache scans again and again and reads only the files that have changed. The
// zero Cache is ready. It must be used with one Locale only.
type Cache struct {
	files   map[string]cached
	changed bool
}

type cached struct {
	size     int64
	modified time.Time
	entry    Entry
	err      error
}

// Changed reports whether the last Scan found anything other than the one
// before it.
func (c *Cache) Changed() bool { return c.changed }

// Scan is Scan with what is remembered from before.
func (c *Cache) Scan(dirs []string, l Locale) ([]Entry, []error) {
	before := c.files
	c.files, c.changed = make(map[string]cached, len(before)), false
	var entries []Entry
	var problems []error
	claimed := map[string]bool{}
	for _, dir := range dirs {
		walk(dir, "", 0, func(id, path string) {
			if claimed[id] {
				return
			}
			e, err := c.read(id, path, l, before)
			if err != nil {
				problems = append(problems, err)
				return
			}
			claimed[id] = true
			if !e.Hidden {
				entries = append(entries, e)
			}
		}, func(err error) { problems = append(problems, err) })
	}
	c.changed = c.changed || len(c.files) != len(before)
	return entries, problems
}

// read parses the file at path unless it is as it was.
func (c *Cache) read(id, path string, l Locale, before map[string]cached) (Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, fmt.Errorf("read application: %w", err)
	}
	f, known := before[path]
	if !known || f.size != info.Size() || !f.modified.Equal(info.ModTime()) {
		c.changed = true
		f = cached{size: info.Size(), modified: info.ModTime()}
		f.entry, f.err = ReadFile(id, path, l)
	}
	c.files[path] = f
	return f.entry, f.err
}

// ReadFile parses the file at path.
func ReadFile(id, path string, l Locale) (Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, fmt.Errorf("read application: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return Entry{}, &SyntaxError{path, 0, "", "is not a file of at most 1 MiB"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Entry{}, fmt.Errorf("read application: %w", err)
	}
	return Parse(id, path, data, l)
}

// Walk calls found for each .desktop file below dir in a fixed order, also behind
// links. What cannot be read is passed over: Scan tells it.
func Walk(dir string, found func(id, path string)) { walk(dir, "", 0, found, func(error) {}) }

const maxDepth = 5 // of sub-folders; links may make circles

// walk calls found for each .desktop file below dir. Sub-folders become part of
// the id, joined by dashes.
func walk(dir, prefix string, depth int, found func(id, path string), failed func(error)) {
	items, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		failed(fmt.Errorf("read applications: %w", err))
	}
	for _, item := range items {
		path := filepath.Join(dir, item.Name())
		if id, ok := strings.CutSuffix(item.Name(), ".desktop"); ok {
			found(prefix+id, path)
			continue
		}
		isDir := item.IsDir()
		if item.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(path)
			isDir = err == nil && info.IsDir()
		}
		if isDir && depth < maxDepth {
			walk(path, prefix+item.Name()+"-", depth+1, found, failed)
		}
	}
}
