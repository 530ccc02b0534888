package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"utter/shared/profile"
	"utter/ui/model/tr"
	"utter/ui/model/undo"
	"utter/ui/model/wording"
)

// An Edit is a change to what the user's own files say about one application.
type Edit struct {
	App   string
	Kind  profile.Kind // names a new file
	Label string       // what changes, for undo and toasts
	Sets  []Set
	force bool // write although the file says something new
}

// A Set puts one field to a value, in the form of profile.Change.
type Set struct {
	Path  []string
	Value any
	Base  any // what the user's file said when the draft began
}

// Save writes an edit. saved is called when what was written is known, or with
// why it was not: then the change waits for the user and saved is called again
// when it is written after all, or with ErrDropped. saved may be nil.
func (s *Session) Save(e Edit, saved func(error)) {
	s.Do(func() Edit { return e }, saved)
}

// Do is Save of an edit that is made when its turn comes: Library knows then
// what was written before. An edit without Sets does nothing.
func (s *Session) Do(edit func() Edit, saved func(error)) {
	s.do(func(finished func()) {
		e := edit()
		if len(e.Sets) == 0 {
			finished()
			return
		}
		if s.lib == nil { // nobody knows what the user's files say
			s.run(task{
				about: e.about(), text: e.text, ended: saved, work: s.unread(),
				again: func(bool) { s.Do(edit, saved) },
			}, finished)
			return
		}
		to := s.target(e.App, e.Kind)
		s.run(task{
			about: e.about(), text: e.text, ended: saved,
			work: func() (undo.Change, error) { return e.apply(to, s.parts.Write) },
			again: func(force bool) {
				e.force = e.force || force
				s.Save(e, saved)
			},
		}, finished)
	})
}

func (e Edit) about() []string {
	var all []string
	for _, set := range e.Sets {
		all = append(all, strings.Join(append([]string{e.App}, set.Path...), "\x00"))
	}
	return all
}

func (e Edit) text() string {
	var b strings.Builder
	for _, set := range e.Sets {
		// Translators: a line of a list: %[1]s is a field, %[2]s its value.
		fmt.Fprintln(&b, tr.T("%[1]s: %[2]s", wording.Path(set.Path), wording.Value(set.Value)))
	}
	return b.String()
}

// A target is the file of the user's that an edit goes to.
type target struct {
	file  string
	id    string // how the file spells the application's
	fresh bool   // no file is known; this name would be a new one's
	sole  bool   // without the file there is no such application
}

// target finds the file that wins, else a new one.
func (s *Session) target(app string, kind profile.Kind) target {
	t := target{file: filepath.Join(s.parts.Dirs.Profiles(), profile.FileName(kind, app)), id: app, fresh: true}
	account := s.lib.Explain(app)
	t.sole = account.BuiltIn == nil && !strings.EqualFold(app, profile.Everywhere)
	if files := account.Files; len(files) > 0 {
		last := files[len(files)-1]
		t.file, t.id, t.fresh = last.Origin.File, last.ID, false
	}
	return t
}

// open reads the file; before is what it holds, nil where there is none. A new
// file gets another name where that is an application's that is spelled alike.
func (t *target) open() (before *undo.Content, f *profile.File, err error) {
	base := strings.TrimSuffix(t.file, ".yaml")
	for n := 2; ; n++ {
		if before, err = undo.Read(t.file); err != nil {
			return nil, nil, err
		}
		f = profile.Parse(t.file, profile.User, before.Bytes())
		if !t.fresh || f.Err() != nil || len(f.Patches) == 0 || f.Patch(t.id) != nil {
			return before, f, f.Err()
		}
		t.file = base + "-" + strconv.Itoa(n) + ".yaml"
	}
}

// apply writes e and returns what it changed.
func (e Edit) apply(to target, write undo.Writer) (undo.Change, error) {
	before, f, err := to.open()
	if err != nil {
		return undo.Change{}, err
	}
	changes, rows := e.changes(f.Patch(to.id))
	if len(rows) > 0 {
		return undo.Change{}, &conflictError{to.file, rows}
	}
	if f, err = f.Edit(to.id, changes...); err != nil {
		return undo.Change{}, err
	}
	after := f.Bytes()
	if !to.sole && f.SaysNothing() {
		after = nil
	}
	return replace(e.Label, to.file, before, before.With(after), write)
}

// changes compares e with what the file says now.
func (e Edit) changes(now *profile.Patch) (changes []profile.Change, rows []Difference) {
	for _, set := range e.Sets {
		theirs := now.Value(set.Path...)
		if !e.force && !SameValue(theirs, set.Base) && !SameValue(theirs, set.Value) {
			rows = append(rows, Difference{set.Path, set.Value, theirs})
		}
		changes = append(changes, profile.Change{Path: set.Path, Value: set.Value})
	}
	return changes, rows
}

// replace writes after in the place of before, where they differ.
func replace(label, file string, before, after *undo.Content, write undo.Writer) (undo.Change, error) {
	if undo.Same(before, after) {
		return undo.Change{}, nil
	}
	c := undo.Change{Label: label, Files: []undo.File{{Path: file, Before: before, After: after}}}
	return undo.Apply(c, false, write)
}

// Restore takes the user's own files about an application out of force. They
// stay beside with a ~ behind their names. label is asked when its turn comes.
func (s *Session) Restore(id string, label func() string) {
	s.do(func(finished func()) {
		label := label()
		work := s.unread()
		if s.lib != nil {
			files := s.lib.Explain(id).Files
			work = func() (undo.Change, error) { return restore(s.parts.Dirs.Profiles(), id, label, files) }
		}
		s.run(task{
			about: []string{"restore\x00" + id},
			text:  func() string { return label + "\n" },
			work:  work,
			again: func(bool) { s.Restore(id, func() string { return label }) },
		}, finished)
	})
}

// unread is the work of a change that cannot be made, since the applications
// could not be read.
func (s *Session) unread() func() (undo.Change, error) {
	err := fmt.Errorf("%w: %w", wording.ErrUnread, s.loadFault)
	return func() (undo.Change, error) { return undo.Change{}, err }
}

func restore(dir, id, label string, about []profile.Patch) (undo.Change, error) {
	files, ids := profile.OpenDir(dir), []string{id}
	for _, p := range about {
		i := slices.IndexFunc(files, func(f *profile.File) bool { return f.Path == p.Origin.File })
		if i < 0 {
			continue // it has gone
		}
		if err := files[i].Err(); err != nil {
			return undo.Change{}, err // it would stay, with its last good version active
		}
		ids = append(ids, p.ID)
	}
	moved, err := profile.Restore(files, ids...)
	if err != nil {
		return undo.Change{}, err
	}
	c := undo.Change{Label: label}
	for _, m := range moved {
		was, errWas := undo.Read(m.Aside)
		now, errNow := undo.Read(m.File)
		if err := errors.Join(errWas, errNow); err != nil {
			return undo.Change{}, err
		}
		before := was
		if now != nil {
			before = now.With(was.Bytes())
		}
		c.Files = append(c.Files, undo.File{Path: m.File, Before: before, After: now}, undo.File{Path: m.Aside, After: was})
	}
	return c, nil
}
