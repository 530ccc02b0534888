package session_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/profile"
	"utter/ui/model/cases"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
)

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
		{"no value leaves the rest", "id: note\naliases: [a]\nkind: office\n", set(nil, []string{"a"}, "aliases"),
			"id: note\nkind: office\n"},
		{"the last value takes the file along", "id: note\naliases: [a]\n", set(nil, []string{"a"}, "aliases"), "-"},
		{"but no comment", "# why\nid: note\naliases: [a]\n", set(nil, []string{"a"}, "aliases"), "# why\nid: note\n"},
		{"comments, order and quotes stay",
			"# mine\nshortcuts:\n  save: 'ctrl+s'   # as ever\n\nid:   note\naliases:\n  - \"a\"  # first\n  - b\n",
			set("office", nil, "kind"),
			"# mine\nshortcuts:\n  save: 'ctrl+s'   # as ever\n\nid:   note\naliases:\n  - \"a\"  # first\n  - b\n" +
				"kind: office\n"},
		{"the value that is there already", "id: note\nkind: office\n", set("office", "office", "kind"),
			"id: note\nkind: office\n"},
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
		{"of several files the last one wins", "note",
			[]string{"a.yaml", "id: note\naliases: [a]\n", "b.yaml", "id: note\naliases: [b]\n"},
			"b.yaml", "id: note\naliases: [new]\n"},
		{"an id in another case", "note", []string{"a.yaml", "id: NOTE\naliases: [b]\n"}, "a.yaml",
			"id: NOTE\naliases: [new]\n"},
		{"an id under which the application is known as well", "firefox",
			[]string{"a.yaml", "id: org.mozilla.firefox\naliases: [b]\n"},
			"a.yaml", "id: org.mozilla.firefox\naliases: [new]\n"},
		{"a file of several applications", "note",
			[]string{"a.yaml", "profiles:\n  other: {aliases: [x]}\n  note:\n    aliases: [b]\n"},
			"a.yaml", "profiles:\n  other: {aliases: [x]}\n  note:\n    aliases: [new]\n"},
		{"a file whose name would be the new one's", "note",
			[]string{mine, "id: other\n", "utility_note-2.yaml", "id: third\n"},
			"utility_note-3.yaml", "id: note\naliases: [new]\n"},
		{"a file with nothing but a comment", "note", []string{mine, "# to do\n"}, mine,
			"# to do\nid: note\naliases: [new]\n"},
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

func TestAnEditWithoutSetsDoesNothing(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Session.Save(edit("note"), func(error) { t.Error("ended") })
	if d.Session.Busy() {
		t.Error("busy")
	}
}

func TestSameValue(t *testing.T) {
	none := chord.Sequence{}
	del, act := keys(t, "delete"), map[string]string{"action": "delete"}
	values := []any{nil, []string{}, []string{"a, b"}, []string{"a", "b"}, "x", true, false, del,
		keys(t, "delete", "delete"), act}
	for i, a := range values {
		for j, b := range values {
			if session.SameValue(a, b) != (i == j) {
				t.Errorf("SameValue(%#v, %#v) = %v", a, b, i != j)
			}
		}
	}
	for _, pair := range [][2]any{{none, []string{}}, {none, ""},
		{none, map[string]string{"action": ""}}, {"delete", act}} {
		if !session.SameValue(pair[0], pair[1]) {
			t.Errorf("%#v and %#v differ", pair[0], pair[1])
		}
	}
}

// TestValueReadsEveryField that profile.Change can set.
func TestValueReadsEveryField(t *testing.T) {
	values := map[string]any{
		"name": "Note", "aliases": []string{"a"}, "launch": []string{"note", "-x"}, "new_window": []string{"note", "-n"},
		"search_url": "https://x.org/{q}", "app_ids": []string{"n"}, "mime_types": []string{"a/b"}, "kind": "game",
		"terminal": true, "enabled": false,
	}
	var sets []session.Set
	for _, f := range profile.Fields {
		if values[f] == nil {
			t.Errorf("%s: no value in this test", f)
		}
		sets = append(sets, set(values[f], nil, f))
	}
	sets = append(sets, set(keys(t, "f1", "f2"), nil, "shortcuts", "jump"), set("jump", nil, "commands", "b"),
		set(keys(t, "f3"), nil, "commands", "c"))
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
		t.Error("nothing speaks a text")
	}
	if err := save(t, d, edit("note", set("x", nil, "nonsense"))); err == nil {
		t.Error("a field that there is not was saved")
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
	d.Session.Configure(session.Setting{Table: "search", Key: "engine",
		Value: func(config.Config) (any, bool) { return "bing", true }}, nil)
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
