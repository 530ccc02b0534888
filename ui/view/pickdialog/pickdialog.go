// Package pickdialog asks to choose an open window.
package pickdialog

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/tr"
	"utter/ui/model/try"
	"utter/ui/view/gtkx"
)

// Show asks; picked is called with the application id of the window.
func Show(parent gtk.Widgetter, windows []try.Window, picked func(appID string)) {
	dialog := adw.NewDialog()
	dialog.SetTitle(tr.T("Pick a Window"))
	dialog.SetContentWidth(440)
	dialog.SetContentHeight(420)
	page := adw.NewPreferencesPage()
	group := adw.NewPreferencesGroup()
	for _, w := range windows {
		if w.AppID == "" {
			continue
		}
		row := gtkx.NewRow(w.Label(), w.AppID)
		gtkx.Activatable(row, func() {
			dialog.Close()
			picked(w.AppID)
		})
		group.Add(row)
	}
	if len(windows) == 0 {
		group.SetDescription(tr.T("No other window is open, or the agent is not running"))
	}
	page.Add(group)
	view := adw.NewToolbarView()
	view.AddTopBar(adw.NewHeaderBar())
	view.SetContent(page)
	dialog.SetChild(view)
	dialog.Present(parent)
}
