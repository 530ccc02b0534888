package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSettingsEditEveryField changes each field of the editor, and takes each
// change back.
func TestSettingsEditEveryField(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	s.foot("stray-window")
	a := s.wideSettings("--app", "firefox")
	reset := func(name string) func() { return func() { a.activate("Reset " + name) } }
	text := func(name, value string) func() { return func() { a.setText(name, value) } }
	for _, tt := range []struct {
		what string
		do   func()
		want string
		back func()
	}{
		{"names", text(aliases, "surfer, the web"), "aliases: [surfer, the web]", reset("Names you can say")},
		{"no names", text(aliases, ""), "aliases: []", reset("Names you can say")},
		{"search address", text("Search address", "https://find.example/?q={q}"),
			`search_url: "https://find.example/?q={q}"`, reset("Search address")},
		{"launch", text("Launch command", `foot -e "two words"`), `launch: [foot, -e, two words]`, reset("Launch command")},
		{"new window", text("New window command", "foot"), "new_window: [foot]", reset("New window command")},
		{"window ids", text("Window IDs", "one, two"), "app_ids: [one, two]", reset("Window IDs")},
		{"file types", text("File types", "text/html"), "mime_types: [text/html]", reset("File types")},
		{"can be named", func() { a.activate("Respond to its name") }, "enabled: false",
			func() { a.activate("Respond to its name") }},
		{"terminal", func() { a.activate("Runs in a terminal") }, "terminal: true",
			func() { a.activate("Runs in a terminal") }},
		{"removed action", func() { a.activate("Remove history") }, "shortcuts:\n  history: \"\"", a.undo},
	} {
		tt.do()
		s.awaitFile(firefoxFile, "id: firefox\n"+tt.want+"\n")
		a.find(roleButton, "Restore Built-In")
		tt.back()
		s.noFile(firefoxFile)
		a.gone(roleButton, "Restore Built-In")
	}
	a.choose("Kind", "Editor")
	s.awaitFile("c/utter/profiles/editor_firefox.yaml", "id: firefox\nkind: editor\n")
	a.choose("Kind", "Browser")
	s.noFile("c/utter/profiles/editor_firefox.yaml")
	if names := s.profileFiles(); len(names) != 0 {
		t.Errorf("in the end there are %q", names)
	}
}

// TestSettingsRefuseWhatIsWrong: an invalid text stays, says why, and is not
// saved.
func TestSettingsRefuseWhatIsWrong(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	for _, tt := range []struct{ field, text, says string }{
		{"Search address", "https://find.example/", "Write {q} where the search words belong"},
		{"Search address", "find.example/{q}", "An address must begin with https:// or http://"},
		{"Launch command", `foot -e "two`, "A quotation mark is not closed"},
	} {
		a.setText(tt.field, tt.text)
		a.awaitInvalid(tt.field, true)
		a.checkAnnounced(tt.says)
	}
	if !stays(900e6, func() bool { return !exists(s.file(firefoxFile)) }) {
		t.Errorf("saved: %s", contents(s.file(firefoxFile)))
	}
	for _, tt := range []struct{ field, text, says string }{
		{"Search address", "https://find.example/{q}", "“search cats” → https://find.example/cats"},
		{"Launch command", "no-such-program", "There is no such program"},
		{"New window command", "/etc/passwd", "This file is not an executable program"},
		{aliases, "terminal, foot", "foot"},
	} {
		a.setText(tt.field, tt.text)
		a.awaitInvalid(tt.field, false)
		a.await("a note: "+tt.says, func(front *widget) bool {
			found := false
			front.walk(func(w *widget) {
				found = found || w.role == roleLabel && strings.Contains(w.name, tt.says) && w.name != tt.text
			})
			return found
		})
	}
	a.setText("Phrase to try", "new tab")
	a.find(roleLabel, "Press Control T")
	a.setText("Phrase to try", "dance with me")
	a.await("that nothing would happen", func(front *widget) bool {
		found := false
		front.walk(func(w *widget) { found = found || strings.HasPrefix(w.name, "Nothing would happen: ") })
		return found
	})
}

// awaitInvalid waits until the text box with a name is marked as wrong, or not.
func (a *app) awaitInvalid(name string, want bool) {
	a.s.t.Helper()
	a.await(fmt.Sprintf("%q invalid: %v", name, want),
		func(*widget) bool { return a.field(name).states.has(stateInvalid) == want })
}

// TestSettingsActionsOfAnApplication: renamed, said in other words, with keys
// taken over from another one, and phrases that press several.
func TestSettingsActionsOfAnApplication(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	a.takeKeysOver()
	a.sayOtherwise()

	a.activate("Add Phrase…")
	a.find(roleDialog, "Add Phrase")
	a.setText("Phrase", "Tidy up")
	a.setText(keysField, "ctrl+k, ctrl+s")
	a.find(roleLabel, "Control K, Control S")
	a.activate("Set")
	a.gone(roleDialog, "Add Phrase")
	s.awaitFile(firefoxFile, "id: firefox\ncommands:\n  tidy up: [ctrl+k, ctrl+s]\n")
	s.checkPlan("key", "--app", "firefox", "tidy up")
	a.activate("Remove Phrase tidy up")
	s.noFile(firefoxFile)

	a.activate("Add Action…")
	a.find(roleDialog, "Add Action")
	a.activate("Cancel")
	a.gone(roleDialog, "Add Action")
}

// takeKeysOver gives new tab the keys of new window, and takes that back.
func (a *app) takeKeysOver() {
	s := a.s
	s.t.Helper()
	a.activate("new tab") // the row
	a.find(roleDialog, "Keys for new tab")
	a.checkText(keysField, "ctrl+t")
	a.setText(keysField, "control fish")
	a.awaitInvalid(keysField, true)
	a.awaitState("Set", stateSensitive, false)
	a.setText(keysField, "control n")
	a.find(roleLabel, "“new window” already uses these keys. Setting them here removes them there.")
	a.activate("Reassign")
	a.gone(roleDialog, "Keys for new tab")
	s.awaitFile(firefoxFile, "id: firefox\nshortcuts:\n  new_tab: ctrl+n\n  new_window: \"\"\n")
	a.gone(roleButton, "Remove new window")
	a.activate("Restore new window")
	s.awaitFile(firefoxFile, "id: firefox\nshortcuts:\n  new_tab: ctrl+n\n")
	a.find(roleListItem, "new window")
	a.undo()
	a.undo()
	s.noFile(firefoxFile)
	a.gone(roleButton, "Restore Built-In")
}

// sayOtherwise gives new tab another name and one more phrase.
func (a *app) sayOtherwise() {
	s := a.s
	s.t.Helper()
	a.activate("More Options for new tab")
	a.activate("Rename…")
	a.find(roleAlert, "Rename new tab")
	a.setText("Phrase", "fresh tab")
	a.activate("Rename")
	a.gone(roleAlert, "Rename new tab")
	s.awaitFile(firefoxFile, "id: firefox\nshortcuts:\n  new_tab: \"\"\n  fresh_tab: ctrl+t\n")
	a.find(roleListItem, "fresh tab")
	s.checkPlan(`key {"chord":"ctrl+t"`, "--app", "firefox", "fresh tab")

	a.activate("More Options for fresh tab")
	a.activate("Add Another Phrase…")
	a.setText("Phrase", "one more")
	a.activate("Add")
	a.gone(roleButton, "Add")
	s.awaitFile(firefoxFile,
		"id: firefox\nshortcuts:\n  new_tab: \"\"\n  fresh_tab: ctrl+t\ncommands:\n  one more: fresh_tab\n")
	s.checkPlan(`key {"chord":"ctrl+t"`, "--app", "firefox", "one more")
	a.activate("Restore Built-In")
	s.noFile(firefoxFile)
}

// TestSettingsRecordKeys: every key counts while recording, those of the
// compositor too.
func TestSettingsRecordKeys(t *testing.T) {
	s := look{still: true}.newSession(t,
		Options{Config: "bindsym Ctrl+Shift+k exec touch \"$HOME/bound\"\n", Layouts: "us,ru"})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	keyboard := s.sway().keyboard
	bound := func() bool { return exists(s.home + "/bound") }
	record := func() {
		a.activate("Record")
		a.awaitState("Record", statePressed, true)
	}
	keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeK)
	s.await("sway's binding", shown, bound)
	s.remove("h/bound")

	a.activate("Add Phrase…")
	a.setText("Phrase", "many keys")
	record()
	keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeK)
	for _, code := range []uint32{codeEscape, codeTab, codeBackSpace} {
		keyboard.press(0, code)
	}
	a.find(roleLabel, "Control Shift K, Escape, Tab, Backspace")
	if bound() {
		t.Error("sway took the keys while recording")
	}
	a.activate("Record")
	a.awaitState("Record", statePressed, false)
	keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeK)
	s.await("sway's binding after recording", shown, bound)

	record() // anew, and the end by itself
	keyboard.group = 1
	keyboard.press(modCtrl, codeLeftCtrl, codeT)
	a.find(roleLabel, "Control T") // of the Latin group
	keyboard.group = 0
	a.awaitState("Record", statePressed, false)
	a.activate("Clear")
	a.gone(roleLabel, "Control T")
	a.awaitState("Set", stateSensitive, false)

	record() // the window's own shortcuts
	keyboard.press(modCtrl, codeLeftCtrl, codeQ)
	keyboard.press(modCtrl, codeLeftCtrl, codeF)
	a.find(roleLabel, "Control Q, Control F")
	a.activate("Record")
	a.awaitState("Record", statePressed, false)
	a.activate("Set")
	a.gone(roleDialog, "Add Phrase")
	s.awaitFile(firefoxFile, "id: firefox\ncommands:\n  many keys: [ctrl+q, ctrl+f]\n")
}

// TestSettingsRecordWithoutInhibition: where the compositor keeps its shortcuts,
// they can be written.
func TestSettingsRecordWithoutInhibition(t *testing.T) {
	s := look{still: true}.newSession(t,
		Options{Config: "seat * shortcuts_inhibitor disable\nbindsym Ctrl+Shift+k exec touch \"$HOME/bound\"\n"})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	a.activate("Add Phrase…")
	a.setText("Phrase", "speak up")
	a.activate("Record")
	a.awaitState("Record", statePressed, true)
	s.sway().keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeK)
	s.await("sway's binding", shown, func() bool { return exists(s.home + "/bound") })
	a.awaitState("Record", statePressed, false) // ends without a key
	a.awaitState("Set", stateSensitive, false)
	a.setText(keysField, "control shift k")
	a.find(roleLabel, "Control Shift K")
	a.activate("Set")
	s.awaitFile(firefoxFile, "id: firefox\ncommands:\n  speak up: ctrl+shift+k\n")
}

// TestSettingsCloseWithDrafts: what is valid is saved, what is not is asked
// about.
func TestSettingsCloseWithDrafts(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	a.setText(aliases, "surfer")
	a.close() // before the draft is saved by itself
	if got := contents(s.file(firefoxFile)); got != "id: firefox\naliases: [surfer]\n" {
		t.Errorf("after closing the file is %q", got)
	}

	a = s.wideSettings("--app", "firefox")
	a.checkText(aliases, "surfer")
	a.setText("Search address", "https://nothing.example/")
	a.setText(aliases, "wanderer")
	s.sway().do("[pid=%d] kill", a.pid)
	a.find(roleAlert, "Not Saved")
	s.awaitFile(firefoxFile, "id: firefox\naliases: [wanderer]\n")
	a.activate("Keep Editing")
	a.gone(roleAlert, "Not Saved")
	a.checkText("Search address", "https://nothing.example/")
	s.sway().keyboard.press(modCtrl, codeLeftCtrl, codeQ)
	a.find(roleAlert, "Not Saved")
	a.closed = true
	a.activate("Discard")
	a.ended()
	s.awaitFile(firefoxFile, "id: firefox\naliases: [wanderer]\n")
}

// TestSettingsMakeAnApplication of a window that belongs to none.
func TestSettingsMakeAnApplication(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	logger, keys := s.keyLogger("own-window")
	a := s.wideSettings()
	a.activate("New App…")
	a.find(roleDialog, "New App")
	a.activate("own-window · foot")
	a.gone(roleDialog, "New App")
	s.awaitFile("c/utter/profiles/other_own-window.yaml", "id: own-window\nname: own-window\napp_ids: [own-window]\n")
	a.setText(aliases, "night owl")
	s.awaitFile("c/utter/profiles/other_own-window.yaml",
		"id: own-window\nname: own-window\napp_ids: [own-window]\naliases: [night owl]\n")
	a.activate("Add Phrase…")
	a.setText("Phrase", "hoot")
	a.setText(keysField, "control k")
	a.activate("Set")
	a.gone(roleDialog, "Add Phrase")
	s.checkPlan("key", "--app", "own-window", "hoot")
	s.MustRun("open night owl")
	if got := s.focused(); got.ID != logger.ID {
		t.Errorf("the focus is on %+v", got)
	}
	s.MustRun("hoot")
	s.checkFile(keys, "\x1b[107;5u", shown)

	a.inFront()
	a.activate("Pick from Open Windows…")
	a.find(roleDialog, "Pick a Window")
	if names := a.namesOf(roleListItem); !slices.Equal(names, []string{"own-window · foot"}) {
		t.Errorf("windows to pick: %q", names)
	}
	a.activate("own-window · foot")
	a.gone(roleDialog, "Pick a Window")
	a.activate("Remove App")
	s.noFile("c/utter/profiles/other_own-window.yaml")
}
