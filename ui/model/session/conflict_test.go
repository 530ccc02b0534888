package session_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
	"utter/ui/model/wording"
)

func TestAnOutsideEditIsMergedOrAsked(t *testing.T) {
	const before = "id: note\naliases: [old]\nkind: office\n"
	e := edit("note", set([]string{"mine"}, []string{"old"}, "aliases"))
	tests := []struct {
		name, outside string
		answer        string // "", "mine" or "theirs"
		want          string
	}{
		{"another field", "id: note\naliases: [old]\nkind: game # !\n", "", "id: note\naliases: [mine]\nkind: game # !\n"},
		{"the same value", "id: note\naliases: [mine]\nkind: office\n", "", "id: note\naliases: [mine]\nkind: office\n"},
		{"the same field, mine", "id: note\naliases: [theirs]\nkind: game\n", "mine",
			"id: note\naliases: [mine]\nkind: game\n"},
		{"the same field, theirs", "id: note\naliases: [theirs]\nkind: game\n", "theirs",
			"id: note\naliases: [theirs]\nkind: game\n"},
		{"the field has gone, mine", "id: note\nkind: game\n", "mine", "id: note\nkind: game\naliases: [mine]\n"},
		{"the file has gone, mine", "-", "mine", "id: note\naliases: [mine]\n"},
		{"the file has gone, theirs", "-", "theirs", "-"},
	}
	for _, tt := range tests {
		d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Profile(mine, before) })
		d.Profile(mine, tt.outside)
		var ended []error
		d.Session.Save(e, func(err error) { ended = append(ended, err) })
		asked := d.Session.Conflict()
		if (asked != nil) != (tt.answer != "") || (d.Session.Banner().Kind == session.ConflictBanner) != (asked != nil) {
			t.Errorf("%s: conflict %+v, banner %+v", tt.name, asked, d.Session.Banner())
		}
		switch tt.answer {
		case "mine":
			d.Session.KeepMine(d.Session.Conflict())
		case "theirs":
			d.Session.UseTheirs(d.Session.Conflict())
		}
		if d.Session.Conflict() != nil || d.Session.Failure() != nil {
			t.Errorf("%s: afterwards conflict %v, failure %v", tt.name, d.Session.Conflict(), d.Session.Failure())
		}
		if got := d.Read(d.Path(mine)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if last := ended[len(ended)-1]; (tt.answer == "theirs") != errors.Is(last, session.ErrDropped) ||
			tt.answer == "mine" && last != nil {
			t.Errorf("%s: ended with %v", tt.name, ended)
		}
		if tt.answer == "mine" { // what was overwritten comes back
			d.Session.Undo()
			if got := d.Read(d.Path(mine)); got != tt.outside {
				t.Errorf("%s: undone: %q, want %q", tt.name, got, tt.outside)
			}
		}
	}
}

func TestAConflictShowsItsFieldsInOrder(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d) })
	d.Profile(mine, "id: note\nkind: game\nshortcuts: {a: f1, b: f2}\ncommands: {wipe: delete}\n")
	err := save(t, d, edit("note", set("office", nil, "kind"), set(keys(t, "f2"), nil, "shortcuts", "b"),
		set(keys(t, "f3"), nil, "shortcuts", "a"), set(map[string]string{"action": "delete"}, nil, "commands", "wipe")))
	c := d.Session.Conflict()
	if err == nil || c == nil || c.File != d.Path(mine) {
		t.Fatalf("%v, %+v", err, c)
	}
	var got []string
	for _, r := range c.Rows {
		got = append(got, wording.Path(r.Path)+" "+wording.Value(r.Yours)+" "+wording.Value(r.Theirs))
	}
	want := []string{"Kind office game", "“a” f3 f1", "“wipe” delete delete"} // the action, the key
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// TestEachConflictIsAsked, one after the other, but one of the same field once.
func TestEachConflictIsAsked(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Install("pad", "Pad") })
	d.Profile(mine, "id: note\naliases: [theirs]\n")
	d.Profile("pad.yaml", "id: pad\naliases: [theirs]\n")
	d.Session.Reload()
	for _, name := range []string{"one", "two"} {
		d.Session.Save(edit("note", set([]string{name}, nil, "aliases")), nil)
	}
	d.Session.Save(edit("pad", set([]string{"three"}, nil, "aliases")), nil)
	d.Session.KeepMine(d.Session.Conflict())
	if c := d.Session.Conflict(); c == nil || c.File != d.Path("pad.yaml") {
		t.Errorf("the second conflict: %+v", c)
	}
	d.Session.UseTheirs(d.Session.Conflict())
	if c := d.Session.Conflict(); c != nil {
		t.Errorf("a third conflict: %+v", c)
	}
	check(t, d, "answered", mine, "id: note\naliases: [two]\n", "pad.yaml", "id: pad\naliases: [theirs]\n")
	d.Session.KeepMine(d.Session.Conflict()) // nothing waits
	d.Session.UseTheirs(d.Session.Conflict())
	check(t, d, "answered again", mine, "id: note\naliases: [two]\n", "pad.yaml", "id: pad\naliases: [theirs]\n")
}

// TestUndoOverAnOutsideEditIsAsked, and loses neither version.
func TestUndoOverAnOutsideEditIsAsked(t *testing.T) {
	const before, after, outside = "id: note\nkind: game\n", "id: note\nkind: office\n",
		"id: note\nkind: office\naliases: [new]\n"
	start := func() *sessiontest.Desk {
		d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Install("pad", "Pad"); d.Profile(mine, before) })
		save(t, d, edit("pad", set("game", nil, "kind")))
		save(t, d, edit("note", set("office", "game", "kind")))
		check(t, d, "saved", mine, after, "utility_pad.yaml", "id: pad\nkind: game\n")
		d.Profile(mine, outside)
		d.Session.Undo()
		c := d.Session.Conflict()
		if c == nil || len(c.Rows) != 2 || wording.Path(c.Rows[0].Path) != "Names you can say" ||
			c.Rows[1].Theirs != "office" || c.Rows[1].Yours != "game" {
			t.Fatalf("conflict %+v", c)
		}
		check(t, d, "asked", mine, outside, "utility_pad.yaml", "id: pad\nkind: game\n")
		return d
	}

	d := start()
	d.Session.KeepMine(d.Session.Conflict())
	check(t, d, "mine", mine, before, "utility_pad.yaml", "id: pad\nkind: game\n")
	d.Session.Redo()
	check(t, d, "mine, done again", mine, outside, "utility_pad.yaml", "id: pad\nkind: game\n")
	d.Session.Undo()
	d.Session.Undo()
	check(t, d, "all undone", mine, before)

	d = start()
	d.Session.UseTheirs(d.Session.Conflict())
	check(t, d, "theirs", mine, outside, "utility_pad.yaml", "id: pad\nkind: game\n")
	d.Session.Undo() // what came before it
	check(t, d, "theirs, then undo", mine, outside)

	d = start() // another change: the user went on
	save(t, d, edit("note", set("utility", "office", "kind")))
	if d.Session.Conflict() != nil {
		t.Error("the conflict of an undo outlived the next change")
	}
	d.Session.Undo()
	check(t, d, "the next change undone", mine, outside, "utility_pad.yaml", "id: pad\nkind: game\n")
}

// TestOnlyWhatWasShownIsAnswered: what has come since the dialog opened waits on,
// and what is no longer there is not answered.
func TestOnlyWhatWasShownIsAnswered(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Install("pad", "Pad") })
	d.Profile(mine, "id: note\nkind: game\n")
	d.Profile("pad.yaml", "id: pad\nkind: game\n")
	d.Session.Reload()
	save(t, d, edit("note", set("office", nil, "kind")))
	shown := d.Session.Conflict()
	save(t, d, edit("pad", set("office", nil, "kind")))
	d.Session.Save(edit("note", set("utility", "game", "kind")), nil) // settles the first
	d.Session.KeepMine(shown)
	d.Session.UseTheirs(shown)
	d.Session.KeepMine(nil)
	d.Session.UseTheirs(nil)
	if c := d.Session.Conflict(); c == nil || c == shown || c.File != d.Path("pad.yaml") {
		t.Errorf("conflict %+v", c)
	}
	check(t, d, "answered too late", mine, "id: note\nkind: utility\n", "pad.yaml", "id: pad\nkind: game\n")

	d.Full = syscall.ENOSPC
	save(t, d, edit("note", set([]string{"a"}, nil, "aliases")))
	failed := d.Session.Failure()
	save(t, d, edit("note", set("https://x.org/{q}", nil, "search_url")))
	d.Session.Dismiss(nil)
	d.Session.TryAgain(nil)
	d.Session.Dismiss(failed)
	if f := d.Session.Failure(); f == nil || f.Text() != "Search address: https://x.org/{q}\n" || len(f.Changes) != 1 ||
		!errors.Is(f.Changes[0].Err, syscall.ENOSPC) {
		t.Errorf("failure %+v", f)
	}
	d.Session.TryAgain(failed)
	if d.Session.Failure() == nil {
		t.Error("tried again what was not shown")
	}
}
