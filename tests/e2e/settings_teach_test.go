package e2e

import (
	"slices"
	"testing"
	"time"
)

const firefoxFile = "c/utter/profiles/browser_firefox.yaml"

// taught is what the user's file says after both lessons of the test below.
const taught = `id: firefox
aliases: [firefox, mozilla firefox, surfer]
shortcuts:
  speak_up: ctrl+shift+k
`

// TestSettingsTeachAnApplication is the way of a user: a name and an action are
// taught, the agent follows, and both are taken back and brought back.
func TestSettingsTeachAnApplication(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	logger, keys := s.keyLogger("firefox-esr")
	a := s.wideSettings()
	a.edit("Firefox")

	a.setText(aliases, a.text(aliases)+", surfer")
	s.awaitFile(firefoxFile, "id: firefox\naliases: [firefox, mozilla firefox, surfer]\n")
	s.checkPlan(`ensure_app {"app":"firefox"`, "open surfer")
	a.checkAnnounced("Firefox: “Names you can say” changed")

	a.activate("Add Action…")
	a.setText("Phrase", "Speak up")
	a.activate("Record")
	a.awaitState("Record", statePressed, true)
	s.sway().keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeK)
	a.find(roleLabel, "Control Shift K")
	a.checkAnnounced("Control Shift K")
	a.activate("Record")
	a.awaitState("Record", statePressed, false)
	a.activate("Set")
	a.gone(roleDialog, "Add Action")
	s.awaitFile(firefoxFile, taught)
	s.checkPlan(`key {"chord":"ctrl+shift+k"`, "--app", "firefox", "speak up")
	a.find(roleListItem, "speak up")

	s.bringToFront(logger)
	s.MustRun("speak up")
	s.checkFile(keys, "\x1b[107;6u", 3*time.Second)

	a.inFront()
	a.activate("Restore Built-In")
	s.noFile(firefoxFile)
	s.checkPlan("no plan", "open surfer")
	a.checkText(aliases, "firefox, mozilla firefox")
	a.gone(roleListItem, "speak up")
	a.checkAnnounced("Restored the built-in Firefox")

	a.activate("Undo")
	s.awaitFile(firefoxFile, taught)
	if names := s.profileFiles(); len(names) != 1 {
		t.Errorf("after the undo there are %q", names)
	}
	a.checkText(aliases, "firefox, mozilla firefox, surfer")
	s.checkPlan(`ensure_app {"app":"firefox"`, "open surfer")

	a.redo()
	s.noFile(firefoxFile)
	a.gone(roleButton, "Restore Built-In")
	for range 3 { // as fast as the key repeats
		a.undo()
	}
	s.await("nothing left after all is undone", shown, func() bool { return len(s.profileFiles()) == 0 })
	a.checkText(aliases, "firefox, mozilla firefox")
	s.checkPlan("no plan", "open surfer")
}

// TestSettingsTeachFromAMiss: what found nothing is taught where it was tried,
// and then works.
func TestSettingsTeachFromAMiss(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	logger, keys := s.keyLogger("firefox-esr")
	a := s.wideSettings("--page", "try")
	a.find(roleGroup, "Try It")
	a.setText("Say something", "open surfer")
	a.find(roleListItem, "Nothing would happen")
	a.activate("Teach…")
	a.find(roleDialog, "Teach “open surfer”")
	a.checkText("Phrase", "surfer")
	a.choose("Meaning", "Open an application")
	a.chooseBySearch("Application", "Firefox")
	a.activate("Teach")
	a.gone(roleDialog, "Teach “open surfer”")
	s.checkPlan(`ensure_app {"app":"firefox"`, "open surfer")
	a.gone(roleListItem, "Nothing would happen")
	a.find(roleListItem, "Switch to Firefox, or start it if it isn’t running")

	a.setText("Say something", "another one please")
	a.find(roleListItem, "Nothing would happen")
	a.activate("Teach…")
	a.find(roleDialog, "Teach “another one please”")
	a.chooseBySearch("Application", "Firefox")
	a.choose("Meaning", "Perform an action")
	a.choose("Action", "new tab")
	a.activate("Teach")
	a.gone(roleDialog, "Teach “another one please”")
	s.awaitFile(firefoxFile,
		"id: firefox\naliases: [firefox, mozilla firefox, surfer]\ncommands:\n  another one please: new_tab\n")

	names := a.namesOf(roleButton)
	for _, want := range []string{"Teach… open surfer", "Teach… another one please"} {
		if !slices.Contains(names, want) {
			t.Errorf("among the recent phrases there is no button %q: %q", want, names)
		}
	}
	s.bringToFront(logger)
	s.MustRun("another one please")
	s.checkFile(keys, "\x1b[116;5u", 3*time.Second)
}
