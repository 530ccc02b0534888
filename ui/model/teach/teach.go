// Package teach gives a meaning to a phrase that was not understood: a name for an
// application, another phrase for one of its actions, or keys.
package teach

import (
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/profile"
	"utter/shared/utterance"
	"utter/ui/model/apps"
	"utter/ui/model/editor"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A Meaning is what a phrase does.
type Meaning int

// The meanings.
const (
	Opens   Meaning = iota // it names an application
	Acts                   // it means one of the application's actions
	Presses                // it presses keys in the application
)

// A Choice is an application or action to choose.
type Choice struct{ ID, Label string }

// A State is all that the dialog shows.
type State struct {
	Meaning  Meaning
	Phrase   string // what is taught: without "open" where it is a name
	Apps     []Choice
	App      int
	Actions  []Choice
	Action   int
	Keys     []string
	Note     string // what will be so afterwards, and what is unwise about it: a line each
	CanTeach bool
}

// A Model holds the dialog.
type Model struct {
	parts editor.Parts
	shown func(State)

	said   string
	edited bool // Phrase is the user's own
	state  State
	keys   chord.Sequence
}

// New returns a model for a phrase said while app had the focus, which may be "".
func New(said, app string, p editor.Parts, shown func(State)) *Model {
	m := &Model{parts: p, shown: shown, said: utterance.Key(said)}
	m.state.Apps = choices(p.Session)
	m.state.App = slices.IndexFunc(m.state.Apps, func(c Choice) bool { return c.ID == app })
	if _, ok := opened(m.said); !ok && m.state.App >= 0 {
		m.state.Meaning = Acts
	}
	if m.state.App < 0 { // a name belongs to one application: none of the roles that come first
		m.state.App = max(0, slices.IndexFunc(m.state.Apps, func(c Choice) bool { return apps.RoleName(c.ID) == "" }))
	}
	m.fillPhrase()
	m.listActions()
	return m
}

// fillPhrase takes what was said as what is taught: of a name only the name.
func (m *Model) fillPhrase() {
	m.state.Phrase = m.said
	if name, ok := opened(m.said); ok && m.state.Meaning == Opens {
		m.state.Phrase = name
	}
}

// opened returns what a phrase wants to open.
func opened(said string) (name string, ok bool) {
	for _, verb := range []string{"open ", "launch ", "start "} {
		if name, ok := strings.CutPrefix(said, verb); ok && name != "" {
			return name, true
		}
	}
	return said, false
}

func choices(s *session.Session) []Choice {
	lib := s.Library()
	if lib == nil {
		return nil
	}
	list := apps.New(apps.All)
	list.SetLibrary(lib)
	var all []Choice
	for _, id := range list.Shown() {
		all = append(all, Choice{id, list.Row(id).Name})
	}
	return all
}

func (m *Model) app() string {
	if m.state.App < len(m.state.Apps) {
		return m.state.Apps[m.state.App].ID
	}
	return ""
}

func (m *Model) listActions() {
	m.state.Actions, m.state.Action = nil, 0
	lib := m.parts.Session.Library()
	if lib == nil {
		return
	}
	if p := lib.Explain(m.app()).Profile; p != nil {
		for name := range p.Shortcuts {
			m.state.Actions = append(m.state.Actions, Choice{name, profile.Spoken(name)})
		}
	}
	slices.SortFunc(m.state.Actions, func(a, b Choice) int { return strings.Compare(a.Label, b.Label) })
}

// State returns what the dialog shows now.
func (m *Model) State() State {
	s := m.state
	s.Note, s.CanTeach = m.note()
	return s
}

// note says what will be so, and whether it can be.
func (m *Model) note() (string, bool) {
	s := m.state
	if s.Phrase == "" {
		return tr.T("Enter a phrase"), false
	}
	if s.App >= len(s.Apps) {
		return tr.T("Choose an application"), false
	}
	name := s.Apps[s.App].Label
	role := apps.RoleName(s.Apps[s.App].ID) != ""
	switch s.Meaning {
	case Opens:
		if role {
			return tr.T("Choose a single application: a name belongs to only one"), false
		}
		note := tr.T("“open %[1]s” will open %[2]s", s.Phrase, name)
		return strings.Join(append([]string{note}, m.unwise()...), "\n"), true
	case Acts:
		if len(s.Actions) == 0 {
			return tr.T("%s has no actions yet", name), false
		}
		// Translators: %[1]s is an application or "All Browsers", %[2]s what will be said, %[3]s an action.
		return tr.T("%[1]s: “%[2]s” will mean “%[3]s”", name, s.Phrase, s.Actions[s.Action].Label), true
	}
	if len(m.keys) == 0 {
		return tr.T("Choose the keys"), false
	}
	// Translators: %[1]s is an application or "All Browsers", %[2]s what will be said.
	return tr.T("%[1]s: “%[2]s” will press the keys", name, s.Phrase), true
}

// unwise says what is odd about the phrase as a name.
func (m *Model) unwise() []string {
	lib := m.parts.Session.Library()
	p := lib.Explain(m.app()).Profile
	if p == nil {
		return nil
	}
	return wording.Findings(profile.LintAliases(
		lib.Index, p, []string{m.state.Phrase}, m.parts.Words.IsGeneric, m.parts.Words.IsPhrase))
}

func (m *Model) show() { m.shown(m.State()) }

// SetMeaning chooses what the phrase does.
func (m *Model) SetMeaning(k Meaning) {
	if k == m.state.Meaning {
		return
	}
	m.state.Meaning = k
	if !m.edited {
		m.fillPhrase()
	}
	m.show()
}

// SetPhrase changes what is taught.
func (m *Model) SetPhrase(text string) {
	if text = utterance.Key(text); text != m.state.Phrase {
		m.state.Phrase, m.edited = text, true
		m.show()
	}
}

// SetApp chooses the application.
func (m *Model) SetApp(i int) {
	if i != m.state.App && i >= 0 && i < len(m.state.Apps) {
		m.state.App = i
		m.listActions()
		m.show()
	}
}

// SetAction chooses the action.
func (m *Model) SetAction(i int) {
	if i >= 0 && i < len(m.state.Actions) {
		m.state.Action = i
		m.show()
	}
}

// SetKeys chooses the keys.
func (m *Model) SetKeys(seq chord.Sequence) {
	m.keys, m.state.Keys = seq, nil
	for _, c := range seq {
		m.state.Keys = append(m.state.Keys, c.String())
	}
	m.show()
}

// Teach writes it down.
func (m *Model) Teach() {
	if _, ok := m.note(); !ok {
		return
	}
	e := editor.New(m.app(), m.parts, nil)
	defer e.Close()
	switch m.state.Meaning {
	case Opens:
		e.AddAlias(m.state.Phrase)
	case Acts:
		e.AlsoSay(m.state.Actions[m.state.Action].ID, m.state.Phrase)
	case Presses:
		e.SetPhrase(m.state.Phrase, m.keys)
	}
}
