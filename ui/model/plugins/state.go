package plugins

import (
	"strings"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A Phase is what the page is about.
type Phase int

// The phases.
const (
	Asking   Phase = iota // the runner has not answered yet
	NoRunner              // none runs
	Failed                // it runs and cannot be asked
	Empty                 // it runs, and there is no plugin
	Listed
)

// A State is all that the page shows.
type State struct {
	Phase    Phase
	CanStart bool   // the runner, from here
	Starting bool   // it is being started
	Trouble  string // what did not work, or ""
	Detail   string // why, in English
	ReadOnly bool   // the configuration has an error, so no plugin can be switched
	Fault    string // what is wrong with it, in words
	Mistake  string // more about it, in English
	File     string
	Items    []Item
}

// A Health is how well a plugin does, for a symbol beside the words.
type Health int

// The healths.
const (
	Well    Health = iota
	Limited        // runs, but not as it should
	Ill            // should run and does not
	Resting        // does not run, and that is right so, or not yet
)

// An Item is one plugin. All its texts can be shown as they are, but are no
// markup.
type Item struct {
	ID          string // as the configuration has it
	Title       string
	Subtitle    string // version, kind, state and reason
	Health      Health
	Enabled     bool
	CanSwitch   bool
	There       bool   // the runner has it: it can be restarted and has a log
	Ops         string // what it can do
	Permissions []Permission
}

// A Permission is what a plugin may do, or would like to.
type Permission struct{ Title, Text string }

// State returns what the page shows now.
func (m *Model) State() State {
	s := State{
		Phase: m.phase(), CanStart: m.canStart, Starting: m.starting,
		Trouble: m.trouble, Detail: m.detail, File: m.file, ReadOnly: m.err != nil,
	}
	if m.err != nil {
		s.Fault, s.Mistake = wording.Unreadable(m.err), m.err.Error()
	}
	if s.Phase == Empty || s.Phase == Listed {
		s.Items = m.items()
	}
	if s.Phase == Empty && len(s.Items) > 0 {
		s.Phase = Listed
	}
	return s
}

// items are the plugins of the configuration in its order, then others that the
// runner has.
func (m *Model) items() (all []Item) {
	seen := map[string]bool{"": true}
	for i := range m.now.Plugin {
		if entry := &m.now.Plugin[i]; !seen[entry.ID] {
			seen[entry.ID] = true
			all = append(all, m.item(entry.ID, entry, m.row(entry.ID)))
		}
	}
	for i := range m.rows {
		if row := &m.rows[i]; !seen[row.ID] {
			seen[row.ID] = true
			all = append(all, m.item(row.ID, nil, row))
		}
	}
	return all
}

func (m *Model) row(id string) *protocol.PluginRow {
	for i := range m.rows {
		if m.rows[i].ID == id {
			return &m.rows[i]
		}
	}
	return nil
}

// item is the plugin of an entry of the configuration, or nil, and of what the
// runner says, or nil.
func (m *Model) item(id string, entry *config.Plugin, row *protocol.PluginRow) Item {
	item := Item{ID: id, Title: clean(id, maxWord), Enabled: row != nil,
		CanSwitch: entry != nil && m.err == nil, Health: Resting}
	if entry != nil {
		item.Enabled = entry.Enabled
		item.There = row != nil && entry.Fault == nil
	}
	if w := m.wanted[id]; w != nil {
		item.Enabled = *w
	}
	if row == nil {
		state := tr.T("Off")
		if item.Enabled {
			state = tr.T("The runner has not read it yet")
		}
		item.Subtitle = joined(wording.PluginKind(entry.Kind), state)
		return item
	}
	item.There = item.There || entry == nil
	item.Health = health(row.Status)
	item.Subtitle = joined(clean(row.Version, maxWord), clean(wording.PluginKind(row.Kind), maxWord), condition(row))
	item.Ops = words(row.Ops)
	for _, p := range row.Permissions {
		item.Permissions = append(item.Permissions,
			Permission{clean(wording.Permission(p.Name), maxWord), wording.PermissionState(p)})
	}
	switch {
	case len(row.Permissions) > 0:
	case item.Health == Well || item.Health == Limited:
		item.Permissions = []Permission{{tr.T("Permissions"), tr.T("None granted, none requested")}}
	default:
		item.Permissions = []Permission{{tr.T("Permissions"), tr.T("Shown when it is running")}}
	}
	return item
}

// joined puts what there is to say into one line.
func joined(parts ...string) string {
	var all []string
	for _, part := range parts {
		if part != "" {
			all = append(all, part)
		}
	}
	return strings.Join(all, " · ")
}

func health(status string) Health {
	switch status {
	case protocol.StatusOK:
		return Well
	case protocol.StatusDegraded:
		return Limited
	case protocol.StatusError:
		return Ill
	}
	return Resting
}

// condition is the state of a plugin, and why.
func condition(row *protocol.PluginRow) string {
	status := wording.PluginStatus(row.Status)
	if status == "" {
		status = clean(row.Status, maxWord)
	}
	if row.Reason == "" {
		return status
	}
	// Translators: %[1]s is the state of a plugin, such as "Not running", %[2]s the reason, in English.
	return tr.T("%[1]s: %[2]s", status, sentence(row.Reason))
}
