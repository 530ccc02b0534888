// Emptywindow is what the settings app is measured against: a libadwaita window
// with a header bar and nothing else, or with a search entry.
package main

import (
	"os"
	"slices"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
)

func main() {
	app := adw.NewApplication("org.utter.EmptyWindow", gio.ApplicationFlagsNone)
	app.ConnectActivate(func() { show(app, slices.Contains(os.Args, "search")) })
	os.Exit(app.Run(os.Args[:1]))
}

func show(app *adw.Application, search bool) {
	view := adw.NewToolbarView()
	view.AddTopBar(adw.NewHeaderBar())
	if search {
		view.SetContent(gtk.NewSearchEntry())
	}
	window := adw.NewApplicationWindow(&app.Application)
	window.SetDefaultSize(940, 680) // as the settings app's
	window.SetContent(view)
	window.Present()
}
