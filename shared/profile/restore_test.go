package profile

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	items, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, item := range items {
		data, err := os.ReadFile(filepath.Join(dir, item.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[item.Name()] = string(data)
	}
	return all
}

const both = "profiles:\n  # mine\n  b: {name: Bee} # B\n  A:\n    name: Aye\n"

func TestRestore(t *testing.T) {
	dir := folder(t, map[string]string{
		"1.yaml": "id: a\nname: x\n", "1.yaml~": "older", "2.yaml": both, "3.yaml": "id: c\n",
		"4.yaml": "id: a.desk\n", "5.yaml": "id: [a\n",
		"6.yaml": "profiles: {a: {}, a.desk: {}}\n",
	})
	done, err := Restore(OpenDir(dir), "a", "a.desk")
	path := func(name string) string { return filepath.Join(dir, name) }
	want := []Restored{
		{path("1.yaml"), path("1.yaml~2")}, {path("2.yaml"), path("2.yaml~")}, {path("4.yaml"), path("4.yaml~")},
		{path("6.yaml"), path("6.yaml~")},
	}
	if err != nil || !slices.Equal(done, want) {
		t.Errorf("%v, %v", done, err)
	}
	if got, want := contents(t, dir), map[string]string{
		"1.yaml~": "older", "1.yaml~2": "id: a\nname: x\n",
		"2.yaml": "profiles:\n  # mine\n  b: {name: Bee} # B\n", "2.yaml~": both,
		"3.yaml": "id: c\n", "4.yaml~": "id: a.desk\n", "5.yaml": "id: [a\n", "6.yaml~": "profiles: {a: {}, a.desk: {}}\n",
	}; !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if info, err := os.Stat(path("2.yaml~")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if done, err := Restore(OpenDir(dir), "a", "a.desk"); err != nil || len(done) != 0 {
		t.Errorf("again: %v, %v", done, err)
	}
}

// TestRestoreIsAllOrNothing: the last file's name is too long for one more ~.
func TestRestoreIsAllOrNothing(t *testing.T) {
	before := map[string]string{"1.yaml": "id: a\n", "2.yaml": both, strings.Repeat("9", 250) + ".yaml": "id: a\n"}
	dir := folder(t, before)
	if done, err := Restore(OpenDir(dir), "a"); !errors.Is(err, syscall.ENAMETOOLONG) || done != nil {
		t.Errorf("%v, %v", done, err)
	}
	if got := contents(t, dir); !maps.Equal(got, before) {
		t.Errorf("%q, want %q", got, before)
	}
}

// TestRestoreThroughALink moves the link of a file of one profile and writes
// into the target of one of several.
func TestRestoreThroughALink(t *testing.T) {
	dots := folder(t, map[string]string{"one": "id: a\n", "both": both})
	dir := t.TempDir()
	for _, name := range []string{"one", "both"} {
		if err := os.Symlink(filepath.Join(dots, name), filepath.Join(dir, name+".yaml")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Restore(OpenDir(dir), "a"); err != nil {
		t.Fatal(err)
	}
	for name, isLink := range map[string]bool{"one.yaml~": true, "both.yaml": true, "both.yaml~": false} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || (info.Mode()&os.ModeSymlink != 0) != isLink {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := contents(t, dots); got["one"] != "id: a\n" || strings.Contains(got["both"], "Aye") {
		t.Errorf("%q", got)
	}
}
