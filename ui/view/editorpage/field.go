package editorpage

import (
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
	source *gtk.Label
	reset  *gtk.Button
	notes  *gtk.Label
	model  *editor.Model

	lines   []string
	last    string // what is below the row
	preview string
	filling bool
}

func newField(name string, row *adw.EntryRow, m *editor.Model) *field {
	f := &field{name: name, row: row, model: m, source: gtk.NewLabel(""), notes: gtk.NewLabel("")}
	f.source.AddCSSClass("dim-label")
	f.source.AddCSSClass("caption")
	f.reset = gtkx.NewIconButton("edit-undo-symbolic", tr.T("Reset %s", wording.Field(name)), func() { m.Reset(name) })
	row.AddSuffix(f.source)
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
	f.source.SetText(s.Source)
	f.reset.SetVisible(s.CanReset)
	gtkx.Invalid(f.row, s.Error != "")
	f.lines = s.Notes
	if s.Error != "" {
		f.lines = append([]string{s.Error}, s.Notes...)
	}
	f.showNotes(s.Error != "")
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
