package profile

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"utter/shared/spell"
)

// maxFile bounds a profile file, in bytes.
const maxFile = 1 << 20

// Decode reads one profile file: a profile, or a map of them under "profiles".
// Every scalar is a text whatever YAML makes of it elsewhere, so that an alias
// may be on, 007 or 12:30. If a problem is Broken there are no patches.
func Decode(file string, layer Layer, data []byte) ([]Patch, []Problem) {
	d := &decoder{origin: Origin{Layer: layer, File: file}, most: maxFile}
	_, patches := d.file(data)
	return patches, d.problems
}

// DecodeGenerated is Decode of the catalogue that "utter catalog" writes, which
// may be large.
func DecodeGenerated(file string, data []byte) ([]Patch, []Problem) {
	d := &decoder{origin: Origin{Layer: Catalogue, File: file}, most: 64 << 20}
	_, patches := d.file(data)
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

// broken reports what makes the file count for nothing.
func (d *decoder) broken(n *yaml.Node, code string, args ...string) {
	d.problems = append(d.problems, newProblem(d.at(n), Broken, code, args...))
}

func (d *decoder) warn(n *yaml.Node, code string, args ...string) {
	d.problems = append(d.problems, newProblem(d.at(n), Warning, code, args...))
}

// file reads a whole file. doc is nil where nothing can be read as YAML.
func (d *decoder) file(data []byte) (doc *yaml.Node, patches []Patch) {
	doc = d.document(data)
	if doc != nil {
		patches = d.root(doc.Content[0])
	}
	for _, p := range d.problems {
		if p.Severity == Broken {
			return doc, nil
		}
	}
	return doc, patches
}

// document reads the one document of a file, nil where it is empty or no YAML.
func (d *decoder) document(data []byte) *yaml.Node {
	start := &yaml.Node{Line: 1, Column: 1}
	if len(data) > d.most {
		d.broken(start, CodeTooLarge)
		return nil
	}
	if !utf8.Valid(data) {
		d.broken(invalidUTF8(data), CodeEncoding)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrderMark))))
	doc, second := new(yaml.Node), new(yaml.Node)
	if err := dec.Decode(doc); err != nil {
		if !errors.Is(err, io.EOF) && len(bytes.TrimSpace(data)) > 0 { // else it says nothing
			d.syntax(data, err)
		}
		return nil
	}
	if dec.Decode(second) == nil {
		d.broken(second, CodeSecondDocument)
	}
	return doc
}

func (d *decoder) root(root *yaml.Node) []Patch {
	switch {
	case isNull(root), len(d.problems) > 0:
		return nil
	case root.Kind != yaml.MappingNode:
		d.broken(root, CodeNoMapping)
		return nil
	}
	if list := valueOf(root, "profiles"); list != nil {
		return d.list(root, list)
	}
	if valueOf(root, "id") == nil {
		d.broken(root, CodeNoID)
		return nil
	}
	return []Patch{d.profile(root, "")}
}

func (d *decoder) list(root, list *yaml.Node) []Patch {
	if list.Kind != yaml.MappingNode {
		d.broken(list, CodeProfiles)
		return nil
	}
	for key := range d.pairs(root) {
		if key.Value != "profiles" {
			d.warn(key, CodeBesideProfiles, key.Value)
		}
	}
	var patches []Patch
	for key, value := range d.pairs(list) {
		if value.Kind != yaml.MappingNode {
			d.broken(value, CodeNoMapping, key.Value)
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
			d.broken(n, CodeTab)
			return
		}
	}
	d.broken(n, CodeSyntax, text)
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

// pairs yields the keys and values of a mapping and reports what no profile may
// have: duplicate keys, and YAML's anchors.
func (d *decoder) pairs(m *yaml.Node) func(yield func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		seen := map[string]int{}
		for i := 0; i+1 < len(m.Content); i += 2 {
			k, v := m.Content[i], m.Content[i+1]
			switch {
			case k.Kind != yaml.ScalarNode:
				d.broken(k, CodeKey)
			case k.Tag == "!!merge" || v.Kind == yaml.AliasNode:
				d.broken(k, CodeAnchor, k.Value)
			case seen[k.Value] > 0:
				d.broken(k, CodeTwice, k.Value, strconv.Itoa(seen[k.Value]))
			default:
				seen[k.Value] = k.Line
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// profile reads one profile; id is given where the map above names it.
func (d *decoder) profile(m *yaml.Node, id string) Patch {
	p := Patch{ID: id, Origin: d.at(m)}
	everywhere := d.isEverywhere(m, id)
	for key, v := range d.pairs(m) {
		i := slices.IndexFunc(singles, func(f field) bool { return f.name == key.Value })
		switch {
		case key.Value == "id":
			p.ID = strings.TrimSpace(d.text(key, v))
			if id != "" && p.ID != id {
				d.broken(v, CodeTwoIDs, p.ID, id)
			}
		case key.Value == "shortcuts":
			p.Shortcuts = d.sequences(key, v)
		case key.Value == "commands":
			d.commands(&p, key, v)
		case i < 0:
			d.unknown(key)
		case everywhere:
			d.warn(key, CodeNotEverywhere, key.Value)
		default:
			singles[i].read(d, &p, key, v)
		}
	}
	if p.ID == "" {
		d.broken(m, CodeEmptyID)
	}
	return p
}

// isEverywhere reports whether a profile is the user's own of every application.
func (d *decoder) isEverywhere(m *yaml.Node, id string) bool {
	if v := valueOf(m, "id"); v != nil {
		id = strings.TrimSpace(v.Value)
	}
	return d.origin.Layer == User && isEverywhere(id)
}

func (d *decoder) unknown(key *yaml.Node) {
	args := []string{key.Value}
	if near := spell.Nearest(key.Value, known); near != "" {
		args = append(args, near)
	}
	d.warn(key, CodeUnknownKey, args...)
}
