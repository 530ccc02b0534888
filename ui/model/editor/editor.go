// Package editor is the page about one application: its names, actions and how
// it starts. A valid change saves by itself; an invalid one stays and says why.
package editor

import (
	"strings"

	"utter/shared/catalog"
	"utter/shared/profile"
	"utter/ui/model/apps"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
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

// A Field is one value as the page shows it.
type Field struct {
	Text     string // the draft, else the active value
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
	Removed                  []Action // that the user's file takes away; ResetAction brings them back
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

	lib     *catalog.Library // that the next two are of
	account profile.Account
	below   *profile.Profile // what counts without the user's own file about it
	drafts  map[string]*draft
	launch  map[string]launchCheck
	look    map[string]func() // cancels the check of a command that is to come
	try     string
	leave   func()
	closed  bool
}

// New returns a model of an application. It calls shown, which may be nil, after
// every change.
func New(id string, p Parts, shown func(State)) *Model {
	m := &Model{
		session: p.Session, agent: p.Agent, words: p.Words, later: p.Later, id: id, shown: shown,
		below: &profile.Profile{Kind: profile.Other}, drafts: map[string]*draft{}, launch: map[string]launchCheck{},
		look: map[string]func(){},
	}
	m.refresh()
	m.leave = p.Session.Subscribe(func() {
		if m.refresh() {
			m.checkLaunches()
		}
		m.show()
	})
	m.checkLaunches()
	return m
}

// Close ends the model. Drafts that are not saved are lost, but for those that
// are being saved: Flush comes first.
func (m *Model) Close() {
	m.closed = true
	for _, d := range m.drafts {
		d.cancel()
	}
	for _, cancel := range m.look {
		cancel()
	}
	m.leave()
}

// ID returns the application's id.
func (m *Model) ID() string { return m.id }

// refresh takes what the session knows and reports whether that is new.
func (m *Model) refresh() bool {
	lib := m.session.Library()
	if lib == nil || lib == m.lib {
		return false
	}
	m.lib = lib
	m.account = lib.Explain(m.id)
	m.below = m.account.BuiltIn
	if m.below == nil {
		m.below = m.ground()
	}
	return true
}

// ground is what an application starts with that only the user's file knows:
// the actions and phrases of its kind.
func (m *Model) ground() *profile.Profile {
	g := &profile.Profile{Kind: profile.Other}
	if m.id == profile.Everywhere {
		return g
	}
	if p := m.lib.Explain(profile.KindID(m.profile().Kind)).Profile; p != nil {
		g.Shortcuts, g.Commands, g.Says, g.SearchURL = p.Shortcuts, p.Commands, p.Says, p.SearchURL
	}
	return g
}

func (m *Model) show() {
	if m.shown != nil && !m.closed {
		m.shown(m.State())
	}
}

// profile returns what is effective, never nil.
func (m *Model) profile() *profile.Profile {
	if m.account.Profile != nil {
		return m.account.Profile
	}
	return &profile.Profile{ID: m.id, Name: m.id, Kind: profile.Other}
}

// name is what the application is called.
func (m *Model) name() string {
	if name := apps.RoleName(m.id); name != "" {
		return name
	}
	return m.profile().Name
}

func (m *Model) isRole() bool { return apps.RoleName(m.id) != "" }

// file returns the user's file about the application, the one that wins, or nil.
func (m *Model) file() *profile.Patch {
	if files := m.account.Files; len(files) > 0 {
		return &files[len(files)-1]
	}
	return nil
}

// own returns what the user's file says of a field.
func (m *Model) own(path ...string) any { return m.file().Value(path...) }

// State returns what the page shows now.
func (m *Model) State() State {
	p := m.profile()
	s := State{
		ID: m.id, Name: m.name(), Subtitle: m.id, Role: m.isRole(), Fields: map[string]Field{}, Kind: p.Kind,
		Enabled: !p.Disabled, Terminal: p.Terminal, Actions: m.actions(), Removed: m.removedActions(), Phrases: m.phrases(),
		Restore: m.restoreLabel(), Lost: wording.List(m.lost()),
	}
	if p.Entry != nil {
		s.Icon = p.Entry.Icon
	}
	if file := m.file(); file != nil {
		s.File = file.Origin.File
	}
	for _, name := range profile.Fields {
		s.Fields[name] = m.field(name)
	}
	s.Preview = preview(s.Fields["search_url"])
	return s
}

// source says in words where a value comes from. What a kind has by default is
// the kind's own.
func (m *Model) source(key string) string {
	from := m.account.From[key]
	if from == profile.KindDefaults && apps.RoleName(m.id) != "" {
		from = profile.BuiltIn
	}
	return sourceText(from)
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
		return tr.T("Inherited from its kind")
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
	case m.file() == nil:
		return ""
	case b == nil && !m.isRole():
		return tr.T("Remove App")
	case b == nil || b.Layer == profile.Catalogue:
		return tr.T("Discard My Changes")
	}
	return tr.T("Restore Built-In")
}

// lost lists what Restore takes back, in words.
func (m *Model) lost() []string {
	var files []*profile.Patch
	for i := range m.account.Files {
		files = append(files, &m.account.Files[i])
	}
	var all []string
	for _, path := range profile.Paths(files...) {
		switch path[0] {
		case "shortcuts":
			all = append(all, profile.Spoken(path[1]))
		case "commands":
			all = append(all, tr.T("“%s”", path[1]))
		default:
			all = append(all, wording.Field(path[0]))
		}
	}
	return all
}

// Restore takes the user's own files about the application out of force. It can
// be undone; what is valid of the drafts is saved before, so that it comes back
// with them.
func (m *Model) Restore() {
	m.Flush()
	for _, d := range m.drafts {
		d.cancel()
	}
	clear(m.drafts)
	m.session.Restore(m.id, func() string {
		m.refresh()
		switch b := m.account.BuiltIn; {
		case b == nil && !m.isRole():
			return tr.T("Removed %s", m.name())
		case b == nil || b.Layer == profile.Catalogue:
			return tr.T("Discarded your changes to %[1]s: %[2]s", m.name(), short(m.lost()))
		}
		return tr.T("Restored the built-in %[1]s. Discarded: %[2]s", m.name(), short(m.lost()))
	})
	m.show()
}

// short is a list that fits into a toast.
func short(items []string) string {
	const most = 6
	rest := len(items) - most
	if rest < 2 {
		return wording.List(items)
	}
	// Translators: %[1]s is a list, %[2]d how many more there are.
	return tr.N("%[1]s and %[2]d more", "%[1]s and %[2]d more", rest, wording.List(items[:most]), rest)
}

// TryPhrase asks what a phrase would do with the application in focus. Only the
// last one is answered.
func (m *Model) TryPhrase(phrase string, answer func(line string)) {
	m.try = phrase
	if strings.TrimSpace(phrase) == "" {
		answer("")
		return
	}
	m.agent.TryPhrase(phrase, m.id, func(line string) {
		if m.try == phrase && !m.closed {
			answer(line)
		}
	})
}
