package desktopentry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Scan reads the entries under dirs, the most important folder first. One id is
// one entry: the first folder wins, and an entry that is Hidden there takes
// those below it away. What cannot be read is left out and returned as an
// error; a missing folder is no error.
func Scan(dirs []string, l Locale) ([]Entry, []error) {
	var entries []Entry
	var problems []error
	claimed := map[string]bool{}
	for _, dir := range dirs {
		walk(dir, "", 0, func(id, path string) {
			if claimed[id] {
				return
			}
			e, err := ReadFile(id, path, l)
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
	return entries, problems
}

// ReadFile parses the file at path.
func ReadFile(id, path string, l Locale) (Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, fmt.Errorf("read application: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return Entry{}, &SyntaxError{path, 0, "", "is no file of at most 1 MiB"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Entry{}, fmt.Errorf("read application: %w", err)
	}
	return Parse(id, path, data, l)
}

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
