package phrases

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"utter/shared/address"
	"utter/shared/chord"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// An entry is one line of a data file: a name and what it stands for.
type entry struct {
	name  string // as written
	value *yaml.Node
}

// key is the name in normal form.
func (e entry) key() string { return utterance.Key(e.name) }

// removes reports whether the entry takes a built-in one away.
func (e entry) removes() bool {
	return e.value.Kind == yaml.ScalarNode && (e.value.Value == "" || e.value.Tag == "!!null")
}

func (e entry) text() (string, error) {
	if e.value.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("%q must be a string, not a list or map", e.name)
	}
	return e.value.Value, nil
}

// addSite reads "name: address" and "name: {url, hosts, titles, search}".
func (set *Set) addSite(e entry) error {
	if e.removes() {
		delete(set.Sites, e.key())
		return nil
	}
	s := &Site{Name: e.name}
	if e.value.Kind == yaml.ScalarNode {
		s.URL = e.value.Value
	} else if err := e.value.Decode(s); err != nil {
		return fmt.Errorf("%q: write an address, or url, hosts, titles and search: %w", e.name, err)
	}
	at, ok := address.Parse(s.URL, true)
	if !ok || !at.Web {
		return fmt.Errorf("%q: %q is not a web address", e.name, s.URL)
	}
	s.URL = at.URL
	if old := set.Sites[e.key()]; old != nil && s.Search == "" {
		s.Search = old.Search // which site_search.yaml may have said
	}
	if s.Search != "" {
		if err := profile.CheckSearchURL(s.Search); err != nil {
			return fmt.Errorf("%q: search %w", e.name, err)
		}
	}
	set.Sites[e.key()] = s
	return nil
}

// addSiteSearch reads "name: address with {q}".
func (set *Set) addSiteSearch(e entry) error {
	search, err := e.text()
	if err != nil {
		return err
	}
	s := &Site{Name: e.name}
	if old := set.Sites[e.key()]; old != nil {
		copied := *old
		s = &copied
	} else if e.removes() {
		return nil
	}
	if e.removes() {
		s.Search = ""
	} else {
		if err := profile.CheckSearchURL(search); err != nil {
			return fmt.Errorf("%q %w", e.name, err)
		}
		s.Search = search
		if s.URL == "" {
			s.URL = homeOf(search)
		}
	}
	set.Sites[e.key()] = s
	return nil
}

// homeOf returns the address of the site that a search address belongs to.
func homeOf(search string) string {
	u, err := url.Parse(address.FillQuery(search, ""))
	if err != nil { // CheckSearchURL has passed it
		return search
	}
	return u.Scheme + "://" + u.Host
}

// players are the commands to media players.
var players = []string{"play", "pause", "play-pause", "next", "previous", "stop"}

// addMedia reads "phrase: command".
func (set *Set) addMedia(e entry) error {
	command, err := e.text()
	switch {
	case err != nil:
		return err
	case e.removes():
		delete(set.Media, e.key())
	case !slices.Contains(players, command):
		return fmt.Errorf("%q: %q is not one of %s", e.name, command, strings.Join(players, ", "))
	default:
		set.Media[e.key()] = command
	}
	return nil
}

// addKey reads "spoken name: key".
func (set *Set) addKey(e entry) error {
	return addChord(set.Keys, e, chord.Chord.String)
}

// addEditing reads "phrase: chord".
func (set *Set) addEditing(e entry) error {
	return addChord(set.Editing, e, func(c chord.Chord) chord.Chord { return c })
}

// addChord puts a chord into a table, in the form that it has there.
func addChord[T any](table map[string]T, e entry, form func(chord.Chord) T) error {
	written, err := e.text()
	if err != nil {
		return err
	}
	if e.removes() {
		delete(table, e.key())
		return nil
	}
	c, err := chord.Parse(written)
	if err != nil {
		return fmt.Errorf("%q: %w", e.name, err)
	}
	table[e.key()] = form(c)
	return nil
}

// addAgent reads "spoken name: [program, argument]".
func (set *Set) addAgent(e entry) error {
	if e.removes() || len(e.value.Content) == 0 && e.value.Kind == yaml.SequenceNode {
		delete(set.Agents, e.key())
		return nil
	}
	argv := []string{e.value.Value}
	if e.value.Kind != yaml.ScalarNode {
		argv = nil
		if err := e.value.Decode(&argv); err != nil {
			argv = nil
		}
	}
	if len(argv) == 0 || argv[0] == "" {
		return fmt.Errorf("%q: write a program, or a list of a program and its arguments", e.name)
	}
	set.Agents[e.key()] = argv
	return nil
}

// addPhrase reads "phrase: action" of the compositor.
func (set *Set) addPhrase(e entry) error {
	command, err := e.text()
	switch {
	case err != nil:
		return err
	case e.removes():
		delete(set.Desktop, e.key())
	case !set.IsAction(command):
		return fmt.Errorf("%q: there is no action %q", e.name, command)
	default:
		set.Desktop[e.key()] = command
	}
	return nil
}
