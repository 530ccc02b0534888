package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func found(findings []Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Subject, f.Code, f.Other)))
	}
	return strings.Join(all, ", ")
}

func TestLintAliases(t *testing.T) {
	x := NewIndex(Merge(slices.Concat(
		[]Patch{entry("org.x.Mail", "Mail")},
		decode(t, Curated, "id: generic-browser\nname: Web Browser\naliases: [browser]\nkind: browser\n"),
		decode(t, Curated, "id: fox\nname: Fox\naliases: [surfer]\n"),
		decode(t, User, "id: crow\nname: Crow\naliases: [Post, surfer]\n"),
		decode(t, User, "id: owl\nname: Owl\naliases: [post]\nenabled: false\n"),
	), nil))
	common := func(w string) bool { return w == "browser" || w == "mail" }
	phrase := func(t string) bool { return t == "copy" || t == "open new tab" }
	for alias, want := range map[string]string{
		"scribble":    "",
		"Post!":       "Post! name_taken Crow",
		"surfer":      "surfer name_taken Crow, surfer name_taken Fox", // the stronger claim first
		"org.x.mail":  "org.x.mail name_taken Mail",
		"mail":        "mail name_taken Mail, mail generic_word",
		"browser":     "browser name_taken Web Browser, browser generic_word",
		"Copy":        "Copy builtin_phrase",
		"new tab":     "new tab builtin_phrase", // for it is said as "open new tab"
		"owl":         "",                       // it is switched off
		"unheard, of": "",
	} {
		if got := found(LintAliases(x, &Profile{ID: "new"}, []string{alias}, common, phrase)); got != want {
			t.Errorf("%q: %s, want %s", alias, got, want)
		}
	}
	if got := found(LintAliases(x, x.ByID("crow"), []string{"post", "crow", "surfer"}, common,
		phrase)); got != "surfer name_taken Fox" {
		t.Errorf("its own names: %s", got)
	}
}

func TestLintShortcuts(t *testing.T) {
	p := decode(t, User, "id: a\nshortcuts: {b: ctrl+t, a: ctrl+t, c: [ctrl+t, f5], d: '', e: '', f: Control T}\n")[0]
	if got := found(LintShortcuts(p.Shortcuts)); got != "b same_keys a, f same_keys a" {
		t.Errorf("found %s", got)
	}
}

func TestLintKeysFindsActionsThatAreKeysAsWell(t *testing.T) {
	p := Merge(decode(t, User, "id: a\nshortcuts: {find: ctrl+f, next: ctrl+right, home: alt+home, new_tab: ctrl+t}\n"+
		"commands: {look: find, skip: next, c: ctrl+home, d: [home, home], e: {action: home}, f: new_tab, g: f5}\n"), nil)[0]
	if got := found(LintKeys(p, p.Commands)); got != "look key_not_action find, skip key_not_action next" {
		t.Errorf("found %s", got)
	}
}

func TestFindingsSayWhatIsOdd(t *testing.T) {
	for want, f := range map[string]Finding{
		`"post" is also a name of Mail`:       {NameTaken, "post", "Mail"},
		`"mail" is too general to identify`:   {GenericWord, "mail", ""},
		`"copy" already means something`:      {BuiltInPhrase, "copy", ""},
		`"look" presses a key; write {action`: {KeyNotAction, "look", "find"},
		`new_tab and fresh have the same key`: {SameKeys, "fresh", "new_tab"},
	} {
		if !strings.HasPrefix(f.String(), want) {
			t.Errorf("%+v says %q, want %q", f, f, want)
		}
	}
}

func TestLintCommandsNamesLineAndRemedy(t *testing.T) {
	defaults := browserDefaults(t)
	tests := []struct{ text, want string }{
		{"id: fox\ncommands:\n  a: new_tab\n  b: {action: nwe_tab}\n",
			`f.yaml:4:6: "b" means "nwe_tab", which is not an action of Fox; did you mean "new_tab"?`},
		{"id: fox-esr\ncommands: {a: banana}\n", `f.yaml:2:15: "a" means "banana", which is not an action of Fox`},
		{"id: fox\ncommands: {a: new_window}\n", ""}, // by its command line
		{"id: fox\ncommands: {a: ''}\n", ""},
		{"id: fox\ncommands: {a: mine}\nshortcuts: {Mine: f5}\n", ""},
		{"id: new\ncommands: {a: new tab}\n", `"new_tab", which is not an action of new`},
		{"id: generic-browser\ncommands: {a: zoom}\n", ""}, // the fox has it
		{"id: generic-browser\ncommands: {a: zom}\n", `of the kind browser; did you mean "zoom"?`},
		{"id: generic-game\ncommands: {a: zoom}\n", `an action of the kind game`},
		{"id: everywhere\ncommands: {a: zoom, b: back}\n", ""},
		{"id: everywhere\ncommands: {a: zoooom}\n", `an action of any application`},
		{"id: everywhere\nshortcuts: {b: f5}\ncommands: {a: b_, c: d_e}\n", `"d_e", which is not`},
	}
	for _, tt := range tests {
		patches := slices.Concat(
			decode(t, Curated,
				"id: fox\nname: Fox\nkind: browser\napp_ids: [fox-esr]\nnew_window: [fox, -n]\nshortcuts: {zoom: f1}\n"),
			decode(t, User, tt.text))
		problems := LintCommands(NewIndex(Merge(patches, defaults)), patches)
		switch {
		case tt.want == "" && len(problems) > 0, tt.want != "" && len(problems) != 1:
			t.Errorf("%q: %v, want %q", tt.text, problems, tt.want)
		case tt.want != "" && (!strings.Contains(problems[0].Error(), tt.want) || problems[0].Severity != Warning):
			t.Errorf("%q: %v, want %q", tt.text, problems, tt.want)
		}
	}
}

func TestLintFilesLooksAtWhatTheUserWrote(t *testing.T) {
	patches := slices.Concat(
		decode(t, Curated,
			"id: fox\nname: Fox\naliases: [surfer]\nkind: browser\napp_ids: [fox-esr]\nshortcuts: {zoom: f1, same: f1}\n"),
		decode(t, User,
			"profiles:\n  fox-esr:\n    shortcuts: {mine: ctrl+1, other: f9}\n  crow: {aliases: [surfer, copy, mail]}\n"+
				"  owl: {name: Surfer}\n"),
		decode(t, User, "id: generic-browser\naliases: [surfer]\nshortcuts: {zoom: ctrl+1}\n"),
		decode(t, User, "id: everywhere\nshortcuts: {a: f1, b: f1, undo: ctrl+z}\ncommands: {take it back: undo}\n"),
	)
	is := func(word string) func(string) bool { return func(w string) bool { return w == word } }
	var got []string
	for _, n := range LintFiles(NewIndex(Merge(patches, browserDefaults(t))), patches, is("mail"), is("copy")) {
		got = append(got, fmt.Sprintf("%d: %v", n.Origin.Line, n))
	}
	want := []string{
		"3: back and mine have the same keys", // active, whoever gave the other
		`4: "surfer" is also a name of Surfer`, `4: "surfer" is also a name of Fox`,
		`4: "surfer" is also a name of generic-browser`,
		`4: "copy" already means something else`, `4: "mail" is too general to identify one application`,
		`1: "surfer" is also a name of Surfer`, `1: "surfer" is also a name of crow`, `1: "surfer" is also a name of Fox`,
		"1: back and zoom have the same keys",
		"1: a and b have the same keys", `1: "take it back" presses a key; write {action: undo} for the action`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
