package undo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"utter/shared/atomicfile"
)

// change makes a change of files in dir: "name", before and after by turns; "-"
// is not a file.
func change(dir string, label string, files ...string) Change {
	c := Change{Label: label}
	for i := 0; i < len(files); i += 3 {
		c.Files = append(c.Files, File{filepath.Join(dir, files[i]), content(files[i+1]), content(files[i+2])})
	}
	return c
}

func content(text string) *Content {
	if text == "-" {
		return nil
	}
	return &Content{Data: []byte(text), Mode: newFile}
}

// tree is all files in dir, "name=text" joined by blanks.
func tree(t *testing.T, dir string) string {
	t.Helper()
	items, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, item := range items {
		data, err := os.ReadFile(filepath.Join(dir, item.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item.Name()+"="+string(data))
	}
	return strings.Join(all, " ")
}

func apply(t *testing.T, c Change) Change {
	t.Helper()
	made, err := Apply(c, false, nil)
	if err != nil {
		t.Fatalf("%s: %v", c.Label, err)
	}
	return made
}

// TestUndoAndRedo does a list of changes, takes all back and makes them again:
// each state comes back byte for byte.
func TestUndoAndRedo(t *testing.T) {
	dir := t.TempDir()
	var s Stack
	states := []string{tree(t, dir)}
	for _, c := range []Change{
		change(dir, "create", "a", "-", "one\r\n"),
		change(dir, "edit", "a", "one\r\n", "two"),
		change(dir, "empty", "a", "two", ""),
		change(dir, "delete", "a", "", "-"),
		change(dir, "two files", "a", "-", "three", "b", "-", "\x00\xff"),
		change(dir, "swap", "a", "three", "-", "c", "-", "three"),
	} {
		s.Push(apply(t, c))
		states = append(states, tree(t, dir))
	}
	for i := len(states) - 1; i > 0; i-- {
		c, ok := s.Last()
		if !ok {
			t.Fatalf("nothing to undo in state %d", i)
		}
		s.Undone(apply(t, c.Reverse()).Reverse())
		if got := tree(t, dir); got != states[i-1] {
			t.Errorf("undo %q: %q, want %q", c.Label, got, states[i-1])
		}
	}
	if c, ok := s.Last(); ok {
		t.Errorf("still to undo: %q", c.Label)
	}
	for i := 1; i < len(states); i++ {
		c, ok := s.LastUndone()
		if !ok {
			t.Fatalf("nothing to redo in state %d", i)
		}
		s.Redone(apply(t, c))
		if got := tree(t, dir); got != states[i] {
			t.Errorf("redo %q: %q, want %q", c.Label, got, states[i])
		}
	}
	if _, ok := s.LastUndone(); ok {
		t.Error("still to redo")
	}
}

func TestANewChangeForgetsWhatWasUndone(t *testing.T) {
	var s Stack
	s.Push(Change{Label: "one"})
	s.Undone(Change{Label: "one"})
	s.Push(Change{Label: "two"})
	if _, ok := s.LastUndone(); ok {
		t.Error("a change that was undone is still there")
	}
	s.Redone(Change{}) // nothing to do
	if c, _ := s.Last(); c.Label != "two" {
		t.Errorf("Last = %q", c.Label)
	}
}

func TestAStackIsBounded(t *testing.T) {
	var s Stack
	for i := range most + 5 {
		s.Push(Change{Label: strconv.Itoa(i)})
	}
	n := 0
	for c, ok := s.Last(); ok; c, ok = s.Last() {
		s.Undone(c)
		n++
	}
	if c, _ := s.LastUndone(); n != most || c.Label != "5" {
		t.Errorf("%d kept, the oldest is %q", n, c.Label)
	}
}

// TestAConflictWritesNothing, not even the files that are as they should be.
func TestAConflictWritesNothing(t *testing.T) {
	tests := []struct {
		name          string
		before, other string // the second file as the change wants it, and as it is
	}{
		{"another content", "x", "y"},
		{"no file", "x", "-"},
		{"a new file", "-", "y"},
		{"an empty file is not a missing one", "-", ""},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		apply(t, change(dir, "set up", "a", "-", "a"))
		if tt.other != "-" {
			apply(t, change(dir, "set up", "b", "-", tt.other))
		}
		was := tree(t, dir)
		c := change(dir, "c", "a", "a", "changed", "b", tt.before, "wanted")
		_, err := Apply(c, false, nil)
		e, ok := errors.AsType[*ConflictError](err)
		if !ok || e.Path != filepath.Join(dir, "b") || string(e.Wanted) != "wanted" ||
			string(e.Now) != strings.Trim(tt.other, "-") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := tree(t, dir); got != was {
			t.Errorf("%s: the files are %q, want %q", tt.name, got, was)
		}
		made, err := Apply(c, true, nil)
		if err != nil || tree(t, dir) != "a=changed b=wanted" {
			t.Errorf("%s: forced: %q, %v", tt.name, tree(t, dir), err)
		}
		apply(t, made.Reverse()) // also what was not expected comes back
		if got := tree(t, dir); got != was {
			t.Errorf("%s: forced and undone: %q, want %q", tt.name, got, was)
		}
	}
}

// TestHalfWrittenIsTakenBack fails at each file of a change in turn.
func TestHalfWrittenIsTakenBack(t *testing.T) {
	for fail := range 3 {
		dir := t.TempDir()
		apply(t, change(dir, "set up", "b", "-", "b", "c", "-", "c"))
		was := tree(t, dir)
		n, full := 0, &fs.PathError{Op: "write", Path: "disk", Err: syscall.ENOSPC}
		write := func(path string, data []byte, mode fs.FileMode) error {
			if n++; n == fail+1 {
				return full
			}
			return atomicfile.Write(path, data, mode)
		}
		_, err := Apply(change(dir, "three", "a", "-", "1", "b", "b", "2", "c", "c", "3"), false, write)
		if !errors.Is(err, syscall.ENOSPC) || tree(t, dir) != was {
			t.Errorf("failed at file %d: %v; the files are %q, want %q", fail, err, tree(t, dir), was)
		}
	}
}

// TestAFileComesBackAsItWas: its mode, and the link that it was.
func TestAFileComesBackAsItWas(t *testing.T) {
	dir, store := t.TempDir(), t.TempDir()
	target, link, plain := filepath.Join(store, "t"), filepath.Join(dir, "link"), filepath.Join(dir, "plain")
	for path, mode := range map[string]fs.FileMode{target: 0o640, plain: 0o600} {
		if err := os.WriteFile(path, []byte("text"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, plain} {
		before, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		edited := apply(t, Change{Files: []File{{path, before, before.With([]byte("new"))}}})
		gone := apply(t, Change{Files: []File{{path, edited.Files[0].After, nil}}})
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
		apply(t, gone.Reverse())
		apply(t, edited.Reverse())
	}
	if to, err := os.Readlink(link); to != target {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	for path, mode := range map[string]fs.FileMode{target: 0o640, plain: 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: mode %v, %v, want %v", path, info.Mode(), err, mode)
		}
		if data, _ := os.ReadFile(path); string(data) != "text" {
			t.Errorf("%s holds %q", path, data)
		}
	}
}

// TestALinkThatCannotBeWrittenThrough is not left behind.
func TestALinkThatCannotBeWrittenThrough(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	c := Change{Files: []File{{link, nil, &Content{[]byte("x"), newFile, filepath.Join(dir, "no", "target")}}}}
	full := func(string, []byte, fs.FileMode) error { return syscall.EROFS }
	if _, err := Apply(c, false, full); !errors.Is(err, syscall.EROFS) || tree(t, dir) != "" {
		t.Errorf("%v, %q", err, tree(t, dir))
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	dir := t.TempDir()
	if _, err := Apply(Change{Files: []File{{dir, nil, content("x")}}}, true, nil); err == nil {
		t.Error("a folder was read as a file")
	}
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := put(full, nil, nil); err == nil {
		t.Error("a full folder was removed")
	}
}

// TestNothingIsRemovedBeforeAllIsWritten: where every write but the first fails,
// what only one file held is still there.
func TestNothingIsRemovedBeforeAllIsWritten(t *testing.T) {
	for n := range 3 { // writes that succeed
		dir := t.TempDir()
		apply(t, change(dir, "make", "a", "-", "one", "b", "-", "two", "c", "-", "x"))
		c := change(dir, "move", "a", "one", "-", "a~", "-", "one", "b", "two", "-", "b~", "-", "two", "c", "x", "y")
		before := tree(t, dir)
		left := n
		fails := func(path string, data []byte, mode fs.FileMode) error {
			if left--; left < 0 {
				return syscall.ENOSPC
			}
			return atomicfile.Write(path, data, mode)
		}
		if _, err := Apply(c, false, fails); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d: %v", n, err)
		}
		if got := tree(t, dir); !strings.Contains(got, "=one") || !strings.Contains(got, "=two") || got != before {
			t.Errorf("%d: %q, want %q", n, got, before)
		}
	}
}
