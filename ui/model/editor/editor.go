// Package editor is the page about one application: its names, actions and how
// it starts. A valid change saves by itself; an invalid one stays and says why.
package editor

import (
	"maps"
	"slices"
	"strings"

	"utter/shared/profile"
	"utter/ui/model/apps"
	"utter/ui/model/session"
	"utter/ui/model/tr"
)

// An Agent answers what only the agent knows. Answers come on the main loop.
type Agent interface {
	// CheckLaunch says whether a command can be started.
	CheckLaunch(argv []string, answer func(LaunchState))
	// TryPhrase says in a line what a phrase would do with the focus in app.
	TryPhrase(phrase, app string, answer func(line string))
}

// Words are what names should not be, in normal form.
type Words interface {
	IsGeneric(word string) bool
	IsPhrase(text string) bool
}

// Parts are what every Model works with.
type Parts struct {
	Session *session.Session
	Agent   Agent
	Words   Words
	Later   session.Later
}

// A LaunchState is how a command stands.
type LaunchState string

// The states; the empty one is not known.
const (
	Found         LaunchState = "found"
	NotFound      LaunchState = "not_found"
	NotExecutable LaunchState = "not_executable"
)

// A Field is one value as the page shows it.
type Field struct {
	Text     string // the draft, else the value in force
	Source   string // whose it is, in words
	CanReset bool   // the user's own differs
	Error    string // why the draft cannot be saved, or ""
	Notes    []string
}

// An Action is something that the application does on keys.
type Action struct {
	Name     string   // "new_tab"
	Spoken   string   // "new tab"
	Keys     []string // chords in canonical form
	Source   string
	CanReset bool
	AlsoSay  []string // further phrases for it
	Clash    string   // another action with the same keys, as spoken
}

// A Phrase is a phrase of the user's own, or a built-in one, that presses keys.
type Phrase struct {
	Text     string
	Keys     []string
	Source   string
	CanReset bool
}

// A State is all that the page shows.
type State struct {
	ID, Name, Icon, Subtitle string
	Role                     bool // many applications at once: no names, no launch
	File                     string
	Fields                   map[string]Field // by the names of profile fields
	Preview                  string           // of the search address
	Actions                  []Action
	Phrases                  []Phrase
	Kind                     profile.Kind
	Enabled, Terminal        bool
	Restore                  string // the label of the row that takes the user's own back, or ""
	Lost                     string // what that would take back
}

// A Model edits one application. Close ends it.
type Model struct {
	session *session.Session
	agent   Agent
	later   session.Later
	words   Words
	id      string
	shown   func(State)

	account profile.Account
	drafts  map[string]*draft
	launch  map[string]launchCheck
	try     string
	leave   func()
}

// A draft is a text that is not saved yet.
type draft struct {
	text   string
	base   any // what the user's file said when it began
	cancel func()
	saving bool
}

type launchCheck struct {
	line  string
	state LaunchState
}

// New returns a model of an application. It calls shown after every change.
func New(id string, p Parts, shown func(State)) *Model {
	m := &Model{
		session: p.Session, agent: p.Agent, words: p.Words, later: p.Later, id: id, shown: shown,
		drafts: map[string]*draft{}, launch: map[string]launchCheck{},
	}
	m.refresh()
	m.leave = p.Session.Subscribe(func() {
		m.refresh()
		m.show()
	})
	m.checkLaunch("launch")
	m.checkLaunch("new_window")
	return m
}

// Close ends the model. Drafts that are not saved are lost: Flush comes first.
func (m *Model) Close() {
	for _, d := range m.drafts {
		d.cancel()
	}
	m.leave()
}

// ID returns the application's id.
func (m *Model) ID() string { return m.id }

func (m *Model) refresh() {
	if lib := m.session.Library(); lib != nil {
		m.account = lib.Explain(m.id)
	}
}

func (m *Model) show() {
	if m.shown != nil {
		m.shown(m.State())
	}
}

// profile returns what is in force, never nil.
func (m *Model) profile() *profile.Profile {
	if m.account.Profile != nil {
		return m.account.Profile
	}
	return &profile.Profile{ID: m.id, Name: m.id, Kind: profile.Other}
}

// name is what the application is called in sentences.
func (m *Model) name() string {
	if name := apps.RoleName(m.id); name != "" {
		return name
	}
	return m.profile().Name
}

// own returns what the user's file says of a field.
func (m *Model) own(path ...string) any {
	if files := m.account.Files; len(files) > 0 {
		return session.Own(&files[len(files)-1], path)
	}
	return nil
}

// State returns what the page shows now.
func (m *Model) State() State {
	p := m.profile()
	s := State{
		ID: m.id, Name: m.name(), Role: apps.RoleName(m.id) != "", Fields: map[string]Field{}, Kind: p.Kind,
		Enabled: !p.Disabled, Terminal: p.Terminal, Actions: m.actions(), Phrases: m.phrases(),
	}
	if p.Entry != nil {
		s.Icon = p.Entry.Icon
	}
	if files := m.account.Files; len(files) > 0 {
		s.File = files[len(files)-1].Origin.File
	}
	s.Subtitle = m.id
	for _, name := range session.Fields {
		s.Fields[name] = m.field(name)
	}
	s.Preview = preview(s.Fields["search_url"])
	s.Restore, s.Lost = m.restoreLabel(), strings.Join(m.lost(), ", ")
	return s
}

func (m *Model) field(name string) Field {
	f := Field{Text: textOf(m.profile(), name), Source: sourceText(m.account.From[name]), CanReset: m.own(name) != nil}
	d := m.drafts[name]
	if d != nil {
		f.Text, f.Error = d.text, check(name, d.text)
	}
	switch name {
	case "aliases":
		f.Notes = append(m.aliasNotes(f.Text), m.newInBuiltIn()...)
	case "launch", "new_window":
		f.Notes = m.launchNotes(name, f)
	}
	return f
}

// sourceText says in words where a value comes from.
func sourceText(s profile.Source) string {
	switch s {
	case profile.Yours:
		// Translators: where a value comes from.
		return tr.T("Yours")
	case profile.BuiltIn:
		// Translators: where a value comes from.
		return tr.T("Built-in")
	case profile.KindDefaults:
		// Translators: where a value comes from: every application of this kind has it.
		return tr.T("From its kind")
	case profile.YoursForKind:
		// Translators: where a value comes from.
		return tr.T("Yours, for its kind")
	case profile.YoursEverywhere:
		// Translators: where a value comes from.
		return tr.T("Yours, everywhere")
	case profile.Found:
		// Translators: where a value comes from: the application's own desktop file.
		return tr.T("Found on this computer")
	}
	return ""
}

// restoreLabel is what the row is called that takes the user's own back.
func (m *Model) restoreLabel() string {
	switch b := m.account.BuiltIn; {
	case len(m.account.Files) == 0:
		return ""
	case b == nil:
		return tr.T("Remove this app")
	case b.Layer == profile.Catalogue:
		return tr.T("Forget my changes")
	}
	return tr.T("Restore built-in")
}

// lost lists what Restore takes back, in words.
func (m *Model) lost() []string {
	var all []string
	for _, f := range session.Fields {
		if m.own(f) != nil {
			all = append(all, FieldName(f))
		}
	}
	if files := m.account.Files; len(files) > 0 {
		p := files[len(files)-1]
		for _, name := range slices.Sorted(maps.Keys(p.Shortcuts)) {
			all = append(all, spoken(name))
		}
		phrases := slices.Concat(slices.Collect(maps.Keys(p.Commands)), slices.Collect(maps.Keys(p.Says)))
		slices.Sort(phrases)
		for _, phrase := range slices.Compact(phrases) {
			all = append(all, tr.T("“%s”", phrase))
		}
	}
	return all
}

// Restore takes the user's own files about the application out of force. It can
// be undone.
func (m *Model) Restore() {
	m.forgetDrafts()
	label := tr.T("Restored the built-in %s. Taken back: %s", m.name(), strings.Join(m.lost(), ", "))
	switch b := m.account.BuiltIn; {
	case b == nil:
		label = tr.T("Removed %s", m.name())
	case b.Layer == profile.Catalogue:
		label = tr.T("Forgot your changes to %s: %s", m.name(), strings.Join(m.lost(), ", "))
	}
	m.session.Restore(m.id, label)
}

func (m *Model) forgetDrafts() {
	for _, d := range m.drafts {
		d.cancel()
	}
	clear(m.drafts)
}

// TryPhrase asks what a phrase would do with the application in focus.
func (m *Model) TryPhrase(phrase string, answer func(line string)) {
	m.try = phrase
	if strings.TrimSpace(phrase) == "" {
		answer("")
		return
	}
	m.agent.TryPhrase(phrase, m.id, func(line string) {
		if m.try == phrase { // else another was asked since
			answer(line)
		}
	})
}
