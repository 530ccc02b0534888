package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// shownRows returns the names of the rows of the list of applications, as far
// as they are on the screen.
func (a *app) shownRows() (names []string) {
	a.find(roleList, "Applications").walk(func(w *widget) {
		if w.role == roleListItem {
			name, _, _ := strings.Cut(w.name, ", ")
			names = append(names, name)
		}
	})
	return names
}

func (a *app) awaitRows(what string, ok func(rows []string) bool) {
	a.s.t.Helper()
	if !eventually(shown, func() bool { return ok(a.shownRows()) }) {
		a.s.t.Errorf("%s: the list shows %q", what, a.shownRows())
	}
}

// TestSettingsFindAnApplication filters and searches the list.
func TestSettingsFindAnApplication(t *testing.T) {
	s := look{still: true}.newSession(t, Options{Profiles: map[string]string{
		"mine.yaml": "id: my-app\nname: My own\nlaunch: [true]\n",
		"code.yaml": "id: foot\nenabled: false\n",
	}})
	s.desktopFile("plain-app", "Plain Jane", "true")
	a := s.wideSettings()
	has := func(name string) func([]string) bool {
		return func(rows []string) bool { return slices.Contains(rows, name) }
	}
	a.awaitRows("main applications at the first start", func(rows []string) bool {
		return slices.Contains(rows, "Firefox") && !slices.Contains(rows, "Plain Jane")
	})
	a.awaitStateIn(roleRadio, "Main Apps", stateChecked, true)
	a.activateIn(roleRadio, "Edited")
	a.awaitRows("edited", func(rows []string) bool { return slices.Equal(rows, []string{"Foot", "My own"}) })
	if row := a.row("Foot"); !strings.Contains(row, "Edited") || !strings.Contains(row, "Off") {
		t.Errorf("the row of what is edited and disabled says %q", row)
	}
	a.find(roleLabel, "2 applications")
	a.activateIn(roleRadio, "All Installed")
	a.awaitRows("all", has("Firefox"))

	for _, tt := range []struct{ words, want string }{
		{"plain ja", "Plain Jane"}, {"JANE", "Plain Jane"}, {"mozilla", "Firefox"}, {"my own", "My own"},
		{"ctrl+shift+y", "Firefox"}, {"reopen tab", "Firefox"},
	} {
		a.search(tt.words)
		a.awaitRows("search for "+tt.words, has(tt.want))
	}
	a.search("plain ja")
	a.awaitRows("a search for one", func(rows []string) bool { return slices.Equal(rows, []string{"Plain Jane"}) })
	a.search("no such thing")
	a.find(roleLabel, "No Results Found")
	a.activate("Clear Search")
	a.awaitRows("after the search is cleared", has("Firefox"))

	// Ctrl+F searches from wherever the focus is.
	s.sway().keyboard.press(modCtrl, codeLeftCtrl, codeF)
	for _, letter := range "jane" {
		s.sway().keyboard.press(0, codeOf(letter))
	}
	a.checkText("Search applications", "jane")
	a.awaitRows("by keys", func(rows []string) bool { return slices.Equal(rows, []string{"Plain Jane"}) })

	a.search("")
	a.close()
	a = s.wideSettings()
	a.awaitStateIn(roleRadio, "All Installed", stateChecked, true) // as it was left
}

// TestSettingsFollowWhatIsInstalled: rows come and go by themselves among a
// thousand, and the others stay where they are.
func TestSettingsFollowWhatIsInstalled(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	for i := range 1000 {
		s.desktopFile(fmt.Sprintf("app-%04d", i), fmt.Sprintf("Number %04d", i), "true")
	}
	a := s.wideSettings()
	a.activateIn(roleRadio, "All Installed")
	a.search("number")
	a.find(roleLabel, "1000 applications")
	a.search("number 0777")
	a.find(roleLabel, "1 application")
	a.row("Number 0777")
	a.search("number")
	a.find(roleLabel, "1000 applications")

	// Far down by keys, with the focus on a row.
	s.sway().keyboard.press(modCtrl, codeLeftCtrl, codeF)
	a.await("focus in the search", func(*widget) bool { w := a.focused(); return w != nil && w.role == roleSearch })
	a.await("focus on the list", func(*widget) bool {
		w, _ := a.tab()
		return w != nil && strings.HasPrefix(w.name, "Number ")
	})
	for range 3 {
		s.sway().keyboard.press(0, codePageDown)
	}
	a.await("a row far down", func(*widget) bool {
		w := a.focused()
		return w != nil && strings.HasPrefix(w.name, "Number 00") && w.name > "Number 0020"
	})
	settle(a.pid)
	before, rows := a.focused().name, a.shownRows()

	s.desktopFile("app-new", "Number 0000 and a half", "true")
	a.find(roleLabel, "1001 applications")
	s.desktopFile("app-late", "Number 9999", "true")
	a.find(roleLabel, "1002 applications")
	if err := os.Remove(s.file("d/applications/app-0500.desktop")); err != nil {
		t.Fatal(err)
	}
	a.find(roleLabel, "1001 applications")
	settle(a.pid)
	if now := a.focused(); now == nil || now.name != before {
		t.Errorf("the focus was on %q, now it is on %v", before, now)
	}
	if now := a.shownRows(); !slices.Equal(now, rows) {
		t.Errorf("the list showed %q, now %q", rows, now)
	}
	a.search("half")
	a.row("Number 0000 and a half")
}
