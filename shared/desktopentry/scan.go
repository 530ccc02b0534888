package desktopentry

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"utter/shared/filestamp"
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
	stamp   filestamp.Stamp
	settled bool   // a later change shows in the stamp
	sum     uint64 // of the content
	entry   Entry
	err     error
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
	w := walker{seen: map[inode]bool{}, failed: func(err error) { problems = append(problems, err) }}
	w.found = func(id, path string) {
		if claimed[id] {
			return
		}
		f := c.read(id, path, l, before)
		if f.err == nil && !w.first(f.stamp) {
			return
		}
		problems = append(problems, f.entry.Warnings...)
		if f.err != nil {
			problems = append(problems, f.err)
			return
		}
		claimed[id] = true
		if !f.entry.Hidden {
			entries = append(entries, f.entry)
		}
	}
	for _, dir := range dirs {
		w.walk(dir, "", 0)
	}
	c.changed = c.changed || len(c.files) != len(before)
	return entries, problems
}

// read parses the file at path unless it is as it was. One that was changed just
// before it was read is read again.
func (c *Cache) read(id, path string, l Locale, before map[string]cached) cached {
	info, err := os.Stat(path)
	if err != nil {
		return cached{err: fmt.Errorf("read application: %w", err)}
	}
	f, known := before[path]
	stamp := filestamp.Of(info)
	if !known || f.stamp != stamp || !f.settled {
		settled := stamp.Settled(time.Now())
		data, err := readFile(path, info)
		sum := maphash.Bytes(seed, data)
		c.changed = c.changed || f.stamp != stamp || f.sum != sum
		if !known || err != nil || f.err != nil || f.sum != sum {
			f = cached{sum: sum, err: err}
			if err == nil {
				f.entry, f.err = Parse(id, path, data, l)
			}
		}
		f.stamp, f.settled = stamp, settled
	}
	c.files[path] = f
	return f
}

var seed = maphash.MakeSeed()

// ReadFile parses the file at path.
func ReadFile(id, path string, l Locale) (Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, fmt.Errorf("read application: %w", err)
	}
	data, err := readFile(path, info)
	if err != nil {
		return Entry{}, err
	}
	return Parse(id, path, data, l)
}

func readFile(path string, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, &SyntaxError{path, 0, "", "is not a file of at most 1 MiB"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read application: %w", err)
	}
	return data, nil
}

// Walk calls found for each .desktop file below dir in a fixed order, also behind
// links. What cannot be read is passed over: Scan tells it.
func Walk(dir string, found func(id, path string)) {
	w := walker{seen: map[inode]bool{}, found: found, failed: func(error) {}}
	w.walk(dir, "", 0)
}

const maxDepth = 5 // of sub-folders

// An inode is one file or folder, whatever its path.
type inode struct{ device, number uint64 }

// A walker goes through folders, each once: links may make circles.
type walker struct {
	seen   map[inode]bool
	found  func(id, path string)
	failed func(err error)
}

// first reports whether a file is met for the first time.
func (w *walker) first(s filestamp.Stamp) bool {
	n := inode{s.Device, s.Inode}
	again := n.number != 0 && w.seen[n]
	w.seen[n] = true
	return !again
}

// walk calls found for each .desktop file below dir. Sub-folders become part of
// the id, joined by dashes.
func (w *walker) walk(dir, prefix string, depth int) {
	if info, err := os.Stat(dir); err == nil && !w.first(filestamp.Of(info)) {
		return
	}
	items, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.failed(fmt.Errorf("read applications: %w", err))
	}
	for _, item := range items {
		path := filepath.Join(dir, item.Name())
		if id, ok := strings.CutSuffix(item.Name(), ".desktop"); ok {
			w.found(prefix+id, path)
			continue
		}
		isDir := item.IsDir()
		if item.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(path)
			isDir = err == nil && info.IsDir()
		}
		if isDir && depth < maxDepth {
			w.walk(path, prefix+item.Name()+"-", depth+1)
		}
	}
}
