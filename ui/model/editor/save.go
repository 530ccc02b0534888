package editor

import (
	"errors"
	"slices"

	"utter/shared/profile"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A draft is a text that is not saved yet.
type draft struct {
	text   string
	base   any    // what the user's file said when it began
	cancel func() // of the time until it is saved
	saving string // the text that is being saved, while isSaving
	wrote  any    // the value of that text
	// isSaving, again and held: a text is being saved; another comes at once
	// behind it; the text is in the session's hands, which asks the user.
	isSaving, again, held bool
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
	d.text, d.held = text, false
	m.saveSoon(field, d)
	if field == "launch" || field == "new_window" {
		m.checkLaunchSoon(field)
	}
	m.show()
}

func (m *Model) saveSoon(field string, d *draft) {
	d.cancel()
	d.cancel = m.later(session.SaveAfter, func() { m.Commit(field) })
}

// Commit saves a draft now, on Enter or on leaving the field, if it is valid.
func (m *Model) Commit(field string) {
	d := m.drafts[field]
	if d == nil || check(field, d.text) != "" {
		return
	}
	d.cancel()
	if d.isSaving {
		d.again = d.text != d.saving
		return
	}
	text := d.text
	d.isSaving, d.held, d.saving = true, false, text
	m.session.Do(func() session.Edit {
		m.refresh()
		d.wrote = m.different(field, valueOf(field, text))
		return m.edit(m.changed(field), session.Set{Path: []string{field}, Value: d.wrote, Base: d.base})
	}, func(err error) { m.saved(field, d, text, err) })
}

// saved takes how saving a text ended. A draft ends with it, unless the user
// went on writing or it failed.
func (m *Model) saved(field string, d *draft, text string, err error) {
	if m.drafts[field] != d {
		return // it was reset since
	}
	d.isSaving = false
	switch {
	case errors.Is(err, session.ErrDropped), err == nil && d.text == text:
		d.cancel()
		delete(m.drafts, field)
		m.show()
		return
	case err == nil:
		d.base = d.wrote
	case d.text == text:
		d.held = true
	}
	if d.again {
		d.again = false
		m.Commit(field)
	} else if d.text != text && !m.closed {
		m.saveSoon(field, d)
	}
	m.show()
}

// Flush saves all valid drafts and returns the names of the fields whose drafts
// are invalid. What the session has in hand it asks the user about itself.
func (m *Model) Flush() (invalid []string) {
	for _, field := range profile.Fields {
		d := m.drafts[field]
		switch {
		case d == nil:
		case check(field, d.text) != "":
			invalid = append(invalid, wording.Field(field))
		case !d.held:
			m.Commit(field)
		}
	}
	return invalid
}

// different returns nil where a value is what counts without the user's file:
// then nothing is written.
func (m *Model) different(field string, value any) any {
	if session.SameValue(value, valueOf(field, textOf(m.below, field))) {
		return nil
	}
	if list, ok := value.([]string); ok && field == "launch" && len(list) == 0 && len(m.below.Launch) == 0 {
		return nil // the desktop file's command, in any case
	}
	return value
}

func (m *Model) edit(label string, sets ...session.Set) session.Edit {
	return session.Edit{App: m.id, Kind: m.profile().Kind, Label: label, Sets: sets}
}

// changed is the label of a change of a field.
func (m *Model) changed(field string) string {
	// Translators: a change; %[1]s is the application, %[2]s the field, such as "Search address".
	return tr.T("%[1]s: “%[2]s” changed", m.name(), wording.Field(field))
}

func (m *Model) wasReset(what string) string {
	// Translators: the user's own value of an action or field was discarded; %[1]s is the application.
	return tr.T("%[1]s: “%[2]s” reset", m.name(), what)
}

// change writes at once what sets says when its turn comes, which may be
// nothing.
func (m *Model) change(label string, sets func() []session.Set) {
	m.session.Do(func() session.Edit {
		m.refresh()
		return m.edit(label, sets()...)
	}, nil)
}

// set is a Set of a value with what the file says now.
func (m *Model) set(value any, path ...string) session.Set {
	return session.Set{Path: path, Value: value, Base: m.own(path...)}
}

// Reset takes the user's own value of a field back: it is inherited again.
func (m *Model) Reset(field string) {
	if d := m.drafts[field]; d != nil {
		d.cancel()
		delete(m.drafts, field)
	}
	m.change(m.wasReset(wording.Field(field)), func() []session.Set { return []session.Set{m.set(nil, field)} })
	m.show()
}

// SetKind changes the kind. A new file is named by it.
func (m *Model) SetKind(k profile.Kind) {
	m.session.Do(func() session.Edit {
		m.refresh()
		if k == m.profile().Kind {
			return session.Edit{}
		}
		e := m.edit(m.changed("kind"), m.set(m.different("kind", string(k)), "kind"))
		e.Kind = k
		return e
	}, nil)
}

// SetEnabled says whether the application can be named.
func (m *Model) SetEnabled(on bool) {
	m.setBool("enabled", on, func(p *profile.Profile) bool { return !p.Disabled })
}

// SetTerminal says whether the application runs in a terminal.
func (m *Model) SetTerminal(on bool) {
	m.setBool("terminal", on, func(p *profile.Profile) bool { return p.Terminal })
}

func (m *Model) setBool(field string, on bool, get func(*profile.Profile) bool) {
	label := tr.T("%[1]s: “%[2]s” turned off", m.name(), wording.Field(field))
	if on {
		label = tr.T("%[1]s: “%[2]s” turned on", m.name(), wording.Field(field))
	}
	m.change(label, func() []session.Set {
		switch {
		case get(m.profile()) == on:
			return nil
		case get(m.below) == on:
			return []session.Set{m.set(nil, field)}
		}
		return []session.Set{m.set(on, field)}
	})
}

// AddWindowID adds the id of an open window.
func (m *Model) AddWindowID(appID string) {
	m.addTo("app_ids", m.changed("app_ids"), appID, func() []string { return m.profile().AppIDs })
}

// AddAlias adds a name.
func (m *Model) AddAlias(alias string) {
	label := tr.T("“%[1]s” is now a name of %[2]s", alias, m.name())
	m.addTo("aliases", label, alias, func() []string { return m.profile().Aliases })
}

// addTo adds an item to a list, unless it is there.
func (m *Model) addTo(field, label, item string, list func() []string) {
	m.change(label, func() []session.Set {
		if slices.Contains(list(), item) {
			return nil
		}
		return []session.Set{m.set(slices.Concat(list(), []string{item}), field)}
	})
}
