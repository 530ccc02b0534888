package editor_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"utter/shared/profile"
	"utter/ui/model/session"
)

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
		if got := b.shown.Fields[field]; got.Text == "" || got.Source != "Built-in" ||
			b.LastToast() != "Firefox: “"+map[string]string{"search_url": "Search address",
				"aliases": "Names you can say"}[field]+"” reset" {
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
		{"and waiting", func(b *bench) { b.Work.Finish(); b.Clock.Pass(session.SaveAfter) },
			"id: note\naliases: [one, two]\n"},
		{"and Enter", func(b *bench) { b.Commit("aliases"); b.Work.Finish() }, "id: note\naliases: [one, two]\n"},
		{"and leaving", func(b *bench) { b.Flush(); b.Model.Close(); b.Work.Finish() }, "id: note\naliases: [one, two]\n"},
		{"and the time is up", func(b *bench) { b.Clock.Pass(session.SaveAfter); b.Work.Finish() },
			"id: note\naliases: [one, two]\n"},
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

// TestABrokenFileRefusesEdits and the draft stays.
func TestABrokenFileRefusesEdits(t *testing.T) {
	const broken = "id: note\naliases: [a\n"
	b := edit(t, "note", "id: note\naliases: [a]\n")
	b.Profile("x.yaml", broken)
	b.Session.Reload()
	b.Edit("aliases", "b")
	b.Clock.Pass(session.SaveAfter)
	if f := b.Session.Failure(); f == nil || !errors.Is(f.Err(), profile.ErrBroken) || b.file() != broken ||
		b.shown.Fields["aliases"].Text != "b" {
		t.Errorf("failure %+v, file %q, draft %+v", f, b.file(), b.shown.Fields["aliases"])
	}
	b.Session.UseLastGood(b.Path("x.yaml"))
	b.Session.TryAgain(b.Session.Failure())
	b.check("mended", "id: note\naliases: [b]\n")
}

// TestUndoOfRestoreBringsDraftsBack: what was written a moment ago is saved first.
func TestUndoOfRestoreBringsDraftsBack(t *testing.T) {
	b := edit(t, "note", "id: note\nenabled: false\n")
	b.Work.ByHand = true
	b.Edit("aliases", "pad")
	b.Model.Restore()
	b.Work.Finish()
	if got := b.LastToast(); got != "Discarded your changes to Note: Names you can say, Respond to its name" ||
		b.Read(b.Path("x.yaml")) != "-" {
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
