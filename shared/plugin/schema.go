package plugin

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"utter/shared/plugin/rpc"
	"utter/shared/spell"
)

// A schema is the part of JSON Schema 2020-12 that Go's types come to.
type schema struct {
	Type        string             `json:"type,omitempty"` // anything if empty
	Description string             `json:"description,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Others      any                `json:"additionalProperties,omitempty"` // false, or a *schema; nil: anything
	Items       *schema            `json:"items,omitempty"`
	Encoding    string             `json:"contentEncoding,omitempty"`
}

// schemaOf describes what JSON of t looks like.
func schemaOf(t reflect.Type) (*schema, error) { return describe(t, nil) }

var (
	ownJSON = reflect.TypeFor[json.Unmarshaler]()
	ownText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// describe is schemaOf inside the structs of above.
func describe(t reflect.Type, above []reflect.Type) (*schema, error) {
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(ownJSON):
		return &schema{}, nil
	case pointer.Implements(ownText):
		return &schema{Type: "string"}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return &schema{Type: "string"}, nil
	case reflect.Bool:
		return &schema{Type: "boolean"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &schema{Type: "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{Type: "integer", Minimum: new(int)}, nil
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}, nil
	case reflect.Interface:
		return &schema{}, nil
	case reflect.Pointer:
		return describe(t.Elem(), above)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: "string", Encoding: "base64"}, nil
		}
		items, err := describe(t.Elem(), above)
		return &schema{Type: "array", Items: items}, err
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			others, err := describe(t.Elem(), above)
			return &schema{Type: "object", Others: others}, err
		}
	case reflect.Struct:
		if slices.Contains(above, t) {
			return &schema{Type: "object"}, nil
		}
		return describeStruct(t, append(above, t))
	}
	return nil, fmt.Errorf("JSON has nothing for %s", t)
}

func describeStruct(t reflect.Type, above []reflect.Type) (*schema, error) {
	s := &schema{Type: "object", Properties: map[string]*schema{}, Others: false}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || f.Tag.Get("json") == "-" || f.Anonymous && name == "":
			continue
		case strings.Contains(options, "string"):
			return nil, fmt.Errorf("%s: the option string is not supported", f.Name)
		case name == "":
			name = f.Name
		}
		inner, err := describe(f.Type, above)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		inner.Description = f.Tag.Get("doc")
		if list, ok := f.Tag.Lookup("enum"); ok {
			if inner.Type != "string" {
				return nil, fmt.Errorf("%s: enum is for texts", f.Name)
			}
			inner.Enum = strings.Split(list, ",")
		}
		s.Properties[name] = inner
		if f.Type.Kind() != reflect.Pointer && !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	slices.Sort(s.Required)
	return s, nil
}

// optional returns s without what must be given at its top.
func (s *schema) optional() *schema {
	c := *s
	c.Required = nil
	return &c
}

// fits reports what is wrong with data. Its errors are Invalid.
func (s *schema) fits(data json.RawMessage) error {
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	var v any
	if err := rpc.Unmarshal(data, &v); err != nil {
		return Invalid("%w", err)
	}
	return s.check("", v)
}

// check reports what is wrong with v, whose place is called at.
func (s *schema) check(at string, v any) error {
	wrong := func(want string) error { return Invalid("%s is %s, not %s", orArgs(at), sort(v), want) }
	switch s.Type {
	case "":
		return nil
	case "string":
		text, ok := v.(string)
		switch {
		case !ok:
			return wrong("a text")
		case s.Enum != nil && !slices.Contains(s.Enum, text):
			return Invalid("%s is %.80q, not one of %s", orArgs(at), text, strings.Join(s.Enum, ", "))
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return wrong("true or false")
		}
	case "number":
		if _, ok := v.(json.Number); !ok {
			return wrong("a number")
		}
	case "integer":
		n, ok := v.(json.Number)
		i, err := strconv.ParseInt(string(n), 10, 64)
		switch {
		case !ok || strings.ContainsAny(string(n), ".eE"):
			return wrong("a whole number")
		case s.Minimum != nil && err == nil && i < int64(*s.Minimum):
			return Invalid("%s is %s, less than %d", orArgs(at), n, *s.Minimum)
		}
	case "array":
		list, ok := v.([]any)
		if !ok {
			return wrong("a list")
		}
		for i, item := range list {
			if err := s.Items.check(fmt.Sprintf("%s[%d]", at, i), item); err != nil {
				return err
			}
		}
	case "object":
		members, ok := v.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		return s.members(at, members)
	}
	return nil
}

func (s *schema) members(at string, members map[string]any) error {
	inside := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	for _, name := range s.Required {
		if _, ok := members[name]; !ok {
			return Invalid("%s is missing", inside(name))
		}
	}
	for name, v := range members {
		inner := s.Properties[name]
		if others, ok := s.Others.(*schema); ok && inner == nil {
			inner = others
		}
		switch {
		case inner != nil:
			if err := inner.check(inside(name), v); err != nil {
				return err
			}
		case s.Others == false:
			return s.unknown(inside(name), name)
		}
	}
	return nil
}

func (s *schema) unknown(at, name string) error {
	var known []string
	for k := range s.Properties {
		known = append(known, k)
	}
	slices.Sort(known)
	switch near := spell.Nearest(name, known); {
	case near != "":
		return Invalid("there is no %.80s; did you mean %s?", at, near)
	case len(known) == 0:
		return Invalid("there is no %.80s; no arguments are accepted", at)
	}
	return Invalid("there is no %.80s; the arguments are %s", at, strings.Join(known, ", "))
}

func orArgs(at string) string {
	if at == "" {
		return "what is given"
	}
	return at
}

// sort names what v is, for people.
func sort(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return string(v)
	case string:
		return "a text"
	case []any:
		return "a list"
	}
	return "an object"
}
