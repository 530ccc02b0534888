package gtkx

import "github.com/diamondburned/gotk4/pkg/gtk/v4"

// UndoText has a text take its own last change back, if it has the focus. It
// reports whether it has.
func UndoText(text interface {
	gtk.Widgetter
	Delegate() *gtk.EditableTextWidget
}) bool {
	inner := gtk.BaseWidget(text.Delegate())
	if !inner.HasFocus() {
		return false
	}
	inner.ActivateAction("text.undo", nil)
	return true
}
