package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"utter/data"
	"utter/shared/chord"
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
type site struct {
	Name   string // canonical
	Names  []string
	URL    string
	Hosts  []string
	Titles []string // what its pages' titles have in them
	Search string   // with {q}, or ""
}

// NewTables reads the built-in tables. Only a fault in them is an error.
func NewTables() (*Tables, error) {
	language, err := utterance.English()
	if err != nil {
		return nil, err
	}
	t := &Tables{language: language}
	for _, load := range []func() error{t.loadSites, t.loadWords, t.loadKeys, t.loadPhrases} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// read decodes a built-in file.
func read(name string, to any) error {
	raw, err := data.FS.ReadFile(name)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("tables: %s: %w", name, err)
	}
	return nil
}

func (t *Tables) loadSites() error {
	var file struct{ Sites []*site }
	if err := read("sites.json", &file); err != nil {
		return err
	}
	t.sites = map[string]*site{}
	for _, s := range file.Sites {
		for _, n := range append([]string{s.Name}, s.Names...) {
			t.sites[utterance.Key(n)] = s
		}
	}
	return nil
}

func (t *Tables) loadWords() error {
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
	t.generic, t.terminals, t.agents, t.media = map[string]bool{}, map[string]bool{}, map[string][]string{}, map[string]string{}
	for _, w := range words.Generic {
		t.generic[w] = true
	}
	for _, id := range words.TerminalAppIDs {
		t.terminals[strings.ToLower(id)] = true
	}
	t.terminal, t.terminalExec = agents.Terminal, terminals.Exec
	for name, argv := range agents.Agents {
		t.agents[utterance.Key(name)] = argv
	}
	for command, phrases := range media.Phrases {
		for _, p := range phrases {
			t.media[p] = command
		}
	}
	return nil
}

func (t *Tables) loadKeys() error {
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
	t.keys, t.modifiers, t.editing, t.actions = map[string]string{}, map[string]string{}, map[string]chord.Chord{}, map[string]string{}
	for spoken, key := range keys.Keys {
		t.keys[spoken] = key
	}
	for name, all := range keys.Modifiers {
		for _, spoken := range all {
			t.modifiers[spoken] = name
		}
	}
	for phrase, s := range editing.Phrases {
		c, err := chord.Parse(s)
		if err != nil {
			return fmt.Errorf("tables: editing.json: %w", err)
		}
		t.editing[phrase] = c
	}
	t.sameAction = shortcuts.SameAs
	for action, phrases := range shortcuts.Phrases {
		for _, p := range phrases {
			t.actions[p] = action
		}
	}
	return nil
}

func (t *Tables) loadPhrases() error {
	var file struct {
		Phrases  map[string]string
		Patterns []struct {
			Say     string
			Command string
			Args    []string
		}
	}
	if err := read("niri_phrases.json", &file); err != nil {
		return err
	}
	var actions struct {
		Actions []struct {
			Name string
			Args []any
		}
	}
	if err := read("niri_actions.json", &actions); err != nil {
		return err
	}
	t.bareActions = map[string]bool{}
	for _, a := range actions.Actions {
		t.bareActions[a.Name] = len(a.Args) == 0
	}
	t.phrases, t.patterns = file.Phrases, map[string][]pattern{}
	for _, p := range file.Patterns {
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
