package gtkx

import "github.com/diamondburned/gotk4-adwaita/pkg/adw"

// Combo makes a row with a choice open for assistive programs: it exposes no
// action of its own.
func Combo(row *adw.ComboRow) *adw.ComboRow {
	row.SetUseMarkup(false)
	OnActivate(row, func() { row.Activate() })
	return row
}

// searchCombo is a choice that can be searched. It is built from XML since the
// bindings cannot make expressions.
const searchCombo = `<interface><object class="AdwComboRow" id="row">
  <property name="enable-search">true</property>
  <property name="expression"><lookup type="GtkStringObject" name="string"/></property>
</object></interface>`

// NewSearchCombo returns a row with a choice of texts that can be searched.
func NewSearchCombo(title string) *adw.ComboRow {
	var built struct {
		row *adw.ComboRow `ui:"row"`
	}
	Bind(&built, searchCombo)
	built.row.SetTitle(title)
	return Combo(built.row)
}
