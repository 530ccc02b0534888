package router

import (
	"slices"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/utterance"
)

// TestEveryPhraseCanRun: a phrase for an action that needs an argument could
// never work.
func TestEveryPhraseCanRun(t *testing.T) {
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	vocabulary, err := compositor.NewVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	for phrase, command := range words.Desktop {
		if _, err := vocabulary.Parse(strings.Fields(command)[0], strings.Fields(command)[1:]); err != nil {
			t.Errorf("%q: %v", phrase, err)
		}
		if utterance.Key(phrase) != phrase {
			t.Errorf("%q is not in normal form, so nobody can say it", phrase)
		}
	}
	samples := map[string][]string{
		"number": {"3"}, "ordinal": {"2"}, "percent": {"50%"}, "name": {"mail", "7"}, "label": {"mail"},
		"direction": {"left", "right", "up", "down", "next", "previous"}, "": {""},
	}
	tried := 0
	for _, patterns := range words.Patterns {
		for _, p := range patterns {
			if samples[p.Slot] == nil {
				t.Errorf("%q has the slot %q, which nobody reads", p.Before, p.Slot)
			}
			for _, value := range samples[p.Slot] {
				command, args := fill(p, value)
				texts := compositorStep(command, args, "").Args.(op.Niri).Texts()
				if _, err := vocabulary.Parse(command, texts); err != nil {
					t.Errorf("%q {%s} %q with %q: %v", p.Before, p.Slot, p.Behind, value, err)
				}
				tried++
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d patterns were tried", tried)
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
				if op.Is[op.Key](s.Args) {
					t.Errorf("%s: %q is %s, want the player or the desktop", id, spoken(name), s)
				}
				continue
			}
			if got := arg(s, "chord"); got != seq[0].String() {
				t.Errorf("%s: %q is %s, want the key %s", id, spoken(name), s, seq)
			}
		}
	}
}
