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
}

// Configure changes a value in the configuration file. ended is called like
// Save's.
func (s *Session) Configure(set Setting, ended func(error)) {
	file := s.parts.Dirs.ConfigFile()
	var value any
	s.write(file, task{
		about: []string{"config\x00" + set.Table + "\x00" + set.Key}, ended: ended,
		text:  func() string { return fmt.Sprintln(tr.T("%[1]s: %[2]s", set.Label, wording.Value(value))) },
		again: func(bool) { s.Configure(set, ended) },
	}, set.Label, func(before []byte) ([]byte, error) {
		now, err := config.Decode(file, before)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", config.ErrBroken, err)
		}
		var changed bool
		if value, changed = set.Value(now); !changed {
			return before, nil
		}
		return config.Edit(file, before, config.Change{Table: set.Table, Key: set.Key, Value: value})
	})
}

// AddCase adds a phrase and its plan to a file that "utter eval" reads.
func (s *Session) AddCase(label, file string, c cases.Case) {
	if s.lib == nil {
		return
	}
	known := cases.Knowledge{Apps: known(s.lib)}
	s.write(file, task{
		text:  func() string { return c.Utterance + "\n" },
		again: func(bool) { s.AddCase(label, file, c) },
	}, label, func(before []byte) ([]byte, error) {
		now, err := config.Load(s.parts.Dirs.ConfigFile())
		if err != nil {
			return nil, err
		}
		known.Engine = now.Search.Engine
		return cases.Append(before, c, known)
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

// UseLastGood writes the last version of a file that had no mistake. It can be
// undone.
func (s *Session) UseLastGood(file string) {
	good := s.lastGood[file]
	if good == nil {
		return
	}
	label := tr.T("Put back the last good version of %s", filepath.Base(file))
	s.write(file, task{
		about: []string{"file\x00" + file},
		text:  func() string { return label + "\n" },
		again: func(bool) { s.UseLastGood(file) },
	}, label, func([]byte) ([]byte, error) { return good, nil })
}

// write does t, whose work is to make a file what change says.
func (s *Session) write(file string, t task, label string, change func(before []byte) ([]byte, error)) {
	t.work = func() (undo.Change, error) {
		before, err := undo.Read(file)
		if err != nil {
			return undo.Change{}, err
		}
		after, err := change(before.Bytes())
		if err != nil {
			return undo.Change{}, err
		}
		return replace(label, file, before, after, s.parts.Write)
	}
	s.do(func(finished func()) { s.run(t, finished) })
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
