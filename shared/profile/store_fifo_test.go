package profile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestAPipeIsNotReadToSeeWhetherItChanged: reading it would wait for a writer.
func TestAPipeIsNotReadToSeeWhetherItChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var c Cache
	c.LoadDir(dir, User)
	seen := make(chan bool, 1)
	go func() { seen <- c.Seen(path) }()
	select {
	case <-seen:
	case <-time.After(5 * time.Second):
		if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			f.Close() // ends the wait
		}
		t.Error("it is read")
	}
}
