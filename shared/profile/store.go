package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"utter/shared/filestamp"
)

// DefaultsFile holds the defaults of the kinds. The name is reserved.
const DefaultsFile = "_defaults.yaml"

var reserved = []string{DefaultsFile, "_preselected.yaml", "generated.yaml"}

// LoadFS reads the profiles of a layer from the top folder of fsys, whose files
// are called label/name in origins, in the order of their names.
func LoadFS(fsys fs.FS, label string, layer Layer) ([]Patch, []Problem) {
	return new(Cache).load(fsys, label, layer)
}

// LoadDir is LoadFS of a folder on disk.
func LoadDir(dir string, layer Layer) ([]Patch, []Problem) {
	return new(Cache).LoadDir(dir, layer)
}

// OpenDir opens the user's files in dir, in the order of their names. The Err of a
// file that cannot be read says why. A missing folder has no files.
func OpenDir(dir string) []*File {
	fsys := os.DirFS(dir)
	items, _ := fs.ReadDir(fsys, ".")
	var files []*File
	for _, item := range items {
		path := filepath.Join(dir, item.Name())
		if !isProfile(item.Name()) || slices.Contains(reserved, item.Name()) {
			continue
		}
		data, err := readFile(fsys, item.Name())
		f := Parse(path, User, data)
		if f.fault = err; err != nil {
			f.fault = fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, f)
	}
	return files
}

func isProfile(name string) bool {
	return strings.HasSuffix(name, ".yaml") && !strings.HasPrefix(name, ".")
}

// A Cache reads a folder again and again: files that have not changed are not
// read, and of a file that has become broken the last good version counts. The
// zero Cache is ready.
type Cache struct {
	dir   string
	files map[string]*cached
	// Unsettled says that a file was empty just after a change: whoever writes
	// it is probably not done, and it should be looked at again soon.
	Unsettled bool
	changed   bool
}

// Changed reports whether the last load found anything other than the one
// before it.
func (c *Cache) Changed() bool { return c.changed }

// LastGood returns the last versions of the files that said something and had no
// error, by their paths.
func (c *Cache) LastGood() map[string][]byte {
	good := map[string][]byte{}
	for _, f := range c.files {
		if f.good != nil {
			good[f.path] = f.good
		}
	}
	return good
}

// Seen reports whether path is a file of the folder that is as the last load saw
// it, or has been gone since before that.
func (c *Cache) Seen(path string) bool {
	if filepath.Dir(path) != c.dir {
		return false
	}
	info, err := os.Stat(path)
	if f := c.files[filepath.Base(path)]; f != nil {
		return err == nil && f.holds(info)
	}
	return errors.Is(err, fs.ErrNotExist)
}

type cached struct {
	path     string
	stamp    filestamp.Stamp
	settled  bool // a later change shows in the stamp
	data     []byte
	patches  []Patch // of the last good version
	problems []Problem
	good     []byte // the last good version that said something, or nil
}

// is reports whether a file is still as it was read.
func (f *cached) is(info fs.FileInfo) bool {
	return f.settled && filestamp.Of(info) == f.stamp
}

// holds reports whether the file that info describes has the content that was read.
func (f *cached) holds(info fs.FileInfo) bool {
	if f.is(info) {
		return true
	}
	if filestamp.Of(info) != f.stamp {
		return false
	}
	data, err := readFile(os.DirFS(filepath.Dir(f.path)), filepath.Base(f.path))
	return err == nil && bytes.Equal(data, f.data)
}

// LoadDir reads the folder dir.
func (c *Cache) LoadDir(dir string, layer Layer) ([]Patch, []Problem) {
	return c.load(os.DirFS(dir), dir, layer)
}

func (c *Cache) load(fsys fs.FS, label string, layer Layer) ([]Patch, []Problem) {
	c.dir, c.Unsettled, c.changed = label, false, false
	items, err := fs.ReadDir(fsys, ".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []Problem{unreadable(Origin{Layer: layer, File: label}, err)}
	}
	before := c.files
	c.files = map[string]*cached{}
	var patches []Patch
	var problems []Problem
	for _, item := range items {
		name := item.Name()
		if !isProfile(name) {
			continue
		}
		at := Origin{Layer: layer, File: filepath.Join(label, name)}
		if slices.Contains(reserved, name) {
			if layer == User {
				problems = append(problems, newProblem(at, Warning, CodeReserved, name))
			}
			continue
		}
		f := c.file(fsys, name, at, before[name])
		c.files[name] = f
		patches, problems = append(patches, f.patches...), append(problems, f.problems...)
	}
	c.changed = c.changed || len(c.files) != len(before)
	return patches, problems
}

// settleTime is how long an empty file may be one that is being written.
const settleTime = 300 * time.Millisecond

// file reads one file unless it is as it was.
func (c *Cache) file(fsys fs.FS, name string, at Origin, old *cached) *cached {
	info, err := fs.Stat(fsys, name) // of a link's target
	if err == nil && old != nil && old.is(info) {
		return old
	}
	if err == nil && old != nil && info.Size() == 0 && time.Since(info.ModTime()) < settleTime {
		c.Unsettled = true
		return old
	}
	f := &cached{path: at.File}
	var data []byte
	if err == nil {
		f.stamp = filestamp.Of(info)
		f.settled = f.stamp.Settled(time.Now())
		data, err = readFile(fsys, name)
	}
	if err == nil && old != nil && old.data != nil && bytes.Equal(data, old.data) {
		same := *old
		same.stamp, same.settled = f.stamp, f.settled
		c.changed = c.changed || f.stamp != old.stamp
		return &same
	}
	c.changed, f.data = true, data
	if err != nil {
		f.problems = []Problem{unreadable(at, err)}
	} else {
		f.patches, f.problems = Decode(at.File, at.Layer, data)
	}
	switch {
	case len(f.patches) > 0:
		f.good = data
	case old != nil:
		f.good = old.good
	}
	if f.patches == nil && len(f.problems) > 0 && old != nil && len(old.patches) > 0 {
		f.patches = old.patches
		f.problems[len(f.problems)-1].Message += "; its last good version stays active"
	}
	return f
}

func unreadable(at Origin, err error) Problem {
	return newProblem(at, Broken, CodeUnreadable, err.Error())
}

// readFile refuses what is not a plain file: opening a pipe would wait for ever.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	if info.Size() > maxFile {
		return nil, errors.New("the file is larger than 1 MiB")
	}
	return fs.ReadFile(fsys, name)
}

// LoadDefaults reads the built-in defaults, whose ids are kinds.
func LoadDefaults(fsys fs.FS) (Defaults, error) {
	data, err := fs.ReadFile(fsys, DefaultsFile)
	if err != nil {
		return nil, fmt.Errorf("profile defaults: %w", err)
	}
	patches, problems := Decode(DefaultsFile, Curated, data)
	if len(problems) > 0 {
		return nil, fmt.Errorf("profile defaults: %w", problems[0])
	}
	defaults := Defaults{}
	for _, p := range patches {
		defaults[Kind(p.ID)] = p
	}
	return defaults, nil
}
