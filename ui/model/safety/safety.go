// Package safety is the page about what the agent may do. It changes single
// values of the configuration file.
package safety

import (
	"slices"
	"strings"

	"utter/shared/config"
	"utter/ui/model/session"
	"utter/ui/model/tr"
)

// An Operation is something that can be allowed or asked about.
type Operation struct {
	Op       string
	Title    string
	Subtitle string // what turning it on means
}

// Dangerous are the operations that are off until they are allowed.
func Dangerous() []Operation {
	return []Operation{{"terminal", tr.T("Run commands in a terminal"),
		tr.T("“Run make test” types the command into the terminal in front of you and runs it. Each command is shown to you first.")}}
}

// Asked are operations that can be made to ask first.
func Asked() []Operation {
	return []Operation{
		{"close_app", tr.T("Closing applications"), tr.T("Ask before an application is closed")},
		{"niri", tr.T("Window and workspace commands"), tr.T("Ask before windows are closed, moved or arranged")},
		{"type_text", tr.T("Typing text"), tr.T("Ask before anything is typed")},
		{"key", tr.T("Pressing keys"), tr.T("Ask before keys are pressed in an application")},
	}
}

// TypingWays are the ways to type text, with what they are called.
func TypingWays() (ways, labels []string) {
	return []string{"auto", "input-method", "keyboard", "clipboard"}, []string{
		tr.T("The best that works"),
		tr.T("Input method"),
		tr.T("Virtual keyboard"),
		tr.T("Clipboard"),
	}
}

// A State is all that the page shows.
type State struct {
	ReadOnly bool // the file has a mistake and only an editor can mend it
	Fault    string
	File     string
	Allowed  map[string]bool
	Asks     map[string]bool
	Words    string // with commas
	TypeWith string
	Engine   string
	Error    string // why the engine cannot be saved, or ""
}

// A Model holds the page.
type Model struct {
	session *session.Session
	file    string
	read    func() (config.Config, error)
	shown   func(State)
	now     config.Config
	err     error
	later   session.Later
	drafts  map[string]string
	cancel  map[string]func()
}

// New returns a model. read reads the configuration file.
func New(s *session.Session, file string, read func() (config.Config, error), later session.Later, shown func(State)) *Model {
	m := &Model{session: s, file: file, read: read, shown: shown, later: later, drafts: map[string]string{}, cancel: map[string]func(){}}
	m.now, m.err = read()
	s.Subscribe(m.Refresh)
	return m
}

// Refresh reads the file again.
func (m *Model) Refresh() {
	m.now, m.err = m.read()
	m.shown(m.State())
}

// State returns what the page shows now.
func (m *Model) State() State {
	s := State{
		ReadOnly: m.err != nil, File: m.file, Allowed: map[string]bool{}, Asks: map[string]bool{},
		Words: strings.Join(m.now.Policy.RequireConfirm, ", "), TypeWith: m.now.Agent.TypeWith, Engine: m.now.Search.Engine,
	}
	if m.err != nil {
		s.Fault = m.err.Error()
	}
	for _, op := range m.now.Policy.EnableOps {
		s.Allowed[op] = true
	}
	for _, op := range m.now.Policy.ConfirmOps {
		s.Asks[op] = true
	}
	if text, ok := m.drafts["words"]; ok {
		s.Words = text
	}
	if text, ok := m.drafts["engine"]; ok {
		s.Engine, s.Error = text, engineFault(text)
	}
	return s
}

func engineFault(text string) string {
	if strings.TrimSpace(text) == "" {
		return tr.T("Write the name of a site, such as google, or an address with {q} in it")
	}
	return ""
}

// Allow turns a dangerous operation on or off.
func (m *Model) Allow(o Operation, on bool) {
	if list, changed := with(m.now.Policy.EnableOps, o.Op, on); changed {
		label := tr.T("Not allowed any more: %s", o.Title)
		if on {
			label = tr.T("Allowed: %s", o.Title)
		}
		m.set(label, "policy", "enable_ops", list)
	}
}

// Ask makes an operation ask first, or no longer.
func (m *Model) Ask(o Operation, on bool) {
	if list, changed := with(m.now.Policy.ConfirmOps, o.Op, on); changed {
		label := tr.T("Asks no longer: %s", o.Title)
		if on {
			label = tr.T("Asks first: %s", o.Title)
		}
		m.set(label, "policy", "confirm_ops", list)
	}
}

// with returns list with or without an item.
func with(list []string, item string, in bool) (result []string, changed bool) {
	if slices.Contains(list, item) == in {
		return list, false
	}
	if in {
		return append(slices.Clone(list), item), true
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item }), true
}

// SetTypeWith chooses how text is typed.
func (m *Model) SetTypeWith(way string) {
	if way != m.now.Agent.TypeWith {
		m.set(tr.T("Changed how text is typed"), "agent", "type_with", way)
	}
}

func (m *Model) set(label, table, key string, value any) {
	if m.err == nil {
		m.session.Configure(label, config.Change{Table: table, Key: key, Value: value})
	}
}

// Edit takes what is written into "words" or "engine"; it is saved soon.
func (m *Model) Edit(field, text string) {
	s := m.State()
	if now := map[string]string{"words": s.Words, "engine": s.Engine}[field]; now == text {
		return
	}
	m.drafts[field] = text
	if cancel := m.cancel[field]; cancel != nil {
		cancel()
	}
	m.cancel[field] = m.later(session.SaveAfter, func() { m.Commit(field) })
	m.shown(m.State())
}

// Commit saves what is written into a field now, if it is valid.
func (m *Model) Commit(field string) {
	text, ok := m.drafts[field]
	if !ok || field == "engine" && engineFault(text) != "" {
		return
	}
	m.cancel[field]()
	delete(m.drafts, field)
	switch field {
	case "words":
		if list := commaList(text); !slices.Equal(list, m.now.Policy.RequireConfirm) {
			m.set(tr.T("Changed the words that ask first"), "policy", "require_confirm", list)
		}
	case "engine":
		if engine := strings.TrimSpace(text); engine != m.now.Search.Engine {
			m.set(tr.T("Changed where plain searches go"), "search", "engine", engine)
		}
	}
}

// Flush saves all valid drafts.
func (m *Model) Flush() {
	m.Commit("words")
	m.Commit("engine")
}

func commaList(text string) []string {
	list := []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}
