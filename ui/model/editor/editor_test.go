package editor_test

import (
	"strings"
	"testing"

	"utter/shared/chord"
	"utter/shared/phrases"
	"utter/shared/profile"
	"utter/ui/model/editor"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
)

// A bench is a page of the editor over a computer where Note, Pad (a game) and
// Firefox are installed.
type bench struct {
	*sessiontest.Desk
	*editor.Model
	t      *testing.T
	shown  editor.State
	parts  editor.Parts
	checks []check
	tries  []func(line string)
	asked  []string // phrases
}

type check struct {
	argv   []string
	answer func(editor.LaunchState)
}

func (b *bench) CheckLaunch(argv []string, answer func(editor.LaunchState)) {
	b.checks = append(b.checks, check{argv, answer})
}

func (b *bench) TryPhrase(phrase, app string, answer func(line string)) {
	b.asked, b.tries = append(b.asked, phrase+" in "+app), append(b.tries, answer)
}

// edit opens an application whose file, if any, is x.yaml.
func edit(t *testing.T, app, file string) *bench {
	t.Helper()
	b := &bench{t: t}
	b.Desk = sessiontest.New(t, func(d *sessiontest.Desk) {
		d.Install("note", "Note", "Categories=Utility;", "MimeType=text/plain;")
		d.Install("pad", "Pad", "Categories=Game;")
		d.Install("firefox", "Firefox", "Categories=WebBrowser;")
		if file != "" {
			d.Profile("x.yaml", file)
		}
	})
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	b.parts = editor.Parts{Session: b.Session, Agent: b, Words: words, Later: b.Clock.Later}
	b.Model = editor.New(app, b.parts, func(s editor.State) { b.shown = s })
	b.shown = b.State()
	return b
}

// file is what the only profile file holds, "-" if there is none.
func (b *bench) file() string {
	b.t.Helper()
	files := b.Files()
	if len(files) > 1 {
		b.t.Errorf("the files are %q", files)
	}
	for _, text := range files {
		return text
	}
	return "-"
}

func (b *bench) check(what, want string) {
	b.t.Helper()
	if got := b.file(); got != want {
		b.t.Errorf("%s: the file is\n%q, want\n%q", what, got, want)
	}
	if f := b.Session.Failure(); f != nil {
		b.t.Errorf("%s: %v", what, f.Err())
	}
}

// action returns an action as it is shown; its Name is "" where it is not.
func (b *bench) action(name string) editor.Action {
	for _, a := range b.shown.Actions {
		if a.Name == name {
			return a
		}
	}
	return editor.Action{}
}

func seq(t *testing.T, text ...string) chord.Sequence {
	t.Helper()
	var all chord.Sequence
	for _, s := range text {
		c, err := chord.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func TestRestore(t *testing.T) {
	tests := []struct {
		name, app, file         string
		label, lost, toast, get string
	}{
		{"a curated application", "firefox",
			"id: firefox\naliases: [ff]\nshortcuts: {new_tab: f2}\ncommands: {\"Do it\": f3}\n",
			"Restore Built-In", "Names you can say, new tab, “Do it”",
			"Restored the built-in Firefox. Discarded: Names you can say, new tab, “Do it”", "x.yaml~"},
		{"one that was found", "note", "id: note\nenabled: false\n",
			"Discard My Changes", "Respond to its name", "Discarded your changes to Note: Respond to its name", "x.yaml~"},
		{"one that is the user's", "mine", "id: mine\nname: Mine\n", "Remove App", "Name", "Removed Mine", "x.yaml~"},
		{"everywhere", profile.Everywhere, "id: everywhere\ncommands: {x: f2}\n", "Discard My Changes", "“x”",
			"Discarded your changes to Everywhere: “x”", "x.yaml~"},
		{"a kind", "generic-game", "id: generic-game\nshortcuts: {x: f2}\n", "Discard My Changes", "x",
			"Discarded your changes to All Games: x", "x.yaml~"},
		{"a kind with a curated profile", "generic-browser", "id: generic-browser\nshortcuts: {x: f2}\n", "Restore Built-In",
			"x", "Restored the built-in All Browsers. Discarded: x", "x.yaml~"},
		{"much", "note", "id: note\nshortcuts: {a1: f1, a2: f2, a3: f3, a4: f4, a5: f5, a6: f6, a7: f7, a8: f8}\n",
			"Discard My Changes", "a1, a2, a3, a4, a5, a6, a7, a8",
			"Discarded your changes to Note: a1, a2, a3, a4, a5, a6 and 2 more", "x.yaml~"},
		{"nothing", "note", "", "", "", "", ""},
	}
	for _, tt := range tests {
		b := edit(t, tt.app, tt.file)
		if b.shown.Restore != tt.label || b.shown.Lost != tt.lost {
			t.Errorf("%s: %q, %q, want %q, %q", tt.name, b.shown.Restore, b.shown.Lost, tt.label, tt.lost)
		}
		b.Edit("search_url", "nonsense") // goes as well
		b.Model.Restore()
		b.Clock.Pass(session.SaveAfter)
		if _, ok := b.Files()[tt.get]; b.LastToast() != tt.toast || ok != (tt.get != "") || b.shown.Restore != "" {
			t.Errorf("%s: toast %q, files %q, then %q", tt.name, b.LastToast(), b.Files(), b.shown.Restore)
		}
		if tt.get != "" {
			b.Session.Undo()
			b.check(tt.name+", undone", tt.file)
		}
	}
}

// TestRestoreOfTwoFilesNamesAll that is lost, and edits go to the one that wins.
func TestRestoreOfTwoFilesNamesAll(t *testing.T) {
	b := edit(t, "note", "id: note\naliases: [a]\nkind: game\n")
	b.Profile("y.yaml", "id: note\naliases: [b]\n")
	b.Session.Reload()
	if b.shown.Lost != "Names you can say, Kind" || b.shown.File != b.Path("y.yaml") ||
		b.shown.Fields["aliases"].Text != "b" {
		t.Errorf("lost %q, file %q", b.shown.Lost, b.shown.File)
	}
	b.Edit("aliases", "c")
	b.Commit("aliases")
	if got := b.Read(b.Path("y.yaml")); got != "id: note\naliases: [c]\n" {
		t.Errorf("the file that wins: %q", got)
	}
}

func TestTryPhraseIgnoresStaleAnswers(t *testing.T) {
	b := edit(t, "note", "")
	var lines []string
	note := func(line string) { lines = append(lines, line) }
	b.Model.TryPhrase("one", note)
	b.Model.TryPhrase("two", note)
	b.tries[1]("of two")
	b.tries[0]("of one")
	b.Model.TryPhrase(" ", note)
	b.tries[1]("of two again")
	b.Model.TryPhrase("three", note)
	b.Model.Close()
	b.tries[2]("of three")
	if got := strings.Join(lines, "|"); got != "of two|" || b.asked[0] != "one in note" {
		t.Errorf("lines %q, asked %q", got, b.asked)
	}
}

// TestBeforeAnythingIsKnown the page can be shown, and after its end nothing is.
func TestBeforeAnythingIsKnown(t *testing.T) {
	work := &sessiontest.Work{ByHand: true}
	s := session.New(session.Parts{Async: work.Async})
	shown := 0
	m := editor.New("x", editor.Parts{Session: s, Later: new(sessiontest.Clock).Later}, func(editor.State) { shown++ })
	if st := m.State(); st.Name != "x" || st.Kind != profile.Other || len(m.Suggestions()) != 0 || m.ID() != "x" {
		t.Errorf("%+v", st)
	}
	s.SetAgent(session.AgentState{})
	m.Close()
	s.SetAgent(session.AgentState{})
	if shown != 1 {
		t.Errorf("shown %d times", shown)
	}
}
