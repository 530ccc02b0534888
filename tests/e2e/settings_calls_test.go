package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// inWindow are the options of a call that is about one window.
func inWindow(w Window) map[string]dbus.Variant {
	return map[string]dbus.Variant{"window": dbus.MakeVariant(w.ID)}
}

// runIn says an utterance for a window and returns the outcome and the reason.
func (s *Session) runIn(w Window, utterance string) (outcome, reason string) {
	s.t.Helper()
	var message string
	var steps []map[string]dbus.Variant
	if err := s.Bus("RunWithOptions", utterance, inWindow(w)).Store(&outcome, &message, &steps); err != nil {
		s.t.Fatal(err)
	}
	s.t.Logf("%q in window %d: %s: %s", utterance, w.ID, outcome, message)
	reason, _ = steps[len(steps)-1]["reason"].Value().(string)
	return outcome, reason
}

// TestWhatIsSaidForAWindowGoesThere, wherever it is and whatever has the focus.
func TestWhatIsSaidForAWindowGoesThere(t *testing.T) {
	s := NewSession(t, Options{})
	target, typed := s.catTerminal("target")
	s.sway().do("workspace 5")
	other, stray := s.catTerminal("settings")
	for _, line := range []string{"one", "two"} { // the second time it has the focus
		if outcome, _ := s.runIn(target, "type "+line+" then press enter"); outcome != "completed" {
			t.Errorf("type %s: %s", line, outcome)
		}
	}
	s.checkFile(typed, "one\ntwo\n", 5*time.Second)
	if got := s.focused(); got.ID != target.ID {
		t.Errorf("%q has the focus, want the window that was named", got.AppID)
	}
	s.bringToFront(other)
	if outcome, reason := s.runIn(target, "dance with me"); outcome != "refused" || reason != "no_plan" {
		t.Errorf("gibberish: %s %s", outcome, reason)
	}
	if got := s.focused(); got.ID != other.ID {
		t.Errorf("for words that mean nothing the focus moved to %q", got.AppID)
	}
	s.sway().do("[con_id=%d] kill", target.ID)
	s.await("the end of the window", 5*time.Second, func() bool { return s.window(target.ID).ID == 0 })
	if outcome, reason := s.runIn(target, "type three then press enter"); outcome != "refused" || reason != "not_found" {
		t.Errorf("in a window that is gone: %s %s", outcome, reason)
	}
	if !stays(500*time.Millisecond, func() bool { return contents(stray) == "" }) {
		t.Errorf("%q was typed into another window", contents(stray))
	}
}

// TestPlanForAWindowIsWhatItsApplicationDoes, and tells how long routing took.
func TestPlanForAWindowIsWhatItsApplicationDoes(t *testing.T) {
	s := NewSession(t, Options{Profiles: map[string]string{"two.yaml": "profiles:\n" +
		"  first: {name: First, shortcuts: {greet: ctrl+1}}\n  second: {name: Second, shortcuts: {greet: ctrl+2}}\n"}})
	windows := map[string]Window{"ctrl+1": s.foot("first"), "ctrl+2": s.foot("second")}
	before := s.focused()
	for keys, w := range windows {
		var d map[string]dbus.Variant
		if err := s.Bus("PlanWithOptions", "greet", inWindow(w)).Store(&d); err != nil {
			t.Fatal(err)
		}
		steps, _ := d["steps"].Value().([]map[string]dbus.Variant)
		if len(steps) != 1 || !strings.Contains(steps[0]["args"].String(), keys) {
			t.Errorf("for %s: %v, want %s", w.AppID, d, keys)
		}
		if micros, ok := d["micros"].Value().(uint64); !ok || micros > 100_000 {
			t.Errorf("micros: %v", d["micros"])
		}
	}
	if got := s.focused(); got.ID != before.ID {
		t.Errorf("the focus moved to %q", got.AppID)
	}
}

// A suggestion is what Suggest tells of one.
type suggestion struct{ text, kind, group, app, detail string }

func (s *Session) suggestions(method string, args ...any) (all []suggestion) {
	s.t.Helper()
	for _, d := range s.busList(method, args...) {
		text := func(name string) string { v, _ := d[name].(string); return v }
		all = append(all, suggestion{text("text"), text("kind"), text("group"), text("app"), text("detail")})
	}
	return all
}

// TestWhatIsSuggestedTheCompositorCanDo carries out one phrase of every action of
// the desktop: none is refused because the compositor lacks it.
func TestWhatIsSuggestedTheCompositorCanDo(t *testing.T) {
	s := NewSession(t, Options{})
	for _, id := range []string{"one", "two", "three"} {
		s.foot(id)
	}
	phrases := map[string]string{} // by action
	groups := map[string]int{}
	for _, g := range s.suggestions("Suggest", "", uint32(10_000)) {
		groups[g.group]++
		if g.text == "" || g.detail == "" {
			t.Errorf("%+v says nothing", g)
		}
		if g.kind == "desktop" && !strings.Contains(g.text, "…") && len(g.text) > len(phrases[g.detail]) {
			phrases[g.detail] = g.text
		}
	}
	for _, group := range []string{"windows", "open", "web", "media", "typing"} {
		if groups[group] == 0 {
			t.Errorf("nothing in the group %s: %v", group, groups)
		}
	}
	if len(phrases) < 30 || phrases["focus-column-left"] == "" || phrases["toggle-overview"] != "" {
		t.Fatalf("%d actions: %v", len(phrases), phrases)
	}
	// What ends the session or its picture, or only floating windows know.
	for _, action := range []string{"quit", "power-off-monitors", "close-window", "center-window"} {
		if phrases[action] == "" {
			t.Errorf("%s is not suggested", action)
		}
		delete(phrases, action)
	}
	for action, said := range phrases {
		if a := s.Run(said); a.reason() == "not_supported" || a.reason() == "no_plan" {
			t.Errorf("%q (%s): %s", said, action, a.Data.Message)
		}
	}
}

// TestSuggestForAnApplication lists its actions and what the user taught.
func TestSuggestForAnApplication(t *testing.T) {
	s := NewSession(t,
		Options{Profiles: map[string]string{
			"foot.yaml": "id: foot\nshortcuts: {greet: ctrl+1}\ncommands:\n  tidy up: [ctrl+k, ctrl+s]\n"}})
	all := s.suggestions("SuggestFor", "foot", "", uint32(10_000))
	for _, want := range []suggestion{
		{"greet", "action", "yours", "foot", "ctrl+1"},
		{"tidy up", "action", "yours", "foot", "ctrl+k ctrl+s"},
		{"new tab", "action", "app", "foot", ""},
		{"search youtube for …", "search", "web", "", "https://www.youtube.com/results?search_query=…"},
	} {
		found := slices.ContainsFunc(all, func(g suggestion) bool {
			if want.detail == "" {
				g.detail = ""
			}
			return g == want
		})
		if !found {
			t.Errorf("%+v is not suggested", want)
		}
	}
	for _, g := range s.suggestions("SuggestFor", "org.example.unknown", "", uint32(10_000)) {
		if g.kind == "action" {
			t.Errorf("for an application that is not known: %+v", g)
		}
	}
	if got := s.suggestions("Suggest", "search you", uint32(5)); len(got) != 1 || got[0].text != "search youtube for …" {
		t.Errorf("by the beginning: %+v", got)
	}
}

func TestCheckLaunchTellsWhatWouldBeStarted(t *testing.T) {
	s := NewSession(t, Options{})
	s.writeMode("h/bin/own", "#!/bin/sh\n", 0o700)
	s.write("h/bin/plain", "#!/bin/sh\n")
	for _, tt := range []struct {
		argv              []string
		state, path       string
		found, executable bool
	}{
		{[]string{"foot", "-e", "sh"}, "found", "/usr/bin/foot", true, true},
		{[]string{"own"}, "found", filepath.Join(s.home, "bin/own"), true, true}, // the agent looks in ~/bin
		{[]string{"~/bin/own"}, "found", filepath.Join(s.home, "bin/own"), true, true},
		{[]string{"~/bin/plain"}, "not_executable", filepath.Join(s.home, "bin/plain"), true, false},
		{[]string{s.home}, "not_executable", s.home, true, false},
		{[]string{"utter-no-such-program"}, "not_found", "", false, false},
		{nil, "empty", "", false, false},
	} {
		var d map[string]dbus.Variant
		if err := s.Bus("CheckLaunch", tt.argv).Store(&d); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]any{"state": tt.state, "path": tt.path, "found": tt.found,
			"executable": tt.executable} {
			if got := d[name].Value(); got != want {
				t.Errorf("%q: %s is %v, want %v", tt.argv, name, got, want)
			}
		}
	}
}

// TestAProgramOfTheHomeFolderIsStarted: what CheckLaunch finds, a profile starts.
func TestAProgramOfTheHomeFolderIsStarted(t *testing.T) {
	s := NewSession(t,
		Options{Profiles: map[string]string{
			"own.yaml": "id: own\nname: Own\nlaunch: [\"~/apps/own\"]\napp_ids: [own-window]\n"}})
	s.writeMode("h/apps/own", "#!/bin/sh\nexec foot --app-id=own-window\n", 0o700)
	s.MustRun("open own")
	if w := s.focused(); w.AppID != "own-window" {
		t.Errorf("%q has the focus", w.AppID)
	}
}

// TestProfilesChangedComesByItself: for an application that is installed or
// removed, and for a profile of the user's.
func TestProfilesChangedComesByItself(t *testing.T) {
	s := NewSession(t, Options{})
	s.startAgent()
	if err := s.conn.AddMatchSignal(dbus.WithMatchInterface("org.utter.Agent"),
		dbus.WithMatchMember("ProfilesChanged")); err != nil {
		t.Fatal(err)
	}
	signals := make(chan *dbus.Signal, 100)
	s.conn.Signal(signals)
	defer s.conn.RemoveSignal(signals)
	names := func() (names string) {
		for _, app := range s.busList("ListApps") {
			if app["id"] == "t-app" {
				names = app["name"].(string)
			}
		}
		return names
	}
	for _, tt := range []struct {
		what, name string
		do         func() error
	}{
		{"installed", "Tee App", func() error {
			s.write("d/applications/t-app.desktop", "[Desktop Entry]\nType=Application\nName=Tee App\nExec=true\n")
			return nil
		}},
		{"taught", "My App", func() error { s.write("c/utter/profiles/t.yaml", "id: t-app\nname: My App\n"); return nil }},
		{"taught anew", "Our App",
			func() error { s.write("c/utter/profiles/t.yaml", "id: t-app\nname: Our App\n"); return nil }},
		{"forgotten", "Tee App", func() error { return os.Remove(s.file("c/utter/profiles/t.yaml")) }},
		{"removed", "", func() error { return os.Remove(s.file("d/applications/t-app.desktop")) }},
	} {
		if err := tt.do(); err != nil {
			t.Fatal(err)
		}
		if err := awaitSignal(signals, func() bool { return names() == tt.name }); err != nil {
			t.Fatalf("%s: %v; the name is %q, want %q", tt.what, err, names(), tt.name)
		}
	}
}

// awaitSignal waits for a signal after which ok is true.
func awaitSignal(signals <-chan *dbus.Signal, ok func() bool) error {
	limit := time.After(5 * time.Second)
	for {
		select {
		case s := <-signals:
			if strings.HasSuffix(s.Name, ".ProfilesChanged") && ok() {
				return nil
			}
		case <-limit:
			return errors.New("no ProfilesChanged")
		}
	}
}
