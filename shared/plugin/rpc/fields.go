package rpc

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// shape strips pointers from t. What reads its own JSON has no shape.
func shape(t reflect.Type) reflect.Type {
	for t != nil {
		if t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			return t
		}
		t = t.Elem()
	}
	return nil
}

// elem is the type of the elements of t, or nil.
func elem(t reflect.Type) reflect.Type {
	if t = shape(t); t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map) {
		return t.Elem()
	}
	return nil
}

// member returns the type of the member of t with exactly this name, and
// whether t takes it.
func member(t reflect.Type, name []byte) (inner reflect.Type, keep bool) {
	t = shape(t)
	if t == nil || t.Kind() != reflect.Struct {
		return elem(t), true
	}
	inner, keep = fields(t)[string(name)]
	return inner, keep
}

var fieldCache sync.Map // reflect.Type -> map[string]reflect.Type

// fields returns the types of t's fields by their names in JSON.
func fields(t reflect.Type) map[string]reflect.Type {
	if known, ok := fieldCache.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	all := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || f.Tag.Get("json") == "-" || f.Anonymous && name == "":
			continue
		case name == "":
			name = f.Name
		}
		all[name] = f.Type
	}
	fieldCache.Store(t, all)
	return all
}

var anyCache sync.Map // reflect.Type -> bool

// holdsAny reports whether a value of t may hold an interface, in which numbers
// have to become json.Number.
func holdsAny(t reflect.Type) bool {
	if known, ok := anyCache.Load(t); ok {
		return known.(bool)
	}
	found := findAny(t, nil)
	anyCache.Store(t, found)
	return found
}

// findAny is holdsAny inside the types of above. What reads its own JSON is not
// decoded by us.
func findAny(t reflect.Type, above []reflect.Type) bool {
	switch {
	case t == nil || slices.Contains(above, t):
		return false
	case reflect.PointerTo(t).Implements(unmarshaler):
		return false
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findAny(t.Elem(), above)
	case reflect.Struct:
		for i := range t.NumField() {
			if findAny(t.Field(i).Type, above) {
				return true
			}
		}
	}
	return false
}
