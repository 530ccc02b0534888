package router

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/utterance"
)

func newTables(t *testing.T) *Tables {
	t.Helper()
	tables, err := NewTables()
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// TestEveryPhraseCanRun: a phrase for an action that needs an argument could
// never work.
func TestEveryPhraseCanRun(t *testing.T) {
	tables := newTables(t)
	vocabulary, err := compositor.NewVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	for phrase, command := range tables.phrases {
		if _, err := vocabulary.Parse(strings.Fields(command)[0], strings.Fields(command)[1:]); err != nil {
			t.Errorf("%q: %v", phrase, err)
		}
		if utterance.Key(phrase) != phrase {
			t.Errorf("%q is not in normal form, so nobody can say it", phrase)
		}
	}
	samples := map[string][]string{
		"number": {"3"}, "ordinal": {"2"}, "percent": {"50%"}, "name": {"mail", "7"},
		"direction": {"left", "right", "up", "down", "next", "previous"}, "": {""},
	}
	tried := 0
	for _, patterns := range tables.patterns {
		for _, p := range patterns {
			if samples[p.slot] == nil {
				t.Errorf("%q has the slot %q, which nobody reads", p.before, p.slot)
			}
			for _, value := range samples[p.slot] {
				command, args := p.fill(value)
				texts := compositorStep(command, args, "").Args.Texts("args")
				if _, err := vocabulary.Parse(command, texts); err != nil {
					t.Errorf("%q {%s} %q with %q: %v", p.before, p.slot, p.behind, value, err)
				}
				tried++
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d patterns were tried", tried)
	}
}

func TestExpandWritesOutTheChoices(t *testing.T) {
	for in, want := range map[string]string{
		"a b":               "a b",
		"(a|b) c":           "a c, b c",
		"[a|b] c":           "a c, b c, c",
		"[a] [b] {number}":  "a b {number}, a {number}, b {number}, {number}",
		"a (b":              "error",
		"a [b":              "error",
		"{number} {number}": "error",
		"{number":           "error",
	} {
		got, err := expand(in)
		if err != nil {
			got = []string{"error"}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("expand(%q) = %q, %v; want %s", in, got, err, want)
		}
	}
}

func TestSitesAreSound(t *testing.T) {
	tables := newTables(t)
	canonical := map[string]*site{}
	for name, s := range tables.sites {
		if other := canonical[s.Name]; other != nil && other != s {
			t.Errorf("two sites are called %q", s.Name)
		}
		canonical[s.Name] = s
		if utterance.Key(name) != name {
			t.Errorf("the site name %q is not in normal form", name)
		}
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "https" || u.Host == "" {
			t.Errorf("%s: address %q: %v", s.Name, s.URL, err)
		}
		if s.Search != "" && profile.CheckSearchURL(s.Search) != nil {
			t.Errorf("%s: search address %q: %v", s.Name, s.Search, profile.CheckSearchURL(s.Search))
		}
		if len(s.Titles) == 0 || tables.SiteTitles(strings.TrimPrefix(u.Host, "www.")) == nil {
			t.Errorf("%s: the titles of %s are not known", s.Name, u.Host)
		}
	}
	if len(canonical) < 15 {
		t.Errorf("only %d sites", len(canonical))
	}
}

func TestKeyNamesAreSound(t *testing.T) {
	tables := newTables(t)
	for said, key := range tables.keys {
		if _, err := chord.Parse(key); err != nil {
			t.Errorf("the key %q: %v", said, err)
		}
		if utterance.Key(said) != said {
			t.Errorf("the key name %q is not in normal form", said)
		}
	}
	for said, mod := range tables.modifiers {
		if _, err := chord.Parse(mod + "+t"); err != nil {
			t.Errorf("the modifier %q: %v", said, err)
		}
	}
	for _, phrases := range []map[string]string{tables.media, tables.actions} {
		for phrase := range phrases {
			if utterance.Key(phrase) != phrase {
				t.Errorf("%q is not in normal form", phrase)
			}
		}
	}
	for phrase := range tables.editing {
		if utterance.Key(phrase) != phrase {
			t.Errorf("%q is not in normal form", phrase)
		}
	}
	for name, argv := range tables.agents {
		if len(argv) == 0 || argv[0] == "" || utterance.Key(name) != name {
			t.Errorf("the agent %q starts %q", name, argv)
		}
	}
}

// TestEveryActionOfAKindCanBeSaid: no family takes the name of an action away from
// the application that has it, but for what belongs to players and to the desktop
// everywhere.
func TestEveryActionOfAKindCanBeSaid(t *testing.T) {
	r := newRouter(t, "", everything)
	everywhere := []string{"play_pause", "next", "previous", "fullscreen"}
	for _, id := range []string{"firefox", "foot", "org.gnome.Nautilus", "code", "spotify"} {
		p := r.lib.Index.ByID(id)
		if p == nil {
			t.Fatalf("no profile %s", id)
		}
		w := Window{ID: 1, AppID: p.AppIDs[0]}
		for name, seq := range p.Shortcuts {
			d := r.Route(spoken(name), Context{Focused: &w, Windows: []Window{w}})
			if d.Plan == nil {
				t.Errorf("%s: %q: %s", id, spoken(name), d.Message)
				continue
			}
			s := d.Plan.Steps[0]
			if slices.Contains(everywhere, name) {
				if s.Op == plan.Key {
					t.Errorf("%s: %q is %s, want the player or the desktop", id, spoken(name), s)
				}
				continue
			}
			if got := s.Args.Text("chord"); got != seq[0].String() {
				t.Errorf("%s: %q is %s, want the key %s", id, spoken(name), s, seq)
			}
		}
	}
}
