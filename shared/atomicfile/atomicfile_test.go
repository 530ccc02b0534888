package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "store", "target"), filepath.Join(dir, "link")
	if err := os.Symlink("store/target", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 || read(t, target) != "two" {
		t.Errorf("target: %v, %v, %q", info.Mode(), err, read(t, target))
	}
}

func TestWriteLeavesNothingBehindOnFailure(t *testing.T) {
	dir := t.TempDir()
	occupied := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(occupied, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(occupied, []byte("data"), 0o600); err == nil {
		t.Error("Write replaced a folder")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := Write(loop, nil, 0o600); err == nil {
		t.Error("Write followed an endless link")
	}
}
