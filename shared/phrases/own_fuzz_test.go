package phrases

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
	"utter/shared/utterance"
)

var seeds = []string{
	"a: b\n\"on\": {url: \"https://e.org\", hosts: [e.org], search: \"https://e.org/{q}\"}\nc: ''\n",
	"a: [b, \"\"]\nb: []\nc: [\"\"]\nd: [[x]]\ne: {}\nplay: pause\nx: ctrl+a\ny: spawn\nz: toggle-overview\n",
	"&x a: *x\n? [a]\n: b\n<<: {a: b}\n---\nc: d\n",
	"a: {url: e.org, titles: x}\nb: !!binary AAAA\nc: !!null x\nd: https://e.org/{q}\nyoutube: https://e.org/{q}\n",
	"\ufeffa: b\r\nb: \xff\n\tc: d",
}

// FuzzDataFile: a data file may be anything; what it makes of the tables is sound,
// and the built-in tables stay as they are.
func FuzzDataFile(f *testing.F) {
	names := slices.Sorted(maps.Keys(dataFiles))
	for i := range names {
		for _, text := range seeds {
			f.Add(uint8(i), []byte(text))
		}
	}
	words, err := English()
	if err != nil {
		f.Fatal(err)
	}
	sites, media, keys := len(words.Sites), maps.Clone(words.Media), maps.Clone(words.Keys)
	youtube := *words.Sites["youtube"]
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		if len(data) > 10_000 {
			return
		}
		name := names[int(which)%len(names)] + ".yaml"
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		x, problems := words.Extended(dir)
		for _, p := range problems {
			if p.Origin.File != path || p.Message == "" || p.Origin.Line < 0 ||
				p.Origin.Line > strings.Count(string(data), "\n")+strings.Count(string(data), "\r")+2 {
				t.Errorf("%s %q: problem %+v", name, data, p)
			}
		}
		checkSet(t, x)
		if len(words.Sites) != sites || !maps.Equal(words.Media, media) || !maps.Equal(words.Keys, keys) ||
			words.Sites["youtube"].Search != youtube.Search {
			t.Fatalf("%s %q changes the built-in tables", name, data)
		}
	})
}

// checkSet checks what other code relies on.
func checkSet(t *testing.T, x *Set) {
	t.Helper()
	for name, s := range x.Sites {
		if s.URL == "" || s.Search != "" && !strings.Contains(s.Search, "{q}") || name == "" || utterance.Key(name) != name {
			t.Errorf("the site %q: %+v", name, s)
		}
	}
	for name, argv := range x.Agents {
		if len(argv) == 0 || argv[0] == "" || name == "" {
			t.Errorf("the agent %q starts %q", name, argv)
		}
	}
	for name, key := range x.Keys {
		if _, err := chord.Parse(key); err != nil {
			t.Errorf("the key %q is %q: %v", name, key, err)
		}
	}
	for phrase, c := range x.Editing {
		if c.String() == "" {
			t.Errorf("%q presses nothing", phrase)
		}
	}
	for phrase, command := range x.Desktop {
		if !x.IsAction(strings.Fields(command)[0]) {
			t.Errorf("%q is the action %q", phrase, command)
		}
	}
}
