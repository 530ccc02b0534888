package op

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A field is one argument of an operation.
type field struct {
	index    int
	name     string
	required bool
	enum     []string
	min, max int // bounded only where max is not 0
}

// fieldsOf reads the tags of a struct of arguments, once a type.
var fieldsOf = func() func(reflect.Type) []field {
	var known sync.Map
	return func(t reflect.Type) []field {
		if fields, ok := known.Load(t); ok {
			return fields.([]field)
		}
		fields := readFields(t)
		known.Store(t, fields)
		return fields
	}
}()

func readFields(t reflect.Type) []field {
	fields := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		f := field{index: i, name: name, required: options == ""}
		if list := sf.Tag.Get("enum"); list != "" {
			f.enum = strings.Split(list, ",")
		}
		if most := sf.Tag.Get("max"); most != "" {
			f.min, f.max = mustInt(sf.Tag.Get("min")), mustInt(most)
		}
		fields = append(fields, f)
	}
	return fields
}

func mustInt(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err) // a tag of this package
	}
	return n
}

// Decode reads the arguments of an operation of the agent's. Its errors name the operation and the argument.
func Decode(name Name, given map[string]any) (Args, error) {
	s, ok := Find(name)
	if !ok || s.Foreign() {
		return nil, fmt.Errorf("unknown operation %q", name)
	}
	fields := fieldsOf(s.args)
	v := reflect.New(s.args).Elem()
	for _, f := range fields {
		value, there := given[f.name]
		switch {
		case !there && f.required:
			return nil, fmt.Errorf("%s: argument %q is missing", name, f.name)
		case !there:
			continue
		}
		if want := put(v.Field(f.index), value); want != "" {
			return nil, fmt.Errorf("%s: argument %q is %v, not %s", name, f.name, value, want)
		}
		if err := f.check(v.Field(f.index)); err != nil {
			return nil, fmt.Errorf("%s: argument %q %w", name, f.name, err)
		}
	}
	for other := range given {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == other }) {
			return nil, fmt.Errorf("%s: unknown argument %q", name, other)
		}
	}
	a := v.Interface().(Args)
	return a, check(a)
}

// Show reads arguments to show them to people: what is missing, or not as it should be, is empty. It is nil for an
// operation that is not the agent's.
func Show(name Name, given map[string]any) Args {
	s, ok := Find(name)
	if !ok || s.Foreign() {
		return nil
	}
	v := reflect.New(s.args).Elem()
	for _, f := range fieldsOf(s.args) {
		if value, there := given[f.name]; there {
			put(v.Field(f.index), value)
		}
	}
	return v.Interface().(Args)
}

// put sets to from a value of JSON, D-Bus or TOML; want names what it should have been, or is "".
func put(to reflect.Value, value any) (want string) {
	if to.Kind() == reflect.Pointer {
		inner := reflect.New(to.Type().Elem())
		if want := put(inner.Elem(), value); want != "" {
			return want
		}
		to.Set(inner)
		return ""
	}
	switch to.Kind() {
	case reflect.String:
		s, ok := value.(string)
		if !ok {
			return "a text"
		}
		to.SetString(s)
	case reflect.Bool:
		b, ok := value.(bool)
		if !ok {
			return "true or false"
		}
		to.SetBool(b)
	case reflect.Int:
		n, ok := whole(value)
		if !ok {
			return "a whole number"
		}
		to.SetInt(int64(n))
	default:
		list, ok := items(value)
		if !ok {
			return "a list"
		}
		if to.Type().Elem().Kind() == reflect.String {
			to.Set(reflect.ValueOf(words(list)))
		} else {
			to.Set(reflect.ValueOf(list))
		}
	}
	return ""
}

// items reads a list of texts and whole numbers.
func items(value any) ([]any, bool) {
	switch list := value.(type) {
	case []string:
		all := make([]any, len(list))
		for i, s := range list {
			all[i] = s
		}
		return all, true
	case []any:
		all := make([]any, len(list))
		for i, item := range list {
			if n, ok := whole(item); ok {
				all[i] = n
			} else if s, ok := item.(string); ok {
				all[i] = s
			} else {
				return nil, false
			}
		}
		return all, true
	}
	return nil, false
}

func words(list []any) []string {
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = fmt.Sprint(item)
	}
	return all
}

// whole reads a whole number of JSON, D-Bus or Go.
func whole(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int32:
		return int(n), true
	case uint32:
		return int(n), true
	case int64:
		return int(n), true
	case uint64:
		if n <= math.MaxInt64 {
			return int(n), true
		}
	case json.Number:
		f, err := n.Float64()
		if i, wrong := n.Int64(); wrong == nil {
			return int(i), true
		}
		return int(f), err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int(n), true
		}
	}
	return 0, false
}

// check reports a value outside the bounds of f.
func (f field) check(v reflect.Value) error {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case f.enum != nil && !slices.Contains(f.enum, v.String()):
		return fmt.Errorf("is %q, not one of %s", v.String(), strings.Join(f.enum, ", "))
	case f.max != 0 && (v.Int() < int64(f.min) || v.Int() > int64(f.max)):
		return fmt.Errorf("is %d, not between %d and %d", v.Int(), f.min, f.max)
	}
	return nil
}

// Check reports what is wrong with arguments that were made in Go.
func Check(a Args) error {
	switch known := a.(type) {
	case nil:
		return fmt.Errorf("unknown operation %q", "")
	case Foreign:
		if known.Name == "" {
			return fmt.Errorf("the operation of a plugin has no name")
		}
		return nil
	}
	v := reflect.ValueOf(a)
	for _, f := range fieldsOf(v.Type()) {
		if at := v.Field(f.index); !at.IsZero() || f.required {
			if err := f.check(at); err != nil {
				return fmt.Errorf("%s: argument %q %w", a.Op(), f.name, err)
			}
		}
	}
	return check(a)
}

// check reports what no single argument shows.
func check(a Args) error {
	if l, ok := a.(LaunchApp); ok && l.App == "" && len(l.Argv) == 0 {
		return fmt.Errorf("%s: argument \"app\" or \"argv\" is missing", a.Op())
	}
	return nil
}

// Map writes arguments by their names, as plans show them: texts, bools, ints, []string and []any. An argument that
// was left out is left out.
func Map(a Args) map[string]any {
	if f, ok := a.(Foreign); ok || a == nil {
		return f.Args
	}
	v := reflect.ValueOf(a)
	all := map[string]any{}
	for _, f := range fieldsOf(v.Type()) {
		at := v.Field(f.index)
		switch {
		case !f.required && at.IsZero():
		case at.Kind() == reflect.Pointer:
			all[f.name] = at.Elem().Interface()
		default:
			all[f.name] = at.Interface()
		}
	}
	return all
}
