package router

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/shared/profile"
)

// laid lays one data file over the built-in tables.
func laid(t *testing.T, name, text string) (*Router, []profile.Problem) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRouter(t, "", everything)
	tables, problems := r.tables.Extended(dir)
	x, err := New(tables, r.lib, "google")
	if err != nil {
		t.Fatal(err)
	}
	return x, problems
}

func TestUserDataProblemsHaveLineAndColumn(t *testing.T) {
	for text, want := range map[string]string{
		"media.yaml|# mine\n\n  x: dance\n":              "3:3",
		"keys.yaml|a: space\nb:\n  c: d\n":               "2:1",
		"editing.yaml|a: ctrl+x\n\"b\": hyper+x\n":       "2:1",
		"sites.yaml|a: {url: e.org, search: y}\n":        "1:1",
		"cli_agents.yaml|a: b\nc: [\"\"]\n":              "2:1",
		"cli_agents.yaml|a: b\nc: [[x]]\n":               "2:1",
		"niri_phrases.yaml|a: toggle-overview\nb: fly\n": "2:1",
		"site_search.yaml|a: https://e.org/{q}\nb: e\n":  "2:1",
	} {
		name, content, _ := strings.Cut(text, "|")
		_, problems := laid(t, name, content)
		if len(problems) != 1 {
			t.Errorf("%q: problems %v", text, problems)
			continue
		}
		p := problems[0]
		if got := fmt.Sprintf("%d:%d", p.Origin.Line, p.Origin.Column); got != want || p.Severity != profile.Broken || p.Origin.Layer != profile.User {
			t.Errorf("%q: %v at %s, want %s", text, p, got, want)
		}
		if !strings.HasPrefix(p.Error(), p.Origin.File+":"+want+": ") {
			t.Errorf("%q: %v", text, p)
		}
	}
}

// TestABombOfAnchorsIsRefused and costs nothing.
func TestABombOfAnchorsIsRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for _, name := range []string{"cli_agents.yaml", "sites.yaml", "media.yaml"} {
		r, problems := laid(t, name, bomb)
		if len(problems) < 8 {
			t.Errorf("%s: problems %v", name, problems)
		}
		if got := said(r, "next song", Context{}); got != `media {"command":"next"}` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestScalarsOfUserDataStayText(t *testing.T) {
	r, problems := laid(t, "media.yaml", "on: play\nyes: pause\nno: stop\n007: next\n1.0: previous\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for utterance, want := range map[string]string{"on": "play", "yes": "pause", "no": "stop", "007": "next", "1.0": "previous"} {
		if got := said(r, utterance, Context{}); got != fmt.Sprintf(`media {"command":%q}`, want) {
			t.Errorf("%q: %s", utterance, got)
		}
	}
}

// TestAUsersPhraseThatEndsTheSessionIsConfirmed like the built-in ones.
func TestAUsersPhraseThatEndsTheSessionIsConfirmed(t *testing.T) {
	r, problems := laid(t, "niri_phrases.yaml", "good night: quit\n")
	if got := said(r, "good night", Context{}); !strings.Contains(got, `"command":"quit"`) || !strings.Contains(got, "to be confirmed") || len(problems) > 0 {
		t.Errorf("%s, %v", got, problems)
	}
}

func TestRemovingWhatIsNotThereIsFine(t *testing.T) {
	for name := range dataFiles {
		for _, empty := range []string{"''", "", "null", "~", "!!null x"} {
			r, problems := laid(t, name+".yaml", "no such thing: "+empty+"\n")
			if len(problems) > 0 {
				t.Errorf("%s %q: %v", name, empty, problems)
			}
			if got := said(r, "open no such thing", Context{}); !strings.HasPrefix(got, "no_plan") {
				t.Errorf("%s %q makes one: %s", name, empty, got)
			}
		}
	}
}

func TestUserDataIsSuggested(t *testing.T) {
	r, _ := laid(t, "media.yaml", "quiet down please now: pause\n")
	if got := r.Suggest("quiet down", Context{}, 5, nil); len(got) != 1 || got[0].Kind != "media" {
		t.Errorf("%v", got)
	}
	r, _ = laid(t, "sites.yaml", "intranet: https://intra.example\n")
	if got := r.Suggest("open intran", Context{}, 5, nil); len(got) != 1 || got[0].Kind != "site" {
		t.Errorf("%v", got)
	}
}
