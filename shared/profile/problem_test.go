package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wrongFiles are files with a problem, and its code and arguments.
var wrongFiles = map[string]string{
	"id: a\n" + strings.Repeat("# x\n", 300_000): "too_large",
	"id: \xff\n":                             "encoding",
	"id: [a\n":                               "syntax|",
	"id: a\n\tname: b\n":                     "tab",
	"id: a\n---\nid: b\n":                    "second_document",
	"- a\n":                                  "no_mapping",
	"profiles: {a: b}\n":                     "no_mapping|a",
	"name: a\n":                              "no_id",
	"id: ''\n":                               "empty_id",
	"profiles: {a: {id: b}}\n":               "two_ids|b|a",
	"profiles: [a]\n":                        "profiles",
	"kind: game\nprofiles: {a: {name: b}}\n": "beside_profiles|kind",
	"? [x]\n: y\nid: a\n":                    "key",
	"id: &x a\nname: *x\n":                   "anchor|name",
	"id: a\nname: b\nname: c\n":              "twice|name|2",
	"id: a\nalias: [b]\n":                    "unknown_key|alias|aliases",
	"id: a\nzebra: [b]\n":                    "unknown_key|zebra",
	"id: everywhere\nlaunch: [b]\n":          "not_everywhere|launch",
	"id: a\nname: [b]\n":                     "text|name",
	"id: a\naliases: {b: c}\n":               "texts|aliases",
	"id: a\naliases: [[b]]\n":                "texts|aliases",
	"id: a\nlaunch: sh -c \"x\"\n":           "quotes|launch",
	"id: a\nlaunch: ['']\n":                  "no_program|launch",
	"id: a\nterminal: maybe\n":               "boolean|terminal|maybe",
	"id: a\nkind: fruit\n":                   "kind|kind|fruit|browser, terminal",
	"id: a\nsearch_url: x{q}\n":              "search_url|search_url|no_scheme|x{q}",
	"id: a\nsearch_url: https://x\n":         "search_url|search_url|no_q|https://x",
	"id: a\nshortcuts: x\n":                  "mapping|shortcuts",
	"id: a\ncommands: [x]\n":                 "mapping|commands",
	"id: a\nshortcuts: {b: ctrl+retrun}\n":   "keys|b|unknown_key|ctrl+retrun|retrun|return",
	"id: a\ncommands: {b: ctrl+}\n":          "keys|b|no_key|ctrl+",
	"id: a\ncommands: {b: [new tab]}\n":      "keys|b|unknown_key|new tab",
	"id: a\ncommands: {b: {keys: f5}}\n":     "command|b",
	"id: a\ncommands: {b: {}}\n":             "command|b",
	"id: a\ncommands: {b: {action: x+y}}\n":  "action|b|x+y",
}

// TestEveryProblemHasACodeAndWhatItNeeds: a message in another language is made
// of them.
func TestEveryProblemHasACodeAndWhatItNeeds(t *testing.T) {
	seen := map[string]bool{CodeDesktopFile: true, CodeData: true} // reported by others
	check := func(in string, problems []Problem, want string) {
		t.Helper()
		if len(problems) == 0 {
			t.Errorf("%.60q: no problem, want %q", in, want)
			return
		}
		p := problems[0]
		seen[p.Code] = true
		if got := strings.Join(append([]string{p.Code}, p.Args...), "|"); !strings.HasPrefix(got, want) ||
			strings.Contains(p.Message, "%!") {
			t.Errorf("%.60q: %q (%s), want %q", in, got, p.Message, want)
		}
	}
	for in, want := range wrongFiles {
		_, problems := Decode("f.yaml", User, []byte(in))
		check(in, problems, want)
	}

	dir := t.TempDir()
	_, problems := LoadDir(dir+"/none\x00", User)
	check("a name that no folder has", problems, "unreadable|")
	if err := os.WriteFile(filepath.Join(dir, DefaultsFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, problems = LoadDir(dir, User)
	check("a reserved name", problems, "reserved|_defaults.yaml")
	patches := decode(t, User, "id: a\ncommands: {b: banana}\n")
	check("no such action", LintCommands(NewIndex(Merge(patches, nil)), patches), "unknown_action|b|banana|a")

	for i, c := range Codes {
		if slices.Contains(Codes[:i], c) {
			t.Errorf("the code %q stands twice", c)
		}
		if !seen[c] {
			t.Errorf("the code %q is reported by nothing here", c)
		}
		delete(seen, c)
	}
	for c := range seen {
		t.Errorf("the code %q is not listed", c)
	}
}
