package profile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"utter/shared/chord"
	"utter/shared/spell"
)

// maxFile bounds a profile file, in bytes.
const maxFile = 1 << 20

// Decode reads one profile file: a profile, or a map of them under "profiles".
// Every scalar is a text whatever YAML makes of it elsewhere, so that an alias
// may be on, 007 or 12:30. If a problem is Broken there are no patches.
func Decode(file string, layer Layer, data []byte) ([]Patch, []Problem) {
	return decodeFile(file, layer, data, maxFile)
}

// DecodeGenerated is Decode of the catalogue that "utter catalog" writes, which
// may be large.
func DecodeGenerated(file string, data []byte) ([]Patch, []Problem) {
	const most = 64 << 20
	return decodeFile(file, Catalogue, data, most)
}

func decodeFile(file string, layer Layer, data []byte, most int) ([]Patch, []Problem) {
	d := &decoder{origin: Origin{Layer: layer, File: file}, most: most}
	patches := d.file(data)
	for _, p := range d.problems {
		if p.Severity == Broken {
			return nil, d.problems
		}
	}
	return patches, d.problems
}

type decoder struct {
	origin   Origin
	most     int // bytes
	problems []Problem
}

func (d *decoder) at(n *yaml.Node) Origin {
	o := d.origin
	o.Line, o.Column = n.Line, n.Column
	return o
}

func (d *decoder) broken(n *yaml.Node, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.at(n), Broken, fmt.Sprintf(format, args...)})
}

func (d *decoder) warn(n *yaml.Node, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.at(n), Warning, fmt.Sprintf(format, args...)})
}

func (d *decoder) file(data []byte) []Patch {
	start := &yaml.Node{Line: 1, Column: 1}
	if len(data) > d.most {
		d.broken(start, "the file is larger than 1 MiB")
		return nil
	}
	if !utf8.Valid(data) {
		d.broken(invalidUTF8(data), "this is not UTF-8; save the file in that encoding")
		return nil
	}
	dec := yaml.NewDecoder(strings.NewReader(strings.TrimPrefix(string(data), "\ufeff")))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if strings.TrimSpace(stripComments(string(data))) == "" {
			return nil // an empty file says nothing
		}
		d.syntax(data, err)
		return nil
	}
	var second yaml.Node
	if dec.Decode(&second) == nil {
		d.broken(&second, "a second document; write one profile a file, or a map under \"profiles:\"")
		return nil
	}
	root := doc.Content[0]
	if isNull(root) {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		d.broken(root, "a profile is a list of \"key: value\" lines, such as \"id: firefox\"")
		return nil
	}
	if list := valueOf(root, "profiles"); list != nil {
		return d.list(root, list)
	}
	if valueOf(root, "id") == nil {
		d.broken(root, "\"id\" is missing; write the application's id, such as \"id: firefox\"")
		return nil
	}
	return []Patch{d.profile(root, "")}
}

func (d *decoder) list(root, list *yaml.Node) []Patch {
	if list.Kind != yaml.MappingNode {
		d.broken(list, "\"profiles\" maps ids to profiles: write \"profiles:\", then \"  firefox:\" and its fields below")
		return nil
	}
	for key := range d.pairs(root) {
		if key.Value != "profiles" {
			d.warn(key, "%q beside \"profiles\" is ignored", key.Value)
		}
	}
	var patches []Patch
	for key, value := range d.pairs(list) {
		if value.Kind != yaml.MappingNode {
			d.broken(value, "the profile of %q is no list of \"key: value\" lines", key.Value)
			continue
		}
		patches = append(patches, d.profile(value, key.Value))
	}
	return patches
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// syntax reports what the YAML parser says, with the column of the line's first
// character: the parser knows none.
func (d *decoder) syntax(data []byte, err error) {
	n := &yaml.Node{Line: 1, Column: 1}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		n.Line, _ = strconv.Atoi(m[1])
		text = m[2]
	}
	lines := strings.Split(string(data), "\n")
	if n.Line <= len(lines) {
		line := lines[n.Line-1]
		n.Column = 1 + len(line) - len(strings.TrimLeft(line, " \t"))
		if tab := strings.IndexByte(line, '\t'); tab >= 0 && strings.TrimLeft(line[:tab], " ") == "" {
			text = "a tab at the start of the line; indent with spaces"
		}
	}
	d.broken(n, "%s", text)
}

func invalidUTF8(data []byte) *yaml.Node {
	n := &yaml.Node{Line: 1, Column: 1}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size <= 1:
			return n
		case r == '\n':
			n.Line, n.Column = n.Line+1, 1
		default:
			n.Column++
		}
		data = data[size:]
	}
	return n
}

func stripComments(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") && strings.TrimSpace(line) != "---" {
			b.WriteString(line)
		}
	}
	return b.String()
}

func valueOf(m *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// pairs yields the keys and values of a mapping and reports what no profile may
// have: keys that stand twice, and YAML's anchors.
func (d *decoder) pairs(m *yaml.Node) func(yield func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		seen := map[string]int{}
		for i := 0; i+1 < len(m.Content); i += 2 {
			k, v := m.Content[i], m.Content[i+1]
			switch {
			case k.Kind != yaml.ScalarNode:
				d.broken(k, "a key must be one word or a text")
			case k.Tag == "!!merge" || v.Kind == yaml.AliasNode:
				d.broken(k, "%q uses a YAML alias (*name); write the value out", k.Value)
			case seen[k.Value] > 0:
				d.broken(k, "%q stands twice, first in line %d; keep one", k.Value, seen[k.Value])
			default:
				seen[k.Value] = k.Line
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

var fields = []string{
	"id", "name", "aliases", "launch", "terminal", "new_window", "search_url", "shortcuts", "commands",
	"app_ids", "mime_types", "kind", "enabled",
}

// profile reads one profile; id is given where the map above names it.
func (d *decoder) profile(m *yaml.Node, id string) Patch {
	p := Patch{ID: id, Origin: d.at(m)}
	for key, v := range d.pairs(m) {
		switch key.Value {
		case "id":
			p.ID = strings.TrimSpace(d.text(key, v))
			if id != "" && p.ID != id {
				d.broken(v, "the id is %q here but %q above; keep one", p.ID, id)
			}
		case "name":
			p.Name = ptr(d.text(key, v))
		case "aliases":
			p.Aliases = ptr(d.texts(key, v))
		case "launch":
			p.Launch = ptr(d.argv(key, v))
		case "terminal":
			p.Terminal = d.boolean(key, v)
		case "new_window":
			p.NewWindow = ptr(d.argv(key, v))
		case "search_url":
			p.SearchURL = d.searchURL(key, v)
		case "shortcuts":
			p.Shortcuts = d.sequences(key, v)
		case "commands":
			p.Commands = d.sequences(key, v)
		case "app_ids":
			p.AppIDs = ptr(d.texts(key, v))
		case "mime_types":
			p.MimeTypes = ptr(d.texts(key, v))
		case "kind":
			p.Kind = d.kind(key, v)
		case "enabled":
			p.Enabled = d.boolean(key, v)
		default:
			near := ""
			if n := spell.Nearest(key.Value, fields); n != "" {
				near = fmt.Sprintf("; did you mean %q?", n)
			}
			d.warn(key, "the unknown key %q is ignored%s", key.Value, near)
		}
	}
	if p.ID == "" {
		d.broken(m, "\"id\" is empty; write the application's id, such as \"id: firefox\"")
	}
	return p
}

func ptr[T any](v T) *T { return &v }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// text reads a scalar as it is written. Null is the empty text.
func (d *decoder) text(key, v *yaml.Node) string {
	if v.Kind != yaml.ScalarNode {
		d.broken(v, "%q is a text, not a list or map", key.Value)
		return ""
	}
	if isNull(v) {
		return ""
	}
	return v.Value
}

// texts reads a list of texts. One text stands for a list of one, null for an
// empty list.
func (d *decoder) texts(key, v *yaml.Node) []string {
	list := []string{}
	switch {
	case isNull(v):
	case v.Kind == yaml.ScalarNode:
		if v.Value != "" {
			list = append(list, v.Value)
		}
	case v.Kind == yaml.SequenceNode:
		for _, item := range v.Content {
			if item.Kind != yaml.ScalarNode {
				d.broken(item, "%q is a list of texts", key.Value)
				continue
			}
			list = append(list, item.Value)
		}
	default:
		d.broken(v, "%q is a list of texts, such as [one, two]", key.Value)
	}
	return list
}

// argv reads a command line. A plain text is split at spaces.
func (d *decoder) argv(key, v *yaml.Node) []string {
	if v.Kind == yaml.ScalarNode && !isNull(v) {
		if strings.ContainsAny(v.Value, `"'\`) {
			d.broken(v, "%q has quotes in it; write a list, such as [program, \"an argument\"]", key.Value)
		}
		return strings.Fields(v.Value)
	}
	argv := d.texts(key, v)
	if len(argv) > 0 && argv[0] == "" {
		d.broken(v, "%q names no program", key.Value)
	}
	return argv
}

func (d *decoder) boolean(key, v *yaml.Node) *bool {
	switch s := d.text(key, v); s {
	case "true":
		return ptr(true)
	case "false":
		return ptr(false)
	case "":
		return nil
	default:
		d.broken(v, "%q is %q; write true or false", key.Value, s)
		return nil
	}
}

func (d *decoder) searchURL(key, v *yaml.Node) *string {
	u := d.text(key, v)
	if err := CheckSearchURL(u); u != "" && err != nil {
		d.broken(v, "%q %v", key.Value, err)
	}
	return &u
}

// CheckSearchURL says what is wrong with a search address.
func CheckSearchURL(u string) error {
	if !strings.HasPrefix(u, "https://") && !strings.HasPrefix(u, "http://") {
		return fmt.Errorf("is %q; an address begins with https:// or http://", u)
	}
	if !strings.Contains(u, "{q}") {
		return fmt.Errorf("is %q without {q}; write {q} where the words to search for go", u)
	}
	return nil
}

func (d *decoder) kind(key, v *yaml.Node) *Kind {
	k := Kind(d.text(key, v))
	if k == "" {
		return nil
	}
	if !slices.Contains(Kinds, k) {
		names := make([]string, len(Kinds))
		for i, known := range Kinds {
			names[i] = string(known)
		}
		d.broken(v, "%q is %q; write one of %s", key.Value, k, strings.Join(names, ", "))
		return nil
	}
	return &k
}

// sequences reads names or phrases and their chords. An empty value removes an
// inherited one.
func (d *decoder) sequences(key, v *yaml.Node) map[string]chord.Sequence {
	if isNull(v) {
		return nil
	}
	if v.Kind != yaml.MappingNode {
		d.broken(v, "%q maps names to key combinations, such as \"new_tab: ctrl+t\"", key.Value)
		return nil
	}
	all := map[string]chord.Sequence{}
	for name, value := range d.pairs(v) {
		seq := chord.Sequence{}
		for i, s := range d.texts(name, value) {
			c, err := chord.Parse(s)
			if err != nil {
				at := value
				if value.Kind == yaml.SequenceNode && i < len(value.Content) {
					at = value.Content[i]
				}
				d.broken(at, "%q: %v", name.Value, err)
				continue
			}
			seq = append(seq, c)
		}
		all[name.Value] = seq
	}
	return all
}
