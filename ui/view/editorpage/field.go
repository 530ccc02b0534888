package editorpage

import (
	"slices"
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/editor"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
	"utter/ui/view/gtkx"
)

// A field is an entry row with where its value comes from, a button that resets
// it, and what there is to say about it below.
type field struct {
	name   string
	row    *adw.EntryRow
	shared bool // another field is in the same group: what is below must say whose it is
	reset  *gtk.Button
	notes  *gtk.Label
	model  *editor.Model

	lines   []string
	last    string // what is below the row
	preview string
	filling bool
}

func newField(name string, row *adw.EntryRow, m *editor.Model) *field {
	f := &field{name: name, row: row, model: m, notes: gtk.NewLabel(""), shared: name == "launch" || name == "new_window"}
	f.reset = newReset(name, m)
	row.AddSuffix(f.reset)
	f.notes.SetXAlign(0)
	gtkx.Wrap(f.notes)
	f.notes.SetVisible(false)
	f.notes.SetMarginStart(12)
	f.notes.SetMarginEnd(12)
	f.notes.SetMarginTop(6)
	f.notes.AddCSSClass("caption")
	return f
}

// newReset returns the button that takes the user's own value of a field back.
func newReset(name string, m *editor.Model) *gtk.Button {
	return gtkx.NewIconButton("edit-undo-symbolic", tr.T("Reset %s", wording.Field(name)), func() { m.Reset(name) })
}

func (f *field) connect() {
	f.row.ConnectChanged(func() {
		if !f.filling {
			f.model.Edit(f.name, f.row.Text())
		}
	})
	f.row.ConnectEntryActivated(func() { f.model.Commit(f.name) })
}

func (f *field) show(s editor.Field) {
	f.filling = true
	gtkx.SetText(f.row, s.Text)
	f.filling = false
	f.reset.SetVisible(s.CanReset)
	gtkx.Invalid(f.row, s.Error != "")
	f.lines = slices.Concat(oneOf(s.Error), oneOf(s.Source), s.Notes)
	f.showNotes(s.Error != "")
}

// oneOf is a list of a line, without an empty one.
func oneOf(line string) []string {
	if line == "" {
		return nil
	}
	return []string{line}
}

// extra shows a further line below the row.
func (f *field) extra(line string) {
	f.preview = line
	f.showNotes(f.row.HasCSSClass("error"))
}

func (f *field) showNotes(wrong bool) {
	lines := f.lines
	if f.preview != "" {
		lines = append([]string{f.preview}, lines...)
	}
	text := strings.Join(lines, "\n")
	if f.shared && text != "" {
		text = wording.About(wording.Field(f.name), text)
	}
	if text == f.last {
		return
	}
	f.last = text
	f.notes.SetText(text)
	f.notes.SetVisible(text != "")
	f.notes.RemoveCSSClass("error")
	if wrong {
		f.notes.AddCSSClass("error")
		gtkx.Announce(f.row, text)
	}
	gtkx.Describe(f.row, text)
}
