// Package phrases holds the built-in words: what can be said whatever is
// installed, and which words name no application. It routes nothing, and of
// phrases with a slot it knows only how they are written.
package phrases

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"utter/data"
	"utter/shared/chord"
	"utter/shared/utterance"
)

// A Set is the built-in words of one language, all in normal form. Its maps may
// be read only.
type Set struct {
	Sites     map[string]*Site       // by every name
	Desktop   map[string]string      // phrase -> compositor action
	Patterns  []Pattern              // of the compositor's actions
	Media     map[string]string      // phrase -> command
	Editing   map[string]chord.Chord // phrase -> keys
	Actions   map[string]string      // phrase -> name of an action
	SameAs    map[string]string      // other name of an action -> its name
	Keys      map[string]string      // spoken key -> key
	Modifiers map[string]string      // spoken modifier -> modifier
	Agents    map[string][]string    // spoken name of a CLI agent -> argv
	Terminal  []string               // argv that runs another in a new terminal
	Generic   map[string]bool        // words that name no application by themselves
	Terminals map[string]bool        // app ids of terminals, in lower case
	Exec      map[string][]string    // program of a terminal -> what stands before a command
}

// A Site is a place on the web.
type Site struct {
	Name   string // canonical
	Names  []string
	URL    string
	Hosts  []string
	Titles []string // what its pages' titles have in them
	Search string   // with {q}, or ""
}

// A Pattern is a phrase with choices and a slot in it, as it is written in the
// file, and what is done.
type Pattern struct {
	Say     string
	Command string
	Args    []string
}

// English reads the built-in words. Only a fault in them is an error.
func English() (*Set, error) {
	s := &Set{}
	if err := errors.Join(s.readSites(), s.readWords(), s.readKeys(), s.readDesktop()); err != nil {
		return nil, fmt.Errorf("built-in phrases: %w", err)
	}
	return s, nil
}

// IsGeneric reports whether a word in normal form names no application by
// itself.
func (s *Set) IsGeneric(word string) bool { return s.Generic[word] }

// IsAgent reports whether name is a CLI agent's.
func (s *Set) IsAgent(name string) bool { return s.Agents[name] != nil }

// IsPhrase reports whether a text in normal form means something whatever is
// installed: a phrase of the desktop, the players, editing or a common action,
// or a site.
func (s *Set) IsPhrase(t string) bool {
	_, editing := s.Editing[t]
	return editing || s.Desktop[t] != "" || s.Media[t] != "" || s.Actions[t] != "" || s.Sites[t] != nil
}

func read(name string, to any) error {
	raw, err := data.FS.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (s *Set) readSites() error {
	var file struct{ Sites []*Site }
	if err := read("sites.json", &file); err != nil {
		return err
	}
	s.Sites = map[string]*Site{}
	for _, site := range file.Sites {
		for _, n := range append([]string{site.Name}, site.Names...) {
			s.Sites[utterance.Key(n)] = site
		}
	}
	return nil
}

func (s *Set) readWords() error {
	var words struct {
		Generic        []string
		TerminalAppIDs []string `json:"terminal_app_ids"`
	}
	var agents struct {
		Terminal []string
		Agents   map[string][]string
	}
	var media struct{ Phrases map[string][]string }
	var terminals struct{ Exec map[string][]string }
	if err := errors.Join(read("words.json", &words), read("terminals.json", &terminals), read("cli_agents.json", &agents), read("media.json", &media)); err != nil {
		return err
	}
	s.Generic, s.Terminals, s.Agents = map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, w := range words.Generic {
		s.Generic[w] = true
	}
	for _, id := range words.TerminalAppIDs {
		s.Terminals[strings.ToLower(id)] = true
	}
	s.Terminal, s.Exec = agents.Terminal, terminals.Exec
	for name, argv := range agents.Agents {
		s.Agents[utterance.Key(name)] = argv
	}
	s.Media = byPhrase(media.Phrases)
	return nil
}

// byPhrase turns what means which phrases into which phrase means what.
func byPhrase(phrases map[string][]string) map[string]string {
	all := map[string]string{}
	for meaning, list := range phrases {
		for _, p := range list {
			all[p] = meaning
		}
	}
	return all
}

func (s *Set) readKeys() error {
	var keys struct {
		Modifiers map[string][]string
		Keys      map[string]string
	}
	var editing struct{ Phrases map[string]string }
	var shortcuts struct {
		Phrases map[string][]string
		SameAs  map[string]string `json:"same_as"`
	}
	if err := errors.Join(read("keys.json", &keys), read("editing.json", &editing), read("shortcuts.json", &shortcuts)); err != nil {
		return err
	}
	s.Keys, s.Modifiers = keys.Keys, byPhrase(keys.Modifiers)
	s.Actions, s.SameAs = byPhrase(shortcuts.Phrases), shortcuts.SameAs
	s.Editing = map[string]chord.Chord{}
	for phrase, written := range editing.Phrases {
		c, err := chord.Parse(written)
		if err != nil {
			return fmt.Errorf("editing.json: %w", err)
		}
		s.Editing[phrase] = c
	}
	return nil
}

func (s *Set) readDesktop() error {
	var file struct {
		Phrases  map[string]string
		Patterns []Pattern
	}
	err := read("niri_phrases.json", &file)
	s.Desktop, s.Patterns = file.Phrases, file.Patterns
	return err
}
