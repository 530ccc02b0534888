package router

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/shared/profile"
)

// extended is a router whose tables a user has extended with these files.
func extended(t *testing.T, files map[string]string) (*Router, []profile.Problem) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := newRouter(t, "", everything)
	words, problems := r.words.Extended(dir)
	x, err := New(words, r.lib, "google")
	if err != nil {
		t.Fatal(err)
	}
	return x, problems
}

// said writes what becomes of an utterance as the golden files have it.
func said(r *Router, utterance string, ctx Context) string {
	var b strings.Builder
	describe(&b, r.Route(utterance, ctx))
	return strings.TrimSpace(b.String())
}

func TestUserDataExtendsTheTables(t *testing.T) {
	r, problems := extended(t, map[string]string{
		"sites.yaml": "Intra-Net: https://intra.example/Home\n" +
			"work board: {url: boards.example.org/x, hosts: [boards.example.org], titles: [board], " +
			"search: \"https://boards.example.org/?s={q}\"}\n" +
			"reddit:\non: https://on.example\n",
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
		t.Fatalf("problems %v", problems)
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
		"play":                       `no_plan: no rule matches these words`,
		"press any key":              `key {"chord":"space"}`,
		"throw it away":              `key {"chord":"ctrl+x"}`,
		"copy":                       `no_plan: no rule matches these words`,
		"start my helper":            `launch_app {"app":"foot","argv":["foot","-e","helper","--chat"]}`,
		"spawn short":                `launch_app {"app":"foot","argv":["foot","-e","sh"]}`,
		"spawn codex":                `no_plan: no rule matches these words`,
		"show everything":            `niri {"args":[],"command":"toggle-overview"}`,
		"close":                      `no_plan: no rule matches these words`,
		// What is built in stays.
		"open youtube": `ensure_url {"site":"youtube","url":"https://www.youtube.com"}`,
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
		t.Fatalf("problems %v", problems)
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

// TestAUsersPhraseThatEndsTheSessionIsConfirmed like the built-in ones.
func TestAUsersPhraseThatEndsTheSessionIsConfirmed(t *testing.T) {
	r, problems := extended(t, map[string]string{"niri_phrases.yaml": "good night: quit\n"})
	if got := said(r, "good night", Context{}); !strings.Contains(got, `"command":"quit"`) ||
		!strings.Contains(got, "to be confirmed") || len(problems) > 0 {
		t.Errorf("%s, %v", got, problems)
	}
}

func TestUserDataIsSuggested(t *testing.T) {
	r, _ := extended(t, map[string]string{"media.yaml": "quiet down please now: pause\n"})
	if got := r.Suggest("quiet down", Context{}, 5, nil); len(got) != 1 || got[0].Kind != "media" {
		t.Errorf("%v", got)
	}
	r, _ = extended(t, map[string]string{"sites.yaml": "intranet: https://intra.example\n"})
	if got := r.Suggest("open intran", Context{}, 5, nil); len(got) != 1 || got[0].Kind != "site" {
		t.Errorf("%v", got)
	}
}
