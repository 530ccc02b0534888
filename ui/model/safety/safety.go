// Package safety is the page about what the agent may do. It changes single
// values of the configuration file.
package safety

import (
	"errors"
	"slices"
	"strings"

	"utter/shared/config"
	"utter/shared/op"
	"utter/shared/profile"
	"utter/shared/typing"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// An Operation is something that can be allowed or asked about.
type Operation struct {
	Op       string
	Title    string
	Subtitle string // what turning it on means
}

// Dangerous are the operations that are off until they are allowed.
func Dangerous() []Operation { return operations(func(s op.Spec) op.Switch { return s.Allow }) }

// Asked are operations that can be made to ask first.
func Asked() []Operation { return operations(func(s op.Spec) op.Switch { return s.Ask }) }

// operations are those that have a switch.
func operations(switchOf func(op.Spec) op.Switch) (all []Operation) {
	for _, s := range op.Specs() {
		if w := switchOf(s); w.Title != "" {
			all = append(all, Operation{string(s.Name), tr.T(w.Title), tr.T(w.Subtitle)})
		}
	}
	return all
}

// TypingLabels are what typing.Ways are called, in their order.
func TypingLabels() []string {
	labels := []string{tr.T("Automatic")}
	for _, m := range typing.Methods {
		labels = append(labels, tr.T(m.Title))
	}
	return labels
}

// A State is all that the page shows.
type State struct {
	ReadOnly bool   // the file has an error and only an editor can fix it
	Fault    string // what is wrong with the file, in words
	Detail   string // more about it, in English
	File     string
	Allowed  map[string]bool
	Asks     map[string]bool
	Words    string // with commas
	TypeWith typing.Way
	Engine   string
	Error    string // why the engine cannot be saved, or ""
}

// A Model holds the page.
type Model struct {
	session *session.Session
	file    string
	read    func() (config.Config, error)
	site    func(name string) bool
	shown   func(State)
	now     config.Config
	err     error
	later   session.Later
	drafts  map[string]*draft // by the names of Edit
}

// A draft is a text that is not saved yet.
type draft struct {
	text   string
	base   any    // what the file said when it began
	cancel func() // of the time until it is saved
	held   bool   // the session asks the user about it
}

// New returns a model. read reads the configuration file; it is called now, and
// with the session's loads off the main loop, where the file has changed.
//
// site reports whether there is a site of a name that can be searched.
func New(s *session.Session, file string, read func() (config.Config, error), site func(name string) bool,
	later session.Later, shown func(State)) *Model {
	m := &Model{session: s, file: file, read: read, site: site, shown: shown, later: later, drafts: map[string]*draft{}}
	m.now, m.err = read()
	s.Follow(file, m.reread)
	s.Subscribe(m.show)
	return m
}

// reread reads the file off the main loop; take takes what it says on it.
func (m *Model) reread() (take func()) {
	now, err := m.read()
	return func() { m.now, m.err = now, err }
}

func (m *Model) show() { m.shown(m.State()) }

// State returns what the page shows now.
func (m *Model) State() State {
	s := State{
		ReadOnly: m.err != nil, File: m.file, Allowed: map[string]bool{}, Asks: map[string]bool{},
		Words: m.text("words"), TypeWith: m.now.Agent.TypeWith, Engine: m.text("engine"),
	}
	if m.err != nil {
		s.Fault, s.Detail = wording.Unreadable(m.err), m.err.Error()
	}
	for _, name := range m.now.Policy.EnabledOps {
		s.Allowed[string(op.Bare(name))] = true
	}
	for _, op := range m.now.Policy.ConfirmOps {
		s.Asks[op] = true
	}
	if m.drafts["engine"] != nil {
		s.Error = m.fault("engine", s.Engine)
	}
	return s
}

// text is the draft of a field, else what is effective.
func (m *Model) text(field string) string {
	if d := m.drafts[field]; d != nil {
		return d.text
	}
	if field == "words" {
		return strings.Join(m.now.Policy.RequireConfirm, ", ")
	}
	return m.now.Search.Engine
}

// in is what a file says of a field, in the form of config.Change.
func in(c config.Config, field string) any {
	if field == "words" {
		return c.Policy.RequireConfirm
	}
	return c.Search.Engine
}

// valueOf reads what the user wrote into a field.
func valueOf(field, text string) any {
	if field == "words" {
		return commaList(text)
	}
	return strings.TrimSpace(text)
}

// fault says why a text cannot be saved, or "".
func (m *Model) fault(field, text string) string {
	text = strings.TrimSpace(text)
	switch {
	case field != "engine", m.site(text):
		return ""
	case strings.Contains(text, "://"):
		return wording.Mistake(profile.CheckSearchURL(text))
	}
	return tr.T("Enter the name of a site, such as google, or an address that contains {q}")
}

// Allow turns a dangerous operation on or off.
func (m *Model) Allow(o Operation, on bool) {
	label := tr.T("No longer allowed: %s", o.Title)
	if on {
		label = tr.T("Allowed: %s", o.Title)
	}
	m.set("policy", "enabled_ops", label, func(c config.Config) (any, bool) { return with(c.Policy.EnabledOps, o.Op, on) })
}

// Ask makes an operation ask first, or no longer.
func (m *Model) Ask(o Operation, on bool) {
	label := tr.T("No longer asks: %s", o.Title)
	if on {
		label = tr.T("Asks first: %s", o.Title)
	}
	m.set("policy", "confirm_ops", label, func(c config.Config) (any, bool) { return with(c.Policy.ConfirmOps, o.Op, on) })
}

// with returns list with or without an item.
func with(list []string, item string, in bool) (result []string, changed bool) {
	list = slices.Clone(list)
	same := func(s string) bool { return string(op.Bare(s)) == item } // in either spelling
	switch {
	case slices.ContainsFunc(list, same) == in:
		return list, false
	case in:
		return append(list, item), true
	}
	return slices.DeleteFunc(list, same), true
}

// SetTypeWith chooses how text is typed.
func (m *Model) SetTypeWith(way typing.Way) {
	m.set("agent", "type_with", tr.T("Typing method changed"),
		func(c config.Config) (any, bool) { return string(way), way != c.Agent.TypeWith })
}

// set changes a value of the file, unless that has an error in it. What the
// user has chosen is written also where it is the default, and stays chosen.
func (m *Model) set(table, key, label string, value func(config.Config) (any, bool)) {
	if m.err == nil {
		m.session.Configure(session.Setting{Table: table, Key: key, Label: label, Value: value}, nil)
	}
}

// Edit takes what is written into "words" or "engine"; it is saved soon.
func (m *Model) Edit(field, text string) {
	if m.err != nil || text == m.text(field) {
		return
	}
	d := m.drafts[field]
	if d == nil {
		d = &draft{base: in(m.now, field), cancel: func() {}}
		m.drafts[field] = d
	}
	d.text, d.held = text, false
	m.saveSoon(field, d)
	m.show()
}

func (m *Model) saveSoon(field string, d *draft) {
	d.cancel()
	d.cancel = m.later(session.SaveAfter, func() { m.Commit(field) })
}

// Commit saves what is written into a field now, if it is valid.
func (m *Model) Commit(field string) {
	d := m.drafts[field]
	if d == nil || m.err != nil || m.fault(field, d.text) != "" {
		return
	}
	d.cancel()
	text := d.text
	d.held = false
	set := session.Setting{
		Table: "search", Key: "engine", Label: tr.T("Search engine changed"),
		In:   func(c config.Config) any { return in(c, field) },
		Base: func() any { return d.base },
		Value: func(c config.Config) (any, bool) {
			value := valueOf(field, text)
			return value, !session.SameValue(value, in(c, field))
		},
	}
	if field == "words" {
		set.Table, set.Key, set.Label = "policy", "require_confirm", tr.T("Words that need confirmation changed")
	}
	m.session.Configure(set, func(err error) { m.saved(field, d, text, err) })
}

// saved takes how saving a text ended. A draft ends with it, unless the user
// went on writing or it failed.
func (m *Model) saved(field string, d *draft, text string, err error) {
	if m.drafts[field] != d {
		return
	}
	switch {
	case errors.Is(err, session.ErrDropped), err == nil && d.text == text:
		d.cancel()
		delete(m.drafts, field)
	case err == nil:
		d.base = valueOf(field, text)
	case d.text == text:
		d.held = true
	}
	m.show()
}

// Flush saves all valid drafts. What the session has in hand it asks the user
// about itself.
func (m *Model) Flush() {
	for _, field := range []string{"words", "engine"} {
		if d := m.drafts[field]; d != nil && !d.held {
			m.Commit(field)
		}
	}
}

func commaList(text string) []string {
	list := []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}
