// Package watch reports when files below some folders change, however they are
// saved: in place, by a rename, through links, in folders that do not exist yet.
// It reports where something may have changed, not what; the caller checks.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long nothing must happen before the change is told: an
	// editor writes several times for one save.
	quiet = 40 * time.Millisecond
	// patience is how long a change is kept back at most.
	patience = 150 * time.Millisecond
	// pollPause lies between two looks where the kernel gives no watches.
	pollPause = 2 * time.Second
	// maxWatches bounds what is taken of the kernel's watches.
	maxWatches = 128
	// maxPaths bounds the paths that are told at once.
	maxPaths = 64
)

// A Set is what to watch.
type Set struct {
	// Folders are watched with their sub-folders down to Depth. One that does
	// not exist is waited for.
	Folders []string
	Depth   int
	// Files are single files.
	Files []string
	// Ends are the endings of the file names that count in Folders.
	Ends []string
}

// A Watcher watches one set.
type Watcher struct {
	set     Set
	changed func(paths []string) (again bool)
	trouble func(error)
	log     *slog.Logger
	// targets are what links in the set lead to; only Run's goroutine uses it.
	targets []string
}

// New returns a Watcher that calls changed, on its own goroutine, after changes
// have come to rest; where it returns true it is called once more soon. paths are
// the files and folders that may have changed; none means that any may. trouble
// is told why the kernel gives no watches: then files are looked at every two
// seconds instead.
func New(s Set, changed func(paths []string) (again bool), trouble func(error), log *slog.Logger) *Watcher {
	return &Watcher{set: s, changed: changed, trouble: trouble, log: log}
}

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) error {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return w.poll(ctx, err)
	}
	defer notify.Close()
	if err := w.add(notify); err != nil {
		return w.poll(ctx, err)
	}
	w.changed(nil) // what happened before the watches were there
	return w.follow(ctx, notify)
}

// follow waits for events and tells of changes.
func (w *Watcher) follow(ctx context.Context, notify *fsnotify.Watcher) error {
	var rest, limit <-chan time.Time
	var paths []string
	everything := false // may have changed, not only paths
	for {
		select {
		case e, ok := <-notify.Events:
			if !ok {
				return errors.New("watch files: the watcher has ended")
			}
			if !w.counts(e.Name) {
				continue
			}
			if everything = everything || len(paths) == maxPaths; !slices.Contains(paths, e.Name) {
				paths = append(paths, e.Name)
			}
			rest = time.After(quiet)
			if limit == nil {
				limit = time.After(patience)
			}
			continue
		case err, ok := <-notify.Errors:
			if !ok {
				return errors.New("watch files: the watcher has ended")
			}
			// An overflow has lost events: look at everything.
			w.log.Debug("watch files", "error", err)
			everything = true
		case <-rest:
		case <-limit:
		case <-ctx.Done():
			return ctx.Err()
		}
		rest, limit = nil, nil
		// Watch first and look then: what happens in between is told again.
		if err := w.add(notify); err != nil {
			return w.poll(ctx, err)
		}
		if everything {
			paths = nil
		}
		everything = w.changed(paths)
		if paths = nil; everything {
			rest = time.After(quiet)
		}
	}
}

// counts reports whether an event about path may matter.
func (w *Watcher) counts(path string) bool {
	for _, f := range slices.Concat(w.set.Files, w.set.Folders, w.targets) {
		if path == f || strings.HasPrefix(f, path+string(filepath.Separator)) {
			return true // the thing itself, or a folder on the way to it
		}
	}
	if slices.ContainsFunc(w.set.Ends, func(end string) bool { return strings.HasSuffix(path, end) }) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && w.inFolders(path)
}

func (w *Watcher) inFolders(path string) bool {
	return slices.ContainsFunc(w.set.Folders,
		func(f string) bool { return strings.HasPrefix(path, f+string(filepath.Separator)) })
}

// add makes the kernel watch what is there now. A folder that is made while the
// one above it is not watched yet is told by nobody, so it looks again.
func (w *Watcher) add(notify *fsnotify.Watcher) error {
	const most = 20
	wanted := w.wanted()
	for range most {
		if err := w.replace(notify, wanted); err != nil {
			return err
		}
		before := wanted
		if wanted = w.wanted(); slices.Equal(before, wanted) {
			break
		}
	}
	return nil
}

// replace makes the kernel watch these folders and no others. fsnotify forgets
// folders that are removed and takes one that is watched already as it is.
func (w *Watcher) replace(notify *fsnotify.Watcher, wanted []string) error {
	if len(wanted) > maxWatches {
		w.log.Warn("watch files: too many folders", "folders", len(wanted), "watched", maxWatches)
		wanted = wanted[:maxWatches]
	}
	for _, old := range notify.WatchList() {
		if !slices.Contains(wanted, old) {
			_ = notify.Remove(old) // it may be gone already
		}
	}
	for _, dir := range wanted {
		err := notify.Add(dir)
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENOMEM) {
			return err
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.log.Debug("watch files", "folder", dir, "error", err)
		}
	}
	return nil
}

// wanted lists the folders to watch now.
func (w *Watcher) wanted() []string {
	var dirs []string
	w.targets = nil
	add := func(dir string) {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, f := range w.set.Files {
		add(nearest(filepath.Dir(f)))
		w.addTarget(f, add)
	}
	for _, f := range w.set.Folders {
		if _, err := os.Stat(f); err != nil {
			add(nearest(f))
			w.addTarget(f, add)
			continue
		}
		if isLink(f) {
			add(filepath.Dir(f)) // the link may be pointed elsewhere
		}
		w.below(f, w.set.Depth, add)
	}
	return dirs
}

// below adds a folder and its sub-folders, and the folders in which the targets
// of linked files lie.
func (w *Watcher) below(dir string, depth int, add func(string)) {
	add(dir)
	items, err := os.ReadDir(dir)
	if err != nil {
		return // gone again; its parent is told
	}
	for _, item := range items {
		path := filepath.Join(dir, item.Name())
		if item.Type()&fs.ModeSymlink != 0 {
			w.addTarget(path, add)
		}
		if depth > 0 && item.IsDir() {
			w.below(path, depth-1, add)
		}
	}
}

// addTarget adds the folder in which the target of a link lies, or is to lie.
func (w *Watcher) addTarget(path string, add func(string)) {
	if !isLink(path) {
		return
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil { // it leads nowhere yet
		if target, err = os.Readlink(path); err != nil {
			return
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
	}
	w.targets = append(w.targets, target)
	add(nearest(filepath.Dir(target)))
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// nearest returns dir, or the folder above it that exists.
func nearest(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return dir
		}
		dir = parent
	}
}

// poll looks for itself every two seconds, since the kernel gives no watches.
func (w *Watcher) poll(ctx context.Context, why error) error {
	w.trouble(why)
	w.log.Warn("watch files: checking every 2 seconds instead", "error", why)
	tick := time.NewTicker(pollPause)
	defer tick.Stop()
	for {
		w.changed(nil)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
