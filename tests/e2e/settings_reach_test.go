package e2e

import (
	"slices"
	"strings"
	"testing"
)

// checkReach fails the test for what a keyboard does not get to in front, and
// for controls without a name of their own. In a list, arrows go on from one
// item to the others.
func (a *app) checkReach(where string) {
	a.s.t.Helper()
	a.checkNames()
	stops := map[place]bool{}
	for _, w := range a.tabStops() {
		stops[w.place] = true
	}
	front := a.front()
	reached := func(w *widget) (any bool) {
		w.walk(func(below *widget) { any = any || stops[below.place] })
		return any
	}
	for _, w := range front.controls(nil, controls) {
		if !w.states.has(stateSensitive) || reached(w) || w.description == "Close the window" {
			continue
		}
		if list := w.list(); list != nil && reached(list) &&
			(list.name == "Applications" || list.name == "What You Can Say" || list.name == "Pages") {
			continue
		}
		if w.role == roleRadio && slices.ContainsFunc(w.parent.children, reached) {
			continue // one of a group, which arrows go through
		}
		a.s.t.Errorf("%s: no Tab gets to %v in %s", where, w, w.path())
	}
}

// list returns the list that w is in, or nil.
func (w *widget) list() *widget {
	for p := w.parent; p != nil; p = p.parent {
		if p.role == roleList {
			return p
		}
	}
	return nil
}

// TestSettingsAreReachable: every control has a name of its own, and the
// keyboard gets to it.
func TestSettingsAreReachable(t *testing.T) {
	s := look{still: true}.newSession(t, Options{Profiles: map[string]string{
		"f.yaml": "id: firefox\naliases: [fox]\nshortcuts: {greet: ctrl+1}\n" +
			"commands: {tidy up: [ctrl+k, ctrl+s], hello: greet}\n",
	}})
	s.startAgent()
	s.foot("own-window")
	a := s.wideSettings()
	a.checkPages()
	a.checkEditor()
	a.checkMenu()

	s.write("c/utter/profiles/g.yaml", "id: [\n")
	a.activate("Review…")
	a.find(roleListItem, "Details")
	settle(a.pid)
	a.checkReach("the dialog about a mistake")
	a.activate("Close")
	a.gone(roleListItem, "Details")
	s.remove("c/utter/profiles/g.yaml")

	// By keys alone: F10 opens the menu, Escape goes back from the editor.
	s.sway().keyboard.press(0, codeF10)
	a.await("the menu by F10", func(front *widget) bool { return len(a.namesOf(roleMenuItem)) > 0 })
	s.sway().keyboard.press(0, codeEscape)
	a.await("the menu's end", func(front *widget) bool { return len(a.namesOf(roleMenuItem)) == 0 })
	a.await("the focus in the editor", func(*widget) bool {
		a.step(0, codeTab)
		w := a.focused()
		return w != nil && strings.Contains(w.path(), `"Firefox"`)
	})
	s.sway().keyboard.press(0, codeEscape)
	a.find(roleSearch, "Search applications")
}

// checkPages checks every page.
func (a *app) checkPages() {
	a.s.t.Helper()
	for _, page := range []string{"App Actions", "What You Can Say", "Try It", "Safety", "Plugins", "Agent"} {
		a.page(page)
		if page == "Try It" {
			a.setText("Say something", "gibberish")
			a.find(roleListItem, "Nothing would happen")
			a.activate("Teach…")
			a.find(roleDialog, "Teach “gibberish”")
			a.checkReach("the dialog to teach")
			a.activate("Cancel")
			a.gone(roleDialog, "Teach “gibberish”")
		}
		settle(a.pid)
		a.checkReach(page)
	}
}

// checkEditor checks the dialog for a new application, the editor of Firefox,
// which stays open, and the dialogs that it opens.
func (a *app) checkEditor() {
	a.s.t.Helper()
	a.page("App Actions")
	a.activate("New App…")
	a.find(roleDialog, "New App")
	a.checkReach("the dialog for a new application")
	a.s.sway().keyboard.press(0, codeEscape)
	a.gone(roleDialog, "New App")
	a.edit("Firefox")
	settle(a.pid)
	a.checkReach("the editor")
	for _, tt := range []struct {
		button, dialog string
		role           role
	}{
		{"Add Action…", "Add Action", roleDialog}, {"greet", "Keys for greet", roleDialog},
		{"Pick from Open Windows…", "Pick a Window", roleDialog},
	} {
		a.activate(tt.button)
		a.find(tt.role, tt.dialog)
		settle(a.pid)
		a.checkReach(tt.dialog)
		a.s.sway().keyboard.press(0, codeEscape)
		a.gone(tt.role, tt.dialog)
	}
}

// checkMenu checks the menu, and the list of shortcuts that it opens.
func (a *app) checkMenu() {
	a.s.t.Helper()
	a.activate("Main Menu")
	a.await("the menu", func(front *widget) bool { return len(a.namesOf(roleMenuItem)) > 0 })
	want := []string{"Undo", "Redo", "Keyboard Shortcuts", "Help", "About Utter"}
	if got := a.namesOf(roleMenuItem); !slices.Equal(got, want) {
		a.s.t.Errorf("the menu has %q, want %q", got, want)
	}
	a.activate("Keyboard Shortcuts")
	a.find(roleDialog, "Keyboard Shortcuts")
	settle(a.pid)
	a.checkReach("the shortcuts")
	a.find(roleLabel, "Control Shift Z")
	a.s.sway().keyboard.press(0, codeEscape)
	a.gone(roleDialog, "Keyboard Shortcuts")
}

// TestSettingsByKeysAlone opens an editor and changes a name without a pointer.
func TestSettingsByKeysAlone(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	a := s.wideSettings()
	keyboard := s.sway().keyboard
	a.row("Firefox")
	keyboard.press(modCtrl, codeLeftCtrl, codeF)
	for _, letter := range "firefox" {
		keyboard.press(0, codeOf(letter))
	}
	a.await("one row", func(*widget) bool { return len(a.shownRows()) <= 2 && slices.Contains(a.shownRows(), "Firefox") })
	a.await("focus on the row", func(*widget) bool {
		a.step(0, codeTab)
		w := a.focused()
		return w != nil && w.role == roleListItem && len(w.name) > 8 && w.name[:8] == "Firefox,"
	})
	keyboard.press(0, codeEnter)
	a.field(aliases)
	a.await("focus on the names", func(*widget) bool {
		a.step(0, codeTab)
		w := a.focused()
		return w != nil && w.role == roleText && w.name == aliases
	})
	for _, letter := range "surfer" {
		keyboard.press(0, codeOf(letter)) // replaces what Tab has selected
	}
	keyboard.press(0, codeEnter)
	s.awaitFile(firefoxFile, "id: firefox\naliases: [surfer]\n")
}
