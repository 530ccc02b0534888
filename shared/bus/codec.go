package bus

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"
)

// A Dict is an a{sv} as godbus carries it.
type Dict = map[string]dbus.Variant

// Encode returns the dictionary of a struct of this package. It passes every text
// through Text.
func Encode(v any) Dict {
	return encodeDict(reflect.ValueOf(v))
}

// EncodeList returns the dictionaries of a list of structs; never nil.
func EncodeList[T any](list []T) []Dict {
	value := reflect.ValueOf(list)
	return codecOf(value.Type()).encode(value).([]Dict)
}

// Values returns the values that a method returns for r.
func (r Reply) Values() (outcome, message string, steps []Dict) {
	return Text(r.Outcome), Text(r.Message), EncodeList(r.Steps)
}

// body returns the values of a signal, in their order.
func body(v any) []any {
	value := reflect.ValueOf(v)
	fields := fieldsOf(value.Type())
	all := make([]any, len(fields))
	for i, f := range fields {
		all[i] = f.encode(value.Field(i))
	}
	return all
}

// DecodeOptions reads options into v, a pointer to a struct of this package. A
// field whose key is absent keeps its value. An unknown key or a value of another
// type is an error that names the key.
func DecodeOptions(d Dict, v any) error {
	return decodeAll(reflect.ValueOf(v).Elem(), d, "option")
}

// decode reads a value into v, a pointer. It ignores keys that are unknown or have
// another type: the agent can be another version.
func decode(from, v any) error {
	to := reflect.ValueOf(v).Elem()
	return codecOf(to.Type()).decode(to, from, false)
}

// decodeBody reads the values of a Reply or a signal into v, a pointer.
func decodeBody(body []any, v any) error {
	to := reflect.ValueOf(v).Elem()
	fields := fieldsOf(to.Type())
	if len(body) < len(fields) {
		return fmt.Errorf("%d values instead of %d", len(body), len(fields))
	}
	for i, f := range fields {
		if err := f.decode(to.Field(i), body[i], false); err != nil {
			return fmt.Errorf("%s: %w", f.key, err)
		}
	}
	return nil
}

// A codec translates values of one Go type. A strict decode refuses unknown keys
// and other types.
type codec struct {
	signature dbus.Signature
	encode    func(v reflect.Value) any
	decode    func(to reflect.Value, from any, strict bool) error
}

// A field is a key of a dictionary, at the index of its Go field.
type field struct {
	codec
	key      string
	optional bool // absent if it is zero
}

var (
	codecs sync.Map // reflect.Type: codec
	fields sync.Map // reflect.Type: []field
)

func codecOf(t reflect.Type) codec {
	if c, ok := codecs.Load(t); ok {
		return c.(codec)
	}
	c := newCodec(t)
	codecs.Store(t, c)
	return c
}

func fieldsOf(t reflect.Type) []field {
	if all, ok := fields.Load(t); ok {
		return all.([]field)
	}
	all := make([]field, t.NumField())
	for i := range all {
		key, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		all[i] = field{codecOf(t.Field(i).Type), key, option == "omitzero"}
	}
	fields.Store(t, all)
	return all
}

// newCodec returns the codec of a type that can be in a dictionary.
func newCodec(t reflect.Type) codec {
	switch t.Kind() {
	case reflect.String:
		return scalar("s", func(v reflect.Value) any { return Text(v.String()) }, reflect.Value.SetString)
	case reflect.Bool:
		return scalar("b", func(v reflect.Value) any { return v.Bool() }, reflect.Value.SetBool)
	case reflect.Float64:
		return scalar("d", func(v reflect.Value) any { return v.Float() }, reflect.Value.SetFloat)
	case reflect.Uint64:
		return scalar("t", func(v reflect.Value) any { return v.Uint() }, reflect.Value.SetUint)
	case reflect.Uint32:
		return scalar("u", func(v reflect.Value) any { return uint32(v.Uint()) },
			func(to reflect.Value, n uint32) { to.SetUint(uint64(n)) })
	case reflect.Map:
		return scalar("a{sv}", func(v reflect.Value) any { return encodeArgs(v.Interface().(map[string]any)) },
			func(to reflect.Value, d Dict) { to.Set(reflect.ValueOf(plainDict(d))) })
	case reflect.Pointer:
		return pointer(t)
	case reflect.Struct:
		return codec{dbus.ParseSignatureMust("a{sv}"), func(v reflect.Value) any { return encodeDict(v) }, decodeDict}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return dicts(t)
		}
		return scalar("as", func(v reflect.Value) any { return cleanTexts(v.Interface().([]string)) },
			func(to reflect.Value, list []string) { to.Set(reflect.ValueOf(list)) })
	}
	panic(fmt.Sprintf("bus: %v in a dictionary", t))
}

// scalar is the codec of a type whose values godbus carries as W.
func scalar[W any](signature string, encode func(reflect.Value) any, set func(reflect.Value, W)) codec {
	return codec{dbus.ParseSignatureMust(signature), encode, func(to reflect.Value, from any, _ bool) error {
		w, ok := from.(W)
		if !ok {
			return wrongType(from, signature)
		}
		set(to, w)
		return nil
	}}
}

// pointer is the codec of an optional value whose zero value has a meaning.
func pointer(t reflect.Type) codec {
	elem := codecOf(t.Elem())
	return codec{
		elem.signature, func(v reflect.Value) any { return elem.encode(v.Elem()) },
		func(to reflect.Value, from any, strict bool) error {
			made := reflect.New(t.Elem())
			if err := elem.decode(made.Elem(), from, strict); err != nil {
				return err
			}
			to.Set(made)
			return nil
		},
	}
}

// dicts is the codec of a list of dictionaries. nil is an empty one.
func dicts(t reflect.Type) codec {
	elem := codecOf(t.Elem())
	return codec{
		dbus.ParseSignatureMust("aa{sv}"), func(v reflect.Value) any {
			list := make([]Dict, v.Len())
			for i := range list {
				list[i] = encodeDict(v.Index(i))
			}
			return list
		},
		func(to reflect.Value, from any, strict bool) error {
			list, ok := from.([]Dict)
			if !ok {
				return wrongType(from, "aa{sv}")
			}
			made := reflect.MakeSlice(t, len(list), len(list))
			for i, d := range list {
				if err := elem.decode(made.Index(i), d, strict); err != nil {
					return err
				}
			}
			to.Set(made)
			return nil
		},
	}
}

func encodeDict(v reflect.Value) Dict {
	fields := fieldsOf(v.Type())
	d := Dict{}
	for i, f := range fields {
		if value := v.Field(i); !f.optional || !value.IsZero() {
			d[f.key] = dbus.MakeVariantWithSignature(f.encode(value), f.signature)
		}
	}
	return d
}

func decodeDict(to reflect.Value, from any, strict bool) error {
	d, ok := from.(Dict)
	if !ok {
		return wrongType(from, "a{sv}")
	}
	if strict {
		return decodeAll(to, d, "key")
	}
	for i, f := range fieldsOf(to.Type()) {
		if v, ok := d[f.key]; ok {
			_ = f.decode(to.Field(i), v.Value(), false) // of another type: the field keeps its value
		}
	}
	return nil
}

// decodeAll reads all keys, or returns an error that names the wrong one. noun is
// what the error calls a key.
func decodeAll(to reflect.Value, d Dict, noun string) error {
	fields := fieldsOf(to.Type())
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.key
	}
	for key := range d {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unknown %s %q; there are %s", noun, key, strings.Join(known, ", "))
		}
	}
	for i, f := range fields {
		if v, ok := d[f.key]; ok {
			if err := f.decode(to.Field(i), v.Value(), true); err != nil {
				return fmt.Errorf("%s %q: %w", noun, f.key, err)
			}
		}
	}
	return nil
}

func wrongType(from any, want string) error {
	got := "nothing"
	if from != nil {
		got = dbus.SignatureOf(from).String()
	}
	return errors.New("has the type " + got + ", not " + want)
}

// Text returns s with U+FFFD in place of NUL and invalid UTF-8, which can be in file
// names and titles. The bus closes the connection of a client that sends them.
func Text(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func cleanTexts(list []string) []string {
	clean := make([]string, len(list))
	for i, s := range list {
		clean[i] = Text(s)
	}
	return clean
}
