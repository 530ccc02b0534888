package gtkx

import (
	"slices"

	"github.com/diamondburned/gotk4/pkg/gtk/v4"
)

// A List is a boxed list whose rows follow a list of keys. Rows of keys that
// stay are kept, and with them the keyboard focus.
type List[R gtk.Widgetter] struct {
	*gtk.ListBox
	// Otherwise takes the focus when the last row goes with it. It may be nil.
	Otherwise gtk.Widgetter

	keys []string
	rows map[string]R
}

// NewList returns an empty list.
func NewList[R gtk.Widgetter](name string) *List[R] {
	box := gtk.NewListBox()
	box.SetSelectionMode(gtk.SelectionNone)
	box.AddCSSClass("boxed-list")
	box.SetVisible(false)
	Name(box, name)
	return &List[R]{ListBox: box, rows: map[string]R{}}
}

// Row returns the row of a key.
func (l *List[R]) Row(key string) (R, bool) {
	r, ok := l.rows[key]
	return r, ok
}

// Sync makes the rows follow keys, which must be unique: add makes a new row.
func (l *List[R]) Sync(keys []string, add func(key string) R) {
	focus := l.focused()
	for _, key := range l.keys {
		if !slices.Contains(keys, key) {
			l.ListBox.Remove(l.rows[key])
			delete(l.rows, key)
		}
	}
	l.keys = slices.DeleteFunc(l.keys, func(k string) bool { return !slices.Contains(keys, k) })
	for i, key := range keys {
		if i < len(l.keys) && l.keys[i] == key {
			continue
		}
		row, old := l.rows[key]
		if old {
			l.ListBox.Remove(row)
			l.keys = slices.DeleteFunc(l.keys, func(k string) bool { return k == key })
		} else {
			row = add(key)
		}
		l.ListBox.Insert(row, i)
		l.rows[key] = row
		l.keys = slices.Insert(l.keys, i, key)
	}
	l.SetVisible(len(keys) > 0)
	switch {
	case focus < 0 || l.focused() >= 0:
	case len(keys) > 0:
		row := l.rows[keys[min(focus, len(keys)-1)]]
		gtk.BaseWidget(row).ChildFocus(gtk.DirTabForward)
	case l.Otherwise != nil:
		gtk.BaseWidget(l.Otherwise).GrabFocus()
	}
}

// focused returns the index of the row in which the keyboard is, or -1.
func (l *List[R]) focused() int {
	return slices.IndexFunc(l.keys, func(k string) bool {
		w := gtk.BaseWidget(l.rows[k])
		return w.HasFocus() || w.FocusChild() != nil && l.FocusChild() != nil && hasFocus(w)
	})
}

// hasFocus reports whether the window's focus is within w.
func hasFocus(w *gtk.Widget) bool {
	root := w.Root()
	if root == nil {
		return false
	}
	focus := root.Focus()
	return focus != nil && gtk.BaseWidget(focus).IsAncestor(w)
}
