package editor_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestAFieldIsTextAndValue writes each field and reads it back.
func TestAFieldIsTextAndValue(t *testing.T) {
	tests := []struct{ field, text, want, back string }{
		{"aliases", " pad , the pad,, pad", "aliases: [pad, the pad]", "pad, the pad"},
		{"aliases", "", "aliases: []", ""},
		{"name", " My note ", "name: My note", "My note"},
		{"search_url", "https://x.org/?q={q}", `search_url: "https://x.org/?q={q}"`, "https://x.org/?q={q}"},
		{"launch", `note --title 'two words'`, "launch: [note, --title, two words]", `note --title 'two words'`},
		{"launch", `note ~/a\ b`, "launch: [note, ~/a b]", `note '~/a b'`},
		{"new_window", "note --new", "new_window: [note, --new]", "note --new"},
		{"app_ids", "Note, org.note", "app_ids: [Note, org.note]", "Note, org.note, note"},
		{"mime_types", "a/b", "mime_types: [a/b]", "a/b"},
	}
	for _, tt := range tests {
		b := edit(t, "note", "")
		b.Edit(tt.field, tt.text)
		if got := b.shown.Fields[tt.field]; got.Text != tt.text || got.Error != "" {
			t.Errorf("%s %q: the draft is %+v", tt.field, tt.text, got)
		}
		b.Commit(tt.field)
		b.check(tt.field, "id: note\n"+tt.want+"\n")
		if got := b.shown.Fields[tt.field]; got.Text != tt.back || got.Source != "Yours" || !got.CanReset {
			t.Errorf("%s %q: read back as %+v", tt.field, tt.text, got)
		}
		b.Reset(tt.field)
		b.check(tt.field+" reset", "-")
		if got := b.shown.Fields[tt.field]; got.Source == "Yours" || got.CanReset {
			t.Errorf("%s: after Reset %+v", tt.field, got)
		}
	}
}

func TestWhatIsWrongIsSaidAndNotSaved(t *testing.T) {
	tests := []struct{ field, text, want string }{
		{"search_url", "x.org/{q}", "An address must begin with https:// or http://"},
		{"search_url", "https://x.org/", "Write {q} where the search words belong"},
		{"launch", `note 'x`, "A quotation mark is not closed"},
		{"launch", `note "x`, "A quotation mark is not closed"},
		{"new_window", `note \`, "There is a backslash at the end"},
		{"launch", `'' x`, "The name of the program is empty"},
		{"name", "  ", "Enter a name"},
	}
	for _, tt := range tests {
		b := edit(t, "note", "")
		b.Edit(tt.field, tt.text)
		b.Clock.Pass(session.SaveAfter)
		b.Commit(tt.field)
		if got := b.shown.Fields[tt.field]; got.Error != tt.want || got.Text != tt.text {
			t.Errorf("%q: %+v, want %q", tt.text, got, tt.want)
		}
		b.check(tt.text, "-")
		if got := b.Flush(); len(got) != 1 {
			t.Errorf("%q: Flush names %q", tt.text, got)
		}
	}
}

// TestADraftIsSaved after a while, on Enter or on leaving.
func TestADraftIsSaved(t *testing.T) {
	const saved = "id: note\naliases: [a]\n"
	b := edit(t, "note", "")
	b.Edit("aliases", "x")
	b.Clock.Pass(session.SaveAfter - 1)
	b.Edit("aliases", "a") // the time begins anew
	b.Clock.Pass(session.SaveAfter - 1)
	b.check("before it is time", "-")
	b.Clock.Pass(1)
	b.check("when it is time", saved)
	if b.Clock.Waiting() != 0 || b.LastToast() != "Note: “Names you can say” changed" {
		t.Errorf("%d things wait; toast %q", b.Clock.Waiting(), b.LastToast())
	}

	b = edit(t, "note", "")
	b.Edit("aliases", "a")
	b.Edit("search_url", "nonsense")
	if got := b.Flush(); !slices.Equal(got, []string{"Search address"}) {
		t.Errorf("Flush names %q", got)
	}
	b.check("on leaving", saved)
	if got := b.shown.Fields["search_url"].Text; got != "nonsense" {
		t.Errorf("the invalid draft is %q", got)
	}
	b.Model.Close()
	b.Clock.Pass(10 * session.SaveAfter)
	b.check("after the end", saved)

	b = edit(t, "note", "id: note\naliases: [a]\n")
	b.Edit("aliases", "a") // as the page fills the row
	if b.Clock.Waiting() != 0 {
		t.Error("filling the page is a draft")
	}
	b.Edit("aliases", "ab")
	b.Edit("aliases", "a")
	b.Clock.Pass(session.SaveAfter)
	if len(b.Toasts) != 0 {
		t.Errorf("writing the same again is a change: %v", b.Toasts)
	}
}

// TestWritingTheBuiltInValueTakesTheOwnOneBack.
func TestWritingTheBuiltInValueTakesTheOwnOneBack(t *testing.T) {
	b := edit(t, "firefox", "id: firefox\naliases: [ff]\nkind: office\nterminal: true\nenabled: false\n")
	if s := b.shown; s.Kind != profile.Office || !s.Terminal || s.Enabled || s.File != b.Path("x.yaml") {
		t.Errorf("shown: %+v", s)
	}
	b.Edit("aliases", "firefox,  mozilla firefox")
	b.Commit("aliases")
	b.SetKind(profile.Browser)
	b.SetTerminal(false)
	b.check("but one", "id: firefox\nenabled: false\n")
	b.SetEnabled(true)
	b.check("all", "-")
	if b.LastToast() != "Firefox: “Respond to its name” turned on" {
		t.Errorf("toast %q", b.LastToast())
	}
	b.SetKind(profile.Browser) // is so already
	b.SetEnabled(true)
	b.SetTerminal(false)
	b.check("nothing to do", "-")
	b.SetKind(profile.Office)
	b.check("a kind", "id: firefox\nkind: office\n")
	if _, ok := b.Files()["office_firefox.yaml"]; !ok {
		t.Errorf("a new file is called %v", b.Files())
	}
}

// TestEmptyingIsNoReset: an empty value is written, and inherited again by Reset.
func TestEmptyingIsNoReset(t *testing.T) {
	b := edit(t, "firefox", "")
	for field, want := range map[string]string{"search_url": `search_url: ""`, "aliases": "aliases: []"} {
		b.Edit(field, "")
		b.Commit(field)
		b.check(field, "id: firefox\n"+want+"\n")
		if got := b.shown.Fields[field]; got.Text != "" || got.Source != "Yours" {
			t.Errorf("%s emptied: %+v", field, got)
		}
		b.Reset(field)
		b.check(field, "-")
		if got := b.shown.Fields[field]; got.Text == "" || got.Source != "Built-in" || b.LastToast() != "Firefox: “"+map[string]string{"search_url": "Search address", "aliases": "Names you can say"}[field]+"” reset" {
			t.Errorf("%s reset: %+v; toast %q", field, got, b.LastToast())
		}
	}
	b = edit(t, "note", "") // an empty command means the desktop file's, which counts already
	b.Edit("launch", "")
	b.Commit("launch")
	b.check("launch", "-")
	if got := b.shown.Fields["launch"]; got.Text != "note" || got.Source != "Found on this computer" {
		t.Errorf("launch %+v", got)
	}
}

// TestTypingOnDuringASave loses nothing and shows nothing old.
func TestTypingOnDuringASave(t *testing.T) {
	tests := []struct {
		name string
		end  func(b *bench)
		want string
	}{
		{"and waiting", func(b *bench) { b.Work.Finish(); b.Clock.Pass(session.SaveAfter) }, "id: note\naliases: [one, two]\n"},
		{"and Enter", func(b *bench) { b.Commit("aliases"); b.Work.Finish() }, "id: note\naliases: [one, two]\n"},
		{"and leaving", func(b *bench) { b.Flush(); b.Model.Close(); b.Work.Finish() }, "id: note\naliases: [one, two]\n"},
		{"and the time is up", func(b *bench) { b.Clock.Pass(session.SaveAfter); b.Work.Finish() }, "id: note\naliases: [one, two]\n"},
		{"something wrong", func(b *bench) { b.Reset("aliases"); b.Work.Finish() }, "-"},
	}
	for _, tt := range tests {
		b := edit(t, "note", "")
		b.Work.ByHand = true
		b.Edit("aliases", "one")
		b.Commit("aliases")
		b.Edit("aliases", "one, two")
		for range 2 { // the write, and telling the agent
			b.Work.Step()
			b.Session.SetAgent(session.AgentState{})
			if got := b.shown.Fields["aliases"].Text; got != "one, two" {
				t.Errorf("%s: shown %q", tt.name, got)
			}
		}
		tt.end(b)
		b.check(tt.name, tt.want)
		if b.Session.Conflict() != nil {
			t.Errorf("%s: a conflict with oneself", tt.name)
		}
	}
}

// TestANewDraftDuringASave of the one that was reset.
func TestANewDraftDuringASave(t *testing.T) {
	b := edit(t, "note", "")
	b.Work.ByHand = true
	b.Edit("aliases", "one")
	b.Commit("aliases")
	b.Reset("aliases")
	b.Edit("aliases", "one") // again, and by hand
	b.Work.Finish()
	if got := b.shown.Fields["aliases"].Text; got != "one" {
		t.Errorf("the new draft is %q", got)
	}
	b.Clock.Pass(session.SaveAfter)
	b.check("saved", "id: note\naliases: [one]\n")
}

// TestASaveNeverShowsTheOldValue, whenever the page is drawn.
func TestASaveNeverShowsTheOldValue(t *testing.T) {
	b := edit(t, "note", "id: note\naliases: [old]\n")
	b.Work.ByHand = true
	b.Edit("aliases", "new")
	b.Commit("aliases")
	for b.Work.Waiting() > 0 {
		b.Work.Step()
		b.Session.SetAgent(session.AgentState{})
		if got := b.State().Fields["aliases"].Text; got != "new" {
			t.Fatalf("shown %q", got)
		}
	}
	b.check("saved", "id: note\naliases: [new]\n")
}

// TestADraftThatFailed stays until it is saved or given up, and is not tried
// again by itself.
func TestADraftThatFailed(t *testing.T) {
	text := func(b *bench) string { return b.shown.Fields["aliases"].Text }
	failed := func() *bench {
		b := edit(t, "note", "")
		b.Full = syscall.ENOSPC
		b.Edit("aliases", "a")
		b.Clock.Pass(session.SaveAfter)
		if text(b) != "a" || b.Session.Failure() == nil || b.Clock.Waiting() != 0 {
			t.Fatalf("draft %q, failure %v, %d things wait", text(b), b.Session.Failure(), b.Clock.Waiting())
		}
		if got := b.Flush(); len(got) != 0 || b.Writes != 1 {
			t.Errorf("leaving names %q; written %d times", got, b.Writes)
		}
		return b
	}
	b := failed()
	b.Full = nil
	b.Session.TryAgain(b.Session.Failure())
	b.check("tried again", "id: note\naliases: [a]\n")

	b = failed()
	b.Full = nil
	b.Edit("aliases", "ab")
	b.Clock.Pass(session.SaveAfter)
	b.check("written on", "id: note\naliases: [ab]\n")

	b = failed()
	b.Full = nil
	b.Commit("aliases")
	b.check("Enter", "id: note\naliases: [a]\n")

	b = failed()
	b.Session.Dismiss(b.Session.Failure())
	if text(b) != "note" || b.Session.Failure() != nil {
		t.Errorf("given up: %q", text(b))
	}

	b = failed()
	b.Model.Close()
	b.Full = nil
	b.Session.TryAgain(b.Session.Failure()) // the page has gone, the change has not
	b.check("tried again later", "id: note\naliases: [a]\n")
}

// TestADraftMeetsAnOutsideEdit of the same field.
func TestADraftMeetsAnOutsideEdit(t *testing.T) {
	for _, keep := range []bool{true, false} {
		b := edit(t, "note", "id: note\naliases: [old]\n")
		b.Edit("aliases", "mine")
		b.Profile("x.yaml", "id: note\naliases: [theirs]\n")
		b.Session.Reload()
		if got := b.shown.Fields["aliases"].Text; got != "mine" {
			t.Errorf("the draft is %q", got)
		}
		b.Clock.Pass(session.SaveAfter)
		if b.Session.Conflict() == nil {
			t.Fatal("no conflict")
		}
		b.Flush() // leaving asks nothing twice
		want := "theirs"
		if keep {
			want = "mine"
			b.Session.KeepMine(b.Session.Conflict())
		} else {
			b.Session.UseTheirs(b.Session.Conflict())
		}
		b.check(want, "id: note\naliases: ["+want+"]\n")
		if got := b.shown.Fields["aliases"]; got.Text != want || b.Session.Conflict() != nil {
			t.Errorf("shown %+v, want %q", got, want)
		}
	}
}

// TestAnOutsideEditOfAnotherField is taken in.
func TestAnOutsideEditOfAnotherField(t *testing.T) {
	b := edit(t, "note", "id: note\naliases: [old]\n")
	b.Edit("aliases", "mine")
	b.Profile("x.yaml", "# hello\nid: note\nkind: game\naliases: [old]\n")
	b.Clock.Pass(session.SaveAfter)
	b.check("merged", "# hello\nid: note\nkind: game\naliases: [mine]\n")
	if b.shown.Kind != profile.Game {
		t.Errorf("kind %v", b.shown.Kind)
	}
}

func TestAliasNotes(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"mynote", []string{"Built-in names you replaced: firefox, mozilla firefox"}},
		{"Firefox, MOZILLA FIREFOX", nil},
		{"firefox, mozilla firefox, pad", []string{"“pad” is also a name of Pad"}},
		{"firefox, mozilla firefox, browser", []string{"“browser” is also a name of Web Browser", "“browser” is too general to identify one application"}},
		{"firefox, mozilla firefox, copy", []string{"“copy” already means something else"}},
	}
	for _, tt := range tests {
		b := edit(t, "firefox", "id: firefox\naliases: [x]\n")
		b.Edit("aliases", tt.text)
		b.Commit("aliases")
		if got := b.shown.Fields["aliases"].Notes; !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	b := edit(t, "firefox", "")
	if got := b.shown.Fields["aliases"].Notes; got != nil {
		t.Errorf("built-in names have the notes %q", got)
	}
	b.Edit("aliases", "firefox, pad") // live
	if got := b.shown.Fields["aliases"].Notes; len(got) != 1 {
		t.Errorf("a draft has the notes %q", got)
	}
}

func TestPreviewOfASearch(t *testing.T) {
	b := edit(t, "note", "")
	for text, want := range map[string]string{
		"https://x.org/?a=b&q={q}#{q}": "“search cats” → https://x.org/?a=b&q=cats#cats", "x": "", "": "",
	} {
		b.Edit("search_url", text)
		if got := b.State().Preview; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSetKeys(t *testing.T) {
	tests := []struct {
		name, app, file string
		do              func(b *bench)
		want, toast     string
	}{
		{"a new action", "note", "", func(b *bench) { b.SetKeys("Jump  up", seq(t, "ctrl+j"), false) },
			"id: note\nshortcuts:\n  jump_up: ctrl+j\n", "Note: keys of “jump up” changed"},
		{"a sequence", "note", "", func(b *bench) { b.SetKeys("jump", seq(t, "ctrl+k", "j"), false) },
			"id: note\nshortcuts:\n  jump: [ctrl+k, j]\n", ""},
		{"other keys", "firefox", "", func(b *bench) { b.SetKeys("new tab", seq(t, "ctrl+j"), false) },
			"id: firefox\nshortcuts:\n  new_tab: ctrl+j\n", "Firefox: keys of “new tab” changed"},
		{"the inherited keys again", "firefox", "id: firefox\nkind: browser\nshortcuts:\n  new_tab: ctrl+j\n", func(b *bench) { b.SetKeys("new tab", seq(t, "ctrl+t"), false) },
			"id: firefox\nkind: browser\n", ""},
		{"a name as the file writes it", "note", "id: note\nshortcuts:\n  Jump Up: ctrl+j\n", func(b *bench) { b.SetKeys("jump up", seq(t, "ctrl+k"), false) },
			"id: note\nshortcuts:\n  Jump Up: ctrl+k\n", ""},
		{"keys taken over from an inherited action", "firefox", "", func(b *bench) { b.SetKeys("jump", seq(t, "ctrl+h"), true) },
			"id: firefox\nshortcuts:\n  jump: ctrl+h\n  history: \"\"\n", ""},
		{"keys taken over from two own ones", "note", "id: note\nshortcuts:\n  a1: f2\n  Be Two: f2\n  c: f3\n", func(b *bench) { b.SetKeys("jump", seq(t, "f2"), true) },
			"id: note\nshortcuts:\n  c: f3\n  jump: f2\n", ""},
		{"keys not taken over", "note", "id: note\nshortcuts:\n  a1: f2\n", func(b *bench) { b.SetKeys("jump", seq(t, "f2"), false) },
			"id: note\nshortcuts:\n  a1: f2\n  jump: f2\n", ""},
		{"no name", "note", "", func(b *bench) { b.SetKeys(" ?! ", seq(t, "f2"), false) }, "-", ""},
		{"no keys", "note", "", func(b *bench) { b.SetKeys("jump", nil, false) }, "-", ""},
		{"everywhere", profile.Everywhere, "", func(b *bench) { b.SetKeys("jump", seq(t, "f2"), false) },
			"id: everywhere\nshortcuts:\n  jump: f2\n", "Everywhere: keys of “jump” changed"},
		{"of a kind", "generic-browser", "", func(b *bench) { b.SetKeys("new tab", seq(t, "f2"), false) },
			"id: generic-browser\nshortcuts:\n  new_tab: f2\n", "All Browsers: keys of “new tab” changed"},
	}
	for _, tt := range tests {
		b := edit(t, tt.app, tt.file)
		tt.do(b)
		b.check(tt.name, tt.want)
		if tt.toast != "" && b.LastToast() != tt.toast {
			t.Errorf("%s: toast %q, want %q", tt.name, b.LastToast(), tt.toast)
		}
	}
}

func TestRemoveResetAndRename(t *testing.T) {
	const taught = "id: firefox\nshortcuts:\n  new_tab: f2\n  mine: f3\ncommands:\n  fresh: new_tab\n  own: {action: mine}\n  press: f4\n"
	tests := []struct {
		name, app, file string
		do              func(b *bench)
		want            string
	}{
		{"remove an inherited action", "firefox", "", func(b *bench) { b.RemoveAction("history") }, "id: firefox\nshortcuts:\n  history: \"\"\n"},
		{"remove what only the kind has", "mine", "id: mine\nname: Mine\nkind: browser\n", func(b *bench) { b.RemoveAction("new_tab") },
			"id: mine\nname: Mine\nkind: browser\nshortcuts:\n  new_tab: \"\"\n"},
		{"remove a changed one, with what else is said", "firefox", taught, func(b *bench) { b.RemoveAction("new_tab") },
			"id: firefox\nshortcuts:\n  new_tab: \"\"\n  mine: f3\ncommands:\n  own: {action: mine}\n  press: f4\n"},
		{"remove one's own", "firefox", taught, func(b *bench) { b.RemoveAction("mine") },
			"id: firefox\nshortcuts:\n  new_tab: f2\ncommands:\n  fresh: new_tab\n  press: f4\n"},
		{"remove one from everywhere", profile.Everywhere, "id: everywhere\nshortcuts: {jump: f2, leap: f3}\n", func(b *bench) { b.RemoveAction("jump") },
			"id: everywhere\nshortcuts: {leap: f3}\n"},
		{"reset", "firefox", taught, func(b *bench) { b.ResetAction("new_tab") },
			"id: firefox\nshortcuts:\n  mine: f3\ncommands:\n  fresh: new_tab\n  own: {action: mine}\n  press: f4\n"},
		{"reset what was removed", "firefox", "id: firefox\nshortcuts:\n  history: \"\"\n", func(b *bench) { b.ResetAction("history") }, "-"},
		{"rename one's own", "firefox", taught, func(b *bench) { b.Rename("mine", "Yours now") },
			"id: firefox\nshortcuts:\n  new_tab: f2\n  yours_now: f3\ncommands:\n  fresh: new_tab\n  own: yours_now\n  press: f4\n"},
		{"rename to what is a key", "firefox", taught, func(b *bench) { b.Rename("mine", "Delete") },
			"id: firefox\nshortcuts:\n  new_tab: f2\n  delete: f3\ncommands:\n  fresh: new_tab\n  own: {action: delete}\n  press: f4\n"},
		{"rename an inherited one", "firefox", "", func(b *bench) { b.Rename("history", "past") },
			"id: firefox\nshortcuts:\n  history: \"\"\n  past: ctrl+h\n"},
		{"rename back", "firefox", "id: firefox\nshortcuts:\n  history: \"\"\n  past: ctrl+h\n", func(b *bench) { b.Rename("past", "history") }, "-"},
		{"rename to another one's name", "firefox", "", func(b *bench) { b.Rename("history", "new TAB") }, "-"},
		{"rename to the same", "firefox", "", func(b *bench) { b.Rename("history", "History") }, "-"},
		{"rename to nothing", "firefox", "", func(b *bench) { b.Rename("history", " ") }, "-"},
		{"rename what has gone", "firefox", "", func(b *bench) { b.Rename("gone", "new") }, "-"},
	}
	for _, tt := range tests {
		b := edit(t, tt.app, tt.file)
		tt.do(b)
		b.check(tt.name, tt.want)
		before := tt.file
		if before == "" {
			before = "-"
		}
		if b.Session.CanUndo() != "" {
			b.Session.Undo()
			b.check(tt.name+", undone", before)
		}
	}
	b := edit(t, "firefox", "")
	b.Rename("history", "new tab")
	if b.LastToast() != "Firefox already has an action “new tab”" || b.Toasts[0].CanUndo {
		t.Errorf("toast %+v", b.Toasts)
	}
	b.Rename("history", "the past")
	if b.LastToast() != "Firefox: “history” is now “the past”" {
		t.Errorf("toast %q", b.LastToast())
	}
}

func TestPhrases(t *testing.T) {
	tests := []struct {
		name, app, file string
		do              func(b *bench)
		want            string
	}{
		{"also say", "firefox", "", func(b *bench) { b.AlsoSay("new_tab", "Fresh page!") }, "id: firefox\ncommands:\n  fresh page: new_tab\n"},
		{"also say for a name that is a key", "pad", "id: pad\nshortcuts: {delete: f2}\n", func(b *bench) { b.AlsoSay("delete", "wipe") },
			"id: pad\nshortcuts: {delete: f2}\ncommands:\n  wipe: {action: delete}\n"},
		{"also say for a name that no file can hold", "pad", "id: pad\nshortcuts: {what's new: f2}\n", func(b *bench) { b.AlsoSay("what's new", "news") },
			"id: pad\nshortcuts: {what's new: f2}\ncommands:\n  news: f2\n"},
		{"also say the name itself", "firefox", "", func(b *bench) { b.AlsoSay("new_tab", "New tab") }, "-"},
		{"also say nothing", "firefox", "", func(b *bench) { b.AlsoSay("new_tab", " ! ") }, "-"},
		{"also say what presses keys now, as the file writes it", "pad", "id: pad\nshortcuts: {jump: f2}\ncommands: {\"Go On\": f3}\n", func(b *bench) { b.AlsoSay("jump", "go on") },
			"id: pad\nshortcuts: {jump: f2}\ncommands: {\"Go On\": jump}\n"},
		{"a phrase", "note", "", func(b *bench) { b.SetPhrase("Save and close", seq(t, "ctrl+s", "ctrl+w")) },
			"id: note\ncommands:\n  save and close: [ctrl+s, ctrl+w]\n"},
		{"other keys for a phrase", "note", "id: note\ncommands:\n  Save It: ctrl+s\n", func(b *bench) { b.SetPhrase("Save It", seq(t, "f2")) },
			"id: note\ncommands:\n  Save It: f2\n"},
		{"a phrase of nothing", "note", "", func(b *bench) { b.SetPhrase(" ", seq(t, "f2")); b.SetPhrase("x", nil) }, "-"},
		{"remove a phrase", "note", "id: note\ncommands:\n  Save It: ctrl+s\n  x: f2\n", func(b *bench) { b.RemovePhrase("Save It") }, "id: note\ncommands:\n  x: f2\n"},
		{"remove a further phrase", "firefox", "id: firefox\ncommands:\n  a b: new_tab\n  x: f2\n", func(b *bench) { b.RemovePhrase("a b") }, "id: firefox\ncommands:\n  x: f2\n"},
	}
	for _, tt := range tests {
		b := edit(t, tt.app, tt.file)
		tt.do(b)
		b.check(tt.name, tt.want)
	}

	b := edit(t, "note", "profiles:\n  everywhere: {commands: {press: f2, jump on: jump}, shortcuts: {jump: f3}}\n")
	b.RemovePhrase("press") // inherited
	b.RemovePhrase("jump on")
	if got := b.InForce("note"); len(got.Commands) != 0 || len(got.Says) != 0 || b.Session.Failure() != nil {
		t.Errorf("inherited phrases are still there: %v %v; %v", got.Commands, got.Says, b.Session.Failure())
	}
	if got := b.LastToast(); got != "Note: “jump on” removed" {
		t.Errorf("toast %q", got)
	}
}

// TestWhatTheListsShow of actions and phrases.
func TestWhatTheListsShow(t *testing.T) {
	b := edit(t, "firefox", "id: firefox\nshortcuts:\n  new_tab: ctrl+h\n  mine: [ctrl+k, m]\ncommands:\n  fresh: new_tab\n  press me: f4\n")
	for _, want := range []editor.Action{
		{Name: "new_tab", Spoken: "new tab", Keys: []string{"ctrl+h"}, Source: "Yours", CanReset: true, AlsoSay: []string{"fresh"}, Clash: "history"},
		{Name: "history", Spoken: "history", Keys: []string{"ctrl+h"}, Source: "Built-in", Clash: "new tab"},
		{Name: "mine", Spoken: "mine", Keys: []string{"ctrl+k", "m"}, Source: "Yours"},
		{Name: "reload", Spoken: "reload", Keys: []string{"ctrl+r"}, Source: "Inherited from its kind"},
	} {
		got := b.action(want.Name)
		if got.Spoken != want.Spoken || !slices.Equal(got.Keys, want.Keys) || got.Source != want.Source || got.CanReset != want.CanReset ||
			!slices.Equal(got.AlsoSay, want.AlsoSay) || got.Clash != want.Clash {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	if got := b.shown.Phrases; len(got) != 1 || got[0].Text != "press me" || got[0].Source != "Yours" || got[0].CanReset {
		t.Errorf("phrases %+v", got)
	}
	if got := b.Clash("new tab", seq(t, "ctrl+r")); got != "reload" {
		t.Errorf("Clash = %q", got)
	}
	if got := b.Clash("reload", seq(t, "ctrl+r")) + b.Clash("x", nil) + b.Clash("x", seq(t, "f9")); got != "" {
		t.Errorf("Clash = %q", got)
	}
}

func TestSuggestions(t *testing.T) {
	for app, want := range map[string][2]string{ // one that is there, one that is not
		"firefox": {"", "new tab"}, "pad": {"", "new tab"}, profile.Everywhere: {"new tab", "zyxwv"}, "mine": {"split vertical", "copy"},
	} {
		b := edit(t, app, "id: mine\nkind: terminal\nshortcuts: {Copy: f2, split_vertical: \"\"}\n")
		got := b.Suggestions()
		if want[0] != "" && !slices.Contains(got, want[0]) || slices.Contains(got, want[1]) || !slices.IsSorted(got) {
			t.Errorf("%s: %q", app, got)
		}
	}
}

func TestRestore(t *testing.T) {
	tests := []struct {
		name, app, file         string
		label, lost, toast, get string
	}{
		{"a curated application", "firefox", "id: firefox\naliases: [ff]\nshortcuts: {new_tab: f2}\ncommands: {\"Do it\": f3}\n",
			"Restore Built-In", "Names you can say, new tab, “Do it”", "Restored the built-in Firefox. Discarded: Names you can say, new tab, “Do it”", "x.yaml~"},
		{"one that was found", "note", "id: note\nenabled: false\n",
			"Discard My Changes", "Respond to its name", "Discarded your changes to Note: Respond to its name", "x.yaml~"},
		{"one that is the user's", "mine", "id: mine\nname: Mine\n", "Remove App", "Name", "Removed Mine", "x.yaml~"},
		{"everywhere", profile.Everywhere, "id: everywhere\ncommands: {x: f2}\n", "Discard My Changes", "“x”", "Discarded your changes to Everywhere: “x”", "x.yaml~"},
		{"a kind", "generic-game", "id: generic-game\nshortcuts: {x: f2}\n", "Discard My Changes", "x", "Discarded your changes to All Games: x", "x.yaml~"},
		{"a kind with a curated profile", "generic-browser", "id: generic-browser\nshortcuts: {x: f2}\n", "Restore Built-In", "x", "Restored the built-in All Browsers. Discarded: x", "x.yaml~"},
		{"much", "note", "id: note\nshortcuts: {a1: f1, a2: f2, a3: f3, a4: f4, a5: f5, a6: f6, a7: f7, a8: f8}\n",
			"Discard My Changes", "a1, a2, a3, a4, a5, a6, a7, a8", "Discarded your changes to Note: a1, a2, a3, a4, a5, a6 and 2 more", "x.yaml~"},
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
	if b.shown.Lost != "Names you can say, Kind" || b.shown.File != b.Path("y.yaml") || b.shown.Fields["aliases"].Text != "b" {
		t.Errorf("lost %q, file %q", b.shown.Lost, b.shown.File)
	}
	b.Edit("aliases", "c")
	b.Commit("aliases")
	if got := b.Read(b.Path("y.yaml")); got != "id: note\naliases: [c]\n" {
		t.Errorf("the file that wins: %q", got)
	}
}

func TestLaunchNotes(t *testing.T) {
	b := edit(t, "note", "id: note\nnew_window: [note, -n]\n")
	notes := func(field string) string { return strings.Join(b.State().Fields[field].Notes, "|") }
	answer := func(state editor.LaunchState) {
		for _, c := range b.checks {
			c.answer(state)
		}
		b.checks = nil
	}
	if len(b.checks) != 2 || notes("launch") != "" {
		t.Errorf("asked %v, notes %q", b.checks, notes("launch"))
	}
	answer(editor.Found)
	if notes("launch") != "Found" || notes("new_window") != "Found" {
		t.Errorf("notes %q %q", notes("launch"), notes("new_window"))
	}
	b.Edit("launch", "notes 'x ")
	b.Clock.Pass(100 * time.Millisecond)
	b.Edit("launch", "notes 'x y'")
	b.Clock.Pass(299 * time.Millisecond)
	if len(b.checks) != 0 {
		t.Errorf("asked %v while it is written", b.checks)
	}
	b.Clock.Pass(time.Millisecond)
	late := b.checks[0]
	if !slices.Equal(late.argv, []string{"notes", "x y"}) || notes("launch") != "" {
		t.Errorf("asked %q, notes %q", late.argv, notes("launch"))
	}
	b.Edit("launch", "other")
	b.Clock.Pass(300 * time.Millisecond)
	late.answer(editor.NotFound) // of what is not there any more
	if notes("launch") != "" {
		t.Errorf("a stale answer: %q", notes("launch"))
	}
	b.checks = b.checks[1:]
	answer(editor.NotExecutable)
	if notes("launch") != "This file is not an executable program" {
		t.Errorf("notes %q", notes("launch"))
	}
	b.Edit("launch", "other '")
	b.Clock.Pass(300 * time.Millisecond)
	if got := b.shown.Fields["launch"]; got.Error == "" || got.Notes != nil || len(b.checks) != 0 {
		t.Errorf("an invalid command: %+v, asked %v", got, b.checks)
	}
	b.Edit("launch", "note")
	b.Commit("launch")
	answer(editor.Found)
	b.Profile("x.yaml", "id: note\nlaunch: [elsewhere]\n")
	b.Session.Reload() // from outside
	answer(editor.NotFound)
	if notes("launch") != "There is no such program" {
		t.Errorf("after an outside edit: %q", notes("launch"))
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

// TestASwitchTurnedTwice at once ends where it stands.
func TestASwitchTurnedTwice(t *testing.T) {
	b := edit(t, "note", "")
	b.Work.ByHand = true
	b.SetEnabled(false)
	b.SetEnabled(true)
	b.SetTerminal(true)
	b.Work.Finish()
	b.check("turned off and on", "id: note\nterminal: true\n")
	if !b.shown.Enabled || !b.shown.Terminal {
		t.Errorf("shown %+v", b.shown)
	}
}

// TestListsGrowByOne though the second is added before the first is saved.
func TestListsGrowByOne(t *testing.T) {
	b := edit(t, "note", "")
	b.Work.ByHand = true
	b.AddWindowID("org.one")
	b.AddWindowID("org.two")
	b.AddWindowID("org.one")
	b.AddAlias("surfer")
	b.Work.Finish()
	b.check("added", "id: note\napp_ids: [note, org.one, org.two]\naliases: [note, surfer]\n")
	if b.LastToast() != "“surfer” is now a name of Note" {
		t.Errorf("toast %q", b.LastToast())
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

// TestABrokenFileRefusesEdits and the draft stays.
func TestABrokenFileRefusesEdits(t *testing.T) {
	const broken = "id: note\naliases: [a\n"
	b := edit(t, "note", "id: note\naliases: [a]\n")
	b.Profile("x.yaml", broken)
	b.Session.Reload()
	b.Edit("aliases", "b")
	b.Clock.Pass(session.SaveAfter)
	if f := b.Session.Failure(); f == nil || !errors.Is(f.Err(), profile.ErrBroken) || b.file() != broken || b.shown.Fields["aliases"].Text != "b" {
		t.Errorf("failure %+v, file %q, draft %+v", f, b.file(), b.shown.Fields["aliases"])
	}
	b.Session.UseLastGood(b.Path("x.yaml"))
	b.Session.TryAgain(b.Session.Failure())
	b.check("mended", "id: note\naliases: [b]\n")
}

// TestNobodyLooksNothingIsChecked: teaching needs no commands, nor does a page
// that has closed.
func TestNobodyLooksNothingIsChecked(t *testing.T) {
	b := edit(t, "note", "id: note\nlaunch: [x]\n")
	b.checks = nil
	m := editor.New("note", b.parts, nil)
	b.Profile("x.yaml", "id: note\nlaunch: [y]\n")
	b.Edit("launch", "z")
	b.Model.Close()
	b.Clock.Pass(time.Second)
	b.Session.Reload()
	m.Close()
	if len(b.checks) != 0 {
		t.Errorf("asked %v", b.checks)
	}
}

// TestUndoOfRestoreBringsDraftsBack: what was written a moment ago is saved first.
func TestUndoOfRestoreBringsDraftsBack(t *testing.T) {
	b := edit(t, "note", "id: note\nenabled: false\n")
	b.Work.ByHand = true
	b.Edit("aliases", "pad")
	b.Model.Restore()
	b.Work.Finish()
	if got := b.LastToast(); got != "Discarded your changes to Note: Names you can say, Respond to its name" || b.Read(b.Path("x.yaml")) != "-" {
		t.Errorf("toast %q, files %q", got, b.Files())
	}
	if got := b.shown.Fields["aliases"]; got.Text != "note" || got.CanReset {
		t.Errorf("shown %+v", got)
	}
	b.Session.Undo()
	b.check("undone", "id: note\nenabled: false\naliases: [pad]\n")
	b.Session.Undo()
	b.check("undone twice", "id: note\nenabled: false\n")
	if b.Clock.Waiting() != 0 {
		t.Errorf("%d things wait", b.Clock.Waiting())
	}
}

// TestSwitchesTellTheirSource and can be reset.
func TestSwitchesTellTheirSource(t *testing.T) {
	b := edit(t, "firefox", "id: firefox\nkind: office\nterminal: true\nenabled: false\n")
	for _, field := range []string{"kind", "terminal", "enabled"} {
		if got := b.shown.Fields[field]; got.Source != "Yours" || !got.CanReset {
			t.Errorf("%s: %+v", field, got)
		}
		b.Reset(field)
		if got := b.shown.Fields[field]; got.Source == "Yours" || got.CanReset {
			t.Errorf("%s reset: %+v", field, got)
		}
	}
	b.check("reset", "-")
	if s := b.shown; s.Kind != profile.Browser || s.Terminal || !s.Enabled || s.Fields["kind"].Source != "Built-in" {
		t.Errorf("shown %+v", s)
	}
}

// TestRemovedActionsComeBack with the keys that they had.
func TestRemovedActionsComeBack(t *testing.T) {
	b := edit(t, "firefox", "")
	before := b.action("new_tab")
	if before.Name == "" || len(b.shown.Removed) != 0 {
		t.Fatalf("action %+v, removed %+v", before, b.shown.Removed)
	}
	b.RemoveAction("new_tab")
	if r := b.shown.Removed; len(r) != 1 || r[0].Name != "new_tab" || r[0].Spoken != "new tab" || !slices.Equal(r[0].Keys, before.Keys) || !r[0].CanReset || r[0].Source != "Yours" {
		t.Errorf("removed %+v", r)
	}
	b.ResetAction("new_tab")
	b.check("brought back", "-")
	if got := b.action("new_tab"); !slices.Equal(got.Keys, before.Keys) || len(b.shown.Removed) != 0 {
		t.Errorf("action %+v, removed %+v", got, b.shown.Removed)
	}
	b = edit(t, "note", "id: note\nshortcuts: {mine: f2}\n")
	b.RemoveAction("mine")
	if len(b.shown.Removed) != 0 {
		t.Errorf("only the user's own: %+v", b.shown.Removed)
	}
}

func TestPhrasesCanBeReset(t *testing.T) {
	phrase := func(b *bench) editor.Phrase {
		for _, p := range b.shown.Phrases {
			if p.Text == "wipe" {
				return p
			}
		}
		return editor.Phrase{}
	}
	const kind = "  generic-game: {commands: {wipe: f9}}\n"
	b := edit(t, "mine", "profiles:\n"+kind+"  mine: {kind: game, commands: {wipe: f2}}\n")
	if got := phrase(b); !got.CanReset || !slices.Equal(got.Keys, []string{"f2"}) {
		t.Errorf("own: %+v", got)
	}
	b.ResetPhrase("wipe")
	if got := phrase(b); got.CanReset || !slices.Equal(got.Keys, []string{"f9"}) || b.LastToast() != "mine: “wipe” reset" {
		t.Errorf("reset: %+v, toast %q", got, b.LastToast())
	}
	b.Session.Undo()
	b.check("undone", "profiles:\n"+kind+"  mine: {kind: game, commands: {wipe: f2}}\n")
}

// TestItemsWithCommas are never split, and read back as they were.
func TestItemsWithCommas(t *testing.T) {
	b := edit(t, "note", "id: note\naliases: ['salt, pepper', '\"quoted\" one', '5\" disk', 'a \"b\", c', plain]\n")
	const text = `"salt, pepper", """quoted"" one", 5" disk, "a ""b"", c", plain`
	if got := b.shown.Fields["aliases"].Text; got != text {
		t.Fatalf("shown %s", got)
	}
	b.Edit("aliases", text+", new")
	b.Commit("aliases")
	b.check("one more", "id: note\naliases: ['salt, pepper', '\"quoted\" one', '5\" disk', 'a \"b\", c', plain, new]\n")
	for written, want := range map[string]string{
		`"a, b`: `"""a", b`, `"a" b, c`: `"""a"" b", c`, `""`: "", ` "a , b" ,`: `"a , b"`, `"a""`: `"""a"""""`, ",": "",
	} {
		b.Edit("aliases", written)
		b.Commit("aliases")
		if got := b.shown.Fields["aliases"].Text; got != want {
			t.Errorf("%s is %s, want %s", written, got, want)
		}
	}
}
