package phrases

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/shared/profile"
)

// laid lays one data file over the built-in words.
func laid(t *testing.T, name, text string) (*Set, []profile.Problem) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return english(t).Extended(dir)
}

// shortly writes a problem with its line only.
func shortly(p profile.Problem) string {
	return fmt.Sprintf("%s:%d %s", filepath.Base(p.Origin.File), p.Origin.Line, p.Message)
}

func TestUserDataProblemsNameTheEntry(t *testing.T) {
	for text, want := range map[string]string{
		"sites.yaml|a: b\nok: https://e.org\n":              `sites.yaml:1 "a": "b" is not a web address`,
		"sites.yaml|a: mailto:x@y.z\n":                      `sites.yaml:1 "a": "mailto:x@y.z" is not a web address`,
		"sites.yaml|a: {url: https://e.org, search: x}\n":   `sites.yaml:1 "a": search is "x"; an address must begin`,
		"sites.yaml|a: [https://e.org]\n":                   `sites.yaml:1 "a": write an address`,
		"site_search.yaml|youtube: https://e.org/\n":        `site_search.yaml:1 "youtube" is "https://e.org/"; write {q}`,
		"media.yaml|x: dance\n":                             `media.yaml:1 "x": "dance" is not one of play`,
		"media.yaml|x: [play]\n":                            `media.yaml:1 "x" must be a string`,
		"keys.yaml|x: retrun\n":                             `keys.yaml:1 "x": key combination "retrun": "retrun" is not a key; did`,
		"editing.yaml|x: ctrl+\n":                           `editing.yaml:1 "x": key combination "ctrl+": "ctrl+" contains`,
		"cli_agents.yaml|x: {a: b}\n":                       `cli_agents.yaml:1 "x": write a program`,
		"niri_phrases.yaml|x: fly\n":                        `niri_phrases.yaml:1 "x": there is no action "fly"`,
		"niri_phrases.yaml|x: spawn\n":                      `niri_phrases.yaml:1 "x": there is no action "spawn"`,
		"niri_phrases.yaml|x: focus-workspace\n":            `there is no action "focus-workspace"`, // it needs an argument
		"site.yaml|x: y\n":                                  `site.yaml:0 is not a data file; did you mean "sites.yaml"?`,
		"quux.yaml|x: y\n":                                  `quux.yaml:0 is not a data file; there are cli_agents`,
		"media.yaml|- a\n":                                  `media.yaml:1 write lines such as`,
		"media.yaml|\"?!\": play\n":                         `media.yaml:1 the name before the colon`,
		"media.yaml|a: &x play\nb: *x\n":                    `media.yaml:2 "b" uses a YAML alias`,
		"media.yaml|Shut up: play\n\nshut up!: pause\n":     `media.yaml:3 "shut up!" appears twice, first in line 1`,
		"media.yaml|a: [\n":                                 `media.yaml:1 is not YAML: did not find`,
		"media.yaml|# " + strings.Repeat("x", 1<<20) + "\n": `media.yaml:0 is not a regular file of at most 1 MiB`,
	} {
		name, content, _ := strings.Cut(text, "|")
		s, problems := laid(t, name, content)
		if len(problems) != 1 || !strings.Contains(shortly(problems[0]), want) {
			t.Errorf("%.60q: problems %v, want %q", text, problems, want)
		}
		if s.Media["next song"] != "next" {
			t.Errorf("%.60q: the rest does not count", text)
		}
	}
	// Only the entry that is wrong does not count.
	s, problems := laid(t, "media.yaml", "a: dance\nb: pause\n")
	if s.Media["b"] != "pause" || len(problems) != 1 {
		t.Errorf("b is %q, problems %v", s.Media["b"], problems)
	}
}

func TestWithoutUserDataTheTablesAreTheSame(t *testing.T) {
	words := english(t)
	if x, problems := words.Extended(filepath.Join(t.TempDir(), "missing")); x != words || len(problems) > 0 {
		t.Errorf("no folder: problems %v", problems)
	}
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if x, problems := words.Extended(file); x != words || len(problems) != 1 {
		t.Errorf("a file in place of the folder: problems %v", problems)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n"} {
		if _, problems := laid(t, "media.yaml", empty); len(problems) > 0 {
			t.Errorf("%q: %v", empty, problems)
		}
	}
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
		if got := fmt.Sprintf("%d:%d", p.Origin.Line, p.Origin.Column); got != want || p.Severity != profile.Broken ||
			p.Origin.Layer != profile.User {
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
		bomb += fmt.Sprintf("%[1]c: &%[1]c [%[2]s*%[3]c]\n", c, strings.Repeat("*"+string(c-1)+",", 8), c-1)
	}
	for _, name := range []string{"cli_agents.yaml", "sites.yaml", "media.yaml"} {
		s, problems := laid(t, name, bomb)
		if len(problems) < 8 || s.Media["next song"] != "next" {
			t.Errorf("%s: problems %v", name, problems)
		}
	}
}

func TestScalarsOfUserDataStayText(t *testing.T) {
	s, problems := laid(t, "media.yaml", "on: play\nyes: pause\nno: stop\n007: next\n1.0: previous\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for phrase, want := range map[string]string{
		"on": "play", "yes": "pause", "no": "stop", "007": "next", "1.0": "previous",
	} {
		if got := s.Media[phrase]; got != want {
			t.Errorf("%q is %q, want %q", phrase, got, want)
		}
	}
}

func TestRemovingWhatIsNotThereIsFine(t *testing.T) {
	for name := range dataFiles {
		for _, empty := range []string{"''", "", "null", "~", "!!null x"} {
			s, problems := laid(t, name+".yaml", "no such thing: "+empty+"\n")
			if len(problems) > 0 {
				t.Errorf("%s %q: %v", name, empty, problems)
			}
			if s.IsPhrase("no such thing") || s.IsAgent("no such thing") || s.Keys["no such thing"] != "" {
				t.Errorf("%s %q makes one", name, empty)
			}
		}
	}
}
