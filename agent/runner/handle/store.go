package handle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"utter/shared/plugin/protocol"
)

// shared is the scope that everybody may read.
const shared = "shared"

// minCost is what a handle counts at least, in bytes: so their number is bounded
// too.
const minCost = 4096

// Options says where and how long. Every zero value but Root is usable.
type Options struct {
	Root     string        // a folder of ours alone; what is in it is removed
	TTL      time.Duration // 300 s
	MaxOwner int64         // bytes of one owner; protocol.MaxHandles
	MaxAll   int64         // bytes of all; protocol.MaxHandlesAll
}

// A Store keeps handles. It may be used from any goroutine.
type Store struct {
	opts Options
	root *os.Root
	feed feeds

	mu     sync.Mutex
	closed bool
	files  map[key]int // entries of each file
	total  int64       // cost of files
	shared map[key]*entry
	owners map[*Owner]struct{}
	lastID int // of temporary files
}

// A key names a file: the folder of a scope, and the digest.
type key struct {
	scope  string
	handle protocol.Handle
}

func (k key) path() string { return filepath.Join(k.scope, k.handle.Hex()) }

// An entry says that somebody holds the bytes of a file.
type entry struct {
	size             int64
	created, expires time.Time
	refs             int
	owner            *Owner // the owner that pays for it; nil if the maker of a shared one has gone
}

func (e *entry) cost() int64 { return max(e.size, minCost) }

func (e *entry) lives(now time.Time) bool { return now.Before(e.expires) }

// Open makes the folder, with mode 0700, and removes what an earlier runner left
// there. A folder that is a link or another user's is refused.
func Open(o Options) (*Store, error) {
	o.TTL = cmp.Or(max(o.TTL, 0), 300*time.Second)
	o.MaxOwner = cmp.Or(max(o.MaxOwner, 0), protocol.MaxHandles)
	o.MaxAll = cmp.Or(max(o.MaxAll, 0), protocol.MaxHandlesAll)
	root, err := openRoot(o.Root)
	if err != nil {
		return nil, fmt.Errorf("open the folder of handles: %w", err)
	}
	s := &Store{opts: o, root: root, files: map[key]int{}, shared: map[key]*entry{}, owners: map[*Owner]struct{}{}}
	if err := s.empty(); err != nil {
		root.Close()
		return nil, fmt.Errorf("empty the folder of handles: %w", err)
	}
	return s, nil
}

func openRoot(path string) (*os.Root, error) {
	if path == "" {
		return nil, errors.New("it has no name")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	owner, ok := before.Sys().(*syscall.Stat_t)
	switch {
	case !before.IsDir():
		return nil, fmt.Errorf("%s is not a folder", path)
	case !ok || int(owner.Uid) != os.Geteuid():
		return nil, fmt.Errorf("%s belongs to another user", path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(before, now) {
		root.Close()
		return nil, fmt.Errorf("%s was replaced", path)
	}
	if err := root.Chmod(".", 0o700); err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// empty removes what looks like ours: folders with files named by digests, and
// temporary ones. A folder that was configured by mistake is left alone.
func (s *Store) empty() error {
	scopes, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if !scope.IsDir() || scope.Name() != folder(scope.Name()) {
			continue
		}
		files, err := fs.ReadDir(s.root.FS(), scope.Name())
		if err != nil {
			return err
		}
		for _, f := range files {
			_, err := protocol.ParseHandle("handle://" + f.Name())
			if f.Type().IsRegular() && (err == nil || strings.HasPrefix(f.Name(), temporary)) {
				if err := s.root.Remove(filepath.Join(scope.Name(), f.Name())); err != nil {
					return err
				}
			}
		}
		_ = s.root.Remove(scope.Name()) // unless there is something else in it
	}
	return nil
}

// folder returns the folder of a scope: never empty, a path or hidden.
func folder(scope string) string {
	if scope == "" {
		scope = "runner"
	}
	name := []byte(scope)
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '-' && (c != '.' || i == 0) {
			name[i] = '_'
		}
	}
	return string(name[:min(len(name), 128)])
}

// Run removes what is too old until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	tick := time.NewTicker(min(max(s.opts.TTL/10, 10*time.Millisecond), 10*time.Second))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			s.collect()
			s.mu.Unlock()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// collect removes what is too old. Under mu.
func (s *Store) collect() {
	now := time.Now()
	sweep := func(entries map[key]*entry) {
		for k, e := range entries {
			if !e.lives(now) {
				s.drop(entries, k)
			}
		}
	}
	sweep(s.shared)
	for o := range s.owners {
		sweep(o.entries)
	}
}

// drop removes an entry, and its file with the last. Under mu.
func (s *Store) drop(entries map[key]*entry, k key) {
	e := entries[k]
	delete(entries, k)
	if e.owner != nil {
		e.owner.used -= e.cost()
	}
	s.files[k]--
	if s.files[k] > 0 {
		return
	}
	delete(s.files, k)
	s.total -= e.cost()
	_ = s.root.Remove(k.path()) // what is left is removed by the next Open
	_ = s.root.Remove(k.scope)  // if it is empty
}

// Close removes everything and ends every feed.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	for o := range s.owners {
		s.forget(o)
	}
	for k := range s.shared {
		s.drop(s.shared, k)
	}
	s.mu.Unlock()
	s.feed.close()
	return s.root.Close()
}
