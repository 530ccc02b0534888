package watch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// A watched is a running Watcher of a folder that a test changes.
type watched struct {
	t       *testing.T
	root    string
	dir     string // what is watched
	calls   atomic.Int64
	paths   chan []string // that were told
	changed chan struct{}
	again   atomic.Int64 // how often changed asks to be called once more
	trouble chan error
}

// watch watches the folder "d" and the file "f/config.yaml" of a new place,
// which setup may furnish first, and waits until it does.
func watch(t *testing.T, setup func(root string)) *watched {
	t.Helper()
	root := t.TempDir()
	w := &watched{t: t, root: root, dir: filepath.Join(root, "d"), changed: make(chan struct{}, 1000),
		paths: make(chan []string, 1000), trouble: make(chan error, 10)}
	if setup == nil {
		setup = func(root string) { mkdir(t, filepath.Join(root, "d")) }
	}
	mkdir(t, filepath.Join(root, "f"))
	setup(root)
	s := Set{Folders: []string{w.dir}, Depth: 2,
		Files: []string{filepath.Join(root, "f/config.yaml")}, Ends: []string{".yaml"}}
	watcher := New(s, func(paths []string) bool {
		w.calls.Add(1)
		w.paths <- paths
		w.changed <- struct{}{}
		return w.again.Add(-1) >= 0
	}, func(err error) { w.trouble <- err }, slog.New(slog.NewTextHandler(io.Discard, nil)))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- watcher.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
	})
	// It watches once a change is told.
	probe := filepath.Join(root, "f/config.yaml")
	for range 1000 {
		write(t, probe, "probe")
		select {
		case <-w.changed:
			w.quiet()
			return w
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("nothing is watched")
	return nil
}

// tells waits for the change that was just made to be told.
func (w *watched) tells(what string) {
	w.t.Helper()
	select {
	case <-w.changed:
	case <-time.After(20 * time.Second):
		w.t.Fatalf("%s is not told", what)
	}
	w.quiet()
}

// quiet waits until nothing is told any more.
func (w *watched) quiet() {
	for {
		select {
		case <-w.changed:
		case <-time.After(2 * patience):
			return
		}
	}
}

// silent checks that the change that was just made is not told.
func (w *watched) silent(what string) {
	w.t.Helper()
	select {
	case <-w.changed:
		w.t.Errorf("%s is told", what)
		w.quiet()
	case <-time.After(3 * patience):
	}
}

func (w *watched) path(name string) string { return filepath.Join(w.root, name) }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
