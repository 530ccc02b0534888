package phrases

import (
	"testing"

	"utter/shared/utterance"
)

func english(t *testing.T) *Set {
	t.Helper()
	s, err := English()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatTheBuiltInWordsAre(t *testing.T) {
	s := english(t)
	for word, want := range map[string]struct{ generic, agent, phrase bool }{
		"browser":     {generic: true},
		"codex":       {agent: true},
		"claude code": {agent: true},
		"new tab":     {phrase: true}, // an action
		"copy that":   {phrase: true}, // editing
		"pause music": {phrase: true}, // the players
		"fullscreen":  {phrase: true}, // the desktop
		"youtube":     {phrase: true}, // a site
		"firefox":     {},
		"":            {},
	} {
		if s.IsGeneric(word) != want.generic || s.IsAgent(word) != want.agent || s.IsPhrase(word) != want.phrase {
			t.Errorf("%q: generic %v, agent %v, phrase %v; want %+v", word, s.IsGeneric(word), s.IsAgent(word), s.IsPhrase(word), want)
		}
	}
}

// TestAllWordsAreInNormalForm: what is not could never be said.
func TestAllWordsAreInNormalForm(t *testing.T) {
	s := english(t)
	normal := func(list string, words ...string) {
		for _, w := range words {
			if utterance.Key(w) != w {
				t.Errorf("%s: %q is not in normal form", list, w)
			}
		}
	}
	for _, m := range []map[string]string{s.Desktop, s.Media, s.Actions, s.Keys, s.Modifiers} {
		if len(m) == 0 {
			t.Error("a table is empty")
		}
		for w := range m {
			normal("phrases", w)
		}
	}
	for w := range s.Editing {
		normal("editing", w)
	}
	for w := range s.Generic {
		normal("generic", w)
	}
	for w := range s.Agents {
		normal("agents", w)
	}
	for w := range s.Sites {
		normal("sites", w)
	}
	if len(s.Patterns) == 0 || len(s.Terminal) == 0 || len(s.Terminals) == 0 || len(s.Exec) == 0 {
		t.Error("a table is empty")
	}
}
