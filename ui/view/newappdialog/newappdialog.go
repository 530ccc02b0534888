// Package newappdialog asks what a new profile is made from.
package newappdialog

import (
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/newapp"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// Show asks; chosen is called with the answer.
func Show(parent gtk.Widgetter, windows, processes []newapp.Source, chosen func(newapp.Source)) {
	dialog := adw.NewDialog()
	dialog.SetTitle(tr.T("New App"))
	dialog.SetContentWidth(440)
	dialog.SetContentHeight(560)
	pick := func(s newapp.Source) {
		dialog.Close()
		chosen(s)
	}
	page := adw.NewPreferencesPage()
	page.Add(byName(pick))
	page.Add(group(tr.T("From an Open Window"), tr.T("Every open window already belongs to an app"), windows, pick))
	page.Add(group(tr.T("From a Running Program"), tr.T("No running programs found"), processes, pick))
	view := adw.NewToolbarView()
	view.AddTopBar(adw.NewHeaderBar())
	view.SetContent(page)
	dialog.SetChild(view)
	dialog.Present(parent)
}

func byName(pick func(newapp.Source)) *adw.PreferencesGroup {
	g := adw.NewPreferencesGroup()
	g.SetTitle(tr.T("Start from Scratch"))
	row := adw.NewEntryRow()
	row.SetTitle(tr.T("Application name"))
	create := func() {
		if strings.TrimSpace(row.Text()) != "" {
			pick(newapp.Empty(row.Text()))
		}
	}
	row.ConnectEntryActivated(create)
	button := gtk.NewButtonWithLabel(tr.T("Create"))
	button.SetVAlign(gtk.AlignCenter)
	button.SetSensitive(false)
	button.ConnectClicked(create)
	row.ConnectChanged(func() { button.SetSensitive(strings.TrimSpace(row.Text()) != "") })
	row.AddSuffix(button)
	g.Add(row)
	return g
}

func group(title, nothing string, sources []newapp.Source, pick func(newapp.Source)) *adw.PreferencesGroup {
	g := adw.NewPreferencesGroup()
	g.SetTitle(title)
	if len(sources) == 0 {
		g.SetDescription(nothing)
	}
	for _, s := range sources {
		row := gtkx.NewRow(s.Label, s.Detail)
		gtkx.Activatable(row, func() { pick(s) })
		g.Add(row)
	}
	return g
}
