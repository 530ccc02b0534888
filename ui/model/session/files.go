package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"utter/shared/catalog"
	"utter/shared/config"
	"utter/shared/profile"
	"utter/ui/model/cases"
	"utter/ui/model/tr"
	"utter/ui/model/undo"
	"utter/ui/model/wording"
)

// A Setting is a value of the configuration file.
type Setting struct {
	Table, Key string
	Label      string // what changes, for undo and toasts
	// Value returns the new value, in the form of config.Change, for what the
	// file says when its turn comes; changed is false where that is as wanted.
	// It must not touch what belongs to the main loop.
	Value func(config.Config) (value any, changed bool)
	// Base returns what the file said when the draft of the value began, and In
	// what a file says. Where that is neither Base nor the new value, the user is
	// asked. Both are nil for a value that is made of what the file says. Base is
	// for the main loop.
	Base  func() any
	In    func(config.Config) any
	force bool // write although the file says something new
}

// differs compares the setting with what the file says now.
func (set Setting) differs(now config.Config, base, value any) []Difference {
	if set.In == nil || set.force {
		return nil
	}
	if theirs := set.In(now); !SameValue(theirs, base) && !SameValue(theirs, value) {
		return []Difference{{[]string{set.Table, set.Key}, value, theirs}}
	}
	return nil
}

// Configure changes a value in the configuration file. ended is called like
// Save's.
func (s *Session) Configure(set Setting, ended func(error)) {
	file := s.parts.Dirs.ConfigFile()
	var value any
	t := task{
		about: []string{"config\x00" + set.Table + "\x00" + set.Key}, ended: ended,
		text: func() string { return fmt.Sprintln(tr.T("%[1]s: %[2]s", set.Label, wording.Value(value))) },
		again: func(force bool) {
			set.force = set.force || force
			s.Configure(set, ended)
		},
	}
	s.do(func(finished func()) {
		var base any
		if set.Base != nil {
			base = set.Base()
		}
		t.work = s.change(file, private, set.Label, func(before []byte) ([]byte, error) {
			now, err := config.Decode(file, before)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", config.ErrBroken, err)
			}
			var changed bool
			if value, changed = set.Value(now); !changed {
				return before, nil
			}
			if rows := set.differs(now, base, value); len(rows) > 0 {
				return nil, &conflictError{file, rows}
			}
			return config.Edit(file, before, config.Change{Table: set.Table, Key: set.Key, Value: value})
		})
		s.run(t, finished)
	})
}

// A Rewrite is a change of the configuration file that sets no single value of a
// table.
type Rewrite struct {
	About string // what is changed; what waits for the user of the same is forgotten
	Label string // what changes, for undo and toasts
	// To returns the file's new content, or before where it is as wanted. It must
	// not touch what belongs to the main loop.
	To func(file string, before []byte) ([]byte, error)
}

// RewriteConfig changes the configuration file. ended is called like Save's.
func (s *Session) RewriteConfig(r Rewrite, ended func(error)) {
	file := s.parts.Dirs.ConfigFile()
	t := task{
		about: []string{"config\x00" + r.About}, ended: ended,
		text:  func() string { return r.Label + "\n" },
		work:  s.change(file, private, r.Label, func(before []byte) ([]byte, error) { return r.To(file, before) }),
		again: func(bool) { s.RewriteConfig(r, ended) },
	}
	s.do(func(finished func()) { s.run(t, finished) })
}

// AddCase adds a phrase and its plan to a file that "utter eval" reads.
func (s *Session) AddCase(label, file string, c cases.Case) {
	t := task{
		text:  func() string { return c.Utterance + "\n" },
		again: func(bool) { s.AddCase(label, file, c) },
	}
	s.do(func(finished func()) {
		t.work = s.unread()
		if s.lib != nil {
			known := cases.Knowledge{Apps: known(s.lib)}
			t.work = s.change(file, private, label, func(before []byte) ([]byte, error) {
				now, err := config.Load(s.parts.Dirs.ConfigFile())
				if err != nil {
					return nil, err
				}
				known.Engine = now.Search.Engine
				return cases.Append(before, c, known)
			})
		}
		s.run(t, finished)
	})
}

// known are the applications that a plan may be about.
func known(lib *catalog.Library) []cases.App {
	var all []cases.App
	for _, p := range lib.Index.All() {
		if p.Unlisted() || !lib.Startable(p) && !p.Role() && p.Layer != profile.User {
			continue
		}
		a := cases.App{Profile: p}
		if p.Layer == profile.User {
			from := lib.Explain(p.ID).From
			a.OwnName, a.OwnAliases = from["name"] == profile.Yours, from["aliases"] == profile.Yours
		}
		all = append(all, a)
	}
	if p := lib.Index.Everywhere(); p != nil {
		all = append(all, cases.App{Profile: p})
	}
	return all
}

// HasLastGood reports whether a version of a file without an error is known.
func (s *Session) HasLastGood(file string) bool { return s.lastGood[file] != nil }

// UseLastGood writes the last version of a file that had no error. It can be
// undone.
func (s *Session) UseLastGood(file string) {
	good := s.lastGood[file]
	if good == nil {
		return
	}
	label := tr.T("Restored the last good version of %s", filepath.Base(file))
	t := task{
		about: []string{"file\x00" + file},
		text:  func() string { return label + "\n" },
		work:  s.change(file, shared, label, func([]byte) ([]byte, error) { return good, nil }),
		again: func(bool) { s.UseLastGood(file) },
	}
	s.do(func(finished func()) { s.run(t, finished) })
}

// The modes of new files: what is said, and to whom, is nobody else's business.
const (
	private fs.FileMode = 0o600
	shared  fs.FileMode = 0o644
)

// change is the work of making a file what to says. A new one gets mode.
func (s *Session) change(
	file string, mode fs.FileMode, label string, to func(before []byte) ([]byte, error),
) func() (undo.Change, error) {
	return func() (undo.Change, error) {
		before, err := undo.Read(file)
		if err != nil {
			return undo.Change{}, err
		}
		data, err := to(before.Bytes())
		if err != nil {
			return undo.Change{}, err
		}
		after := before.With(data)
		if before == nil && after != nil {
			after.Mode = mode
		}
		return replace(label, file, before, after, s.parts.Write)
	}
}

// writable reports whether files can be made in dir, or dir itself can be.
func writable(dir string) bool {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil:
			return info.IsDir() && unix.Access(dir, unix.W_OK|unix.X_OK) == nil
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return false
		}
		dir = filepath.Dir(dir)
	}
}
