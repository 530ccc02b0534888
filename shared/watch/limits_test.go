package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestFieldBug22NoInstances takes the kernel's inotify instances away: all file
// descriptors are used up. It must not run beside other tests.
func TestFieldBug22NoInstances(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var held []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if held = append(held, f); len(held) > 1 {
			continue
		}
		low := syscall.Rlimit{Cur: uint64(f.Fd()) + 1, Max: limit.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
			t.Fatal(err)
		}
	}
	trouble := make(chan error, 1)
	looked := make(chan struct{}, 100)
	w := New(Set{Folders: []string{dir}}, func([]string) bool { looked <- struct{}{}; return false },
		func(err error) { trouble <- err }, slog.New(slog.NewTextHandler(io.Discard, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	select {
	case err := <-trouble:
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			t.Errorf("the trouble is %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("nobody is told that there are no watches")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	for _, f := range held {
		f.Close()
	}
	select {
	case <-looked:
	case <-time.After(20 * time.Second):
		t.Error("nobody looks")
	}
	cancel()
	<-ended
}

// TestTheWatchesAreBounded: somebody may keep his whole home there.
func TestTheWatchesAreBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 * maxWatches {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer notify.Close()
	w := New(Set{Folders: []string{dir}, Depth: 1, Files: []string{filepath.Join(dir, "x/config.toml")}}, nil, nil,
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	for range 3 {
		if err := w.add(notify); err != nil {
			t.Fatal(err)
		}
		if got := len(notify.WatchList()); got != maxWatches {
			t.Errorf("%d watches, want %d", got, maxWatches)
		}
	}
}

// TestNothingIsWatchedTwice and what is not wanted any more is given back.
func TestNothingIsWatchedTwice(t *testing.T) {
	root := t.TempDir()
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	mkdir(t, a)
	mkdir(t, b)
	write(t, filepath.Join(b, "x.yaml"), "")
	link(t, filepath.Join(b, "x.yaml"), filepath.Join(a, "x.yaml"))
	link(t, filepath.Join(b, "x.yaml"), filepath.Join(a, "y.yaml"))
	w := New(Set{Folders: []string{a}, Files: []string{filepath.Join(a, "x.yaml")}}, nil, nil, nil)
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer notify.Close()
	if err := w.add(notify); err != nil || len(notify.WatchList()) != 2 {
		t.Errorf("%v, %v", notify.WatchList(), err)
	}
	remove(t, filepath.Join(a, "x.yaml"))
	remove(t, filepath.Join(a, "y.yaml"))
	if err := w.add(notify); err != nil || len(notify.WatchList()) != 1 {
		t.Errorf("%v, %v", notify.WatchList(), err)
	}
}

func TestLinksInACircleEnd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	mkdir(t, dir)
	link(t, dir, filepath.Join(dir, "self"))
	link(t, filepath.Join(dir, "two"), filepath.Join(dir, "one"))
	link(t, filepath.Join(dir, "one"), filepath.Join(dir, "two"))
	if got := New(Set{Folders: []string{dir}, Depth: 5}, nil, nil, nil).wanted(); len(got) > 2 {
		t.Errorf("%q", got)
	}
}
