package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

func TestWhatIsShown(t *testing.T) {
	ill := protocol.PluginRow{ID: "stray", Kind: "bundle", Status: protocol.StatusError,
		Reason: "given up:\nno such file", Epoch: 3}
	p := open(t, two, &runner{rows: []protocol.PluginRow{ill, note}})
	p.checkItems(
		"note: 1.2 · Actions · Running; on true, switch true, there true",
		"dice: Phrases · Off; on false, switch true, there false",
		"stray: Bundle · Not running: given up:; no such file; on true, switch false, there true",
	)
	items := p.shown.Items
	if items[0].Ops != "note, forget" || items[0].Health != Well || items[1].Health != Resting || items[2].Health != Ill {
		t.Errorf("shown %+v", items)
	}
	want := []Permission{
		{"Use the network", "Granted, enforced: without the grant, the sandbox would block it"},
		{"Use the keyring", "Not granted, not enforced: the plugin could do this anyway"},
	}
	if !slices.Equal(items[0].Permissions, want) {
		t.Errorf("permissions %q", items[0].Permissions)
	}
	if got := items[2].Permissions; len(got) != 1 || got[0].Title != "Permissions" {
		t.Errorf("without permissions %q", got)
	}
	if items[1].Permissions != nil {
		t.Errorf("of a plugin that is off %q", items[1].Permissions)
	}
	if p.shown.Phase != Listed || p.shown.ReadOnly || p.shown.File != p.Dirs.ConfigFile() {
		t.Errorf("shown %+v", p.shown)
	}
}

func TestThePhases(t *testing.T) {
	none := fmt.Errorf("%w at a socket", runnerclient.ErrNoRunner)
	for _, tt := range []struct {
		name, config string
		runner       *runner
		phase        Phase
		trouble      string
	}{
		{"no runner", two, &runner{err: none}, NoRunner, ""},
		{"one that does not respond", two, &runner{err: errors.New("broken pipe")}, Failed,
			"The plugin runner does not respond"},
		{"no plugins", "-", &runner{}, Empty, ""},
		{"all are off", two, &runner{}, Listed, ""},
		{"plugins", two, &runner{rows: []protocol.PluginRow{note}}, Listed, ""},
	} {
		p := open(t, tt.config, tt.runner)
		if p.shown.Phase != tt.phase || p.shown.Trouble != tt.trouble || (p.shown.Detail != "") != (tt.trouble != "") {
			t.Errorf("%s: %+v", tt.name, p.shown)
		}
	}
	p := open(t, two, &runner{err: none})
	p.Work.ByHand = true
	q := New(p.Session, p.runner, p.Dirs.ConfigFile(), p.read, p.Work.Async, p.Clock.Later, func(State) {})
	q.Show()
	if q.State().Phase != Asking {
		t.Errorf("before an answer: %+v", q.State())
	}
}

// TestTheRunnerIsAskedWhileSomebodyLooks, and never else.
func TestTheRunnerIsAskedWhileSomebodyLooks(t *testing.T) {
	r := &runner{rows: []protocol.PluginRow{note}}
	p := open(t, two, r)
	check := func(what string, want int) {
		t.Helper()
		if r.asked != want {
			t.Errorf("%s: asked %d times, want %d", what, r.asked, want)
		}
		r.asked = 0
	}
	check("when it is shown", 1)
	shows := p.shows
	p.Clock.Pass(4 * Pause)
	check("while it is shown", 4)
	if p.shows != shows {
		t.Errorf("the same was shown %d times more", p.shows-shows)
	}
	r.rows[0].Status = protocol.StatusDegraded
	p.Clock.Pass(Pause)
	check("with something new", 1)
	if p.shown.Items[0].Health != Limited {
		t.Errorf("shown %+v", p.shown.Items[0])
	}
	p.Hide()
	p.Clock.Pass(100 * Pause)
	p.Config(two + "# outside\n")
	p.Session.Reload()
	p.Clock.Pass(100 * Pause)
	if check("while it is not shown", 0); p.Clock.Waiting() != 0 {
		t.Errorf("%d things wait", p.Clock.Waiting())
	}
	p.Show()
	p.Show() // the window is in sight again
	check("shown again", 2)
	p.Clock.Pass(Pause)
	check("with one clock", 1)
	p.SetActive(false)
	p.Clock.Pass(100 * Pause)
	check("without the focus", 0)
	p.SetActive(true)
	check("with it", 1)
	p.SetActive(false)
	p.Config(two)
	p.Session.Reload()
	check("after an edit from outside", 1)
	p.Clock.Pass(100 * Pause)
	check("and some times soon", shortOnes)
	p.SetActive(true)
	p.SetActive(true)
	check("with the focus again", 1)
	p.Config(two + "# outside\n")
	p.Session.Reload()
	check("after another edit", 1)
	p.Clock.Pass(shortOnes * ShortPause)
	check("and some times soon", shortOnes)
	p.Clock.Pass(Pause)
	check("and then as before", 1)
}

// TestAnAnswerThatWasOld is followed by another question at once.
func TestAnAnswerThatWasOld(t *testing.T) {
	r := &runner{}
	p := open(t, two, r)
	p.Work.ByHand = true
	p.Clock.Pass(Pause) // a question is on its way
	p.Restart("note")   // and so is this
	p.Work.Step()
	p.Work.Step()
	p.Work.Finish()
	if r.asked != 3 {
		t.Errorf("asked %d times, want 3", r.asked)
	}
}

func TestSwitch(t *testing.T) {
	r := &runner{rows: []protocol.PluginRow{note}}
	p := open(t, two, r)
	p.Switch("note", false)
	off := strings.Replace(two, "id = \"note\"\n", "id = \"note\"\nenabled = false\n", 1)
	if p.file() != off || p.LastToast() != "Turned off: note" || p.Tells != 1 {
		t.Errorf("the file is\n%s\ntoast %q, told %d times", p.file(), p.LastToast(), p.Tells)
	}
	r.rows = nil
	p.Clock.Pass(ShortPause)
	p.checkItems("note: Actions · Off; on false, switch true, there false",
		"dice: Phrases · Off; on false, switch true, there false")
	p.Switch("dice", true)
	if want := strings.Replace(off, "\nenabled = false\nentrypoint = [\"y\"]", "\nenabled = true\nentrypoint = [\"y\"]",
		1); p.file() != want || p.LastToast() != "Turned on: dice" {
		t.Errorf("the file is\n%s\ntoast %q", p.file(), p.LastToast())
	}
	p.checkItems("note: Actions · Off; on false, switch true, there false",
		"dice: Phrases · The runner has not read it yet; on true, switch true, there false")
	p.Session.Undo()
	p.Session.Undo()
	if p.file() != two || p.Tells != 4 || !p.shown.Items[0].Enabled {
		t.Errorf("undone, the file is\n%s\ntold %d times; shown %+v", p.file(), p.Tells, p.shown.Items[0])
	}
	p.Config(strings.Replace(two, "# mine", "# changed outside", 1))
	p.Session.Redo()
	if p.Session.Conflict() == nil {
		t.Error("redo over an edit from outside asks nothing")
	}
}

// TestASwitchStaysWhereItIsPut while the file is written, and goes back where
// that fails.
func TestASwitchStaysWhereItIsPut(t *testing.T) {
	p := open(t, two, &runner{rows: []protocol.PluginRow{note}})
	p.Work.ByHand = true
	p.Switch("note", false)
	p.Clock.Pass(Pause)
	p.Switch("note", true)
	p.Switch("note", false)
	for p.Work.Waiting() > 0 {
		if p.shown.Items[0].Enabled {
			t.Fatal("the switch went back")
		}
		p.Work.Step()
	}
	if !strings.Contains(p.file(), "id = \"note\"\nenabled = false\n") {
		t.Errorf("the file is\n%s", p.file())
	}
	p.Work.ByHand = false
	p.Full = syscall.ENOSPC
	p.Switch("note", true)
	if p.shown.Items[0].Enabled || p.Session.Failure() == nil {
		t.Errorf("not written: %+v", p.shown.Items[0])
	}
	p.Full = nil
	p.Session.TryAgain(p.Session.Failure())
	if !p.shown.Items[0].Enabled || !strings.Contains(p.file(), "id = \"note\"\nenabled = true\n") {
		t.Errorf("tried again: %+v\n%s", p.shown.Items[0], p.file())
	}
}

// TestABrokenFile: what runs is shown all the same, and nothing is written.
func TestABrokenFile(t *testing.T) {
	p := open(t, two, &runner{rows: []protocol.PluginRow{note}})
	p.Config("[[plugin]\n")
	p.Session.Reload()
	if s := p.shown; !s.ReadOnly || s.Fault == "" || !strings.Contains(s.Mistake, "config.toml:1:") {
		t.Errorf("shown %+v", s)
	}
	p.checkItems("note: 1.2 · Actions · Running; on true, switch false, there true")
	p.Switch("note", false)
	if p.file() != "[[plugin]\n" || p.Session.Failure() != nil {
		t.Errorf("the file is %q, failure %v", p.file(), p.Session.Failure())
	}
	p.Config(two)
	p.Session.Reload()
	if p.shown.ReadOnly || len(p.shown.Items) != 2 {
		t.Errorf("mended: %+v", p.shown)
	}
	p.Config("[search]\nengine = \"google\"\n") // the page has not heard of it
	p.Switch("note", false)
	if f := p.Session.Failure(); f == nil || !errors.Is(f.Err(), config.ErrNoPlugin) {
		t.Errorf("failure %+v", f)
	}
}

func TestAFaultyEntry(t *testing.T) {
	p := open(t, "[[plugin]]\nid = \"note\"\n",
		&runner{rows: []protocol.PluginRow{{ID: "note", Kind: "action", Status: protocol.StatusError,
			Reason: "entrypoint is empty"}}})
	p.checkItems("note: Actions · Not running: entrypoint is empty; on true, switch true, there false")
	p.Switch("note", false)
	if p.file() != "[[plugin]]\nid = \"note\"\nenabled = false\n" {
		t.Errorf("the file is\n%s", p.file())
	}
}

func TestRestart(t *testing.T) {
	r := &runner{rows: []protocol.PluginRow{note}}
	p := open(t, two, r)
	p.Restart("note")
	if !slices.Equal(r.restarted, []string{"note"}) || p.LastToast() != "note is being restarted" ||
		p.Toasts[0].CanUndo || r.asked != 2 {
		t.Errorf("restarted %q, toast %q, asked %d times", r.restarted, p.LastToast(), r.asked)
	}
	r.err = errors.New("there is no plugin")
	if p.Restart("note"); p.LastToast() != "note could not be restarted" {
		t.Errorf("toast %q", p.LastToast())
	}
}

func TestLog(t *testing.T) {
	r := &runner{rows: []protocol.PluginRow{note},
		lines: []string{"one", "\x1b[31mred\u202e <b>", strings.Repeat("x", 3*maxLine)}}
	p := open(t, two, r)
	var lines []string
	var trouble string
	answer := func(l []string, t string) { lines, trouble = l, t }
	p.Log("note", answer)
	if want := []string{"one", `\x1b[31mred\u202e <b>`,
		strings.Repeat("x", maxLine) + "…"}; !slices.Equal(lines, want) || trouble != "" {
		t.Errorf("lines %.200q, trouble %q", lines, trouble)
	}
	r.lines = slices.Repeat([]string{"x"}, 2*maxLines)
	if p.Log("note", answer); len(lines) != maxLines {
		t.Errorf("%d lines", len(lines))
	}
	r.err = errors.New("there is no plugin")
	if p.Log("note", answer); lines != nil || trouble == "" {
		t.Errorf("lines %q, trouble %q", lines, trouble)
	}
	answered := false
	r.reading = p.Hide // the user goes on meanwhile
	if p.Log("note", func([]string, string) { answered = true }); answered {
		t.Error("a log is shown on another page")
	}
	p.Show()
	r.reading = func() { p.Log("note", func([]string, string) { answered = true }) } // pressed twice
	if p.Log("note", answer); answered {
		t.Error("two logs are read at a time")
	}
}

// TestWhatAPluginSaysIsData: it cannot be long, break lines or hide.
func TestWhatAPluginSaysIsData(t *testing.T) {
	evil := strings.Repeat("\x00\u202e\n", 5000) + "\xff"
	row := protocol.PluginRow{ID: "note", Kind: evil, Version: evil, Status: evil, Reason: evil,
		Ops:         slices.Repeat([]string{evil}, 5000),
		Permissions: []protocol.PermissionState{{Name: evil, Granted: true}}}
	p := open(t, two, &runner{rows: []protocol.PluginRow{row}})
	i := p.shown.Items[0]
	for _, text := range []string{i.Title, i.Subtitle, i.Ops, i.Permissions[0].Title, i.Permissions[0].Text} {
		if len(text) > 40_000 || strings.ContainsAny(text, "\x00\u202e\n") || !utf8.ValidString(text) {
			t.Errorf("%d bytes: %.100q", len(text), text)
		}
	}
}
