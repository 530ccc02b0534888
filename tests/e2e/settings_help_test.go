package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// What the window calls the text box of an application's names, and the one for
// keys.
const (
	aliases   = "Names you can say"
	keysField = "Keys"
)

// Evdev codes of keys that only the tests of the settings app press.
const (
	codeBackSpace = 14
	codeQ         = 16
	codeF         = 33
	codeK         = 37
	codeZ         = 44
	codeSpace     = 57
	codeF10       = 68
	codePageDown  = 109
)

// wideSettings opens the settings app on a workspace of its own, where sidebar
// and page stand side by side.
func (s *Session) wideSettings(args ...string) *app {
	s.t.Helper()
	s.sway().do("workspace settings")
	return s.settings(args...)
}

// page shows the page of the sidebar with a name.
func (a *app) page(name string) {
	a.s.t.Helper()
	a.activateIn(roleListItem, name)
	a.find(roleGroup, name)
}

// search looks for words in the list of applications.
func (a *app) search(words string) {
	a.s.t.Helper()
	a.setText("Search applications", words)
}

// row returns what the row of an application is called at the moment.
func (a *app) row(name string) (label string) {
	a.s.t.Helper()
	a.await("the row of "+name, func(front *widget) bool {
		for _, w := range front.controls(nil, []role{roleListItem}) {
			if strings.HasPrefix(w.name, name+", ") {
				label = w.name
			}
		}
		return label != ""
	})
	return label
}

// edit opens the editor of an application.
func (a *app) edit(name string) {
	a.s.t.Helper()
	a.search(name)
	a.activate(a.row(name))
	a.field("Phrase to try")
}

// awaitFile waits for a file to hold exactly want.
func (s *Session) awaitFile(name, want string) {
	s.t.Helper()
	if !eventually(shown, func() bool { return contents(s.file(name)) == want }) {
		s.t.Fatalf("%s is\n%s\nwant\n%s", name, contents(s.file(name)), want)
	}
}

// noFile waits until a file is gone.
func (s *Session) noFile(name string) {
	s.t.Helper()
	s.await("the end of "+name, shown, func() bool { return !exists(s.file(name)) })
}

// plan returns what "utter plan" prints.
func (s *Session) plan(args ...string) string {
	s.t.Helper()
	out, err := s.command("utter", append([]string{"plan"}, args...)...).CombinedOutput()
	if status := exitStatus(err); status < 0 {
		s.t.Fatal(err)
	}
	return string(out)
}

// checkPlan waits for a plan to begin with want, for at most a second.
func (s *Session) checkPlan(want string, args ...string) {
	s.t.Helper()
	got := ""
	if !eventually(time.Second, func() bool { got = s.plan(args...); return strings.HasPrefix(got, want) }) {
		s.t.Errorf("utter plan %q says %q, want %q", args, got, want)
	}
}

// keyLogger opens a terminal of some application's window id whose program gets
// keys as the kitty protocol writes them.
func (s *Session) keyLogger(appID string) (w Window, file string) {
	s.t.Helper()
	file = s.file("keys-" + appID)
	w = s.footRunning(appID, "sh", "-c", fmt.Sprintf(`printf '\033[>1u'; stty raw -echo; exec cat >%s`, file))
	settle(w.PID)
	return w, file
}

// inFront focuses the settings window.
func (a *app) inFront() {
	a.s.t.Helper()
	for _, w := range a.s.byApp("org.utter.Settings") {
		a.s.bringToFront(w)
	}
}

// profileFiles returns the names of the files in the folder of profiles.
func (s *Session) profileFiles() (names []string) {
	items, _ := os.ReadDir(s.file("c/utter/profiles"))
	for _, item := range items {
		names = append(names, item.Name())
	}
	return names
}

// chooseBySearch opens the combo with a name, writes an option into its search
// and takes what is found.
func (a *app) chooseBySearch(name, option string) {
	a.s.t.Helper()
	if a.chosen(name) == option {
		return
	}
	a.activateIn(roleCombo, name)
	a.await("the search of "+name, func(*widget) bool {
		w := a.focused()
		return w != nil && (w.role == roleSearch || w.role == roleText)
	})
	for _, letter := range strings.ToLower(option) {
		a.s.sway().keyboard.press(0, codeOf(letter))
	}
	for range 20 {
		a.s.sway().keyboard.press(0, codeDown)
		if eventually(300*time.Millisecond, func() bool { w := a.focused(); return w != nil && w.label() == option }) {
			a.s.sway().keyboard.press(0, codeEnter)
			a.await(name+" shows "+option, func(*widget) bool { return a.chosen(name) == option })
			return
		}
	}
	a.s.t.Fatalf("%q does not find %q. The window:\n%s", name, option, a.tree())
}

// codeOf returns the code of the key with a lower-case letter.
func codeOf(letter rune) uint32 {
	for i, row := range []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"} {
		if n := strings.IndexRune(row, letter); n >= 0 {
			return uint32([]int{16, 30, 44}[i] + n)
		}
	}
	return codeSpace
}

// undo and redo press their keys.
func (a *app) undo() { a.s.sway().keyboard.press(modCtrl, codeLeftCtrl, codeZ) }

func (a *app) redo() {
	a.s.sway().keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeZ)
}

// mount changes what is mounted, which only root may.
func mount(t *testing.T, argv ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v %s", argv, err, out)
	}
}

// remove removes a file of the session.
func (s *Session) remove(name string) {
	s.t.Helper()
	if err := os.Remove(s.file(name)); err != nil {
		s.t.Fatal(err)
	}
}
