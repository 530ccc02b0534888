package gtkx

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
)

// SuspendShortcuts takes the application's own shortcuts out of force: they are
// caught at the window, before any widget within sees a key. resume puts them
// back; it may be called more than once.
func SuspendShortcuts() (resume func()) {
	app, ok := gio.ApplicationGetDefault().Cast().(*adw.Application)
	if !ok {
		return func() {}
	}
	saved := map[string][]string{}
	for _, action := range app.ListActionDescriptions() {
		saved[action] = app.AccelsForAction(action)
		app.SetAccelsForAction(action, nil)
	}
	return func() {
		for action, keys := range saved {
			app.SetAccelsForAction(action, keys)
		}
		clear(saved)
	}
}
