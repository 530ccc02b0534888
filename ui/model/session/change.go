package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/profile"
	"utter/ui/model/tr"
	"utter/ui/model/undo"
	"utter/ui/model/wording"
)

// An Edit is a change to what the user's own files say about one application.
type Edit struct {
	App   string
	Kind  profile.Kind // names a new file
	Label string       // what changes, for undo and toasts: "Names of Firefox"
	Sets  []Set
	Force bool // write although the file says something new
	Quiet bool // show no toast
}

// A Set puts one field to a value, in the form of profile.Change.
type Set struct {
	Path  []string
	Value any
	Base  any // what the user's file said when the draft began
}

// A Failure is a change that could not be written, or a load that failed.
type Failure struct {
	Edit *Edit // nil where no profile was edited
	Err  error
	redo func()
}

// Text is the change in words, for the user to keep: a field a line.
func (f *Failure) Text() string {
	var b strings.Builder
	if f.Edit != nil {
		for _, set := range f.Edit.Sets {
			fmt.Fprintf(&b, "%s: %s\n", strings.Join(set.Path, "."), wording.Value(set.Value))
		}
	}
	return b.String()
}

// A Difference is one field about which the user and a file disagree.
type Difference struct {
	Path          []string
	Yours, Theirs any
}

// A Conflict is a change that meets another made outside since.
type Conflict struct {
	File  string
	Label string
	Rows  []Difference
	keep  func()
}

// Conflict returns the conflict that waits for the user, or nil.
func (s *Session) Conflict() *Conflict { return s.conflict }

// Failure returns the failed change that waits for the user, or nil.
func (s *Session) Failure() *Failure { return s.failure }

// KeepMine ends the conflict: what the user wanted is written.
func (s *Session) KeepMine() {
	if c := s.conflict; c != nil {
		s.conflict = nil
		c.keep()
		s.changed()
	}
}

// UseTheirs ends the conflict: what the file says stays.
func (s *Session) UseTheirs() {
	s.conflict = nil
	s.changed()
}

// TryAgain repeats the change that failed.
func (s *Session) TryAgain() {
	if f := s.failure; f != nil {
		s.failure = nil
		if f.redo != nil {
			f.redo()
		} else {
			s.Reload()
		}
		s.changed()
	}
}

// Dismiss forgets the failure.
func (s *Session) Dismiss() {
	s.failure = nil
	s.changed()
}

// do runs jobs one after the other, in their order.
func (s *Session) do(job func(finished func())) {
	s.jobs = append(s.jobs, job)
	if len(s.jobs) == 1 {
		s.next()
	}
}

func (s *Session) next() {
	s.jobs[0](func() {
		s.jobs = s.jobs[1:]
		if len(s.jobs) > 0 {
			s.next()
		}
	})
}

// conflictError is a conflict found off the main loop.
type conflictError struct {
	file string
	rows []Difference
}

func (e *conflictError) Error() string { return e.file + " has been changed" }

// Save writes an edit. saved is called when it has ended, well or not.
func (s *Session) Save(e Edit, saved func(error)) {
	s.do(func(finished func()) {
		var c undo.Change
		file := s.fileOf(e.App, e.Kind)
		s.parts.Async(func() (err error) {
			c, err = e.apply(file)
			return err
		}, func(err error) {
			defer finished()
			var other *conflictError
			switch {
			case errors.As(err, &other):
				s.conflict = &Conflict{File: other.file, Label: e.Label, Rows: other.rows, keep: func() {
					e.Force = true
					s.Save(e, saved)
				}}
			case err != nil:
				s.failure = &Failure{Edit: &e, Err: err, redo: func() { s.Save(e, saved) }}
			case len(c.Files) > 0:
				s.failure = nil
				s.made(c, e.Quiet)
			}
			s.changed()
			if saved != nil {
				saved(err)
			}
		})
	})
}

// made takes note of a change that has been written.
func (s *Session) made(c undo.Change, quiet bool) {
	s.stack.Push(c)
	if !quiet {
		s.toast(Toast{Text: c.Label, CanUndo: true})
	}
	s.tell()
}

// tell makes agent and window read the files again.
func (s *Session) tell() {
	s.Reload()
	s.parts.Async(s.parts.Tell, func(error) {}) // an agent that is not there follows the files when it starts
}

// fileOf returns the file of the user's that an edit of id goes to: the one that
// wins, else a new one.
func (s *Session) fileOf(id string, kind profile.Kind) string {
	if s.lib != nil {
		if files := s.lib.Explain(id).Files; len(files) > 0 {
			return files[len(files)-1].Origin.File
		}
	}
	return filepath.Join(s.parts.Dirs.Profiles(), profile.FileName(kind, id))
}

// apply writes e into file and returns what changed.
func (e Edit) apply(file string) (undo.Change, error) {
	before, err := undo.Read(file)
	if err != nil {
		return undo.Change{}, err
	}
	now := ownPatch(file, before, e.App)
	var changes []profile.Change
	var rows []Difference
	for _, set := range e.Sets {
		theirs := Own(now, set.Path)
		if !e.Force && !SameValue(theirs, set.Base) && !SameValue(theirs, set.Value) {
			rows = append(rows, Difference{set.Path, set.Value, theirs})
		}
		changes = append(changes, profile.Change{Path: set.Path, Value: set.Value})
	}
	if len(rows) > 0 {
		return undo.Change{}, &conflictError{file, rows}
	}
	after, err := profile.Edit(before, idIn(now, e.App), changes...)
	if err != nil {
		return undo.Change{}, fmt.Errorf("%s: %w", file, err)
	}
	if saysNothing(file, after, e.App) {
		after = nil
	}
	if undo.Same(before, after) {
		return undo.Change{}, nil
	}
	c := undo.Change{Label: e.Label, Files: []undo.File{{Path: file, Before: before, After: after}}}
	return c, undo.Apply(c, true)
}

// idIn is how the file spells the application's id.
func idIn(p *profile.Patch, id string) string {
	if p != nil {
		return p.ID
	}
	return id
}

// ownPatch returns what a file's content says about an application, or nil.
func ownPatch(file string, data []byte, id string) *profile.Patch {
	patches, _ := profile.Decode(file, profile.User, data)
	for _, p := range patches {
		if strings.EqualFold(p.ID, id) {
			return &p
		}
	}
	return nil
}

// saysNothing reports whether a file is about one application only, says nothing
// of it and has no comment worth keeping.
func saysNothing(file string, data []byte, id string) bool {
	patches, _ := profile.Decode(file, profile.User, data)
	if len(patches) != 1 || strings.Contains(string(data), "#") {
		return false
	}
	p := &patches[0]
	return strings.EqualFold(p.ID, id) && !slices.ContainsFunc(paths(p), func(path []string) bool { return Own(p, path) != nil })
}

// Own returns what a patch says of a field, in the form of profile.Change; nil
// where it says nothing.
func Own(p *profile.Patch, path []string) any {
	if p == nil || len(path) == 0 {
		return nil
	}
	switch path[0] {
	case "name":
		return text(p.Name)
	case "aliases":
		return list(p.Aliases)
	case "launch":
		return list(p.Launch)
	case "new_window":
		return list(p.NewWindow)
	case "search_url":
		return text(p.SearchURL)
	case "app_ids":
		return list(p.AppIDs)
	case "mime_types":
		return list(p.MimeTypes)
	case "kind":
		if p.Kind != nil {
			return string(*p.Kind)
		}
	case "terminal":
		return boolean(p.Terminal)
	case "enabled":
		return boolean(p.Enabled)
	case "shortcuts":
		if seq, ok := p.Shortcuts[path[1]]; ok {
			return seq
		}
	case "commands":
		if action, ok := p.Says[path[1]]; ok {
			return action
		}
		if seq, ok := p.Commands[path[1]]; ok {
			return seq
		}
	}
	return nil
}

func text(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func list(l *[]string) any {
	if l == nil {
		return nil
	}
	return *l
}

func boolean(b *bool) any {
	if b == nil {
		return nil
	}
	return *b
}

// SameValue compares two values in the form of profile.Change.
func SameValue(a, b any) bool { return spell(a) == spell(b) }

// spell writes a value in one way; nothing and an empty value differ.
func spell(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case []string:
		if len(v) == 0 {
			return "="
		}
		return "=" + strings.Join(v, "\x00")
	case chord.Sequence:
		return "=" + v.String()
	case map[string]string:
		return "=" + v["action"]
	default:
		return fmt.Sprint("=", v)
	}
}

// Restore takes the user's own files about an application out of force. They
// stay beside with a ~ behind their names.
func (s *Session) Restore(id, label string) {
	ids := []string{id}
	for _, p := range s.lib.Explain(id).Files {
		ids = append(ids, p.ID)
	}
	s.do(func(finished func()) {
		var c undo.Change
		s.parts.Async(func() (err error) {
			c, err = restore(s.parts.Dirs.Profiles(), ids, label)
			return err
		}, func(err error) {
			defer finished()
			if err != nil {
				s.failure = &Failure{Err: err, redo: func() { s.Restore(id, label) }}
			} else if len(c.Files) > 0 {
				s.made(c, false)
			}
			s.changed()
		})
	})
}

func restore(dir string, ids []string, label string) (undo.Change, error) {
	slices.Sort(ids)
	moved, err := profile.Restore(dir, slices.Compact(ids)...)
	if err != nil {
		return undo.Change{}, err
	}
	c := undo.Change{Label: label}
	for _, m := range moved {
		was, err := undo.Read(m.Aside)
		if err != nil {
			return undo.Change{}, err
		}
		now, err := undo.Read(m.File)
		if err != nil {
			return undo.Change{}, err
		}
		c.Files = append(c.Files, undo.File{Path: m.File, Before: was, After: now}, undo.File{Path: m.Aside, After: was})
	}
	return c, nil
}

// Configure changes values in the configuration file.
func (s *Session) Configure(label string, changes ...config.Change) {
	file := s.parts.Dirs.ConfigFile()
	s.write(label, file, func(before []byte) ([]byte, error) { return config.Edit(file, before, changes...) },
		func() { s.Configure(label, changes...) })
}

// CanUndo returns the label of what Undo takes back, or "".
func (s *Session) CanUndo() string { return label(s.stack.CanUndo()) }

// CanRedo returns the label of what Redo makes again, or "".
func (s *Session) CanRedo() string { return label(s.stack.CanRedo()) }

func label(c *undo.Change) string {
	if c == nil {
		return ""
	}
	return c.Label
}

// Undo takes the last change back. Where a file has changed since, the user is
// asked.
func (s *Session) Undo() {
	if c := s.stack.CanUndo(); c != nil {
		s.replay(c.Reverse(), s.stack.Undone, false)
	}
}

// Redo makes the change again that was undone last.
func (s *Session) Redo() {
	if c := s.stack.CanRedo(); c != nil {
		s.replay(*c, s.stack.Redone, false)
	}
}

func (s *Session) replay(c undo.Change, moved func(), force bool) {
	s.do(func(finished func()) {
		s.parts.Async(func() error { return undo.Apply(c, force) }, func(err error) {
			defer finished()
			var other *undo.ConflictError
			switch {
			case errors.As(err, &other):
				s.conflict = &Conflict{File: other.Path, Label: c.Label, Rows: differences(other), keep: func() { s.replay(c, moved, true) }}
			case err != nil:
				s.failure = &Failure{Err: err, redo: func() { s.replay(c, moved, force) }}
			default:
				moved()
				// Translators: %s is what was changed, such as "Names of Firefox".
				s.toast(Toast{Text: tr.T("Back as it was: %s", c.Label)})
				s.tell()
			}
			s.changed()
		})
	})
}

// differences lists the fields in which two contents of a file differ.
func differences(e *undo.ConflictError) []Difference {
	wanted, _ := profile.Decode(e.Path, profile.User, e.Wanted)
	now, _ := profile.Decode(e.Path, profile.User, e.Now)
	var rows []Difference
	for _, id := range ids(wanted, now) {
		yours, theirs := ownPatch(e.Path, e.Wanted, id), ownPatch(e.Path, e.Now, id)
		for _, path := range paths(yours, theirs) {
			if a, b := Own(yours, path), Own(theirs, path); !SameValue(a, b) {
				rows = append(rows, Difference{path, a, b})
			}
		}
	}
	return rows
}

func ids(lists ...[]profile.Patch) []string {
	var all []string
	for _, p := range slices.Concat(lists...) {
		all = append(all, p.ID)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Fields are the fields of a profile that hold one value each.
var Fields = []string{"name", "aliases", "launch", "new_window", "search_url", "app_ids", "mime_types", "kind", "terminal", "enabled"}

// paths lists the fields of which one of the patches may say something.
func paths(patches ...*profile.Patch) [][]string {
	var all [][]string
	for _, f := range Fields {
		all = append(all, []string{f})
	}
	seen := map[string]bool{}
	add := func(group, name string) {
		if key := group + "\x00" + name; !seen[key] {
			seen[key] = true
			all = append(all, []string{group, name})
		}
	}
	for _, p := range patches {
		if p == nil {
			continue
		}
		for name := range p.Shortcuts {
			add("shortcuts", name)
		}
		for phrase := range p.Commands {
			add("commands", phrase)
		}
		for phrase := range p.Says {
			add("commands", phrase)
		}
	}
	return all
}

// writable reports whether files can be made in dir, or dir itself can be.
func writable(dir string) bool {
	for {
		err := unix.Access(dir, unix.W_OK)
		if err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, os.ErrNotExist) || parent == dir {
			return false
		}
		dir = parent
	}
}
