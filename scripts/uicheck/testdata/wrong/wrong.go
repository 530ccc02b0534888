// Package wrong has in it what uicheck must find, and what it must not.
package wrong

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gdk/v4"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
)

type old struct{ window *gtk.ShortcutsWindow }

func deprecated(e *gtk.Entry, row *adw.ActionRow, w *gtk.Window) {
	e.Show()
	row.SetIconName("edit-symbolic")
	w.ConnectKeysChanged(func() {})
}

func mistaken(row *adw.ActionRow) bool {
	row.SetTitle(1)
	row.SetHeading("no row has it")
	return gtk.NewLabel("")
}

func right(e *gtk.Entry, w *gtk.Window) bool {
	e.SetHAlign(gtk.AlignCenter)
	e.ConnectChanged(func() { w.SetTitle(e.Text()) })
	flags := gio.ApplicationHandlesCommandLine | gio.ApplicationHandlesOpen
	var of glib.Type = gtk.GTypeWindow
	glib.TimeoutAddPriority(20, glib.PriorityHigh, func() bool { return of == glib.TypeObject })
	return flags&3 != 0 && w.Visible()
}

func broken(d *gdk.Display) { d.MapKeycode(9) }
