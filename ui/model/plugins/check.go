package plugins

import (
	"errors"

	"utter/shared/config"
	"utter/shared/profile"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A Finding is something in the configuration file that is wrong, or may not be
// meant.
type Finding struct {
	Where string // file, line and field
	Text  string // in English
}

// Findings are what a look at the configuration has found.
type Findings struct{ Mistakes, Warnings []Finding }

// Check looks at the configuration file as it is now.
func (m *Model) Check(answer func(Findings)) {
	var found Findings
	m.async(func() error {
		c, err := m.read()
		for _, e := range config.Mistakes(errors.Join(err, c.Faults())) {
			found.Mistakes = append(found.Mistakes, Finding{m.where(e.Line, e.Column, e.Field), sentence(e.Reason)})
		}
		if err != nil {
			return nil // what is said then are the defaults
		}
		for _, w := range c.Warnings() {
			found.Warnings = append(found.Warnings, Finding{m.where(w.Line, 0, ""), sentence(w.Text)})
		}
		return nil
	}, func(error) { answer(found) })
}

// where is a place in the file.
func (m *Model) where(line, column int, field string) string {
	place := wording.Place(profile.Origin{File: m.file, Line: line, Column: column})
	if field == "" {
		return place
	}
	// Translators: %[1]s is a place, such as "config.toml, line 3", %[2]s the name of a key there.
	return tr.T("%[1]s: %[2]s", place, clean(field, maxWord))
}
