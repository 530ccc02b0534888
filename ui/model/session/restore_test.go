package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"utter/shared/profile"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
)

func restored() string { return "restored" }

func TestRestoreAndBack(t *testing.T) {
	const hand = "# mine\r\nid: note\r\naliases: [ a ]\r\n"
	const both = "profiles:\n  other:\n    aliases: [x]\n  note:\n    aliases: [b] # b\n"
	tests := []struct {
		name          string
		before, after []string
	}{
		{"one file", []string{mine, hand}, []string{mine + "~", hand}},
		{"two files, and one of another application as well", []string{"a.yaml", both, mine, hand},
			[]string{"a.yaml", "profiles:\n  other:\n    aliases: [x]\n", "a.yaml~", both, mine + "~", hand}},
		{"one that was put aside before", []string{mine, hand, mine + "~", "old"},
			[]string{mine + "~", "old", mine + "~2", hand}},
	}
	for _, tt := range tests {
		d := sessiontest.New(t, func(d *sessiontest.Desk) {
			note(d)
			for i := 0; i < len(tt.before); i += 2 {
				d.Profile(tt.before[i], tt.before[i+1])
			}
		})
		d.Session.Restore("note", restored)
		check(t, d, tt.name, tt.after...)
		if d.LastToast() != "restored" || d.InForce("note").Layer != profile.Catalogue {
			t.Errorf("%s: toast %q, in force %+v", tt.name, d.LastToast(), d.InForce("note"))
		}
		d.Session.Undo()
		check(t, d, tt.name+", undone", tt.before...)
		if d.InForce("note").Layer != profile.User {
			t.Errorf("%s: undone, but not in force", tt.name)
		}
		d.Session.Redo()
		check(t, d, tt.name+", done again", tt.after...)
		d.Session.Undo()
		check(t, d, tt.name+", undone again", tt.before...)
	}
}

// TestRestoreKeepsALink to a place that may not be writable.
func TestRestoreKeepsALink(t *testing.T) {
	store := filepath.Join(t.TempDir(), "note.yaml")
	d := sessiontest.New(t, func(d *sessiontest.Desk) {
		note(d)
		d.Put(store, "id: note\n")
		d.Profile("x", "") // makes the folder
		if err := os.Symlink(store, d.Path(mine)); err != nil {
			t.Fatal(err)
		}
	})
	d.Session.Restore("note", restored)
	d.Full = syscall.EROFS
	d.Session.Undo()
	if to, err := os.Readlink(d.Path(mine)); to != store {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// TestABrokenFileIsLeftAlone: nothing of it is lost, and its last good version
// can be put back.
func TestABrokenFileIsLeftAlone(t *testing.T) {
	const good, broken = "id: note\naliases: [a]\n", "id: note\naliases: [a, b\nkind: x\n"
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Profile(mine, good) })
	d.Profile(mine, broken)
	d.Session.Reload()
	if b := d.Session.Banner(); b.Kind != session.ProblemBanner {
		t.Errorf("banner %+v", b)
	}
	if got := d.InForce("note").Aliases; !slices.Equal(got, []string{"a"}) {
		t.Errorf("in force %q", got)
	}
	err := save(t, d, edit("note", set([]string{"c"}, []string{"a"}, "aliases")))
	if !errors.Is(err, profile.ErrBroken) || d.Session.Failure() == nil ||
		!errors.Is(d.Session.Failure().Err(), profile.ErrBroken) {
		t.Errorf("saved into a broken file: %v, %+v", err, d.Session.Failure())
	}
	check(t, d, "edited", mine, broken)
	d.Session.Dismiss(d.Session.Failure())
	d.Session.Restore("note", restored)
	if f := d.Session.Failure(); f == nil || !errors.Is(f.Err(), profile.ErrBroken) {
		t.Errorf("restored a broken file: %+v", f)
	}
	check(t, d, "restored", mine, broken)
	d.Session.Dismiss(d.Session.Failure())

	if !d.Session.HasLastGood(d.Path(mine)) || d.Session.HasLastGood(d.Path("x.yaml")) {
		t.Error("which files had a good version is not known")
	}
	d.Session.UseLastGood(d.Path(mine))
	check(t, d, "the last good version", mine, good)
	if b := d.Session.Banner(); b.Kind != session.NoBanner {
		t.Errorf("banner %+v", b)
	}
	d.Session.Undo()
	check(t, d, "undone", mine, broken)
	d.Session.UseLastGood(d.Path("x.yaml")) // there is none: nothing happens
	check(t, d, "no last good version", mine, broken)
}

// TestUndoOfRestoreOnAFullDisk loses no copy, neither then nor of Redo.
func TestUndoOfRestoreOnAFullDisk(t *testing.T) {
	const text = "id: note\nkind: game\n"
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Profile(mine, text) })
	d.Session.Restore("note", restored)
	check(t, d, "restored", mine+"~", text)
	d.Full = syscall.ENOSPC
	d.Session.Undo()
	check(t, d, "undo failed", mine+"~", text)
	d.Full = nil
	d.Session.TryAgain(d.Session.Failure())
	check(t, d, "undone", mine, text)
	d.Full = syscall.ENOSPC
	d.Session.Redo()
	check(t, d, "redo failed", mine, text)
	d.Full = nil
	d.Session.TryAgain(d.Session.Failure())
	check(t, d, "done again", mine+"~", text)
}
