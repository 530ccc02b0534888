package session

import (
	"errors"
	"slices"
	"strings"

	"utter/ui/model/undo"
)

// ErrDropped ends a change that the user has given up.
var ErrDropped = errors.New("the user has given the change up")

// A task is a change of files: what to do, and what follows.
type task struct {
	// about says what is changed. A later change of the same takes the place of
	// one that waits for the user.
	about []string
	// work runs off the main loop and returns what it has changed, if anything.
	work func() (undo.Change, error)
	// made takes note of what was changed; nil is Session.made.
	made func(undo.Change)
	// text says in words what was to be written.
	text func() string
	// again does it again; with force, whatever the files say.
	again func(force bool)
	// ended is told how it ended, also when the user decides that later. It may
	// be nil.
	ended func(error)
	// theirs is called where the user prefers what the files say. It may be nil.
	theirs func()
}

// A held is a change that waits for the user: it failed, or it met another.
type held struct {
	task
	err      error     // why it failed; nil for a conflict
	conflict *Conflict // nil for a failure
}

// A Conflict is a change that meets another made outside since.
type Conflict struct {
	File string
	Rows []Difference // none where the file is not a profile
}

// A Difference is one field about which the user and a file disagree.
type Difference struct {
	Path          []string
	Yours, Theirs any
}

// A conflictError is a conflict found off the main loop.
type conflictError struct {
	file string
	rows []Difference
}

func (e *conflictError) Error() string { return e.file + " has been changed" }

// A Failure is what could not be written, or read: all that waits for the user.
type Failure struct {
	Load    error    // why the applications could not be read, or nil
	Changes []Failed // what could not be written, the oldest first
	held    []*held
}

// A Failed is a change that could not be written.
type Failed struct {
	Err  error
	Text string // what was to be written, a field a line
}

// Err returns all errors; with only one, that one.
func (f *Failure) Err() error {
	all := []error{f.Load}
	for _, c := range f.Changes {
		all = append(all, c.Err)
	}
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// Text is what could not be written in words, for the user to keep: a field a
// line.
func (f *Failure) Text() string {
	var b strings.Builder
	for _, c := range f.Changes {
		b.WriteString(c.Text)
	}
	return b.String()
}

// run does a task as the job whose end finished tells: what was written is known
// then.
func (s *Session) run(t task, finished func()) {
	var c undo.Change
	end := func(err error) {
		s.changed()
		if t.ended != nil {
			t.ended(err)
		}
		finished()
	}
	s.parts.Async(func() (err error) {
		c, err = t.work()
		return err
	}, func(err error) {
		s.settle(t.about)
		switch {
		case err != nil:
			s.hold(t, err)
		case len(c.Files) > 0:
			if t.made != nil {
				t.made(c)
			} else {
				s.made(c)
			}
			s.parts.Async(s.parts.Tell, func(error) {}) // an agent that is not there follows the files when it starts
			s.reload(func() { end(nil) })
			return
		}
		end(err)
	})
}

// made takes note of a change that can be undone.
func (s *Session) made(c undo.Change) {
	s.settle(history)
	s.stack.Push(c)
	s.toast(Toast{Text: c.Label, CanUndo: true})
}

func (s *Session) hold(t task, err error) {
	h := &held{task: t, err: err}
	if other, ok := errors.AsType[*conflictError](err); ok {
		h.err, h.conflict = nil, &Conflict{File: other.file, Rows: other.rows}
	}
	s.held = append(s.held, h)
}

// settle forgets the changes that wait for the user and are about nothing else
// than what has been changed now.
func (s *Session) settle(about []string) {
	s.held = slices.DeleteFunc(s.held, func(h *held) bool {
		outside := func(what string) bool { return !slices.Contains(about, what) }
		return len(h.about) > 0 && !slices.ContainsFunc(h.about, outside)
	})
}

// Conflict returns the conflict that waits for the user, the oldest first, or
// nil.
func (s *Session) Conflict() *Conflict {
	if i := slices.IndexFunc(s.held, func(h *held) bool { return h.conflict != nil }); i >= 0 {
		return s.held[i].conflict
	}
	return nil
}

// Failure returns what failed and waits for the user now, or nil.
func (s *Session) Failure() *Failure {
	f := &Failure{Load: s.loadError}
	for _, h := range s.held {
		if h.err != nil {
			f.held, f.Changes = append(f.held, h), append(f.Changes, Failed{h.err, h.text()})
		}
	}
	if f.Err() == nil {
		return nil
	}
	return f
}

// take takes out what waits for the user and is chosen.
func (s *Session) take(chosen func(*held) bool) []*held {
	var taken []*held
	s.held = slices.DeleteFunc(s.held, func(h *held) bool {
		if chosen(h) {
			taken = append(taken, h)
			return true
		}
		return false
	})
	return taken
}

// KeepMine ends a conflict, if it still waits: what the user wanted is written.
func (s *Session) KeepMine(c *Conflict) {
	for _, h := range s.takeConflict(c) {
		h.again(true)
	}
	s.changed()
}

// UseTheirs ends a conflict, if it still waits: what the file says stays.
func (s *Session) UseTheirs(c *Conflict) {
	taken := s.takeConflict(c)
	for _, h := range taken {
		if h.theirs != nil {
			h.theirs()
		}
	}
	s.drop(taken)
}

func (s *Session) takeConflict(c *Conflict) []*held {
	return s.take(func(h *held) bool { return h.conflict != nil && h.conflict == c })
}

// TryAgain repeats what failed, as far as it still waits.
func (s *Session) TryAgain(f *Failure) {
	failed := s.takeFailed(f)
	if f != nil && (f.Load != nil || s.lib == nil) {
		s.Reload()
	}
	for _, h := range failed {
		h.again(false)
	}
	s.changed()
}

// Dismiss gives up what failed, as far as it still waits.
func (s *Session) Dismiss(f *Failure) {
	s.drop(s.takeFailed(f))
}

func (s *Session) takeFailed(f *Failure) []*held {
	if f == nil {
		return nil
	}
	if f.Load != nil {
		s.loadError = nil
	}
	return s.take(func(h *held) bool { return slices.Contains(f.held, h) })
}

func (s *Session) drop(dropped []*held) {
	for _, h := range dropped {
		if h.ended != nil {
			h.ended(ErrDropped)
		}
	}
	s.changed()
}
