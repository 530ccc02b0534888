package e2e

import (
	"os"
	"strings"
	"testing"
)

// TestSettingsKeepAFileByHand: comments, order and what it says of others stay.
func TestSettingsKeepAFileByHand(t *testing.T) {
	const byHand = `# my browsers
profiles:
  firefox: # the fox
    shortcuts:
      # zoom as in the old one
      zoom_in: ctrl+shift+plus
      history: ctrl+shift+h # not ctrl+h
    aliases:
      - fox
    name: Feuerfuchs # German
  foot: {aliases: [term]}
`
	s := look{still: true}.newSession(t, Options{Profiles: map[string]string{"by hand.yaml": byHand}})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	a.checkText(aliases, "fox")
	a.setText(aliases, "fox, surfer")
	want := strings.Replace(byHand, "      - fox\n", "      - fox\n      - surfer\n", 1)
	s.awaitFile("c/utter/profiles/by hand.yaml", want)
	a.activate("More Options for history")
	a.activate("Reset")
	want = strings.Replace(want, "      history: ctrl+shift+h # not ctrl+h\n", "", 1)
	s.awaitFile("c/utter/profiles/by hand.yaml", want)
	a.undo()
	a.undo()
	s.awaitFile("c/utter/profiles/by hand.yaml", byHand)
	if names := s.profileFiles(); len(names) != 1 {
		t.Errorf("there are %q", names)
	}
}

// TestSettingsTwoFilesOfOneApplication: an edit goes to the file that wins, and
// the file is named.
func TestSettingsTwoFilesOfOneApplication(t *testing.T) {
	s := look{still: true}.newSession(t, Options{Profiles: map[string]string{
		"a.yaml": "id: firefox\nname: First\n", "b.yaml": "id: firefox\nsearch_url: https://b.example/?q={q}\n",
	}})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	a.setText(aliases, "surfer")
	s.awaitFile("c/utter/profiles/b.yaml", "id: firefox\nsearch_url: https://b.example/?q={q}\naliases: [surfer]\n")
	if got := contents(s.file("c/utter/profiles/a.yaml")); got != "id: firefox\nname: First\n" {
		t.Errorf("the other file is %q", got)
	}
	a.await("the name of the file", func(front *widget) bool {
		found := false
		front.walk(func(w *widget) {
			found = found || strings.Contains(strings.ReplaceAll(w.name, "\u200b", ""), "/b.yaml")
		})
		return found
	})
	a.activate("Restore Built-In")
	s.noFile("c/utter/profiles/a.yaml")
	s.noFile("c/utter/profiles/b.yaml")
	a.undo()
	s.awaitFile("c/utter/profiles/a.yaml", "id: firefox\nname: First\n")
	s.awaitFile("c/utter/profiles/b.yaml", "id: firefox\nsearch_url: https://b.example/?q={q}\naliases: [surfer]\n")
}

// TestSettingsMeetAnEditFromOutside: while a draft is open the file changes in
// the same place.
func TestSettingsMeetAnEditFromOutside(t *testing.T) {
	s := look{still: true}.newSession(t, Options{Profiles: map[string]string{"f.yaml": "id: firefox\naliases: [fox]\n"}})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	file := "c/utter/profiles/f.yaml"
	for _, tt := range []struct{ button, want string }{
		{"Use Theirs", "id: firefox\naliases: [theirs]\n"},
		{"Keep Mine", "id: firefox\naliases: [mine]\n"},
	} {
		s.write(file, "id: firefox\naliases: [fox]\n")
		a.checkText(aliases, "fox")
		a.setText(aliases, "mine")
		s.write(file, "id: firefox\naliases: [theirs]\n") // before the draft is saved
		a.activate("Review…")
		a.checkAnnounced("This was also changed outside this window")
		a.find(roleAlert, "Changed in Two Places")
		a.await("both sides", func(front *widget) bool {
			found := false
			front.walk(func(w *widget) {
				found = found || w.role == roleListItem && strings.Contains(w.description, "mine") &&
					strings.Contains(w.description, "theirs")
			})
			return found
		})
		if got := contents(s.file(file)); got != "id: firefox\naliases: [theirs]\n" {
			t.Errorf("before anything is chosen the file is %q", got)
		}
		a.activate(tt.button)
		a.gone(roleAlert, "Changed in Two Places")
		s.awaitFile(file, tt.want)
		a.gone(roleButton, "Review…")
	}

	// Undo over a file that was changed since asks as well.
	s.write(file, "id: firefox\naliases: [other]\n")
	a.checkText(aliases, "other")
	a.undo()
	a.activate("Review…")
	a.activate("Use Theirs")
	a.gone(roleAlert, "Changed in Two Places")
	s.awaitFile(file, "id: firefox\naliases: [other]\n")

	// What does not touch is not a conflict.
	a.setText(aliases, "both")
	s.write(file, "id: firefox\naliases: [other]\nname: Fox\n")
	s.awaitFile(file, "id: firefox\naliases: [both]\nname: Fox\n")
}

// TestSettingsWithoutTheRightToWrite: a folder on a read-only disk.
func TestSettingsWithoutTheRightToWrite(t *testing.T) {
	s := look{still: true}.newSession(t, Options{Profiles: map[string]string{"f.yaml": "id: firefox\naliases: [fox]\n"}})
	s.startAgent()
	a := s.wideSettings("--app", "firefox")
	a.checkText(aliases, "fox")
	folder := s.file("c/utter/profiles")
	readOnly(t, folder)
	a.setText(aliases, "wolf")
	a.activate("Review…")
	a.find(roleAlert, "Not Saved")
	a.checkAnnounced("Your change could not be saved")
	a.activate("Later")
	a.gone(roleAlert, "Not Saved")
	a.checkText(aliases, "wolf") // the draft stays
	writable(t, folder)
	a.activate("Review…")
	a.activate("Try Again")
	a.gone(roleAlert, "Not Saved")
	s.awaitFile("c/utter/profiles/f.yaml", "id: firefox\naliases: [wolf]\n")
	a.gone(roleButton, "Review…")
	a.close()

	readOnly(t, folder)
	a = s.wideSettings("--app", "firefox")
	a.activate("Review…")
	a.find(roleAlert, "Profiles Are Read-Only")
	a.activate("Close")
}

// TestSettingsWithABrokenFile: it is told what is wrong and where, and the last
// good version comes back.
func TestSettingsWithABrokenFile(t *testing.T) {
	const good, broken = "id: firefox\naliases: [fox]\n", "id: firefox\naliases: [fox\nshortcuts: {\n"
	s := look{still: true}.newSession(t, Options{Profiles: map[string]string{"f.yaml": good}})
	s.startAgent()
	s.write("c/mimeapps.list",
		"[Default Applications]\napplication/yaml=note.desktop\napplication/x-yaml=note.desktop\ntext/plain=note.desktop\n")
	s.desktopFile("note", "Note", s.file("note")+" %f")
	s.writeMode("note", "#!/bin/sh\nprintf %s \"$1\" >"+s.file("opened")+"\n", 0o700)
	a := s.wideSettings("--app", "firefox")
	a.checkText(aliases, "fox")
	s.write("c/utter/profiles/f.yaml", broken)
	a.activate("Review…")
	a.checkAnnounced("A file has an error")
	a.await("what is wrong, and where", func(front *widget) bool {
		found := false
		front.walk(func(w *widget) { found = found || strings.HasPrefix(w.name, "f.yaml, line ") })
		return found
	})
	a.find(roleAny, "Details")
	a.activate("Open File")
	s.checkFile(s.file("opened"), s.file("c/utter/profiles/f.yaml"), shown)
	a.gone(roleButton, "Open File")
	a.activate("Review…")
	a.activate("Use Last Good Version")
	s.awaitFile("c/utter/profiles/f.yaml", good)
	a.gone(roleButton, "Review…")
	a.undo()
	s.awaitFile("c/utter/profiles/f.yaml", broken)
	a.find(roleButton, "Review…")
}

// readOnly makes a folder one that nobody can write into, root neither.
func readOnly(t *testing.T, folder string) {
	t.Helper()
	mount(t, "mount", "--bind", folder, folder)
	t.Cleanup(func() { writable(t, folder) })
	mount(t, "mount", "-o", "remount,bind,ro", folder)
}

// writable takes readOnly back.
func writable(t *testing.T, folder string) {
	t.Helper()
	if data, _ := os.ReadFile("/proc/self/mountinfo"); strings.Contains(string(data), " "+folder+" ") {
		mount(t, "umount", "-l", folder)
	}
}
