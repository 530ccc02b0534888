package gtkx

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/tr"
)

// Details is a row that unfolds to what is known in English only.
type Details struct {
	*adw.ExpanderRow
	text *adw.ActionRow
	box  *gtk.ListBox // nil where it is among other rows
}

// NewDetails returns a row that is not shown before there is something to show.
func NewDetails() *Details {
	d := &Details{ExpanderRow: adw.NewExpanderRow(), text: NewRow("", "")}
	d.text.SetTitleSelectable(true)
	d.SetTitle(tr.T("Details"))
	d.AddRow(d.text)
	d.SetVisible(false)
	Name(d, tr.T("Details"))
	OnActivate(d, func() { d.SetExpanded(!d.Expanded()) })
	return d
}

// Boxed returns d in a box of its own, for where there are no other rows.
func (d *Details) Boxed() *gtk.ListBox {
	d.box = gtk.NewListBox()
	d.box.SetSelectionMode(gtk.SelectionNone)
	d.box.AddCSSClass("boxed-list")
	d.box.SetMarginTop(6)
	d.box.Append(d)
	d.box.SetVisible(d.Visible())
	return d.box
}

// Show shows a text, or nothing for "".
func (d *Details) Show(text string) {
	d.text.SetTitle(text)
	d.SetVisible(text != "")
	if d.box != nil {
		d.box.SetVisible(text != "")
	}
}
