package main

import (
	"log/slog"
	"slices"

	"utter/ui/view/editorpage"
	"utter/ui/view/window"
)

// left saves what is valid of an editor and asks about the rest.
func (s *settings) left(page *editorpage.Page) {
	invalid := page.Leave()
	if s.editing == page {
		s.editing = nil
	}
	if len(invalid) == 0 || s.discarded {
		page.Close()
		return
	}
	s.asking = page
	s.window.AskInvalid(invalid, func() {
		s.asking = nil
		page.Close()
	}, func() {
		s.asking = nil
		s.window.Show("apps")
		s.editing = page
		s.window.Return(page.Page)
	})
}

// save saves every valid draft and returns the names of the fields whose drafts
// are invalid.
func (s *settings) save() (invalid []string) {
	for _, page := range []*editorpage.Page{s.editing, s.asking} {
		if page != nil {
			invalid = append(invalid, page.Leave()...)
		}
	}
	for _, section := range s.sections {
		if section.Left != nil {
			section.Left()
		}
		if section.Invalid != nil {
			invalid = append(invalid, section.Invalid()...)
		}
	}
	return invalid
}

// undo takes the last change back. What is being written is the newest: it is
// saved first, or goes where it cannot be. A text that is not a setting has an undo
// of its own.
func (s *settings) undo() {
	takes := func(section window.Section) bool { return section.TakesUndo != nil && section.TakesUndo() }
	reverts := func(section window.Section) bool { return section.Revert != nil && section.Revert() }
	if slices.ContainsFunc(s.sections, takes) {
		return
	}
	s.save()
	if s.editing != nil && s.editing.Revert() || slices.ContainsFunc(s.sections, reverts) {
		return
	}
	s.session.Undo()
}

// closing saves what is valid and remembers the window; what is not saved is
// shown first.
func (s *settings) closing() bool {
	if s.closed {
		return true
	}
	if invalid := s.save(); len(invalid) > 0 && !s.discarded {
		s.window.AskInvalid(invalid, func() {
			s.discarded = true
			s.window.Close()
		}, func() {})
		return false
	}
	if s.session.Busy() {
		s.session.WhenIdle(func() { s.window.Close() })
		return false
	}
	if s.unsaved() {
		s.review()
		return false
	}
	s.remember()
	s.closed = true
	return true
}

// unsaved reports whether a change could not be saved, once: who then closes the
// window all the same has read it.
func (s *settings) unsaved() bool {
	if s.warned || s.session.Failure() == nil && s.session.Conflict() == nil {
		return false
	}
	s.warned = true
	return true
}

func (s *settings) remember() {
	s.layout.Maximized = s.window.IsMaximized()
	if !s.layout.Maximized {
		s.layout.Width, s.layout.Height = s.window.DefaultSize()
	}
	s.layout.Page = s.window.Current()
	if err := s.layout.Save(s.layoutFile()); err != nil {
		slog.Warn("remember the window", "error", err)
	}
}
