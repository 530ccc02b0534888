package router

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// extended is a router whose tables a user has extended with these files.
func extended(t *testing.T, files map[string]string) (*Router, []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := newRouter(t, "", everything)
	tables, problems := r.tables.Extended(dir)
	var texts []string
	for _, p := range problems {
		texts = append(texts, fmt.Sprintf("%s:%d %s", filepath.Base(p.Origin.File), p.Origin.Line, p.Message))
	}
	x, err := New(tables, r.lib, "google")
	if err != nil {
		t.Fatal(err)
	}
	return x, texts
}

// said writes what becomes of an utterance as the golden files have it.
func said(r *Router, utterance string, ctx Context) string {
	var b strings.Builder
	describe(&b, r.Route(utterance, ctx))
	return strings.TrimSpace(b.String())
}

func TestUserDataExtendsTheTables(t *testing.T) {
	r, problems := extended(t, map[string]string{
		"sites.yaml":        "Intra-Net: https://intra.example/Home\nwork board: {url: boards.example.org/x, hosts: [boards.example.org], titles: [board], search: \"https://boards.example.org/?s={q}\"}\nreddit:\non: https://on.example\n",
		"site_search.yaml":  "hacker news: https://hn.example/?q={q}\nyoutube: ''\n",
		"media.yaml":        "shut up: pause\nplay: ''\n",
		"keys.yaml":         "any key: space\nescape: ''\n",
		"editing.yaml":      "Throw it away: ctrl+x\ncopy:\n",
		"cli_agents.yaml":   "my helper: [helper, --chat]\nshort: sh\ncodex: []\n",
		"niri_phrases.yaml": "show everything: toggle-overview\nclose: ''\n",
		".hidden.yaml":      "x: [",
		"notes.txt":         "x",
	})
	if len(problems) > 0 {
		t.Fatalf("problems %q", problems)
	}
	for utterance, want := range map[string]string{
		"open intra net":             `ensure_url {"site":"intra net","url":"https://intra.example/Home"}`,
		"open the work board":        `ensure_url {"site":"work board","url":"https://boards.example.org/x"}`,
		"search work board for a b":  `open_url {"url":"https://boards.example.org/?s=a+b"}`,
		"open on":                    `ensure_url {"site":"on","url":"https://on.example"}`,
		"open reddit":                `no_plan: no application, site or address is called "reddit"`,
		"search hacker news for go":  `open_url {"url":"https://hn.example/?q=go"}`,
		"open hacker news":           `ensure_url {"site":"hacker news","url":"https://news.ycombinator.com"}`,
		"search for cats on youtube": `open_url {"url":"https://www.google.com/search?q=cats+on+youtube"}`,
		"shut up":                    `media {"command":"pause"}`,
		"play":                       `no_plan: no rule fits these words`,
		"press any key":              `key {"chord":"space"}`,
		"throw it away":              `key {"chord":"ctrl+x"}`,
		"copy":                       `no_plan: no rule fits these words`,
		"start my helper":            `launch_app {"app":"foot","argv":["foot","-e","helper","--chat"]}`,
		"spawn short":                `launch_app {"app":"foot","argv":["foot","-e","sh"]}`,
		"spawn codex":                `no_plan: no rule fits these words`,
		"show everything":            `niri {"args":[],"command":"toggle-overview"}`,
		"close":                      `no_plan: no rule fits these words`,
		"open youtube":               `ensure_url {"site":"youtube","url":"https://www.youtube.com"}`, // what is built in stays
	} {
		if got := said(r, utterance, Context{}); got != want {
			t.Errorf("%q:\n got %s\nwant %s", utterance, got, want)
		}
	}
	if got := said(newRouter(t, "", everything), "open reddit", Context{}); !strings.HasPrefix(got, "ensure_url") {
		t.Errorf("the built-in tables have changed: %s", got)
	}
}

// TestASiteAndItsSearchComplementEachOther, whichever file is read first.
func TestASiteAndItsSearchComplementEachOther(t *testing.T) {
	r, problems := extended(t, map[string]string{
		"site_search.yaml": "wiki: https://find.example.org/w/?q={q}\nshop: https://shop.example/find/{q}\n",
		"sites.yaml":       "wiki: https://wiki.example.org/start\n",
	})
	if len(problems) > 0 {
		t.Fatalf("problems %q", problems)
	}
	for utterance, want := range map[string]string{
		"open wiki":            `ensure_url {"site":"wiki","url":"https://wiki.example.org/start"}`,
		"search wiki for cats": `open_url {"url":"https://find.example.org/w/?q=cats"}`,
		"open shop":            `ensure_url {"site":"shop","url":"https://shop.example"}`,
	} {
		if got := said(r, utterance, Context{}); got != want {
			t.Errorf("%q:\n got %s\nwant %s", utterance, got, want)
		}
	}
}

func TestUserDataProblemsNameTheEntry(t *testing.T) {
	for text, want := range map[string]string{
		"sites.yaml|a: b\nok: https://e.org\n":              `sites.yaml:1 "a": "b" is no web address`,
		"sites.yaml|a: mailto:x@y.z\n":                      `sites.yaml:1 "a": "mailto:x@y.z" is no web address`,
		"sites.yaml|a: {url: https://e.org, search: x}\n":   `sites.yaml:1 "a": search is "x"; an address begins with https://`,
		"sites.yaml|a: [https://e.org]\n":                   `sites.yaml:1 "a": write an address`,
		"site_search.yaml|youtube: https://e.org/\n":        `site_search.yaml:1 "youtube" is "https://e.org/" without {q}`,
		"media.yaml|x: dance\n":                             `media.yaml:1 "x": "dance" is none of play`,
		"media.yaml|x: [play]\n":                            `media.yaml:1 "x" stands for a text`,
		"keys.yaml|x: retrun\n":                             `keys.yaml:1 "x": key combination "retrun" has the unknown key "retrun"; did you mean "return"?`,
		"editing.yaml|x: ctrl+\n":                           `editing.yaml:1 "x": key combination "ctrl+" has no key`,
		"cli_agents.yaml|x: {a: b}\n":                       `cli_agents.yaml:1 "x": write a program`,
		"niri_phrases.yaml|x: fly\n":                        `niri_phrases.yaml:1 "x": there is no action "fly"`,
		"niri_phrases.yaml|x: spawn\n":                      `niri_phrases.yaml:1 "x": there is no action "spawn"`,
		"niri_phrases.yaml|x: focus-workspace\n":            `there is no action "focus-workspace"`, // it needs an argument
		"site.yaml|x: y\n":                                  `site.yaml:0 is no data file; did you mean "sites.yaml"?`,
		"quux.yaml|x: y\n":                                  `quux.yaml:0 is no data file; there are cli_agents`,
		"media.yaml|- a\n":                                  `media.yaml:1 write lines such as`,
		"media.yaml|\"?!\": play\n":                         `media.yaml:1 the name before the colon`,
		"media.yaml|a: &x play\nb: *x\n":                    `media.yaml:2 "b" uses a YAML alias`,
		"media.yaml|Shut up: play\n\nshut up!: pause\n":     `media.yaml:3 "shut up!" stands twice, first in line 1`,
		"media.yaml|a: [\n":                                 `media.yaml:1 is no YAML: did not find`,
		"media.yaml|# " + strings.Repeat("x", 1<<20) + "\n": `media.yaml:0 is no plain file of at most 1 MiB`,
	} {
		name, content, _ := strings.Cut(text, "|")
		r, problems := extended(t, map[string]string{name: content})
		if len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("%.60q: problems %q, want %q", text, problems, want)
		}
		if got := said(r, "next song", Context{}); got != `media {"command":"next"}` {
			t.Errorf("%.60q: the rest does not work: %s", text, got)
		}
	}
	// Only the entry that is wrong does not count.
	r, problems := extended(t, map[string]string{"media.yaml": "a: dance\nb: pause\n"})
	if got := said(r, "b", Context{}); got != `media {"command":"pause"}` || len(problems) != 1 {
		t.Errorf("%s, problems %q", got, problems)
	}
}

func TestWithoutUserDataTheTablesAreTheSame(t *testing.T) {
	tables := newTables(t)
	if x, problems := tables.Extended(filepath.Join(t.TempDir(), "missing")); x != tables || len(problems) > 0 {
		t.Errorf("no folder: problems %v", problems)
	}
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if x, problems := tables.Extended(file); x != tables || len(problems) != 1 {
		t.Errorf("a file in place of the folder: problems %v", problems)
	}
	if _, problems := extended(t, map[string]string{"media.yaml": "", "keys.yaml": "# nothing\n"}); len(problems) > 0 {
		t.Errorf("empty files: %q", problems)
	}
}
