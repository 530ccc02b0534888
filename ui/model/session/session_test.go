package session_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"utter/shared/bus"
	"utter/shared/catalog"
	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/profile"
	"utter/ui/model/cases"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
	"utter/ui/model/wording"
)

// note is an application that is installed and that nobody wrote a profile of.
func note(d *sessiontest.Desk) { d.Install("note", "Note", "Categories=Utility;") }

func set(value, base any, path ...string) session.Set {
	return session.Set{Path: path, Value: value, Base: base}
}

func edit(app string, sets ...session.Set) session.Edit {
	return session.Edit{App: app, Kind: profile.Utility, Label: "label", Sets: sets}
}

// save saves and returns how it ended.
func save(t *testing.T, d *sessiontest.Desk, e session.Edit) error {
	t.Helper()
	err := errors.New("not ended")
	d.Session.Save(e, func(e error) { err = e })
	return err
}

func keys(t *testing.T, text ...string) chord.Sequence {
	t.Helper()
	var seq chord.Sequence
	for _, s := range text {
		c, err := chord.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		seq = append(seq, c)
	}
	return seq
}

// check compares the profile files with name and text by turns.
func check(t *testing.T, d *sessiontest.Desk, what string, want ...string) {
	t.Helper()
	files := map[string]string{}
	for i := 0; i < len(want); i += 2 {
		files[want[i]] = want[i+1]
	}
	if got := d.Files(); !maps.Equal(got, files) {
		t.Errorf("%s: the files are %q, want %q", what, got, files)
	}
}

const mine = "utility_note.yaml"

func restored() string { return "restored" }

func TestSaveWritesOneField(t *testing.T) {
	tests := []struct {
		name, before string
		set          session.Set
		want         string
	}{
		{"a new file", "-", set([]string{"pad"}, nil, "aliases"), "id: note\naliases: [pad]\n"},
		{"an empty list is a value", "-", set([]string{}, nil, "aliases"), "id: note\naliases: []\n"},
		{"an empty text is a value", "-", set("", nil, "search_url"), "id: note\nsearch_url: \"\"\n"},
		{"no value leaves nothing", "-", set(nil, nil, "aliases"), "-"},
		{"no value leaves the rest", "id: note\naliases: [a]\nkind: office\n", set(nil, []string{"a"}, "aliases"), "id: note\nkind: office\n"},
		{"the last value takes the file along", "id: note\naliases: [a]\n", set(nil, []string{"a"}, "aliases"), "-"},
		{"but no comment", "# why\nid: note\naliases: [a]\n", set(nil, []string{"a"}, "aliases"), "# why\nid: note\n"},
		{"comments, order and quotes stay", "# mine\nshortcuts:\n  save: 'ctrl+s'   # as ever\n\nid:   note\naliases:\n  - \"a\"  # first\n  - b\n", set("office", nil, "kind"),
			"# mine\nshortcuts:\n  save: 'ctrl+s'   # as ever\n\nid:   note\naliases:\n  - \"a\"  # first\n  - b\nkind: office\n"},
		{"the value that is there already", "id: note\nkind: office\n", set("office", "office", "kind"), "id: note\nkind: office\n"},
	}
	for _, tt := range tests {
		d := sessiontest.New(t, func(d *sessiontest.Desk) {
			note(d)
			if tt.before != "-" {
				d.Profile(mine, tt.before)
			}
		})
		if err := save(t, d, edit("note", tt.set)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		changed := tt.before != tt.want
		if got := d.Read(d.Path(mine)); got != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
		if (d.Tells == 1) != changed || (len(d.Toasts) == 1) != changed || (d.Session.CanUndo() == "label") != changed {
			t.Errorf("%s: told %d times, toasts %v, undo %q", tt.name, d.Tells, d.Toasts, d.Session.CanUndo())
		}
		d.Session.Undo()
		if got := d.Read(d.Path(mine)); got != tt.before {
			t.Errorf("%s: undone: %q, want %q", tt.name, got, tt.before)
		}
		d.Session.Redo()
		if got := d.Read(d.Path(mine)); got != tt.want {
			t.Errorf("%s: done again: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestAnEditFindsItsFile: the one that wins, by whatever id, and never another
// application's.
func TestAnEditFindsItsFile(t *testing.T) {
	tests := []struct {
		name  string
		app   string
		files []string // name and text by turns, before
		file  string   // that changes
		want  string
	}{
		{"of several files the last one wins", "note", []string{"a.yaml", "id: note\naliases: [a]\n", "b.yaml", "id: note\naliases: [b]\n"},
			"b.yaml", "id: note\naliases: [new]\n"},
		{"an id in another case", "note", []string{"a.yaml", "id: NOTE\naliases: [b]\n"}, "a.yaml", "id: NOTE\naliases: [new]\n"},
		{"an id under which the application is known as well", "firefox", []string{"a.yaml", "id: org.mozilla.firefox\naliases: [b]\n"},
			"a.yaml", "id: org.mozilla.firefox\naliases: [new]\n"},
		{"a file of several applications", "note", []string{"a.yaml", "profiles:\n  other: {aliases: [x]}\n  note:\n    aliases: [b]\n"},
			"a.yaml", "profiles:\n  other: {aliases: [x]}\n  note:\n    aliases: [new]\n"},
		{"a file whose name would be the new one's", "note", []string{mine, "id: other\n", "utility_note-2.yaml", "id: third\n"},
			"utility_note-3.yaml", "id: note\naliases: [new]\n"},
		{"a file with nothing but a comment", "note", []string{mine, "# to do\n"}, mine, "# to do\nid: note\naliases: [new]\n"},
		{"all applications", profile.Everywhere, nil, "utility_everywhere.yaml", ""},
		{"all of a kind", "generic-game", nil, "utility_generic-game.yaml", ""},
	}
	for _, tt := range tests {
		d := sessiontest.New(t, func(d *sessiontest.Desk) {
			note(d)
			for i := 0; i < len(tt.files); i += 2 {
				d.Profile(tt.files[i], tt.files[i+1])
			}
		})
		s := set([]string{"new"}, []string{"b"}, "aliases")
		if tt.want == "" {
			s, tt.want = set(keys(t, "ctrl+j"), nil, "shortcuts", "jump"), "id: "+tt.app+"\nshortcuts:\n  jump: ctrl+j\n"
		} else if !strings.Contains(tt.files[len(tt.files)-1], "b]") {
			s.Base = nil
		}
		before := d.Files()
		if err := save(t, d, edit(tt.app, s)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		before[tt.file] = tt.want
		if got := d.Files(); !maps.Equal(got, before) {
			t.Errorf("%s: %q, want %q", tt.name, got, before)
		}
	}
}

// TestTheOnlyFileOfAnApplicationStays: without it the application would go.
func TestTheOnlyFileOfAnApplicationStays(t *testing.T) {
	for app, want := range map[string]string{"mine": "id: mine\n", "generic-game": "-", profile.Everywhere: "-"} {
		d := sessiontest.New(t, func(d *sessiontest.Desk) { d.Profile("m.yaml", "id: "+app+"\nshortcuts: {a: f2}\n") })
		if err := save(t, d, edit(app, set(nil, keys(t, "f2"), "shortcuts", "a"))); err != nil {
			t.Errorf("%s: %v", app, err)
		}
		if got := d.Read(d.Path("m.yaml")); got != want {
			t.Errorf("%s: %q, want %q", app, got, want)
		}
	}
}

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
		{"the same field, mine", "id: note\naliases: [theirs]\nkind: game\n", "mine", "id: note\naliases: [mine]\nkind: game\n"},
		{"the same field, theirs", "id: note\naliases: [theirs]\nkind: game\n", "theirs", "id: note\naliases: [theirs]\nkind: game\n"},
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
		if last := ended[len(ended)-1]; (tt.answer == "theirs") != errors.Is(last, session.ErrDropped) || tt.answer == "mine" && last != nil {
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
		{"one that was put aside before", []string{mine, hand, mine + "~", "old"}, []string{mine + "~", "old", mine + "~2", hand}},
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
	if !errors.Is(err, profile.ErrBroken) || d.Session.Failure() == nil || !errors.Is(d.Session.Failure().Err(), profile.ErrBroken) {
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
		{"the disk is full", func(d *sessiontest.Desk) { d.Full = syscall.ENOSPC }, func(d *sessiontest.Desk) { d.Full = nil }, syscall.ENOSPC, session.NoBanner},
		{"a read-only disk", func(d *sessiontest.Desk) { d.Full = syscall.EROFS }, func(d *sessiontest.Desk) { d.Full = nil }, syscall.EROFS, session.NoBanner},
		{"a file where the folder should be", func(d *sessiontest.Desk) { d.Put(d.Dirs.Profiles(), "") }, func(d *sessiontest.Desk) { d.Put(d.Dirs.Profiles(), "-") }, syscall.ENOTDIR, session.ReadOnlyBanner},
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
		if f == nil || !errors.Is(f.Err(), tt.want) || d.Session.Banner().Kind != session.FailureBanner || d.Session.CanUndo() != "" {
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
		d.Session.Save(edit(app, set([]string{name}, nil, "aliases")), func(err error) { ended[name] = append(ended[name], err) })
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
	check(t, d, "tried again", mine, "id: note\nkind: office\naliases: [three]\n", "utility_pad.yaml", "id: pad\naliases: [two]\n")
	if d.Session.Failure() != nil || len(ended["one"]) != 1 || ended["two"][1] != nil || ended["three"][1] != nil {
		t.Errorf("failure %v, ended %v", d.Session.Failure(), ended)
	}

	d.Full = syscall.ENOSPC
	d.Session.Save(edit("note", set("game", "office", "kind")), func(err error) { ended["kind"] = append(ended["kind"], err) })
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

// TestAChangeWaitsForWhatIsBeingRead: it may say which file is the right one.
func TestAChangeWaitsForWhatIsBeingRead(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Profile("x.yaml", "id: note\nkind: game\n")
	d.Work.ByHand = true
	d.Session.Reload()
	d.Session.Save(edit("note", set([]string{"a"}, nil, "aliases")), nil)
	d.Work.Finish()
	check(t, d, "saved", "x.yaml", "id: note\nkind: game\naliases: [a]\n")
}

// TestUndoThatFailed can be tried again.
func TestUndoThatFailed(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Profile(mine, "id: note\nkind: game\n") })
	save(t, d, edit("note", set("office", "game", "kind")))
	d.Full = syscall.ENOSPC
	d.Session.Undo()
	d.Session.Undo()
	if f := d.Session.Failure(); f == nil || f.Text() != "label\n" || d.Session.CanUndo() == "" || d.Session.CanRedo() != "" {
		t.Errorf("failure %+v, undo %q, redo %q", f, d.Session.CanUndo(), d.Session.CanRedo())
	}
	d.Full = nil
	d.Session.TryAgain(d.Session.Failure())
	check(t, d, "undone", mine, "id: note\nkind: game\n")
	if d.Session.Failure() != nil || d.Session.CanUndo() != "" || d.Session.CanRedo() == "" || d.LastToast() != "Undone – label" {
		t.Errorf("failure %v, undo %q, redo %q, toast %q", d.Session.Failure(), d.Session.CanUndo(), d.Session.CanRedo(), d.LastToast())
	}
}

// TestUndoOverAnOutsideEditIsAsked, and loses neither version.
func TestUndoOverAnOutsideEditIsAsked(t *testing.T) {
	const before, after, outside = "id: note\nkind: game\n", "id: note\nkind: office\n", "id: note\nkind: office\naliases: [new]\n"
	start := func() *sessiontest.Desk {
		d := sessiontest.New(t, func(d *sessiontest.Desk) { note(d); d.Install("pad", "Pad"); d.Profile(mine, before) })
		save(t, d, edit("pad", set("game", nil, "kind")))
		save(t, d, edit("note", set("office", "game", "kind")))
		check(t, d, "saved", mine, after, "utility_pad.yaml", "id: pad\nkind: game\n")
		d.Profile(mine, outside)
		d.Session.Undo()
		c := d.Session.Conflict()
		if c == nil || len(c.Rows) != 2 || wording.Path(c.Rows[0].Path) != "Names you can say" || c.Rows[1].Theirs != "office" || c.Rows[1].Yours != "game" {
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

// TestChangesKeepTheirOrder, though all are asked for before the first is done:
// each sees what the one before it wrote.
func TestChangesKeepTheirOrder(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Work.ByHand = true
	var order []string
	add := func(name string) {
		d.Session.Do(func() session.Edit {
			names := slices.Clone(d.InForce("note").Aliases)
			var base any
			if d.InForce("note").Layer == profile.User {
				base = names
			}
			return edit("note", set(append(names, name), base, "aliases"))
		}, func(err error) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			order = append(order, name)
		})
	}
	add("one")
	add("two")
	d.Session.Undo()
	add("three")
	d.Session.WhenIdle(func() { order = append(order, "idle") })
	if !d.Session.Busy() || d.Session.CanUndo() != "" {
		t.Errorf("busy %v, undo %q", d.Session.Busy(), d.Session.CanUndo())
	}
	d.Work.Finish()
	if got := strings.Join(order, " "); got != "one two three idle" || d.Session.Busy() {
		t.Errorf("order %q, busy %v", got, d.Session.Busy())
	}
	check(t, d, "all done", mine, "id: note\naliases: [note, one, three]\n")
	if d.Tells != 4 {
		t.Errorf("the agent was told %d times", d.Tells)
	}
	d.Session.WhenIdle(func() { order = nil })
	if order != nil {
		t.Error("WhenIdle waited for nothing")
	}
}

// TestUndoTwiceAtOnce takes back two changes, not one twice.
func TestUndoTwiceAtOnce(t *testing.T) {
	d := sessiontest.New(t, note)
	save(t, d, edit("note", set("game", nil, "kind")))
	save(t, d, edit("note", set("office", "game", "kind")))
	d.Work.ByHand = true
	d.Session.Undo()
	d.Session.Undo()
	d.Session.Undo() // nothing is left
	d.Session.Redo()
	d.Work.Finish()
	check(t, d, "undone twice and done again", mine, "id: note\nkind: game\n")
	if d.Session.Conflict() != nil {
		t.Errorf("conflict %+v", d.Session.Conflict())
	}
}

func TestAnEditWithoutSetsDoesNothing(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Session.Save(edit("note"), func(error) { t.Error("ended") })
	if d.Session.Busy() {
		t.Error("busy")
	}
}

func TestReloadCoalesces(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Work.ByHand = true
	loads := d.Loads
	for range 5 {
		d.Session.Reload()
	}
	if d.Work.Waiting() != 1 {
		t.Errorf("%d loads at once", d.Work.Waiting())
	}
	d.Work.Finish()
	if got := d.Loads - loads; got != 2 {
		t.Errorf("5 calls of Reload loaded %d times, want 2", got)
	}
}

// TestReloadSeesWhatIsInstalled and tells who listens.
// TestASaveIsLoadedOnce though the files are watched, too.
func TestASaveIsLoadedOnce(t *testing.T) {
	d := sessiontest.New(t, note)
	loads := d.Loads
	if err := save(t, d, edit("note", set([]string{"a"}, nil, "aliases"))); err != nil {
		t.Fatal(err)
	}
	file := d.InForce("note").Origin.File
	d.Session.Noticed([]string{file})
	if d.Loads != loads+1 {
		t.Errorf("%d loads of a save, want 1", d.Loads-loads)
	}
	d.Put(file, "id: note\naliases: [b]\n")
	d.Session.Noticed([]string{file})
	if d.Loads != loads+2 || !slices.Equal(d.InForce("note").Aliases, []string{"b"}) {
		t.Errorf("an outside edit is not seen: %q", d.InForce("note").Aliases)
	}
	d.Session.Noticed(nil)
	if d.Loads != loads+3 {
		t.Errorf("%d loads, want one more where anything may have changed", d.Loads-loads)
	}
}

// TestWhatIsNoticedDuringALoad is looked at after it.
func TestWhatIsNoticedDuringALoad(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Profile("x.yaml", "id: note\n")
	d.Work.ByHand = true
	loads := d.Loads
	d.Session.Reload()
	d.Session.Noticed([]string{d.Path("x.yaml")})
	d.Work.Finish()
	if d.Loads != loads+1 {
		t.Errorf("%d loads, want 1: it saw the file", d.Loads-loads)
	}
	d.Session.Reload()
	d.Session.Noticed([]string{d.Dirs.ConfigFile()})
	d.Work.Finish()
	if d.Loads != loads+3 {
		t.Errorf("%d loads, want 3: the second began before the change", d.Loads-loads)
	}
}

func TestReloadSeesWhatIsInstalled(t *testing.T) {
	d := sessiontest.New(t, note)
	told := 0
	leave := d.Session.Subscribe(func() { told++ })
	d.Install("pad", "Pad")
	d.Session.Reload()
	if d.InForce("pad").Name != "Pad" || told != 1 {
		t.Errorf("pad is %q, told %d times", d.InForce("pad").Name, told)
	}
	leave()
	d.Session.Reload()
	if told != 1 {
		t.Error("told after the end")
	}
}

func TestAFailedLoadKeepsWhatIsKnown(t *testing.T) {
	var fault error
	lib := &catalog.Library{}
	s := session.New(session.Parts{
		Async: func(work func() error, done func(error)) { done(work()) },
		Load:  func() (*catalog.Library, error) { return lib, fault },
	})
	s.Restore("x", restored) // before anything is known
	s.Reload()
	fault = errors.New("built-in profiles")
	s.Reload()
	if s.Library() != lib || s.Failure() == nil || s.Failure().Text() != "" || s.Banner().Title != "The applications could not be read" {
		t.Errorf("failure %+v, banner %+v", s.Failure(), s.Banner())
	}
	s.TryAgain(s.Failure())
	if s.Failure() == nil {
		t.Error("the failure was forgotten")
	}
	fault = nil
	s.TryAgain(s.Failure())
	if s.Failure() != nil {
		t.Errorf("failure %+v after a load", s.Failure())
	}
}

func TestUnsubscribeWhileBeingTold(t *testing.T) {
	d := sessiontest.New(t, nil)
	var told []string
	var leaveFirst, leaveSecond func()
	leaveFirst = d.Session.Subscribe(func() {
		told = append(told, "first")
		leaveFirst()
		leaveSecond()
	})
	leaveSecond = d.Session.Subscribe(func() { told = append(told, "second") })
	d.Session.Subscribe(func() { told = append(told, "third") })
	d.Session.SetAgent(session.AgentState{})
	d.Session.SetAgent(session.AgentState{})
	if got := strings.Join(told, " "); got != "first third third" {
		t.Errorf("told %q", got)
	}
}

// TestTheMostUrgentBanner of several.
func TestTheMostUrgentBanner(t *testing.T) {
	d := sessiontest.New(t, note)
	banner := func(want session.BannerKind, title string) {
		t.Helper()
		if b := d.Session.Banner(); b.Kind != want || b.Title != title {
			t.Errorf("banner %+v, want %v %q", b, want, title)
		}
	}
	banner(session.NoBanner, "")
	d.Session.SetAgent(session.AgentState{})
	banner(session.AgentBanner, "The Utter agent is not running")
	d.Profile("a.yaml", "nonsense\n")
	d.Session.Reload()
	banner(session.ProblemBanner, "A file has an error")
	d.Profile("b.yaml", "nonsense\n")
	d.Session.Reload()
	banner(session.ProblemBanner, "2 files have errors")
	d.Full = syscall.ENOSPC
	d.Session.Save(edit("note", set("game", nil, "kind")), nil)
	banner(session.FailureBanner, "Your change could not be saved")
	d.Full = nil
	d.Profile(mine, "id: note\naliases: [theirs]\n")
	d.Session.Save(edit("note", set([]string{"mine"}, nil, "aliases")), nil)
	banner(session.ConflictBanner, "This was also changed outside this window")
}

// TestProblemsOfTwoReadersAreToldOnce though the agent, which has seen the file
// before it broke, says more.
func TestProblemsOfTwoReadersAreToldOnce(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { d.Profile("a.yaml", "id: a\nkind: x\n") })
	ours := d.Session.Problems()
	if len(ours) != 1 || len(d.Session.Broken()) != 1 {
		t.Fatalf("problems %v", ours)
	}
	same := ours[0]
	same.Message += "; its last good version stays in force"
	other := profile.Problem{Origin: profile.Origin{File: "config.toml"}, Severity: profile.Warning, Message: "other"}
	d.Session.SetAgent(session.AgentState{Running: true, Problems: []profile.Problem{same, other}})
	if got := d.Session.Problems(); len(got) != 2 || !got[1].Equal(other) || len(d.Session.Broken()) != 1 {
		t.Errorf("problems %v", got)
	}
	if !d.Session.AgentKnown() || d.Session.Agent().Problems[1].Message != "other" {
		t.Error("the agent is not known")
	}
}

func TestSameValue(t *testing.T) {
	none := chord.Sequence{}
	del, act := keys(t, "delete"), map[string]string{"action": "delete"}
	values := []any{nil, []string{}, []string{"a, b"}, []string{"a", "b"}, "x", true, false, del, keys(t, "delete", "delete"), act}
	for i, a := range values {
		for j, b := range values {
			if session.SameValue(a, b) != (i == j) {
				t.Errorf("SameValue(%#v, %#v) = %v", a, b, i != j)
			}
		}
	}
	for _, pair := range [][2]any{{none, []string{}}, {none, ""}, {none, map[string]string{"action": ""}}, {"delete", act}} {
		if !session.SameValue(pair[0], pair[1]) {
			t.Errorf("%#v and %#v differ", pair[0], pair[1])
		}
	}
}

// TestValueReadsEveryField that profile.Change can set.
func TestValueReadsEveryField(t *testing.T) {
	values := map[string]any{
		"name": "Note", "aliases": []string{"a"}, "launch": []string{"note", "-x"}, "new_window": []string{"note", "-n"},
		"search_url": "https://x.org/{q}", "app_ids": []string{"n"}, "mime_types": []string{"a/b"}, "kind": "game", "terminal": true, "enabled": false,
	}
	var sets []session.Set
	for _, f := range profile.Fields {
		if values[f] == nil {
			t.Errorf("%s: no value in this test", f)
		}
		sets = append(sets, set(values[f], nil, f))
	}
	sets = append(sets, set(keys(t, "f1", "f2"), nil, "shortcuts", "jump"), set("jump", nil, "commands", "b"), set(keys(t, "f3"), nil, "commands", "c"))
	d := sessiontest.New(t, note)
	if err := save(t, d, edit("note", sets...)); err != nil {
		t.Fatal(err)
	}
	p := d.Session.Library().Explain("note").Files[0]
	for _, s := range sets {
		if got := p.Value(s.Path...); !session.SameValue(got, s.Value) {
			t.Errorf("%q: %#v, want %#v", s.Path, got, s.Value)
		}
	}
	for _, path := range [][]string{{"shortcuts", "z"}, {"commands", "z"}, {"nonsense"}} {
		if got := p.Value(path...); got != nil {
			t.Errorf("%q: %#v", path, got)
		}
	}
	if (*profile.Patch)(nil).Value("name") != nil {
		t.Error("nothing says something")
	}
	if err := save(t, d, edit("note", set("x", nil, "nonsense"))); err == nil {
		t.Error("a field that there is not was saved")
	}
}

// TestAddCase saves what "utter eval" needs, and what is the user's marked.
func TestAddCase(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) {
		note(d)
		d.Profile("x.yaml", "profiles:\n  note: {aliases: [jotter], shortcuts: {jump: f2}}\n  mine: {name: Mine}\n  everywhere: {commands: {greet: f3}}\n")
		d.Config("[search]\nengine = 'youtube'\n")
	})
	file := filepath.Join(d.Dirs.Config, "utter", "tests.json")
	c := cases.Case{Utterance: "jump", Focused: &bus.ContextWindow{AppID: "note"}}
	d.Session.AddCase("saved", file, c)
	text := d.Read(file)
	for _, want := range []string{`"utterance": "jump"`, `"engine": "youtube"`, `"everywhere": {`, `"mine": {`, `"generic-browser": {`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the file", want)
		}
	}
	own := text[strings.Index(text, `"note": {`):]
	own = own[strings.Index(own, `"own": {`):][:120]
	if !strings.Contains(own, "jotter") || !strings.Contains(own, `"jump": "f2"`) {
		t.Errorf("own is %s", own)
	}
	d.Session.Undo()
	if d.Read(file) != "-" || d.LastToast() != "Undone – saved" {
		t.Errorf("undone: %s, toast %q", d.Read(file), d.LastToast())
	}

	d.Put(file, "{}")
	d.Session.AddCase("saved", file, c)
	if f := d.Session.Failure(); f == nil || !errors.Is(f.Err(), cases.ErrOther) || f.Text() != "jump\n" || d.Read(file) != "{}" {
		t.Errorf("another file: %+v, %s", f, d.Read(file))
	}
	d.Put(file, "-")
	d.Session.TryAgain(d.Session.Failure())
	if d.Read(file) != text {
		t.Errorf("tried again: %s", d.Read(file))
	}
	d.Config("nonsense")
	d.Session.AddCase("saved", file, c)
	if d.Session.Failure() == nil || d.Read(file) != text {
		t.Error("a case without its search engine was saved")
	}
}

func TestConfigure(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { d.Config("# mine\n[search]\nengine = 'a' # b\n") })
	engine := func(name string) session.Setting {
		return session.Setting{Table: "search", Key: "engine", Label: "changed", Value: func(c config.Config) (any, bool) { return name, name != c.Search.Engine }}
	}
	var ended []error
	note := func(err error) { ended = append(ended, err) }
	d.Session.Configure(engine("a"), note)
	d.Session.Configure(engine("bing"), note)
	d.Session.Configure(engine(""), note) // refused by the file's reader
	if got := d.Read(d.Dirs.ConfigFile()); got != "# mine\n[search]\nengine = 'bing' # b\n" {
		t.Errorf("file %q", got)
	}
	f := d.Session.Failure()
	if len(ended) != 3 || ended[0] != nil || ended[1] != nil || !errors.Is(ended[2], config.ErrRefused) || f == nil || f.Text() != "changed: none\n" {
		t.Errorf("ended %v, failure %+v", ended, f)
	}
	d.Session.Configure(engine("google"), note) // of the same value: the failure has been seen to
	if d.Session.Failure() != nil || len(d.Toasts) != 2 {
		t.Errorf("failure %v, toasts %v", d.Session.Failure(), d.Toasts)
	}
	d.Config("nonsense")
	d.Session.Configure(engine("x"), note)
	if !errors.Is(ended[4], config.ErrBroken) || d.Read(d.Dirs.ConfigFile()) != "nonsense" {
		t.Errorf("ended %v, file %q", ended, d.Read(d.Dirs.ConfigFile()))
	}
	d.Session.Dismiss(d.Session.Failure())
	d.Config("[search]\nengine = 'theirs'\n")
	d.Session.Undo()
	if c := d.Session.Conflict(); c == nil || c.File != d.Dirs.ConfigFile() || len(c.Rows) != 0 {
		t.Errorf("conflict %+v", c)
	}
	d.Session.KeepMine(d.Session.Conflict())
	if got := d.Read(d.Dirs.ConfigFile()); got != "# mine\n[search]\nengine = 'bing' # b\n" {
		t.Errorf("undone: %q", got)
	}
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
	if f := d.Session.Failure(); f == nil || f.Text() != "Search address: https://x.org/{q}\n" || len(f.Changes) != 1 || !errors.Is(f.Changes[0].Err, syscall.ENOSPC) {
		t.Errorf("failure %+v", f)
	}
	d.Session.TryAgain(failed)
	if d.Session.Failure() == nil {
		t.Error("tried again what was not shown")
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
	if f == nil || len(f.Changes) != 3 || !errors.Is(f.Err(), wording.ErrUnread) || !errors.Is(f.Err(), d.NoLoad) || d.Writes != 0 || f.Text() != "Kind: office\nrestored\nx\n" {
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

// TestNewFilesOfWhatWasSaidArePrivate, and those that are there stay as they are.
func TestNewFilesOfWhatWasSaidArePrivate(t *testing.T) {
	d := sessiontest.New(t, note)
	file := filepath.Join(d.Dirs.Config, "tests.json")
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	d.Session.AddCase("saved", file, cases.Case{Utterance: "x"})
	d.Session.Configure(session.Setting{Table: "search", Key: "engine", Value: func(config.Config) (any, bool) { return "bing", true }}, nil)
	if mode(file) != 0o600 || mode(d.Dirs.ConfigFile()) != 0o600 {
		t.Errorf("modes %o %o", mode(file), mode(d.Dirs.ConfigFile()))
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	d.Session.AddCase("saved", file, cases.Case{Utterance: "y"})
	if mode(file) != 0o640 {
		t.Errorf("mode %o", mode(file))
	}
	save(t, d, edit("note", set("game", nil, "kind")))
	if mode(d.Path(mine)) != 0o644 {
		t.Errorf("a profile: mode %o", mode(d.Path(mine)))
	}
}

// TestAFollowedFile is read with a load, where it has changed.
func TestAFollowedFile(t *testing.T) {
	d := sessiontest.New(t, note)
	file := d.Dirs.ConfigFile()
	var order []string
	d.Session.Follow(file, func() func() {
		order = append(order, "read")
		return func() { order = append(order, "take") }
	})
	d.Session.Subscribe(func() { order = append(order, "changed") })
	for _, do := range []struct {
		f    func()
		want string
	}{
		{func() {}, "read take changed"},
		{func() {}, "changed"},
		{func() { d.Config("# one\n") }, "read take changed"},
		{func() { d.Config("# two\n") }, "read take changed"},
		{func() {}, "changed"},
		{func() { d.Put(file, "-") }, "read take changed"},
		{func() {}, "changed"},
	} {
		order = nil
		do.f()
		d.Session.Reload()
		if got := strings.Join(order, " "); got != do.want {
			t.Errorf("%q, want %q", got, do.want)
		}
	}
}
