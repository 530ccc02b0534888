package editor

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"utter/shared/profile"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// FieldName is what a field of a profile is called.
func FieldName(field string) string {
	switch field {
	case "name":
		return tr.T("Name")
	case "aliases":
		return tr.T("Names you can say")
	case "launch":
		return tr.T("Opens with")
	case "new_window":
		return tr.T("Opens a new window with")
	case "search_url":
		return tr.T("Search address")
	case "app_ids":
		return tr.T("Window ids")
	case "mime_types":
		return tr.T("File types")
	case "kind":
		return tr.T("Kind")
	case "terminal":
		return tr.T("Runs in a terminal")
	case "enabled":
		return tr.T("Can be named")
	}
	return field
}

// textOf writes a value of p as the page shows it: lists with commas, command
// lines in the quoting of a shell.
func textOf(p *profile.Profile, field string) string {
	switch field {
	case "name":
		return p.Name
	case "aliases":
		return strings.Join(p.Aliases, ", ")
	case "launch":
		return shellquote.Join(launchOf(p)...)
	case "new_window":
		return shellquote.Join(p.NewWindow...)
	case "search_url":
		return p.SearchURL
	case "app_ids":
		return strings.Join(p.AppIDs, ", ")
	case "mime_types":
		return strings.Join(p.MimeTypes, ", ")
	case "kind":
		return string(p.Kind)
	}
	return ""
}

// launchOf is what starts p: its own command, else its desktop file's.
func launchOf(p *profile.Profile) []string {
	if len(p.Launch) > 0 || p.Entry == nil {
		return p.Launch
	}
	argv, err := p.Entry.Argv()
	if err != nil {
		return nil // then the desktop file is at fault, which is told as a problem
	}
	return argv
}

// valueOf reads what the user wrote, in the form of profile.Change.
func valueOf(field, text string) any {
	text = strings.TrimSpace(text)
	switch field {
	case "aliases", "app_ids", "mime_types":
		return commaList(text)
	case "launch", "new_window":
		argv, _ := shellquote.Split(text) // check has refused what it cannot read
		return slices.Concat([]string{}, argv)
	}
	return text
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

// check says why a text cannot be saved, or "".
func check(field, text string) string {
	text = strings.TrimSpace(text)
	switch field {
	case "search_url":
		if text != "" {
			return wording.SearchURL(profile.CheckSearchURL(text))
		}
	case "launch", "new_window":
		_, err := shellquote.Split(text)
		switch {
		case errors.Is(err, shellquote.UnterminatedSingleQuoteError), errors.Is(err, shellquote.UnterminatedDoubleQuoteError):
			return tr.T("A quotation mark is not closed")
		case err != nil:
			return tr.T("A backslash stands at the end")
		}
	case "name":
		if text == "" {
			return tr.T("Write a name")
		}
	}
	return ""
}

// preview shows what a search would open.
func preview(f Field) string {
	if f.Text == "" || f.Error != "" {
		return ""
	}
	// Translators: the words of an example search.
	words := tr.T("cats")
	address := strings.ReplaceAll(f.Text, "{q}", url.QueryEscape(words))
	// Translators: “search cats” is what is said, the second %s the address that opens.
	return tr.T("“search %s” → %s", words, address)
}

// Edit takes what the user wrote into a field. It is saved soon, unless it is
// invalid.
func (m *Model) Edit(field, text string) {
	d := m.drafts[field]
	if d == nil {
		if text == textOf(m.profile(), field) {
			return // the page itself filled it in
		}
		d = &draft{base: m.own(field), cancel: func() {}}
		m.drafts[field] = d
	}
	d.text = text
	d.cancel()
	d.cancel = m.later(session.SaveAfter, func() { m.Commit(field) })
	m.checkLaunch(field)
	m.show()
}

// Commit saves a draft now, on Enter or on leaving the field.
func (m *Model) Commit(field string) {
	d := m.drafts[field]
	if d == nil || d.saving || check(field, d.text) != "" {
		return
	}
	d.cancel()
	d.saving = true
	text := d.text
	value := m.different(field, valueOf(field, text))
	// Translators: a change; %[1]s is the field, such as "Search address", %[2]s the application.
	label := tr.T("%[1]s of %[2]s changed", FieldName(field), m.name())
	m.session.Save(session.Edit{
		App: m.id, Kind: m.profile().Kind, Label: label,
		Sets: []session.Set{{Path: []string{field}, Value: value, Base: d.base}},
	}, func(err error) { m.saved(field, text, err) })
}

// saved ends a draft that has been written, unless the user went on writing. One
// that failed stays.
func (m *Model) saved(field, text string, err error) {
	d := m.drafts[field]
	if d == nil {
		return
	}
	d.saving = false
	if err == nil && d.text == text {
		delete(m.drafts, field)
	} else if err == nil {
		d.base = valueOf(field, text)
		d.cancel()
		d.cancel = m.later(session.SaveAfter, func() { m.Commit(field) })
	}
	m.show()
}

// different returns nil where a value is what counts without the user's file:
// then nothing is written.
func (m *Model) different(field string, value any) any {
	b := m.account.BuiltIn
	if b == nil {
		return value
	}
	if session.SameValue(value, valueOf(field, textOf(b, field))) {
		return nil
	}
	return value
}

// Flush saves all valid drafts and returns the names of the fields whose drafts
// are invalid.
func (m *Model) Flush() (invalid []string) {
	for _, field := range session.Fields {
		d := m.drafts[field]
		switch {
		case d == nil:
		case check(field, d.text) != "":
			invalid = append(invalid, FieldName(field))
		default:
			m.Commit(field)
		}
	}
	return invalid
}

// Reset takes the user's own value of a field back: it is inherited again.
func (m *Model) Reset(field string) {
	if d := m.drafts[field]; d != nil {
		d.cancel()
		delete(m.drafts, field)
	}
	m.set(tr.T("%[1]s of %[2]s reset", FieldName(field), m.name()), nil, field)
}

// SetKind changes the kind.
func (m *Model) SetKind(k profile.Kind) {
	if k != m.profile().Kind {
		m.set(tr.T("%[1]s of %[2]s changed", FieldName("kind"), m.name()), m.different("kind", string(k)), "kind")
	}
}

// SetEnabled says whether the application can be named.
func (m *Model) SetEnabled(on bool) {
	if on == m.profile().Disabled {
		m.setBool("enabled", on, m.account.BuiltIn == nil || !m.account.BuiltIn.Disabled)
	}
}

// SetTerminal says whether the application runs in a terminal.
func (m *Model) SetTerminal(on bool) {
	if on != m.profile().Terminal {
		m.setBool("terminal", on, m.account.BuiltIn != nil && m.account.BuiltIn.Terminal)
	}
}

func (m *Model) setBool(field string, on, inherited bool) {
	var value any = on
	if on == inherited {
		value = nil
	}
	m.set(tr.T("%[1]s of %[2]s changed", FieldName(field), m.name()), value, field)
}

// set writes one field at once.
func (m *Model) set(label string, value any, path ...string) {
	m.save(label, session.Set{Path: path, Value: value, Base: m.own(path...)})
}

func (m *Model) save(label string, sets ...session.Set) {
	m.session.Save(session.Edit{App: m.id, Kind: m.profile().Kind, Label: label, Sets: sets}, nil)
}

// AddWindowID adds the id of an open window.
func (m *Model) AddWindowID(appID string) {
	ids := m.profile().AppIDs
	if !slices.Contains(ids, appID) {
		m.set(tr.T("%[1]s of %[2]s changed", FieldName("app_ids"), m.name()), slices.Concat(ids, []string{appID}), "app_ids")
	}
}

// aliasNotes says what is unwise about names, as they are written.
func (m *Model) aliasNotes(text string) []string {
	lib := m.session.Library()
	if lib == nil || m.drafts["aliases"] == nil && m.own("aliases") == nil {
		return nil // the built-in ones are not the user's to mend
	}
	return wording.Aliases(profile.LintAliases(lib.Index, m.profile(), commaList(text), m.words.IsGeneric, m.words.IsPhrase))
}

// newInBuiltIn names what the built-in names have and the user's list lacks.
func (m *Model) newInBuiltIn() []string {
	own, ok := m.own("aliases").([]string)
	if !ok || m.account.BuiltIn == nil {
		return nil
	}
	var fresh []string
	for _, a := range m.account.BuiltIn.Aliases {
		if !slices.Contains(own, a) {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return []string{tr.T("Also in the built-in: %s", strings.Join(fresh, ", "))}
}

// checkLaunch asks whether the command in a field can be started.
func (m *Model) checkLaunch(field string) {
	if field != "launch" && field != "new_window" {
		return
	}
	line := m.field(field).Text
	if d := m.drafts[field]; d != nil {
		line = d.text
	}
	argv, err := shellquote.Split(line)
	if err != nil || len(argv) == 0 || m.launch[field].line == line {
		return
	}
	m.launch[field] = launchCheck{line: line}
	m.agent.CheckLaunch(argv, func(state LaunchState) {
		if m.launch[field].line == line {
			m.launch[field] = launchCheck{line, state}
			m.show()
		}
	})
}

func (m *Model) launchNotes(field string, f Field) []string {
	c := m.launch[field]
	if f.Error != "" || f.Text == "" || c.line != f.Text {
		return nil
	}
	switch c.state {
	case Found:
		return []string{tr.T("Found")}
	case NotFound:
		return []string{tr.T("There is no such program")}
	case NotExecutable:
		return []string{tr.T("This file is no program that can be run")}
	}
	return nil
}

// AddAlias adds a name.
func (m *Model) AddAlias(alias string) {
	names := m.profile().Aliases
	if !slices.Contains(names, alias) {
		label := tr.T("“%[1]s” is now a name of %[2]s", alias, m.name())
		m.set(label, slices.Concat(names, []string{alias}), "aliases")
	}
}
