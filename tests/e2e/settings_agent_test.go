package e2e

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSettingsWithoutAgent: profiles can be edited, the rest says that the agent
// is missing and starts it; one that dies is noticed.
func TestSettingsWithoutAgent(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	a := s.wideSettings("--app", "firefox")
	a.find(roleButton, "Review…")
	a.checkAnnounced("The Utter agent is not running")
	a.setText(aliases, "surfer")
	s.awaitFile(firefoxFile, "id: firefox\naliases: [surfer]\n")
	for _, page := range []string{"What You Can Say", "Try It"} {
		a.page(page)
		a.find(roleLabel, "Agent Not Running")
		a.find(roleButton, "Start")
	}
	if pid := s.agentPID(); pid != 0 {
		t.Errorf("the settings started the agent without being asked: %d", pid)
	}
	a.activate("Start")
	a.field("Say something")
	a.gone(roleButton, "Review…")
	s.checkPlan(`ensure_app {"app":"firefox"`, "open surfer")

	s.endAgent(syscall.SIGKILL)
	a.find(roleButton, "Review…")
	a.find(roleLabel, "Agent Not Running")
	s.startAgent() // by someone else
	a.field("Say something")
	a.gone(roleButton, "Review…")

	s.endAgent(syscall.SIGTERM)
	a.activate("Review…")
	a.find(roleAlert, "Agent Not Running")
	a.activate("Start")
	a.field("Say something")
	a.page("Agent")
	a.find(roleListItem, "The agent is running")
	a.await("sway among the facts", func(front *widget) bool {
		found := false
		front.walk(func(w *widget) { found = found || strings.Contains(w.name, "sway") })
		return found
	})
	a.find(roleButton, "Check Again")
}

// TestSettingsTryAPhrase: what it would do is shown, done to another window only,
// and kept as a test.
func TestSettingsTryAPhrase(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	a := s.wideSettings("--page", "try")
	a.setText("Say something", "press control t")
	a.await("that there is no other window", func(front *widget) bool {
		run := front.named(roleButton, "Run It")
		return len(run) == 1 && !run[0].states.has(stateSensitive) &&
			strings.HasPrefix(run[0].description, "Open another window first")
	})
	s.sway().do("workspace 1")
	_, stray := s.keyLogger("own-window")
	target, keys := s.keyLogger("firefox-esr")
	s.sway().do("workspace settings")
	a.inFront()
	a.page("Agent")
	a.page("Try It") // looks at the windows
	a.awaitState("Run It", stateSensitive, true)
	if got := a.chosen("Target window"); got != "Firefox · foot" {
		t.Errorf("the target is %q, not the window that had the focus last", got)
	}
	a.activate("Run It")
	s.checkFile(keys, "\x1b[116;5u", shown)
	if got := s.focused(); got.ID != target.ID {
		t.Errorf("the focus is on %+v", got)
	}
	a.inFront()
	a.checkAnnounced("Done")
	a.find(roleListItem, "press control t") // among the recent phrases

	a.setText("Say something", "type hello")
	a.choose("Target window", "own-window · foot")
	a.awaitState("Run It", stateSensitive, true)
	a.activate("Run It")
	s.await("the text", shown, func() bool { return strings.Contains(contents(stray), "hello") })
	a.inFront()
	a.checkText("Say something", "type hello")
	if got := contents(keys); got != "\x1b[116;5u" {
		t.Errorf("the other window got %q", got)
	}

	a.setText("Say something", "open firefox")
	a.awaitState("Save as Test", stateSensitive, true)
	a.activate("Save as Test")
	file := s.file("c/utter/tests.json")
	s.await("the file of tests", shown, func() bool { return exists(file) })
	a.setText("Say something", "new tab")
	a.choose("Target window", "Firefox · foot")
	a.find(roleListItem, "Press Control T")
	before := contents(file)
	a.activate("Save as Test")
	s.await("another test", shown, func() bool { return contents(file) != before })
	if out, err := s.command("utter", "eval", file).CombinedOutput(); err != nil {
		t.Errorf("utter eval: %v\n%s\n%s", err, out, contents(file))
	}
}

// TestSettingsWhatCanBeSaid lists it for the window that had the focus last, and
// follows what is taught.
func TestSettingsWhatCanBeSaid(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	s.keyLogger("firefox-esr")
	a := s.wideSettings("--page", "sayings")
	says := func(phrase string) func(*widget) bool {
		return func(*widget) bool {
			return slices.ContainsFunc(a.itemsOf("What You Can Say"),
				func(item string) bool { return strings.HasPrefix(item, phrase) })
		}
	}
	saysNot := func(phrase string) func(*widget) bool { return func(*widget) bool { return !says(phrase)(nil) } }
	a.await("what Firefox does", says("back, alt+left"))
	if got := a.chosen("Focused application"); got != "Firefox · foot" {
		t.Errorf("the list is for %q", got)
	}
	a.setText("Search what you can say", "reopen")
	a.await("only what was searched for", saysNot("back, alt+left"))
	a.await("what was searched for", says("reopen tab, ctrl+shift+t"))
	a.setText("Search what you can say", "greet")
	a.find(roleLabel, "0 phrases")
	s.write("c/utter/profiles/f.yaml", "id: firefox\nshortcuts: {greet: ctrl+1}\n")
	a.await("what was taught", says("greet, ctrl+1"))
	a.setText("Search what you can say", "")
	a.chooseBySearch("Focused application", "Foot")
	a.await("another list", saysNot("bookmark, ctrl+d"))
}

// itemsOf returns the names of what is in a list.
func (a *app) itemsOf(list string) (names []string) {
	a.s.t.Helper()
	a.find(roleList, list).walk(func(w *widget) {
		if w.role == roleListItem {
			names = append(names, w.name)
		}
	})
	return names
}

// TestSettingsSafety: a switch changes a value of the configuration and nothing
// else, and the agent follows.
func TestSettingsSafety(t *testing.T) {
	const config = `# mine
[policy]
enabled_ops = []            # nothing yet
require_confirm = ["delete", "send"]

[search]
engine = "google" # for now
`
	s := look{still: true}.newSession(t, Options{Agent: config})
	s.startAgent()
	s.foot("foot")
	file := "c/utter/config.toml"
	if a := s.Run("run true"); a.reason() == "confirm" || a.Exit == exitDone {
		t.Fatalf("before it is allowed: %s", a.Stdout)
	}
	a := s.wideSettings("--page", "safety")
	a.activate("Run commands in a terminal")
	want := strings.Replace(config, "enabled_ops = []", `enabled_ops = ["terminal"]`, 1)
	s.awaitFile(file, want)
	s.sway().do("workspace 1")
	s.await("the agent follows", 3*time.Second, func() bool { return strings.Contains(s.Run("run true").Stdout, "token") })
	a.inFront()

	a.setText("Words, separated by commas", "delete, send, pay")
	want = strings.Replace(want, `["delete", "send"]`, `["delete", "send", "pay"]`, 1)
	s.awaitFile(file, want)
	a.setText("Search engine: a site, or an address with {q}", "https://find.example/?q={q}")
	want = strings.Replace(want, `"google"`, `"https://find.example/?q={q}"`, 1)
	s.awaitFile(file, want)
	if !eventually(3*time.Second, func() bool { return strings.Contains(s.plan("search for cats"), "find.example") }) {
		t.Errorf("the agent does not follow: %s", s.plan("search for cats"))
	}
	a.setText("Search engine: a site, or an address with {q}", "no such site")
	a.awaitInvalid("Search engine: a site, or an address with {q}", true)
	a.setText("Search engine: a site, or an address with {q}", "https://find.example/?q={q}")
	a.awaitInvalid("Search engine: a site, or an address with {q}", false)
	a.activate("Closing applications")
	s.await("another list", shown,
		func() bool { return strings.Contains(contents(s.file(file)), `confirm_ops = ["close_app"]`) })
	for range 4 {
		a.undo()
	}
	s.awaitFile(file, config)
	a.awaitState("Run commands in a terminal", stateChecked, false)

	broken := config + "engine = \n"
	s.write(file, broken)
	a.find(roleButton, "Open File")
	a.awaitState("Run commands in a terminal", stateSensitive, false)
	s.write(file, config)
	a.awaitState("Run commands in a terminal", stateSensitive, true)
	a.gone(roleButton, "Open File")
}

// TestSettingsStart by all the ways that a desktop has, into one window.
func TestSettingsStart(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	s.startAgent()
	install := func(name, to string) {
		s.write(to, strings.ReplaceAll(contents(filepath.Join("..", "..", "data", name)), "@bindir@", built.bin))
	}
	install("org.utter.Settings.desktop.in", "d/applications/org.utter.Settings.desktop")
	install("dbus/org.utter.Settings.service.in", "d/dbus-1/services/org.utter.Settings.service")
	if err := s.conn.BusObject().Call("org.freedesktop.DBus.ReloadConfig", 0).Err; err != nil {
		t.Fatal(err)
	}
	start := func(argv ...string) {
		t.Helper()
		if status, ok := s.start("start", argv...).ended(shown); !ok || status != 0 {
			t.Fatalf("%v: ended %v, exit status %d", argv, ok, status)
		}
	}
	s.sway().do("workspace settings")
	start("gio", "launch", s.file("d/applications/org.utter.Settings.desktop"))
	w := s.awaitWindow("the settings", shown, func(w Window) bool { return w.AppID == "org.utter.Settings" })
	a := s.app(w.PID)
	a.row("Firefox")

	call := func(method string, args ...string) {
		t.Helper()
		start(append([]string{"gdbus", "call", "--session", "--dest", "org.utter.Settings",
			"--object-path", "/org/utter/Settings",
			"--method", "org.freedesktop.Application." + method}, args...)...)
	}
	call("ActivateAction", "try", "[]", "{}")
	a.field("Say something")
	start("utter-settings", "--page", "agent")
	a.find(roleListItem, "The agent is running")
	start("utter-settings", "--app", "firefox")
	a.find(roleGroup, "Firefox")
	a.field(aliases)
	start("utter-settings", "--say", "open firefox")
	a.checkText("Say something", "open firefox")
	call("Activate", "{}")
	call("ActivateAction", "say", "[<'new tab'>]", "{}")
	a.checkText("Say something", "new tab")
	if windows := s.byApp("org.utter.Settings"); len(windows) != 1 || windows[0].PID != w.PID {
		t.Errorf("windows: %+v", windows)
	}
	out, err := s.command("utter-settings", "--version").Output()
	if err != nil || !strings.HasPrefix(string(out), "utter-settings ") {
		t.Errorf("--version: %q, %v", out, err)
	}
	checkUnknownPage(t, s)
	s.sway().keyboard.press(modCtrl, codeLeftCtrl, codeQ)
	s.await("the end", shown, func() bool { // the bus sees it a moment after the process has gone
		var owned bool
		err := s.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.utter.Settings").Store(&owned)
		return err == nil && !owned && !alive(w.PID)
	})
	call("Activate", "{}") // the bus starts it
	s.awaitWindow("the settings again", shown, func(w Window) bool { return w.AppID == "org.utter.Settings" })
}

// checkUnknownPage: a page that does not exist is an error that lists those that do.
func checkUnknownPage(t *testing.T, s *Session) {
	t.Helper()
	out, err := s.command("utter-settings", "--page", "nope").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), strings.Join(tags, ", ")) {
		t.Errorf("--page nope: %q, %v; want exit status 2 and the pages %q", out, err, tags)
	}
}
