package knowledge

import (
	"path/filepath"
	"slices"

	"utter/agent/internal/policy"
	"utter/agent/internal/router"
	"utter/shared/catalog"
	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/terminal"
	"utter/shared/typing"
)

// A Snapshot is everything that the files say at one moment. It never changes.
type Snapshot struct {
	Config   config.Config
	Policy   policy.Policy
	Router   *router.Router // made of the words and the library
	Problems []profile.Problem
}

// Library returns the applications.
func (s *Snapshot) Library() *catalog.Library { return s.Router.Library() }

// SearchURL returns the address that searches the web.
func (s *Snapshot) SearchURL(query string) string { return s.Router.SearchURL(query) }

// SiteTitles returns what the titles of the pages of a host contain, or nil for a host
// that is not known.
func (s *Snapshot) SiteTitles(host string) []string { return s.Router.Words().SiteTitles(host) }

// MayCommand reports whether commands may be run in terminals.
func (s *Snapshot) MayCommand() bool { return s.Policy.Allows(op.Terminal{}.Op()) }

// TypeWith returns the method of typing that the user forces, or typing.Auto.
func (s *Snapshot) TypeWith() typing.Way { return s.Config.Agent.TypeWith }

var pasteKeys, pasteInTerminal = keys("ctrl+v"), keys("ctrl+shift+v")

func keys(name string) chord.Chord {
	c, err := chord.Parse(name)
	if err != nil {
		panic(err) // a constant
	}
	return c
}

// PasteChord returns the keys that paste in an application, which may be nil: those of
// its own action, or the usual ones.
func PasteChord(p *profile.Profile, inTerminal bool) chord.Chord {
	if p != nil {
		if keys := p.Shortcuts["paste"]; len(keys) == 1 {
			return keys[0]
		}
	}
	if inTerminal {
		return pasteInTerminal
	}
	return pasteKeys
}

// CloseTab returns the keys that close a tab in an application, which may be nil, or none.
func CloseTab(p *profile.Profile) chord.Sequence {
	if p == nil {
		return nil
	}
	return p.Shortcuts["close_tab"]
}

// PlayerNames returns what the media player of an application may call itself, or nil
// if no application is named.
func (s *Snapshot) PlayerNames(id string) []string {
	if id == "" {
		return nil
	}
	names := []string{id}
	if p := s.Library().Index.ByID(id); p != nil {
		names = append(names, p.AppIDs...)
		names = append(names, p.Name)
		if p.Entry != nil {
			names = append(names, p.Entry.ID)
		}
	}
	return names
}

// InTerminal wraps a command so that it runs in a new terminal.
func (s *Snapshot) InTerminal(argv []string) ([]string, error) {
	if catalog.FoundInPath("xdg-terminal-exec") {
		return append([]string{"xdg-terminal-exec"}, argv...), nil
	}
	p := s.Library().Default(profile.Terminal)
	if p == nil {
		return nil, plan.Refuse(plan.Missing, "it needs a terminal, and none is installed")
	}
	command := s.Library().Command(p)
	if len(command) == 0 {
		return nil, plan.Refuse(plan.Missing, "it needs a terminal, and %s cannot be started", p.Name)
	}
	return slices.Concat(command, terminal.Exec(filepath.Base(command[0])), argv), nil
}
