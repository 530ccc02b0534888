// Package undo keeps what the user has changed in this session, so that each change
// can be undone, byte for byte, and redone. It knows only files.
package undo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"utter/shared/atomicfile"
)

// A Content is what a file holds, and what it takes to make the file again where
// it has gone. nil means that there is no file.
type Content struct {
	Data []byte
	Mode fs.FileMode // its permissions
	Link string      // where it leads, if it is a symbolic link
}

// Bytes returns the data, nil where there is no file.
func (c *Content) Bytes() []byte {
	if c == nil {
		return nil
	}
	return c.Data
}

// newFile is the mode of a file that was not there before.
const newFile = 0o644

// With returns a file like c, or a new one, that holds other data; nil data
// means no file.
func (c *Content) With(data []byte) *Content {
	switch {
	case data == nil:
		return nil
	case c == nil:
		return &Content{Data: data, Mode: newFile}
	}
	return &Content{data, c.Mode, c.Link}
}

// Same reports whether two files hold the same; a missing file is not an empty
// one.
func Same(a, b *Content) bool { return (a == nil) == (b == nil) && bytes.Equal(a.Bytes(), b.Bytes()) }

// Read returns what a file holds, nil where there is none.
func Read(path string) (*Content, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	link, _ := os.Readlink(path) // "" where it is none
	return &Content{data, info.Mode().Perm(), link}, nil
}

// A File is a file before and after a change.
type File struct {
	Path          string
	Before, After *Content
}

// A Change is one thing that the user did.
type Change struct {
	Label string // "Firefox: “Names you can say” changed", already translated
	Files []File
}

// Reverse returns the change that takes c back.
func (c Change) Reverse() Change {
	return Change{Label: c.Label, Files: reverse(c.Files)}
}

func reverse(files []File) []File {
	var all []File
	for _, f := range slices.Backward(files) {
		all = append(all, File{f.Path, f.After, f.Before})
	}
	return all
}

// A ConflictError says that a file is not as the change left it.
type ConflictError struct {
	Path   string
	Wanted []byte // what the change would write, nil for no file
	Now    []byte
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s has been changed since then", e.Path)
}

// A Writer replaces the content of a file at once, like atomicfile.Write.
type Writer func(path string, data []byte, mode fs.FileMode) error

// Apply makes c: every file must be as Before says, or nothing is written and
// the error is a *ConflictError. With force the files are written in any case.
// What it returns is c as it was made: Before is what was there. Where writing
// stops halfway, what was written is taken back. Nothing is removed before all
// is written: a file may hold the only copy of another. A nil write is
// atomicfile's.
func Apply(c Change, force bool, write Writer) (Change, error) {
	made := Change{Label: c.Label}
	for _, f := range c.Files {
		now, err := Read(f.Path)
		if err != nil {
			return Change{}, err
		}
		if !force && !Same(now, f.Before) {
			return Change{}, &ConflictError{f.Path, f.After.Bytes(), now.Bytes()}
		}
		made.Files = append(made.Files, File{f.Path, now, f.After})
	}
	if write == nil {
		write = atomicfile.Write
	}
	files := writesFirst(made.Files)
	for i, f := range files {
		if err := put(f.Path, f.After, write); err != nil {
			for _, done := range writesFirst(reverse(files[:i])) {
				err = errors.Join(err, put(done.Path, done.After, write))
			}
			return Change{}, err
		}
	}
	return made, nil
}

// writesFirst returns files with those that go last.
func writesFirst(files []File) []File {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int {
		switch {
		case (a.After == nil) == (b.After == nil):
			return 0
		case a.After == nil:
			return 1
		}
		return -1
	})
	return files
}

// put makes a file hold c.
func put(path string, c *Content, write Writer) error {
	if c == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if c.Link == "" {
		return write(path, c.Data, c.Mode)
	}
	errLink := os.Symlink(c.Link, path)
	if errLink != nil && !errors.Is(errLink, fs.ErrExist) {
		return errLink
	}
	if now, err := Read(path); err == nil && Same(now, c) {
		return nil // where it leads may be a place that nobody can write to
	}
	err := write(path, c.Data, c.Mode)
	if err != nil && errLink == nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
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

// Last returns the change that can be taken back, ok false where there is none.
func (s *Stack) Last() (c Change, ok bool) { return last(s.done) }

// LastUndone returns the change that can be made again.
func (s *Stack) LastUndone() (c Change, ok bool) { return last(s.undone) }

func last(all []Change) (Change, bool) {
	if len(all) == 0 {
		return Change{}, false
	}
	return all[len(all)-1], true
}

// Undone moves the last change to those that can be made again; c is it as it
// can be made again, which may differ where taking it back was forced.
func (s *Stack) Undone(c Change) { s.done, s.undone = move(s.done, s.undone, c) }

// Redone moves the change that was undone last back, as c.
func (s *Stack) Redone(c Change) { s.undone, s.done = move(s.undone, s.done, c) }

func move(from, to []Change, c Change) ([]Change, []Change) {
	if len(from) == 0 {
		return from, to
	}
	return from[:len(from)-1], append(to, c)
}

// Forget forgets the last change: it cannot be taken back any more.
func (s *Stack) Forget() { s.done = s.done[:max(0, len(s.done)-1)] }

// ForgetUndone forgets the change that was undone last.
func (s *Stack) ForgetUndone() { s.undone = s.undone[:max(0, len(s.undone)-1)] }
