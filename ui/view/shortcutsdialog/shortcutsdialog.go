// Package shortcutsdialog lists the keys of the window.
package shortcutsdialog

import (
	"fmt"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// Show shows the list. pages are the titles of the pages, in their order.
func Show(parent gtk.Widgetter, pages []string) {
	dialog := adw.NewDialog()
	dialog.SetTitle(tr.T("Keyboard Shortcuts"))
	dialog.SetContentWidth(440)
	page := adw.NewPreferencesPage()
	page.Add(group(tr.T("Editing"), [][2]string{{tr.T("Undo"), "ctrl+z"}, {tr.T("Redo"), "ctrl+shift+z"}}))
	var around [][2]string
	for i, title := range pages {
		around = append(around, [2]string{title, fmt.Sprint("alt+", i+1)})
	}
	page.Add(group(tr.T("Navigation"), append(around, [][2]string{
		{tr.T("Search this page"), "ctrl+f"}, {tr.T("Back"), "escape"}, {tr.T("Main menu"), "f10"},
	}...)))
	page.Add(group(tr.T("General"), [][2]string{
		{tr.T("Keyboard shortcuts"), "ctrl+question"}, {tr.T("Help"), "f1"}, {tr.T("Quit"), "ctrl+q"},
	}))
	view := adw.NewToolbarView()
	view.AddTopBar(adw.NewHeaderBar())
	view.SetContent(page)
	dialog.SetChild(view)
	dialog.Present(parent)
}

func group(title string, shortcuts [][2]string) *adw.PreferencesGroup {
	g := adw.NewPreferencesGroup()
	g.SetTitle(title)
	for _, s := range shortcuts {
		row := gtkx.NewRow(s[0], "")
		row.AddSuffix(gtkx.NewKeys([]string{s[1]}))
		g.Add(row)
	}
	return g
}
