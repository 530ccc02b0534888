package profile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"utter/shared/chord"
)

// A Change sets one field of a profile, or takes it out of the file.
type Change struct {
	// Path leads to the field: {"aliases"}, {"shortcuts", "new_tab"},
	// {"commands", "save and close"}.
	Path []string
	// Value is what the field becomes: nil takes it out; a string, a bool, a
	// []string (a list in one line), a map[string]string (a map in one line) or
	// a chord.Sequence, which is one text where it has one chord.
	Value any
}

// node returns the value as YAML, or nil.
func (c Change) node() (*yaml.Node, error) {
	inGroup := len(c.Path) > 0 && slices.Contains(groups, c.Path[0])
	single := len(c.Path) == 1 && slices.Contains(Fields, c.Path[0])
	if !single && (!inGroup || len(c.Path) > 2) {
		return nil, fmt.Errorf("%q is not a field that can be changed", c.Path)
	}
	switch v := c.Value.(type) {
	case nil:
		return nil, nil
	case string:
		return text(v), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}, nil
	case []string:
		return list(v), nil
	case map[string]string:
		var pairs []*yaml.Node
		for _, key := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, text(key), text(v[key]))
		}
		return mapping(pairs...), nil
	case chord.Sequence:
		chords := make([]string, len(v))
		for i, ch := range v {
			chords[i] = ch.String()
		}
		if len(chords) < 2 {
			return text(strings.Join(chords, "")), nil
		}
		return list(chords), nil
	}
	return nil, fmt.Errorf("a field cannot be a %T", c.Value)
}

func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

func list(texts []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, s := range texts {
		n.Content = append(n.Content, text(s))
	}
	return n
}

func mapping(pairs ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: pairs}
}

// at returns the node at path below n, or nil.
func at(n *yaml.Node, path []string) *yaml.Node {
	for _, key := range path {
		if n = valueOf(n, key); n == nil {
			return nil
		}
	}
	return n
}

// with returns the tree n with the node at path set, or taken out where value is
// nil. n stays as it is; what is not on the path is shared.
func with(n *yaml.Node, path []string, value *yaml.Node) *yaml.Node {
	if len(path) == 0 {
		return value
	}
	m := *n
	m.Content = slices.Clone(n.Content)
	switch i := keyIndex(n, path[0]); {
	case i < 0:
		m.Content = append(m.Content, text(path[0]), value)
	case len(path) == 1 && value == nil:
		m.Content = slices.Delete(m.Content, i, i+2)
	default:
		m.Content[i+1] = with(n.Content[i+1], path[1:], value)
	}
	return &m
}

// valueOf returns the value of a key of m, or nil.
func valueOf(m *yaml.Node, key string) *yaml.Node {
	if i := keyIndex(m, key); i >= 0 {
		return m.Content[i+1]
	}
	return nil
}

// keyIndex returns the index of a key in the content of m, or -1.
func keyIndex(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// encode writes a tree, which keeps the comments and not much else.
func (f *source) encode(doc *yaml.Node) ([]byte, bool) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(indentStep)
	if err := errors.Join(enc.Encode(doc), enc.Close()); err != nil {
		return nil, false
	}
	out := bytes.ReplaceAll(b.Bytes(), []byte("\r\n"), []byte("\n"))
	out = bytes.ReplaceAll(out, []byte("\n"), []byte(f.eol))
	return append([]byte(f.mark), out...), true
}

// same reports whether two trees say the same to Decode.
func same(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || isNull(a) != isNull(b) || a.Anchor != b.Anchor || !isNull(a) && a.Value != b.Value {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, same)
}
