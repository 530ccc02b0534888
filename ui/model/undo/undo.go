// Package undo keeps what the user has changed in this session, so that each
// change can be taken back, byte for byte, and made again. It knows files only.
package undo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"utter/shared/atomicfile"
)

// A File is the content of a file before and after a change. nil content means
// that the file is not there.
type File struct {
	Path          string
	Before, After []byte
}

// A Change is one thing that the user did.
type Change struct {
	Label string // "Names of Firefox", already translated
	Files []File
}

// A ConflictError says that a file is not as the change left it.
type ConflictError struct {
	Path   string
	Wanted []byte // what undoing would write
	Now    []byte
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s has been changed since then", e.Path)
}

// most is how many changes a Stack keeps.
const most = 200

// A Stack holds the changes of a session, the oldest first. The zero Stack is
// empty.
type Stack struct {
	done, undone []Change
}

// Push adds a change that has been made. What had been undone is forgotten.
func (s *Stack) Push(c Change) {
	s.undone = nil
	s.done = append(s.done, c)
	if len(s.done) > most {
		s.done = s.done[1:]
	}
}

// CanUndo returns the change that Undo would take back, or nil.
func (s *Stack) CanUndo() *Change { return last(s.done) }

// CanRedo returns the change that Redo would make again, or nil.
func (s *Stack) CanRedo() *Change { return last(s.undone) }

func last(c []Change) *Change {
	if len(c) == 0 {
		return nil
	}
	return &c[len(c)-1]
}

// Undone moves the last change to those that can be made again.
func (s *Stack) Undone() { s.done, s.undone = move(s.done, s.undone) }

// Redone moves the change that was undone last back.
func (s *Stack) Redone() { s.undone, s.done = move(s.undone, s.done) }

func move(from, to []Change) ([]Change, []Change) {
	if len(from) == 0 {
		return from, to
	}
	n := len(from) - 1
	return from[:n], append(to, from[n])
}

// Reverse returns the change that takes c back.
func (c Change) Reverse() Change {
	r := Change{Label: c.Label}
	for i := len(c.Files) - 1; i >= 0; i-- {
		f := c.Files[i]
		r.Files = append(r.Files, File{f.Path, f.After, f.Before})
	}
	return r
}

// Apply makes c: every file must be as Before says, or nothing is written and
// the error is a *ConflictError. With force the files are written in any case.
// Where writing stops halfway, what was written is taken back.
func Apply(c Change, force bool) error {
	now := make([][]byte, len(c.Files))
	for i, f := range c.Files {
		data, err := Read(f.Path)
		if err != nil {
			return err
		}
		now[i] = data
		if !force && !Same(data, f.Before) {
			return &ConflictError{f.Path, f.After, data}
		}
	}
	for i, f := range c.Files {
		if err := write(f.Path, f.After); err != nil {
			for j := range i {
				err = errors.Join(err, write(c.Files[j].Path, now[j]))
			}
			return err
		}
	}
	return nil
}

// Read returns the content of a file, nil where there is none.
func Read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// Same reports whether two contents are one; a missing file is not an empty one.
func Same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func write(path string, data []byte) error {
	if data != nil {
		return atomicfile.Write(path, data, 0o644)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
