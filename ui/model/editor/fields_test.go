package editor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"utter/shared/profile"
	"utter/ui/model/editor"
	"utter/ui/model/session"
)

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

func TestAliasNotes(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"mynote", []string{"Built-in names you replaced: firefox, mozilla firefox"}},
		{"Firefox, MOZILLA FIREFOX", nil},
		{"firefox, mozilla firefox, pad", []string{"“pad” is also a name of Pad"}},
		{"firefox, mozilla firefox, browser",
			[]string{"“browser” is also a name of Web Browser", "“browser” is too general to identify one application"}},
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

// TestASwitchTurnedTwice at once ends where it is.
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
