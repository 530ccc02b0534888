package session

import (
	"errors"

	"utter/ui/model/tr"
	"utter/ui/model/undo"
)

// history is what undo and redo are about.
var history = []string{"history"}

// CanUndo returns the label of what Undo takes back, or "".
func (s *Session) CanUndo() string {
	c, _ := s.stack.Last()
	return c.Label
}

// CanRedo returns the label of what Redo makes again, or "".
func (s *Session) CanRedo() string {
	c, _ := s.stack.LastUndone()
	return c.Label
}

// Undo takes the last change back. Where a file has changed since, the user is
// asked: to keep the file's version forgets the change, and what is overwritten
// comes back with Redo.
func (s *Session) Undo() { s.undo(false) }

func (s *Session) undo(force bool) {
	s.do(func(finished func()) {
		c, ok := s.stack.Last()
		if !ok {
			finished()
			return
		}
		t := s.replay(c.Reverse(), force, func(made undo.Change) {
			s.stack.Undone(made.Reverse())
			// Translators: %s is a change, such as "Firefox: “File types” changed".
			s.Notify(tr.T("Undone – %s", c.Label))
		})
		t.again, t.theirs = func(f bool) { s.undo(force || f) }, s.stack.Forget
		s.run(t, finished)
	})
}

// Redo makes the change again that was undone last.
func (s *Session) Redo() { s.redo(false) }

func (s *Session) redo(force bool) {
	s.do(func(finished func()) {
		c, ok := s.stack.LastUndone()
		if !ok {
			finished()
			return
		}
		t := s.replay(c, force, func(made undo.Change) {
			s.stack.Redone(made)
			// Translators: %s is a change, such as "Firefox: “File types” changed".
			s.toast(Toast{Text: tr.T("Redone – %s", c.Label), CanUndo: true})
		})
		t.again, t.theirs = func(f bool) { s.redo(force || f) }, s.stack.ForgetUndone
		s.run(t, finished)
	})
}

// replay is the task that makes c; made moves it from one end of the stack to
// the other.
func (s *Session) replay(c undo.Change, force bool, made func(undo.Change)) task {
	return task{
		about: history, made: made,
		text: func() string { return c.Label + "\n" },
		work: func() (undo.Change, error) {
			done, err := undo.Apply(c, force, s.parts.Write)
			if other, ok := errors.AsType[*undo.ConflictError](err); ok {
				return undo.Change{}, &conflictError{other.Path, differences(other.Path, other.Wanted, other.Now)}
			}
			return done, err
		},
	}
}
