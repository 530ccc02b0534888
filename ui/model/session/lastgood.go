package session

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"utter/shared/profile"
	"utter/ui/model/cases"
	"utter/ui/model/tr"
	"utter/ui/model/undo"
)

// A goodFiles remembers what each of the user's files was when it last had no
// mistake. It is used by one goroutine at a time.
type goodFiles map[string]goodFile

type goodFile struct {
	size     int64
	modified time.Time
	data     []byte // of the last version without a mistake, or nil
}

// look reads the files of a folder that have changed.
func (g goodFiles) look(dir string) {
	items, err := os.ReadDir(dir)
	if err != nil {
		return // then there is nothing to remember
	}
	for _, item := range items {
		path := filepath.Join(dir, item.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(path, ".yaml") {
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
}

// sound reports whether a file's content counts.
func sound(path string, data []byte) bool {
	patches, _ := profile.Decode(path, profile.User, data)
	return len(patches) > 0
}

// HasLastGood reports whether a version of a file without a mistake is known.
func (s *Session) HasLastGood(file string) bool { return s.lastGood[file] != nil }

// UseLastGood writes the last version of a file that had no mistake. It can be
// undone.
func (s *Session) UseLastGood(file string) {
	good := s.lastGood[file]
	label := tr.T("Put back the last good version of %s", filepath.Base(file))
	s.write(label, file, func([]byte) ([]byte, error) { return good, nil }, func() { s.UseLastGood(file) })
}

// write makes one file what change says, as one step that can be undone.
func (s *Session) write(label, file string, change func(before []byte) ([]byte, error), redo func()) {
	s.do(func(finished func()) {
		var c undo.Change
		s.parts.Async(func() error {
			before, err := undo.Read(file)
			if err != nil {
				return err
			}
			after, err := change(before)
			if err != nil || undo.Same(before, after) {
				return err
			}
			c = undo.Change{Label: label, Files: []undo.File{{Path: file, Before: before, After: after}}}
			return undo.Apply(c, true)
		}, func(err error) {
			defer finished()
			if err != nil {
				s.failure = &Failure{Err: err, redo: redo}
			} else if len(c.Files) > 0 {
				s.made(c, false)
			}
			s.changed()
		})
	})
}

// AddCase adds a phrase and its plan to a file that "utter eval" reads.
func (s *Session) AddCase(label, file string, c cases.Case) {
	var known []*profile.Profile
	for _, p := range s.lib.Index.All() {
		if s.lib.Startable(p) || p.Role() {
			known = append(known, p)
		}
	}
	s.write(label, file, func(before []byte) ([]byte, error) { return cases.Append(before, c, known) }, func() { s.AddCase(label, file, c) })
}
