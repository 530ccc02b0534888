package gtkx

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	coreglib "github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/glib/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
)

// Name sets what assistive programs call a widget, in place of a label in it.
func Name(w gtk.Widgetter, name string) {
	gtk.BaseWidget(w).ResetRelation(gtk.AccessibleRelationLabelledBy)
	gtk.BaseWidget(w).UpdateProperty([]gtk.AccessibleProperty{gtk.AccessiblePropertyLabel},
		[]coreglib.Value{*coreglib.NewValue(name)})
}

// SetRole sets what assistive programs take a widget for. It must come before the
// widget is shown.
func SetRole(w gtk.Widgetter, role gtk.AccessibleRole) {
	gtk.BaseWidget(w).SetObjectProperty("accessible-role", role)
}

// Describe sets what assistive programs say about a widget after its name. Of an
// entry row they read the text within.
func Describe(w gtk.Widgetter, text string) {
	if row, ok := w.(*adw.EntryRow); ok {
		if inner, ok := row.Delegate().Cast().(gtk.Widgetter); ok {
			w = inner
		}
	}
	gtk.BaseWidget(w).UpdateProperty([]gtk.AccessibleProperty{gtk.AccessiblePropertyDescription},
		[]coreglib.Value{*coreglib.NewValue(text)})
}

// Announce has a screen reader say text.
func Announce(w gtk.Widgetter, text string) {
	gtk.BaseWidget(w).Announce(text, gtk.AccessibleAnnouncementPriorityMedium)
}

// Invalid marks an entry row's text as wrong, or as right again. The state
// belongs to the text within the row.
func Invalid(row *adw.EntryRow, wrong bool) {
	state := gtk.AccessibleInvalidFalse
	if wrong {
		state = gtk.AccessibleInvalidTrue
		row.AddCSSClass("error")
	} else {
		row.RemoveCSSClass("error")
	}
	if text, ok := row.Delegate().Cast().(gtk.Widgetter); ok {
		gtk.BaseWidget(text).UpdateState([]gtk.AccessibleState{gtk.AccessibleStateInvalid},
			[]coreglib.Value{*coreglib.NewValue(state)})
	}
}

// OnActivate makes a widget activatable for assistive programs: rows expose no
// action of their own.
func OnActivate(w gtk.Widgetter, f func()) {
	action := gio.NewSimpleAction("activate", nil)
	action.ConnectActivate(func(*glib.Variant) { f() })
	group := gio.NewSimpleActionGroup()
	group.AddAction(action)
	gtk.BaseWidget(w).InsertActionGroup("row", group)
}
