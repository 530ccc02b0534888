package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ErrNoPlugin means that no [[plugin]] has the id.
var ErrNoPlugin = errors.New("there is no such plugin in the configuration")

// AddPlugin returns a configuration, whose file is called name, with one more
// [[plugin]] at its end. All else stays as it is. An id that is there already, and
// an entry that could not be read again, are errors.
func AddPlugin(name string, data []byte, p Plugin) ([]byte, error) {
	before, err := Decode(name, data)
	if err != nil {
		return nil, err
	}
	for _, other := range before.Plugin {
		if other.ID == p.ID {
			return nil, &FieldError{File: name, Line: other.Line, Column: 1, Field: "plugin.id",
				Reason: fmt.Sprintf("is %q already", p.ID)}
		}
	}
	var b bytes.Buffer
	b.Write(data)
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		b.WriteByte('\n')
	}
	if len(data) > 0 {
		b.WriteByte('\n')
	}
	if err := p.write(&b); err != nil {
		return nil, err
	}
	after, err := Decode(name, b.Bytes())
	if err != nil {
		return nil, err
	}
	if added := after.Plugin[len(after.Plugin)-1]; added.Fault != nil {
		return nil, added.Fault
	}
	return b.Bytes(), nil
}

// write writes p as a table.
func (p Plugin) write(b *bytes.Buffer) error {
	b.WriteString("[[plugin]]\n")
	line := func(key, value string) { fmt.Fprintf(b, "%s = %s\n", key, value) }
	for _, t := range []struct{ key, value, otherwise string }{
		{"id", p.ID, ""}, {"kind", p.Kind, ""}, {"runtime", p.Runtime, "subprocess"},
		{"transport", p.Transport, "stdio"}, {"cwd", p.Dir, ""},
	} {
		if t.value != t.otherwise && t.value != "" {
			line(t.key, text(t.value, '"'))
		}
	}
	for _, l := range []struct {
		key  string
		list []string
	}{
		{"entrypoint", p.Entrypoint}, {"provides", p.Provides}, {"requires", p.Requires}, {"permissions", p.Permissions},
		{"pass_env", p.PassEnv}, {"read_paths", p.ReadPaths}, {"write_paths", p.WritePaths},
	} {
		if len(l.list) > 0 {
			line(l.key, quoted(l.list))
		}
	}
	if len(p.Env) > 0 {
		b.WriteString("[plugin.env]\n")
		for _, key := range slices.Sorted(maps.Keys(p.Env)) {
			line(name(key), text(p.Env[key], '"'))
		}
	}
	if len(p.Settings) > 0 {
		b.WriteString("[plugin.settings]\n")
		for _, key := range slices.Sorted(maps.Keys(p.Settings)) {
			value, err := inline(p.Settings[key])
			if err != nil {
				return fmt.Errorf("plugin.settings.%s: %w", key, err)
			}
			line(name(key), value)
		}
	}
	return nil
}

// quoted writes a list of texts.
func quoted(list []string) string {
	items := make([]string, len(list))
	for i, s := range list {
		items[i] = text(s, '"')
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// inline writes a value on one line.
func inline(value any) (string, error) {
	var parts []string
	switch v := value.(type) {
	case string:
		return text(v, '"'), nil
	case bool, int64, int:
		return fmt.Sprint(v), nil
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".en") { // else it would be a whole number
			s += ".0"
		}
		return s, nil
	case []any:
		for _, item := range v {
			s, err := inline(item)
			if err != nil {
				return "", err
			}
			parts = append(parts, s)
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s, err := inline(v[key])
			if err != nil {
				return "", err
			}
			parts = append(parts, name(key)+" = "+s)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	}
	return "", fmt.Errorf("%T cannot be written", value)
}

// RemovePlugin returns a configuration without the [[plugin]] of that id. All
// else stays as it is.
func RemovePlugin(name string, data []byte, id string) ([]byte, error) {
	doc, err := parse(data)
	if err != nil {
		if _, wrong := Decode(name, data); wrong != nil {
			err = wrong // it says where
		}
		return nil, err
	}
	for _, b := range doc.pluginBlocks() {
		if doc.plugin(name, b).ID != id {
			continue
		}
		kept := data
		for _, part := range slices.Backward(b.parts) {
			kept = slices.Concat(kept[:part[0]], kept[part[2]:])
		}
		kept = bytes.TrimLeft(kept, "\n")
		return kept, nil
	}
	return nil, fmt.Errorf("%s: %w: %s", name, ErrNoPlugin, id)
}
