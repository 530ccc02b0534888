// Package gtkx is what the views share: binding builder files to structs, work
// off the main loop, rows that assistive programs can activate, and the few
// places where the bindings need care.
package gtkx

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
)

// Domain is the text domain of the translations.
const Domain = "utter"

// Bind builds the interface described by ui and stores its objects in the
// fields of *dst that are tagged `ui:"id"`. Both are compiled in, so a
// disagreement is a bug and Bind panics.
func Bind(dst any, ui string) {
	builder := gtk.NewBuilder()
	builder.SetTranslationDomain(Domain)
	if err := builder.AddFromString(ui); err != nil {
		panic(fmt.Sprintf("gtkx: %T: %v", dst, err))
	}
	v := reflect.ValueOf(dst).Elem()
	for i := range v.NumField() {
		id, ok := v.Type().Field(i).Tag.Lookup("ui")
		if !ok {
			continue
		}
		object := builder.GetObject(id)
		if object == nil {
			panic(fmt.Sprintf("gtkx: %T: no object %q", dst, id))
		}
		field := v.Field(i)
		widget := object.WalkCast(func(o glib.Objector) bool {
			return reflect.TypeOf(o).AssignableTo(field.Type())
		})
		if widget == nil {
			panic(fmt.Sprintf("gtkx: %T: object %q is no %s", dst, id, field.Type()))
		}
		// The fields are their package's own, which reflection alone may not set.
		reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(widget))
	}
}

// Async runs work on a new goroutine and then done, with its result, on the main
// loop.
func Async(work func() error, done func(error)) {
	go func() {
		err := work()
		glib.IdleAdd(func() { done(err) })
	}()
}

// Later calls f on the main loop after d, unless cancelled before.
func Later(d time.Duration, f func()) (cancel func()) {
	pending := true
	source := glib.TimeoutAdd(uint(d.Milliseconds()), func() bool {
		pending = false
		f()
		return false
	})
	return func() {
		if pending {
			pending = false
			glib.SourceRemove(source)
		}
	}
}
