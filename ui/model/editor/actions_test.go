package editor_test

import (
	"slices"
	"testing"

	"utter/shared/profile"
	"utter/ui/model/editor"
)

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
		{"the inherited keys again", "firefox", "id: firefox\nkind: browser\nshortcuts:\n  new_tab: ctrl+j\n",
			func(b *bench) { b.SetKeys("new tab", seq(t, "ctrl+t"), false) },
			"id: firefox\nkind: browser\n", ""},
		{"a name as the file writes it", "note", "id: note\nshortcuts:\n  Jump Up: ctrl+j\n",
			func(b *bench) { b.SetKeys("jump up", seq(t, "ctrl+k"), false) },
			"id: note\nshortcuts:\n  Jump Up: ctrl+k\n", ""},
		{"keys taken over from an inherited action", "firefox", "",
			func(b *bench) { b.SetKeys("jump", seq(t, "ctrl+h"), true) },
			"id: firefox\nshortcuts:\n  jump: ctrl+h\n  history: \"\"\n", ""},
		{"keys taken over from two own ones", "note", "id: note\nshortcuts:\n  a1: f2\n  Be Two: f2\n  c: f3\n",
			func(b *bench) { b.SetKeys("jump", seq(t, "f2"), true) },
			"id: note\nshortcuts:\n  c: f3\n  jump: f2\n", ""},
		{"keys not taken over", "note", "id: note\nshortcuts:\n  a1: f2\n",
			func(b *bench) { b.SetKeys("jump", seq(t, "f2"), false) },
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
	const taught = "id: firefox\nshortcuts:\n  new_tab: f2\n  mine: f3\ncommands:\n  fresh: new_tab\n" +
		"  own: {action: mine}\n  press: f4\n"
	tests := []struct {
		name, app, file string
		do              func(b *bench)
		want            string
	}{
		{"remove an inherited action", "firefox", "", func(b *bench) { b.RemoveAction("history") },
			"id: firefox\nshortcuts:\n  history: \"\"\n"},
		{"remove what only the kind has", "mine", "id: mine\nname: Mine\nkind: browser\n",
			func(b *bench) { b.RemoveAction("new_tab") },
			"id: mine\nname: Mine\nkind: browser\nshortcuts:\n  new_tab: \"\"\n"},
		{"remove a changed one, with what else is said", "firefox", taught, func(b *bench) { b.RemoveAction("new_tab") },
			"id: firefox\nshortcuts:\n  new_tab: \"\"\n  mine: f3\ncommands:\n  own: {action: mine}\n  press: f4\n"},
		{"remove one's own", "firefox", taught, func(b *bench) { b.RemoveAction("mine") },
			"id: firefox\nshortcuts:\n  new_tab: f2\ncommands:\n  fresh: new_tab\n  press: f4\n"},
		{"remove one from everywhere", profile.Everywhere, "id: everywhere\nshortcuts: {jump: f2, leap: f3}\n",
			func(b *bench) { b.RemoveAction("jump") },
			"id: everywhere\nshortcuts: {leap: f3}\n"},
		{"reset", "firefox", taught, func(b *bench) { b.ResetAction("new_tab") },
			"id: firefox\nshortcuts:\n  mine: f3\ncommands:\n  fresh: new_tab\n  own: {action: mine}\n  press: f4\n"},
		{"reset what was removed", "firefox", "id: firefox\nshortcuts:\n  history: \"\"\n",
			func(b *bench) { b.ResetAction("history") }, "-"},
		{"rename one's own", "firefox", taught, func(b *bench) { b.Rename("mine", "Yours now") },
			"id: firefox\nshortcuts:\n  new_tab: f2\n  yours_now: f3\ncommands:\n  fresh: new_tab\n  own: yours_now\n" +
				"  press: f4\n"},
		{"rename to what is a key", "firefox", taught, func(b *bench) { b.Rename("mine", "Delete") },
			"id: firefox\nshortcuts:\n  new_tab: f2\n  delete: f3\ncommands:\n  fresh: new_tab\n  own: {action: delete}\n" +
				"  press: f4\n"},
		{"rename an inherited one", "firefox", "", func(b *bench) { b.Rename("history", "past") },
			"id: firefox\nshortcuts:\n  history: \"\"\n  past: ctrl+h\n"},
		{"rename back", "firefox", "id: firefox\nshortcuts:\n  history: \"\"\n  past: ctrl+h\n",
			func(b *bench) { b.Rename("past", "history") }, "-"},
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
		{"also say", "firefox", "", func(b *bench) { b.AlsoSay("new_tab", "Fresh page!") },
			"id: firefox\ncommands:\n  fresh page: new_tab\n"},
		{"also say for a name that is a key", "pad", "id: pad\nshortcuts: {delete: f2}\n",
			func(b *bench) { b.AlsoSay("delete", "wipe") },
			"id: pad\nshortcuts: {delete: f2}\ncommands:\n  wipe: {action: delete}\n"},
		{"also say for a name that no file can hold", "pad", "id: pad\nshortcuts: {what's new: f2}\n",
			func(b *bench) { b.AlsoSay("what's new", "news") },
			"id: pad\nshortcuts: {what's new: f2}\ncommands:\n  news: f2\n"},
		{"also say the name itself", "firefox", "", func(b *bench) { b.AlsoSay("new_tab", "New tab") }, "-"},
		{"also say nothing", "firefox", "", func(b *bench) { b.AlsoSay("new_tab", " ! ") }, "-"},
		{"also say what presses keys now, as the file writes it", "pad",
			"id: pad\nshortcuts: {jump: f2}\ncommands: {\"Go On\": f3}\n", func(b *bench) { b.AlsoSay("jump", "go on") },
			"id: pad\nshortcuts: {jump: f2}\ncommands: {\"Go On\": jump}\n"},
		{"a phrase", "note", "", func(b *bench) { b.SetPhrase("Save and close", seq(t, "ctrl+s", "ctrl+w")) },
			"id: note\ncommands:\n  save and close: [ctrl+s, ctrl+w]\n"},
		{"other keys for a phrase", "note", "id: note\ncommands:\n  Save It: ctrl+s\n",
			func(b *bench) { b.SetPhrase("Save It", seq(t, "f2")) },
			"id: note\ncommands:\n  Save It: f2\n"},
		{"a phrase of nothing", "note", "", func(b *bench) { b.SetPhrase(" ", seq(t, "f2")); b.SetPhrase("x", nil) }, "-"},
		{"remove a phrase", "note", "id: note\ncommands:\n  Save It: ctrl+s\n  x: f2\n",
			func(b *bench) { b.RemovePhrase("Save It") }, "id: note\ncommands:\n  x: f2\n"},
		{"remove a further phrase", "firefox", "id: firefox\ncommands:\n  a b: new_tab\n  x: f2\n",
			func(b *bench) { b.RemovePhrase("a b") }, "id: firefox\ncommands:\n  x: f2\n"},
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
	b := edit(t, "firefox",
		"id: firefox\nshortcuts:\n  new_tab: ctrl+h\n  mine: [ctrl+k, m]\ncommands:\n  fresh: new_tab\n  press me: f4\n")
	for _, want := range []editor.Action{
		{Name: "new_tab", Spoken: "new tab", Keys: []string{"ctrl+h"}, Source: "Yours", CanReset: true,
			AlsoSay: []string{"fresh"}, Clash: "history"},
		{Name: "history", Spoken: "history", Keys: []string{"ctrl+h"}, Source: "Built-in", Clash: "new tab"},
		{Name: "mine", Spoken: "mine", Keys: []string{"ctrl+k", "m"}, Source: "Yours"},
		{Name: "reload", Spoken: "reload", Keys: []string{"ctrl+r"}, Source: "Inherited from its kind"},
	} {
		got := b.action(want.Name)
		if got.Spoken != want.Spoken || !slices.Equal(got.Keys, want.Keys) || got.Source != want.Source ||
			got.CanReset != want.CanReset ||
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
		"firefox": {"", "new tab"}, "pad": {"", "new tab"}, profile.Everywhere: {"new tab", "zyxwv"},
		"mine": {"split vertical", "copy"},
	} {
		b := edit(t, app, "id: mine\nkind: terminal\nshortcuts: {Copy: f2, split_vertical: \"\"}\n")
		got := b.Suggestions()
		if want[0] != "" && !slices.Contains(got, want[0]) || slices.Contains(got, want[1]) || !slices.IsSorted(got) {
			t.Errorf("%s: %q", app, got)
		}
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
	if r := b.shown.Removed; len(r) != 1 || r[0].Name != "new_tab" || r[0].Spoken != "new tab" ||
		!slices.Equal(r[0].Keys, before.Keys) || !r[0].CanReset || r[0].Source != "Yours" {
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
	if got := phrase(b); got.CanReset || !slices.Equal(got.Keys, []string{"f9"}) ||
		b.LastToast() != "mine: “wipe” reset" {
		t.Errorf("reset: %+v, toast %q", got, b.LastToast())
	}
	b.Session.Undo()
	b.check("undone", "profiles:\n"+kind+"  mine: {kind: game, commands: {wipe: f2}}\n")
}
