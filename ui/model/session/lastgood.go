package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"utter/shared/profile"
)

// A goodFiles remembers what each of the user's files was when it last had no
// mistake. It is used by one goroutine at a time.
type goodFiles map[string]goodFile

type goodFile struct {
	size     int64
	modified time.Time
	data     []byte // of the last version without a mistake, or nil
}

// maxFile bounds the files that are remembered, in bytes: larger ones are no
// profiles.
const maxFile = 1 << 20

// look reads the files of a folder that have changed and returns the last good
// version of each file that had one.
func (g goodFiles) look(dir string) map[string][]byte {
	items, _ := os.ReadDir(dir) // without them nothing new is remembered
	for _, item := range items {
		path := filepath.Join(dir, item.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile || !strings.HasSuffix(path, ".yaml") {
			continue
		}
		old := g[path]
		if old.size == info.Size() && old.modified.Equal(info.ModTime()) {
			continue
		}
		fresh := goodFile{info.Size(), info.ModTime(), old.data}
		if data, err := os.ReadFile(path); err == nil && sound(path, data) {
			fresh.data = data
		}
		g[path] = fresh
	}
	good := map[string][]byte{}
	for file, f := range g {
		if f.data != nil {
			good[file] = f.data
		}
	}
	return good
}

// sound reports whether a file's content counts.
func sound(path string, data []byte) bool {
	patches, _ := profile.Decode(path, profile.User, data)
	return len(patches) > 0
}

// HasLastGood reports whether a version of a file without a mistake is known.
func (s *Session) HasLastGood(file string) bool { return s.lastGood[file] != nil }

// A followed is a file that is read along with the applications, for the
// goroutine that loads.
type followed struct {
	file string
	read func() (take func())
	last fs.FileInfo // nil where there was no file
	seen bool
}

// changed reports whether the file is not as it was the last time.
func (f *followed) changed() bool {
	info, err := os.Stat(f.file)
	if err != nil {
		info = nil // what is wrong with it, read finds out
	}
	last, seen := f.last, f.seen
	f.last, f.seen = info, err == nil || errors.Is(err, fs.ErrNotExist)
	if !seen || last == nil || info == nil {
		return !seen || last != info
	}
	return !os.SameFile(last, info) || last.Size() != info.Size() || !last.ModTime().Equal(info.ModTime())
}
