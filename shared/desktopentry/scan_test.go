package desktopentry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	os.Remove(path)
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderOrFileCountsOnce(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "applications")
	put(t, filepath.Join(dir, "a.desktop"), "[Desktop Entry]\nName=A\nExec=a\n")
	put(t, filepath.Join(dir, "kde/b.desktop"), "[Desktop Entry]\nName=B\nExec=b\n")
	link(t, dir, filepath.Join(dir, "applications"))
	link(t, "kde", filepath.Join(dir, "qt"))
	link(t, "a.desktop", filepath.Join(dir, "z.desktop"))
	link(t, dir, filepath.Join(root, "again"))
	entries, problems := Scan([]string{dir, filepath.Join(root, "again")}, Locale{})
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	if !slices.Equal(ids, []string{"a", "kde-b"}) || len(problems) > 0 {
		t.Errorf("%q, %v", ids, problems)
	}
}

// Package stores give every file one time and swap links between them.
func TestASwapOfEqualSizeAndTimeIsSeen(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"one", "two"} {
		path := filepath.Join(root, name)
		put(t, path, "[Desktop Entry]\nName="+name+"\nExec=a\n")
		if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(root, "apps")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var c Cache
	for _, name := range []string{"one", "two", "one"} {
		link(t, filepath.Join(root, name), filepath.Join(dir, "a.desktop"))
		entries, _ := c.Scan([]string{dir}, Locale{})
		if len(entries) != 1 || entries[0].Name != name || !c.Changed() {
			t.Errorf("%+v, changed %v; want %s", entries, c.Changed(), name)
		}
	}
	if c.Scan([]string{dir}, Locale{}); c.Changed() {
		t.Error("reading again is a change")
	}
}

func TestOneBrokenLineLeavesAListOfDefaults(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "mimeapps.list"),
		"nonsense\n[Default Applications]\ntext/html=a.desktop\nnonsense\n#x=y\n[broken\n[Default Applications]\ntext/html=b.desktop;c.desktop\n")
	if got := strings.Join(LoadDefaults([]string{dir}, nil).For("text/html"), " "); got != "b c" {
		t.Errorf("text/html: %q", got)
	}
}
