package editor

import "utter/shared/profile"

// Revert takes back what is written in fields but cannot be saved, and reports
// whether there was any.
func (m *Model) Revert() (reverted bool) {
	for _, field := range profile.Fields {
		if d := m.drafts[field]; d != nil && !d.isSaving && check(field, d.text) != "" {
			d.cancel()
			delete(m.drafts, field)
			reverted = true
		}
	}
	if reverted {
		m.show()
	}
	return reverted
}
