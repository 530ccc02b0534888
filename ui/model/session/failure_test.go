package session_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"utter/ui/model/cases"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
	"utter/ui/model/wording"
)

// TestAFileThatCannotBeWritten keeps the change until it can, or the user gives
// it up.
func TestAFileThatCannotBeWritten(t *testing.T) {
	tests := []struct {
		name   string
		block  func(d *sessiontest.Desk)
		free   func(d *sessiontest.Desk)
		want   error
		banner session.BannerKind
	}{
		{"the disk is full", func(d *sessiontest.Desk) { d.Full = syscall.ENOSPC },
			func(d *sessiontest.Desk) { d.Full = nil }, syscall.ENOSPC, session.NoBanner},
		{"a read-only disk", func(d *sessiontest.Desk) { d.Full = syscall.EROFS },
			func(d *sessiontest.Desk) { d.Full = nil }, syscall.EROFS, session.NoBanner},
		{"a file where the folder should be", func(d *sessiontest.Desk) { d.Put(d.Dirs.Profiles(), "") },
			func(d *sessiontest.Desk) { d.Put(d.Dirs.Profiles(), "-") }, syscall.ENOTDIR, session.ReadOnlyBanner},
	}
	for _, tt := range tests {
		d := sessiontest.New(t, note)
		tt.block(d)
		d.Session.Reload()
		if got := d.Session.Banner().Kind; got != tt.banner || d.Session.ReadOnly() != (got == session.ReadOnlyBanner) {
			t.Errorf("%s: banner %v, read-only %v", tt.name, got, d.Session.ReadOnly())
		}
		e := edit("note", set([]string{"a", "b"}, nil, "aliases"), set(keys(t, "ctrl+s"), nil, "shortcuts", "save_it"))
		if err := save(t, d, e); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		f := d.Session.Failure()
		if f == nil || !errors.Is(f.Err(), tt.want) || d.Session.Banner().Kind != session.FailureBanner ||
			d.Session.CanUndo() != "" {
			t.Fatalf("%s: failure %+v, banner %+v", tt.name, f, d.Session.Banner())
		}
		if want := "Names you can say: a, b\n“save it”: ctrl+s\n"; f.Text() != want {
			t.Errorf("%s: %q, want %q", tt.name, f.Text(), want)
		}
		d.Session.TryAgain(d.Session.Failure())
		if f := d.Session.Failure(); f == nil || !errors.Is(f.Err(), tt.want) {
			t.Errorf("%s: tried again: %+v", tt.name, f)
		}
		tt.free(d)
		d.Session.TryAgain(d.Session.Failure())
		if f := d.Session.Failure(); f != nil || d.Session.Banner().Kind != session.NoBanner {
			t.Errorf("%s: at last: %+v, banner %+v", tt.name, f, d.Session.Banner())
		}
		check(t, d, tt.name, mine, "id: note\naliases: [a, b]\nshortcuts:\n  save_it: ctrl+s\n")
	}
}

// TestFailuresAreKept: each of them, until it succeeds, is replaced or dropped.
func TestFailuresAreKept(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Install("pad", "Pad") })
	d.Full = syscall.ENOSPC
	ended := map[string][]error{}
	try := func(app, name string) {
		d.Session.Save(edit(app, set([]string{name}, nil, "aliases")),
			func(err error) { ended[name] = append(ended[name], err) })
	}
	try("note", "one")
	try("pad", "two")
	try("note", "three") // of the same field
	if got, want := d.Session.Failure().Text(), "Names you can say: two\nNames you can say: three\n"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	d.Full = nil
	d.Session.Save(edit("note", set("office", nil, "kind")), nil) // something else
	if d.Session.Failure() == nil {
		t.Error("a change of another field forgot a failure")
	}
	d.Session.TryAgain(d.Session.Failure())
	check(t, d, "tried again", mine, "id: note\nkind: office\naliases: [three]\n", "utility_pad.yaml",
		"id: pad\naliases: [two]\n")
	if d.Session.Failure() != nil || len(ended["one"]) != 1 || ended["two"][1] != nil || ended["three"][1] != nil {
		t.Errorf("failure %v, ended %v", d.Session.Failure(), ended)
	}

	d.Full = syscall.ENOSPC
	d.Session.Save(edit("note", set("game", "office", "kind")),
		func(err error) { ended["kind"] = append(ended["kind"], err) })
	d.Session.Dismiss(d.Session.Failure())
	if d.Session.Failure() != nil || len(ended["kind"]) != 2 || !errors.Is(ended["kind"][1], session.ErrDropped) {
		t.Errorf("dismissed: %v, ended %v", d.Session.Failure(), ended["kind"])
	}
}

// TestKeepMineThatFailed asks nothing again.
func TestKeepMineThatFailed(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Profile(mine, "id: note\nkind: game\n") })
	save(t, d, edit("note", set("office", nil, "kind")))
	d.Full = syscall.ENOSPC
	d.Session.KeepMine(d.Session.Conflict())
	if d.Session.Conflict() != nil || d.Session.Failure() == nil {
		t.Errorf("conflict %v, failure %v", d.Session.Conflict(), d.Session.Failure())
	}
	d.Full = nil
	d.Session.TryAgain(d.Session.Failure())
	check(t, d, "tried again", mine, "id: note\nkind: office\n")
}

// TestUndoThatFailed can be tried again.
func TestUndoThatFailed(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Profile(mine, "id: note\nkind: game\n") })
	save(t, d, edit("note", set("office", "game", "kind")))
	d.Full = syscall.ENOSPC
	d.Session.Undo()
	d.Session.Undo()
	if f := d.Session.Failure(); f == nil || f.Text() != "label\n" || d.Session.CanUndo() == "" ||
		d.Session.CanRedo() != "" {
		t.Errorf("failure %+v, undo %q, redo %q", f, d.Session.CanUndo(), d.Session.CanRedo())
	}
	d.Full = nil
	d.Session.TryAgain(d.Session.Failure())
	check(t, d, "undone", mine, "id: note\nkind: game\n")
	if d.Session.Failure() != nil || d.Session.CanUndo() != "" || d.Session.CanRedo() == "" ||
		d.LastToast() != "Undone – label" {
		t.Errorf("failure %v, undo %q, redo %q, toast %q", d.Session.Failure(), d.Session.CanUndo(),
			d.Session.CanRedo(), d.LastToast())
	}
}

// TestNothingIsWrittenBeforeTheFirstLoad: it may say which file is the right one.
func TestNothingIsWrittenBeforeTheFirstLoad(t *testing.T) {
	var saved []error
	var early *sessiontest.Desk
	d := sessiontest.New(t, func(d *sessiontest.Desk) {
		note(d)
		d.Profile("x.yaml", "id: note\nkind: game\n")
		early = d
		d.Session.Save(edit("note", set([]string{"a"}, nil, "aliases")), func(err error) { saved = append(saved, err) })
		if d.Writes != 0 || !d.Session.Busy() {
			t.Errorf("written %d times, busy %v", d.Writes, d.Session.Busy())
		}
	})
	check(t, d, "saved", "x.yaml", "id: note\nkind: game\naliases: [a]\n")
	if early != d || len(saved) != 1 || saved[0] != nil {
		t.Errorf("saved %v", saved)
	}
}

// TestChangesWithoutALibraryAreHeld, and made once there is one.
func TestChangesWithoutALibraryAreHeld(t *testing.T) {
	var saved []error
	d := sessiontest.New(t, func(d *sessiontest.Desk) {
		note(d)
		d.Profile("x.yaml", "id: note\nkind: game\n")
		d.NoLoad = errors.New("built-in profiles")
	})
	d.Session.Dismiss(d.Session.Failure())
	d.Session.Do(func() session.Edit {
		base := any(nil)
		if d.Session.Library() != nil {
			base = "game"
		}
		return edit("note", set("office", base, "kind"))
	}, func(err error) { saved = append(saved, err) })
	d.Session.Restore("pad", restored)
	d.Session.AddCase("saved", filepath.Join(d.Dirs.Config, "tests.json"), cases.Case{Utterance: "x"})
	f := d.Session.Failure()
	if f == nil || len(f.Changes) != 3 || !errors.Is(f.Err(), wording.ErrUnread) || !errors.Is(f.Err(), d.NoLoad) ||
		d.Writes != 0 || f.Text() != "Kind: office\nrestored\nx\n" {
		t.Fatalf("failure %+v, written %d times", f, d.Writes)
	}
	d.Session.TryAgain(f)
	if f = d.Session.Failure(); f == nil || f.Load == nil || len(f.Changes) != 3 {
		t.Errorf("tried again: %+v", f)
	}
	d.NoLoad = nil
	d.Session.TryAgain(f)
	check(t, d, "made", "x.yaml", "id: note\nkind: office\n")
	if d.Session.Failure() != nil || len(saved) != 3 || saved[2] != nil {
		t.Errorf("failure %+v, saved %v", d.Session.Failure(), saved)
	}
}
