package profile

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"utter/profiles"
	"utter/shared/chord"
)

func chords(t *testing.T, texts ...string) chord.Sequence {
	t.Helper()
	seq := chord.Sequence{}
	for _, s := range texts {
		c, err := chord.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		seq = append(seq, c)
	}
	return seq
}

// change writes a Change short: a path joined by slashes, and the value.
func change(path string, value any) Change { return Change{strings.Split(path, "/"), value} }

// edited changes the content of a file.
func edited(data []byte, id string, changes ...Change) ([]byte, error) {
	f, err := Parse("profile", User, data).Edit(id, changes...)
	if err != nil {
		return nil, err
	}
	return f.Bytes(), nil
}

// says returns what the content of a file says, or its first error.
func says(data []byte) ([]Patch, error) {
	f := Parse("profile", User, data)
	return f.Patches, f.Err()
}

const fox = `# my browser
id: firefox  # as the system calls it

# what I say
aliases: [ff, "on"]   # short
shortcuts:
  # of the add-on
  jump: [ctrl+k, ctrl+m]

  new_tab: 'ctrl+t'
  # old: ctrl+o
name: "Fire Fox"
kind: browser
search_url: "https://x.org/{q}"
`

// An edit is a change of a file, and the one place in which the file differs.
type edit struct {
	name     string
	before   string
	change   Change
	old, new string
}

func editsOfFox(t *testing.T) []edit {
	return []edit{
		{"a text keeps its quotes", fox, change("name", "Fox"), `"Fire Fox"`, `"Fox"`},
		{"and may need others", "id: a\nname: 'x'\n", change("name", "a\tb"), `'x'`, `"a\tb"`},
		{"a list keeps those of its items", fox, change("aliases", []string{"on", "ff", "f"}), `[ff, "on"]`, `["on", ff, f]`},
		{"an empty list", fox, change("aliases", []string{}), `[ff, "on"]`, "[]"},
		{"a chord", fox, change("shortcuts/new_tab", chords(t, "ctrl+n")), "'ctrl+t'", "'ctrl+n'"},
		{"two chords", fox, change("shortcuts/new_tab", chords(t, "ctrl+n", "f5")), "'ctrl+t'", "[ctrl+n, f5]"},
		{"no chord", fox, change("shortcuts/new_tab", chord.Sequence{}), "'ctrl+t'", "''"},
		{"a new chord", fox, change("shortcuts/close tab", chords(t, "ctrl+w")), "'ctrl+t'\n",
			"'ctrl+t'\n  close tab: ctrl+w\n"},
		{"a new field", fox, change("terminal", true), `{q}"` + "\n", `{q}"` + "\nterminal: true\n"},
		{"a new map", fox, change("commands/save it", chords(t, "ctrl+s")), `{q}"` + "\n",
			`{q}"` + "\ncommands:\n  save it: ctrl+s\n"},
		{"a field goes", fox, change("aliases", nil), "aliases: [ff, \"on\"]   # short\n", ""},
		{"an entry goes", fox, change("shortcuts/jump", nil), "  jump: [ctrl+k, ctrl+m]\n", ""},
		{"a map goes", fox, change("shortcuts", nil), fox[strings.Index(fox, "shortcuts:"):strings.Index(fox, "name:")], ""},
		{"with its last entry", "id: a\nshortcuts: # mine\n  b: f5\n\nname: c\n", change("shortcuts/b", nil),
			"shortcuts: # mine\n  b: f5\n", ""},
		{"what is not there", fox, change("shortcuts/none", nil), "", ""},
		{"what is as wanted", fox, change("aliases", []string{"ff", "on"}), "", ""},
	}
}

func editsOfForms(t *testing.T) []edit {
	return []edit{
		{"into a map in braces", "id: a\nshortcuts: {b: f5 }\n", change("shortcuts/c", chords(t, "f6")), "f5 ", "f5, c: f6 "},
		{"of a map in braces", "id: a\nshortcuts: {b: f5,\n c: f6 }\n", change("shortcuts/c", nil), ",\n c: f6", ""},
		{"the first in braces", "id: a\nshortcuts: {b: f5, c: f6}\n", change("shortcuts/b", nil), "b: f5, ", ""},
		{"behind a comment in braces", "id: a\nshortcuts: {b: f5, # five\n  c: f6}\n",
			change("shortcuts/c", nil), "c: f6", ""},
		{"into empty braces", "id: a\nshortcuts: {}\n", change("shortcuts/c", chords(t, "f6")), "{}", "{c: f6}"},
		{"the last in braces", "id: a\nshortcuts: {c: f6}\nname: b\n", change("shortcuts/c", nil),
			"shortcuts: {c: f6}\n", ""},
		{"into nothing", "id: a\nshortcuts: # none yet\n", change("shortcuts/c", chords(t, "f6")),
			"shortcuts:", "shortcuts: {c: f6}"},
		{"a profile in braces", "{id: a, name: b}\n", change("shortcuts/c", chords(t, "f6")), "b}", "b, shortcuts: {c: f6}}"},

		{"a list with a line an item", "id: a\naliases: # two\n  # b\n  - b # B\n  # c\n  - \"c\"\n\nname: d\n",
			change("aliases", []string{"e", "c", "b"}),
			"  # b\n  - b # B\n  # c\n  - \"c\"\n", "  - \"e\"\n  # c\n  - \"c\"\n  # b\n  - b # B\n"},
		{"such a list, emptied", "id: a\naliases: # two\n- b\n- c\nname: d\n", change("aliases", []string{}),
			"aliases: # two\n- b\n- c\n", "aliases: [] # two\n"},
		{"such a list of chords", "id: a\nshortcuts:\n  b:\n    - f5\n    - f6\n  c: f7\n",
			change("shortcuts/b", chords(t, "f8")), "b:\n    - f5\n    - f6\n", "b: f8\n"},
		{"a list over several lines", "id: a\naliases: [b, # B\n  c,\n] # all\nname: d\n", change("aliases", []string{"c"}),
			"[b, # B\n  c,\n]", "[c]"},
		{"a text over several lines", "id: a\nname: b\n  c # d\nkind: other\n", change("name", "e"), "b\n  c", "e"},
		{"a quoted text over several lines", "id: a\nname: \"b \\\" \\\n  # c\" # d\n", change("name", "e"),
			"\"b \\\" \\\n  # c\"", "e"},
		{"a text below its key", "id: a\nname:\n  b # c\n", change("name", "e"), "b", "e"},
		{"a text as it stands", "id: a\nlaunch: |\n  b c\n\n  # d\n\n# e\nname: f\n", change("launch", []string{"g", "#h"}),
			"|\n  b c\n\n  # d\n", "[g, \"#h\"]\n"},
		{"behind a text as it stands", "id: a\nname: >-\n  b\n\n  c\n\n\n# e\n", change("kind", "other"),
			"  c\n", "  c\nkind: other\n"},
		{"with a tag", "id: a\nname: !!str b\n", change("name", "007"), "!!str b", `!!str "007"`},

		{"Windows line ends", "id: a\r\nname: b # c\r\n", change("shortcuts/d", chords(t, "f5")), "# c\r\n",
			"# c\r\nshortcuts:\r\n  d: f5\r\n"},
		{"a byte order mark", "\ufeffid: a\nname: b\n", change("name", "ä"), "name: b", "name: ä"},
		{"other letters before it", "id: a\n? ä\n: 1\nshortcuts: {ä b: f5, ö: f6}\n",
			change("shortcuts/ö", chords(t, "f7")), "f6", "f7"},
		{"no last line end", "id: a\nname: b", change("kind", "game"), "b", "b\nkind: game"},
		{"and the last line goes", "id: a\nname: b", change("name", nil), "\nname: b", ""},
		{"an indented profile", "  id: a\n  name: b\n", change("kind", "game"), "b\n", "b\n  kind: game\n"},
		{"a document in marks", "---\nid: a\n...\n", change("kind", "game"), "id: a\n", "id: a\nkind: game\n"},

		{"one of several", "profiles:\n  a:\n    name: b\n  firefox:\n    name: c\n", change("name", "d"), "c", "d"},
		{"the first of several", "profiles:\n    firefox:\n        id: firefox\n        # end\n    a:\n        name: b\n",
			change("name", "d"), "id: firefox\n", "id: firefox\n        name: d\n"},
		{"its only field", "profiles:\n  firefox:\n    name: c\n  b: {}\n", change("name", nil),
			"firefox:\n    name: c\n", "firefox: {}\n"},
		{"and one again", "profiles:\n  firefox: {}\n", change("name", "c"), "{}", "{name: c}"},

		{"an empty file", "", change("name", "c"), "", "id: firefox\nname: c\n"},
		{"an empty file stays", "# mine\n", change("name", nil), "", ""},
		{"comments alone", "# mine", change("shortcuts/a", chords(t, "f5")), "# mine",
			"# mine\nid: firefox\nshortcuts:\n  a: f5\n"},
		{"an action", "", change("commands/go", map[string]string{"action": "on"}), "",
			"id: firefox\ncommands:\n  go: {action: \"on\"}\n"},
	}
}

func TestEdit(t *testing.T) {
	for _, tt := range slices.Concat(editsOfFox(t), editsOfForms(t)) {
		t.Run(tt.name, func(t *testing.T) {
			id := "firefox"
			if !strings.Contains(tt.before+tt.new, id) {
				id = "a"
			}
			want := tt.before
			if tt.old != tt.new {
				want = strings.Replace(tt.before, tt.old, tt.new, 1)
			}
			after, err := edited([]byte(tt.before), id, tt.change)
			if err != nil || string(after) != want {
				t.Errorf("%v\n%s\nwant\n%s", err, after, want)
			}
		})
	}
}

// TestEditAndBack changes an existing field and changes it back.
func TestEditAndBack(t *testing.T) {
	for _, before := range []string{fox, strings.ReplaceAll(fox, "\n", "\r\n"), "\ufeff" + strings.TrimSuffix(fox, "\n"),
		"profiles:\n  a: {}\n\n  " + strings.ReplaceAll(fox, "\n", "\n    ")[len("# my browser\n    "):]} {
		before = strings.Replace(before, "  id: firefox", "  firefox:\n    id: firefox", 1)
		for _, c := range []struct{ there, back Change }{
			{change("name", "Fox"), change("name", "Fire Fox")},
			{change("kind", "game"), change("kind", "browser")},
			{change("search_url", "https://x.org/?q={q}#"), change("search_url", "https://x.org/{q}")},
			{change("aliases", []string{"a, b"}), change("aliases", []string{"ff"})},
			{change("shortcuts/jump", chords(t, "f5")), change("shortcuts/jump", chords(t, "ctrl+k", "ctrl+m"))},
			{change("shortcuts/new_tab", chords(t, "f5")), change("shortcuts/new_tab", chords(t, "ctrl+t"))},
		} {
			start, err := edited([]byte(before), "firefox", c.back)
			if err != nil {
				t.Fatalf("%v of\n%s", err, before)
			}
			there, err := edited(start, "firefox", c.there)
			if err != nil || bytes.Equal(there, start) {
				t.Fatalf("%v: %v\n%s", c.there, err, there)
			}
			if back, err := edited(there, "firefox", c.back); err != nil || !bytes.Equal(back, start) {
				t.Errorf("%v\n%s\nwant\n%s", err, back, start)
			}
		}
	}
}

// TestEditOfTheCuratedProfiles changes one line each, and adds one.
func TestEditOfTheCuratedProfiles(t *testing.T) {
	files, err := fs.Glob(profiles.FS, "[^_]*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := fs.ReadFile(profiles.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		patches, _ := Decode(file, Curated, data)
		for _, p := range patches {
			after, err := edited(data, p.ID, change("name", "another"), change("terminal", p.Terminal == nil || !*p.Terminal))
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			before := strings.Split(string(data), "\n")
			lines := strings.Split(string(after), "\n")
			kept := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !slices.Contains(before, l) })
			if len(lines)-len(before) > 1 || len(lines)-len(kept) > 2 {
				t.Errorf("%s: %s\n%s", file, p.ID, after)
			}
		}
	}
}

// TestEditQuotes: YAML reads what is written as the very text.
func TestEditQuotes(t *testing.T) {
	texts := []string{"on", "Yes", "n", "007", "12:30", "1e3", "~", "null", "true", "{q}", "https://x.org/?q={q}",
		" a", "a ", "", "#a", "a #b",
		"a: b", "a:", ":", "- a", "-", "---", "? a", "[a", "a, b", "a]", "&a", "*a", "!a", "%a", "@a", "`a`", "it's", `"a"`,
		`a\b`, "a\nb", "\t", "\x00",
		"\u0085", "\u2028", "\ufeff", "<<", "=", "ä ö", "🦊", "|", ">"}
	for _, before := range []string{"id: a\n", "{id: a}\n", "id: a\naliases: ['b']\n", "id: a\naliases:\n  - \"b\"\n"} {
		after, err := edited([]byte(before), "a", change("aliases", texts))
		if err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		if got := decode(t, User, string(after))[0]; !slices.Equal(*got.Aliases, texts) {
			t.Errorf("%s\n%q", after, *got.Aliases)
		}
	}
	for _, s := range texts {
		after, err := edited([]byte("id: a\nname: b\n"), "a", change("name", s), change("shortcuts/"+s, chords(t, "f5")))
		if strings.Contains(s, "/") {
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if p := decode(t, User, string(after))[0]; *p.Name != s || p.Shortcuts[s].String() != "f5" {
			t.Errorf("%q became\n%s", s, after)
		}
	}
	after, err := edited(nil, "007", change("aliases", []string{"on", "plain", "two words", "{q}"}),
		change("terminal", false))
	if want := "id: \"007\"\naliases: [\"on\", plain, two words, \"{q}\"]\nterminal: false\n"; err != nil ||
		string(after) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, after, want)
	}
}

func TestEditRefuses(t *testing.T) {
	tests := []struct {
		before string
		change Change
		want   error
		text   string
	}{
		{"id: [a\n", change("name", "b"), ErrBroken, "the file has an error"},
		{"id: a\nkind: dance\n", change("kind", nil), ErrBroken, `2:7: "kind" is "dance"`},
		{"id: b\n", change("name", "b"), ErrNoProfile, "edit aliases of a: "},
		{"profiles: {b: {}}\n", change("name", "b"), ErrNoProfile, ""},
		{"id: a\n", change("kind", "dance"), ErrRefused, `3:7: "kind" is "dance"`},
		{"id: a\n", change("search_url", "https://x.org"), ErrRefused, "write {q}"},
		{"id: a\n", change("shortcuts", "x"), ErrRefused, "maps names"},
		{"id: a\n", change("name", "\xff"), ErrForm, ""},
		{"id: a\n", change("id", "b"), nil, `["id"] is not a field`},
		{"id: a\n", change("colour", "b"), nil, "is not a field"},
		{"id: a\n", change("name/b", "b"), nil, "is not a field"},
		{"id: a\n", Change{Value: "b"}, nil, "is not a field"},
		{"id: a\n", change("name", 3), nil, "cannot be a int"},
	}
	for _, tt := range tests {
		after, err := edited([]byte(tt.before), "a", change("aliases", []string{"x"}), tt.change)
		if err == nil || after != nil || tt.want != nil && !errors.Is(err, tt.want) ||
			!strings.Contains(err.Error(), tt.text) {
			t.Errorf("%q, %v: %q, %v; want %v, %q", tt.before, tt.change, after, err, tt.want, tt.text)
		}
		if tt.want == ErrBroken || tt.want == ErrRefused {
			if p, ok := errors.AsType[Problem](err); !ok || p.Message == "" {
				t.Errorf("%v has no Problem", err)
			}
		}
	}
}

// TestEditWritesRareFormsAnew: they are right, if not as they were.
func TestEditWritesRareFormsAnew(t *testing.T) {
	tests := []struct {
		before string
		change Change
		want   string
	}{
		{"# a\n? id\n: a\n? name\n: b # B\n? kind\n: other\n", change("name", nil), "# a\nid: a\nkind: other\n"},
		{"id: a\r\n? name\r\n: b # B\r\n", change("name", "c"), "id: a\r\nname: c\r\n"},
		{"id: a\nname: |+\n  b\n\n", change("kind", "other"), "id: a\nname: |+\n  b\n\nkind: other\n"},
	}
	for _, tt := range tests {
		if after, err := edited([]byte(tt.before), "a", tt.change); err != nil || string(after) != tt.want {
			t.Errorf("%q: %v\n%q\nwant\n%q", tt.before, err, after, tt.want)
		}
	}
}
