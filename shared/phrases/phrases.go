// Package phrases holds the words of a language: what users can say whatever is
// installed, and which words do not name an application. The user's own data files
// override the built-in tables. It routes nothing.
package phrases

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"utter/data"
	"utter/shared/chord"
	"utter/shared/utterance"
)

// A Set is the words of one language, all in normal form. Its maps may be read
// only.
type Set struct {
	Language  *utterance.Language
	Verbs     Verbs
	Words     Words
	Sites     map[string]*Site       // by every name
	Desktop   map[string]string      // phrase -> compositor action
	Patterns  map[string][]Pattern   // by the words before the slot
	Media     map[string]string      // phrase -> command
	Editing   map[string]chord.Chord // phrase -> keys
	Presses   map[string]chord.Chord // phrase -> keys, in every application
	Shell     map[string]string      // phrase -> command for the focused terminal
	Actions   map[string]string      // phrase -> name of an action
	SameAs    map[string]string      // other name of an action -> its name
	Keys      map[string]string      // spoken key -> key
	Modifiers map[string]string      // spoken modifier -> modifier
	Agents    map[string][]string    // spoken name of a CLI agent -> argv
	Terminal  []string               // argv that runs another in a new terminal
	Generic   map[string]bool        // words that name no application by themselves

	bare map[string]bool // the compositor's actions; those without an argument are true
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

// English reads the built-in words. Only a fault in them is an error.
func English() (*Set, error) { return load("languages/en.json") }

// load reads the words of a language, and what all languages share.
func load(language string) (*Set, error) {
	s := &Set{}
	err := errors.Join(s.readLanguage(language), s.readSites(), s.readPrograms(), s.readActions())
	if err != nil {
		return nil, fmt.Errorf("built-in phrases: %w", err)
	}
	return s, nil
}

// IsGeneric reports whether a word in normal form names no application by
// itself.
func (s *Set) IsGeneric(word string) bool { return s.Generic[word] }

// Taken reports whether a word in normal form is not to be guessed as the name of an
// application: it is generic, or a CLI agent is called that.
func (s *Set) Taken(word string) bool { return s.IsAgent(word) || s.IsGeneric(word) }

// IsAgent reports whether name is a CLI agent's.
func (s *Set) IsAgent(name string) bool { return s.Agents[name] != nil }

// IsAction reports whether the compositor's vocabulary has an action that needs
// no argument.
func (s *Set) IsAction(name string) bool { return s.bare[name] }

// SiteTitles returns what the titles of the pages of a host have in them, or nil
// for a host that is not in the table.
func (s *Set) SiteTitles(host string) (titles []string) {
	for _, site := range s.Sites {
		if !slices.ContainsFunc(site.Hosts, func(h string) bool {
			h = strings.TrimPrefix(h, "www.")
			return host == h || strings.HasSuffix(host, "."+h)
		}) {
			continue
		}
		for _, t := range site.Titles {
			if !slices.Contains(titles, t) {
				titles = append(titles, t)
			}
		}
	}
	slices.Sort(titles) // sites are in no order
	return titles
}

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

// readLanguage reads what can be said in a language.
func (s *Set) readLanguage(name string) error {
	var file struct {
		Verbs, Words   json.RawMessage
		Generic        []string
		Modifiers      map[string][]string
		Keys           map[string]string
		Media, Actions map[string][]string
		Shell, Presses map[string][]string
		Editing        map[string]string
		Desktop        map[string]string
		Patterns       []template
	}
	if err := read(name, &file); err != nil {
		return err
	}
	language, err := utterance.Read(name)
	if err != nil {
		return err
	}
	s.Language = language
	s.Desktop, s.Keys, s.Generic = file.Desktop, file.Keys, set(file.Generic)
	s.Modifiers, s.Media, s.Actions = byPhrase(file.Modifiers), byPhrase(file.Media), byPhrase(file.Actions)
	s.Shell = byPhrase(file.Shell)
	var bad [3]error
	s.Editing, bad[0] = chords(file.Editing)
	s.Presses, bad[1] = chords(byPhrase(file.Presses))
	s.Patterns, bad[2] = patternsOf(file.Patterns)
	if err := errors.Join(errors.Join(bad[:]...), strict(file.Verbs, &s.Verbs), strict(file.Words, &s.Words)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// chords reads the keys of phrases.
func chords(written map[string]string) (map[string]chord.Chord, error) {
	all := map[string]chord.Chord{}
	for phrase, keys := range written {
		c, err := chord.Parse(keys)
		if err != nil {
			return nil, err
		}
		all[phrase] = c
	}
	return all, nil
}

func set(words []string) map[string]bool {
	all := make(map[string]bool, len(words))
	for _, w := range words {
		all[w] = true
	}
	return all
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

// readPrograms reads what is known of programs that run in terminals.
func (s *Set) readPrograms() error {
	var agents struct {
		Terminal []string
		Agents   map[string][]string
	}
	if err := read("cli_agents.json", &agents); err != nil {
		return err
	}
	s.Terminal, s.Agents = agents.Terminal, map[string][]string{}
	for name, argv := range agents.Agents {
		s.Agents[utterance.Key(name)] = argv
	}
	return nil
}

// readActions reads the actions of applications that have two names, and which of
// the compositor's need no argument.
func (s *Set) readActions() error {
	var actions struct {
		SameAs map[string]string `json:"same_as"`
	}
	var compositor struct {
		Actions []struct {
			Name string
			Args []any
		}
	}
	if err := errors.Join(read("actions.json", &actions), read("niri_actions.json", &compositor)); err != nil {
		return err
	}
	s.SameAs, s.bare = actions.SameAs, map[string]bool{}
	for _, a := range compositor.Actions {
		s.bare[a.Name] = len(a.Args) == 0
	}
	return nil
}
