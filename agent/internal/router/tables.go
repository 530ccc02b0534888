package router

import (
	"encoding/json"
	"fmt"
	"strings"

	"utter/data"
	"utter/shared/chord"
	"utter/shared/phrases"
	"utter/shared/utterance"
)

// Tables are the phrases and names of one language. They never change.
type Tables struct {
	language *utterance.Language

	sites      map[string]*site    // by every name
	media      map[string]string   // phrase -> command
	agents     map[string][]string // spoken name -> argv
	terminal   []string            // argv that runs another in a new terminal
	keys       map[string]string   // spoken key -> canonical
	modifiers  map[string]string   // spoken modifier -> canonical
	editing    map[string]chord.Chord
	actions    map[string]string // phrase -> action name
	sameAction map[string]string // other names of actions -> the name here
	generic    map[string]bool   // words that name no application by themselves
	terminals  map[string]bool   // app ids in lower case
	// terminalExec is what stands before a command, by the terminal's program.
	terminalExec map[string][]string
	phrases      map[string]string // phrase -> compositor action
	patterns     map[string][]pattern
	bareActions  map[string]bool // the compositor actions without an argument
}

// A site is a place on the web.
type site = phrases.Site

// NewTables reads the built-in tables. Only a fault in them is an error.
func NewTables() (*Tables, error) {
	language, err := utterance.English()
	if err != nil {
		return nil, err
	}
	words, err := phrases.English()
	if err != nil {
		return nil, err
	}
	t := &Tables{
		language: language,
		sites:    words.Sites, media: words.Media, agents: words.Agents, terminal: words.Terminal, keys: words.Keys,
		modifiers: words.Modifiers, editing: words.Editing, actions: words.Actions, sameAction: words.SameAs,
		generic: words.Generic, terminals: words.Terminals, terminalExec: words.Exec, phrases: words.Desktop,
	}
	for _, err := range []error{t.addPatterns(words.Patterns), t.loadActions()} {
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// addPatterns writes out the choices of patterns.
func (t *Tables) addPatterns(patterns []phrases.Pattern) error {
	t.patterns = map[string][]pattern{}
	for _, p := range patterns {
		said, err := expand(p.Say)
		if err != nil {
			return fmt.Errorf("tables: niri_phrases.json: %q: %w", p.Say, err)
		}
		for _, s := range said {
			one := newPattern(s, p.Command, p.Args)
			t.patterns[one.before] = append(t.patterns[one.before], one)
		}
	}
	return nil
}

// loadActions reads which of the compositor's actions need no argument.
func (t *Tables) loadActions() error {
	raw, err := data.FS.ReadFile("niri_actions.json")
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	var file struct {
		Actions []struct {
			Name string
			Args []any
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return fmt.Errorf("tables: niri_actions.json: %w", err)
	}
	t.bareActions = map[string]bool{}
	for _, a := range file.Actions {
		t.bareActions[a.Name] = len(a.Args) == 0
	}
	return nil
}

// SiteTitles returns what the titles of the pages of a host have in them, or nil
// for a host that is not in the table.
func (t *Tables) SiteTitles(host string) []string {
	for _, s := range t.sites {
		for _, h := range s.Hosts {
			if host == strings.TrimPrefix(h, "www.") || strings.HasSuffix(host, "."+h) {
				return s.Titles
			}
		}
	}
	return nil
}

// IsTerminal reports whether windows of this app id are known to be terminals.
func (t *Tables) IsTerminal(appID string) bool { return t.terminals[strings.ToLower(appID)] }

// TerminalExec returns what stands between a terminal's program and the command
// that it is to run.
func (t *Tables) TerminalExec(program string) []string {
	if words, ok := t.terminalExec[program]; ok {
		return words
	}
	return []string{"-e"}
}

// IsAgent reports whether name is a CLI agent's.
func (t *Tables) IsAgent(name string) bool { return t.agents[name] != nil }
