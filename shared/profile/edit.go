package profile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

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

// What keeps a file from being edited. Where a mistake is the reason, errors.As
// finds its Problem; the file is called "profile" there, and with ErrRefused the
// lines are those that it would have.
var (
	ErrBroken    = errors.New("the file has a mistake in it")
	ErrRefused   = errors.New("the file would have a mistake in it")
	ErrNoProfile = errors.New("the file has no such profile")
	ErrForm      = errors.New("the file is written in a form that cannot be edited")
)

// Edit returns data with the changes made to the profile of id, and every other
// byte as it was: comments, blank lines, order and quoting. An empty file gets
// the profile. All changes are made or none: what is returned reads as the old
// file with these fields changed, or there is an error.
func Edit(data []byte, id string, changes ...Change) ([]byte, error) {
	if _, err := sound(data); err != nil {
		return nil, fmt.Errorf("edit the profile of %s: %w: %w", id, ErrBroken, err)
	}
	for _, c := range changes {
		var err error
		if data, err = c.apply(data, id); err != nil {
			return nil, fmt.Errorf("edit %s of %s: %w", strings.Join(c.Path, "."), id, err)
		}
	}
	return data, nil
}

// Extract returns data without the whole profile of id. rest is nil where
// nothing else is left.
func Extract(data []byte, id string) (rest []byte, err error) {
	patches, err := sound(data)
	if err != nil {
		return nil, fmt.Errorf("take out the profile of %s: %w: %w", id, ErrBroken, err)
	}
	f := parse(data)
	path, ok := f.profile(patches, id)
	if !ok {
		return nil, fmt.Errorf("take out the profile of %s: %w", id, ErrNoProfile)
	}
	if len(patches) == 1 {
		return nil, nil
	}
	if rest, err = f.change(path, nil); err != nil {
		return nil, fmt.Errorf("take out the profile of %s: %w", id, err)
	}
	return rest, nil
}

// FileName returns the name of a new file, "<kind>_<id>.yaml". What cannot
// stand in a file name is replaced, so two odd ids may share a name.
func FileName(kind Kind, id string) string {
	const most = 200 // bytes, of the 255 that a name may have
	if kind == "" {
		kind = Other
	}
	name := strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsControl(r) {
			return '-'
		}
		return r
	}, string(kind)+"_"+id)
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return name + ".yaml"
}

// sound returns what a file says, or its first mistake.
func sound(data []byte) ([]Patch, error) {
	patches, problems := Decode("profile", User, data)
	for _, p := range problems {
		if p.Severity == Broken {
			return nil, p
		}
	}
	return patches, nil
}

// parents are the fields with entries of their own.
var parents = []string{"shortcuts", "commands"}

func (c Change) apply(data []byte, id string) ([]byte, error) {
	value, err := c.node()
	if err != nil {
		return nil, err
	}
	f := parse(data)
	if f.root == nil {
		if value == nil {
			return data, nil
		}
		f = parse(f.begun(id))
	}
	patches, err := sound(f.bytes())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	profile, ok := f.profile(patches, id)
	if !ok {
		return nil, ErrNoProfile
	}
	if value == nil {
		return f.takeOut(profile, c.Path)
	}
	if len(c.Path) == 2 {
		if parent := at(f.root, slices.Concat(profile, c.Path[:1])); parent == nil || isNull(parent) {
			return f.change(slices.Concat(profile, c.Path[:1]), mapping(text(c.Path[1]), value))
		}
	}
	return f.change(slices.Concat(profile, c.Path), value)
}

// takeOut takes a field out, and what holds nothing but it.
func (f *file) takeOut(profile, path []string) ([]byte, error) {
	whole := slices.Concat(profile, path)
	if at(f.root, whole) == nil {
		return f.bytes(), nil
	}
	if len(path) == 2 && len(at(f.root, whole[:len(whole)-1]).Content) == 2 {
		whole = whole[:len(whole)-1]
	}
	if holder := whole[:len(whole)-1]; len(at(f.root, holder).Content) == 2 {
		return f.change(holder, mapping()) // a profile of its id alone
	}
	return f.change(whole, nil)
}

// node returns the value as YAML, or nil.
func (c Change) node() (*yaml.Node, error) {
	entry := len(c.Path) == 2 && slices.Contains(parents, c.Path[0])
	field := len(c.Path) == 1 && c.Path[0] != "id" && slices.Contains(fields, c.Path[0])
	if !entry && !field {
		return nil, fmt.Errorf("%q is no field that can be changed", c.Path)
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

// change returns the file with the node at path set, or taken out where value is
// nil. The mapping above it is there. It first changes those bytes alone; where
// that does not read as wanted, it writes the file anew.
func (f *file) change(path []string, value *yaml.Node) ([]byte, error) {
	wanted := parse(f.bytes())
	wanted.set(path, value)
	if same(f.root, wanted.root) {
		return f.bytes(), nil
	}
	for _, write := range []func() ([]byte, bool){
		func() ([]byte, bool) { return f.splice(path, value) },
		wanted.encode,
	} {
		data, ok := write()
		if !ok || !same(parse(data).root, wanted.root) {
			continue
		}
		if _, err := sound(data); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return data, nil
	}
	return nil, ErrForm
}

// set changes the tree: what splice writes must read like it.
func (f *file) set(path []string, value *yaml.Node) {
	last := len(path) - 1
	m := at(f.root, path[:last])
	i := keyIndex(m, path[last])
	switch {
	case value == nil:
		m.Content = slices.Delete(m.Content, i, i+2)
	case i < 0:
		m.Content = append(m.Content, text(path[last]), value)
	default:
		m.Content[i+1] = value
	}
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

// encode writes the tree, which keeps the comments and not much else.
func (f *file) encode() ([]byte, bool) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(indentStep)
	if err := errors.Join(enc.Encode(f.doc), enc.Close()); err != nil {
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
