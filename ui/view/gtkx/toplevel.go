package gtkx

import (
	"github.com/diamondburned/gotk4/pkg/gdk/v4"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
)

// Toplevel returns the window of a widget as the compositor knows it, nil while
// there is none. The bindings know the interface but not the types behind it.
func Toplevel(w gtk.Widgetter) *gdk.Toplevel {
	root := gtk.BaseWidget(w).Root()
	if root == nil {
		return nil
	}
	native := &gtk.NativeSurface{Widget: root.Widget}
	surface := native.Surface()
	if surface == nil {
		return nil
	}
	return &gdk.Toplevel{Surface: *gdk.BaseSurface(surface)}
}
