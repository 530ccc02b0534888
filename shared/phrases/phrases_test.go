package phrases

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
	"utter/shared/profile"
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
			t.Errorf("%q: generic %v, agent %v, phrase %v; want %+v", word, s.IsGeneric(word), s.IsAgent(word),
				s.IsPhrase(word), want)
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
	for _, m := range []map[string]chord.Chord{s.Editing, s.Presses} {
		for w := range m {
			normal("keys", w)
		}
	}
	for w := range s.Shell {
		normal("shell", w)
	}
	for _, v := range []any{s.Verbs, s.Words} {
		normal("words", textsIn(reflect.ValueOf(v))...)
	}
	words, verbs := s.Words, s.Verbs.Target
	for _, list := range [][]string{words.And, words.Then, words.Pointers, verbs.Type, verbs.Press} {
		if slices.ContainsFunc(list, func(w string) bool { return strings.Contains(w, " ") }) {
			t.Errorf("%q: each must be one word", list)
		}
	}
	for w := range s.Generic {
		normal("generic", w)
	}
	for w, argv := range s.Agents {
		normal("agents", w)
		if len(argv) == 0 || argv[0] == "" {
			t.Errorf("the agent %q starts %q", w, argv)
		}
	}
	for said, key := range s.Keys {
		if _, err := chord.Parse(key); err != nil {
			t.Errorf("the key %q: %v", said, err)
		}
	}
	for said, mod := range s.Modifiers {
		if _, err := chord.Parse(mod + "+t"); err != nil {
			t.Errorf("the modifier %q: %v", said, err)
		}
	}
	for w := range s.Sites {
		normal("sites", w)
	}
	if len(s.Patterns) == 0 || len(s.Terminal) == 0 {
		t.Error("a table is empty")
	}
}

// textsIn returns the texts of lists and the keys of maps in v.
func textsIn(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, textsIn(v.Field(i))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			all = append(all, key.String())
		}
	case reflect.Slice:
		all = v.Interface().([]string)
	}
	return all
}

func TestSiteTitles(t *testing.T) {
	words := english(t)
	for host, want := range map[string]string{
		"youtube.com": "youtube", "m.youtube.com": "youtube", "mail.google.com": "gmail", "github.com": "github",
		"notyoutube.com": "", "youtube.com.evil.example": "", "example.com": "", "": "",
	} {
		got := words.SiteTitles(host)
		if want == "" && got != nil || want != "" && !slices.Contains(got, want) {
			t.Errorf("titles of %q: %q, want %q among them", host, got, want)
		}
	}
}

func TestSitesAreSound(t *testing.T) {
	words := english(t)
	canonical := map[string]*Site{}
	for name, s := range words.Sites {
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
		if len(s.Titles) == 0 || words.SiteTitles(strings.TrimPrefix(u.Host, "www.")) == nil {
			t.Errorf("%s: the titles of %s are not known", s.Name, u.Host)
		}
	}
	if len(canonical) < 15 {
		t.Errorf("only %d sites", len(canonical))
	}
}
