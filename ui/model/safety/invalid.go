package safety

import "utter/ui/model/tr"

// Invalid names the fields whose drafts cannot be saved.
func (m *Model) Invalid() []string {
	if d := m.drafts["engine"]; d != nil && m.fault("engine", d.text) != "" {
		return []string{tr.T("Search engine")}
	}
	return nil
}

// Revert takes back what is written but cannot be saved, and reports whether
// there was any.
func (m *Model) Revert() bool {
	if len(m.Invalid()) == 0 {
		return false
	}
	m.drafts["engine"].cancel()
	delete(m.drafts, "engine")
	m.shown(m.State())
	return true
}
