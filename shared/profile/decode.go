package profile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

// broken reports what makes the file count for nothing. args are the Problem's
// Args as well.
func (d *decoder) broken(n *yaml.Node, code, format string, args ...any) {
	d.problems = append(d.problems, newProblem(d.at(n), Broken, code, format, args...))
}

func (d *decoder) warn(n *yaml.Node, code, format string, args ...any) {
	d.problems = append(d.problems, newProblem(d.at(n), Warning, code, format, args...))
}

func newProblem(o Origin, s Severity, code, format string, args ...any) Problem {
	p := Problem{Origin: o, Severity: s, Message: fmt.Sprintf(format, args...), Code: code}
	for _, a := range args {
		p.Args = append(p.Args, fmt.Sprint(a))
	}
	return p
}

func (d *decoder) file(data []byte) []Patch {
	start := &yaml.Node{Line: 1, Column: 1}
	if len(data) > d.most {
		d.broken(start, CodeTooLarge, "the file is larger than 1 MiB")
		return nil
	}
	if !utf8.Valid(data) {
		d.broken(invalidUTF8(data), CodeEncoding, "this is not UTF-8; save the file in that encoding")
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
		d.broken(&second, CodeSecondDocument, "a second document; write one profile a file, or a map under \"profiles:\"")
		return nil
	}
	root := doc.Content[0]
	if isNull(root) {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		d.broken(root, CodeNoMapping, "a profile is a list of \"key: value\" lines, such as \"id: firefox\"")
		return nil
	}
	if list := valueOf(root, "profiles"); list != nil {
		return d.list(root, list)
	}
	if valueOf(root, "id") == nil {
		d.broken(root, CodeNoID, "\"id\" is missing; write the application's id, such as \"id: firefox\"")
		return nil
	}
	return []Patch{d.profile(root, "")}
}

func (d *decoder) list(root, list *yaml.Node) []Patch {
	if list.Kind != yaml.MappingNode {
		d.broken(list, CodeProfiles, "\"profiles\" maps ids to profiles: write \"profiles:\", then \"  firefox:\" and its fields below")
		return nil
	}
	for key := range d.pairs(root) {
		if key.Value != "profiles" {
			d.warn(key, CodeBesideProfiles, "%q beside \"profiles\" is ignored", key.Value)
		}
	}
	var patches []Patch
	for key, value := range d.pairs(list) {
		if value.Kind != yaml.MappingNode {
			d.broken(value, CodeNoMapping, "the profile of %q is no list of \"key: value\" lines", key.Value)
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
			d.broken(n, CodeTab, "a tab at the start of the line; indent with spaces")
			return
		}
	}
	d.broken(n, CodeSyntax, "%s", text)
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
				d.broken(k, CodeKey, "a key must be one word or a text")
			case k.Tag == "!!merge" || v.Kind == yaml.AliasNode:
				d.broken(k, CodeAnchor, "%q uses a YAML alias (*name); write the value out", k.Value)
			case seen[k.Value] > 0:
				d.broken(k, CodeTwice, "%q stands twice, first in line %d; keep one", k.Value, seen[k.Value])
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

// everywhereFields are those that a profile of every application may have.
var everywhereFields = []string{"id", "shortcuts", "commands"}

// profile reads one profile; id is given where the map above names it.
func (d *decoder) profile(m *yaml.Node, id string) Patch {
	p := Patch{ID: id, Origin: d.at(m)}
	everywhere := d.isEverywhere(m, id)
	for key, v := range d.pairs(m) {
		if everywhere && slices.Contains(fields, key.Value) && !slices.Contains(everywhereFields, key.Value) {
			d.warn(key, CodeNotEverywhere, "%q is ignored; what counts everywhere has shortcuts and commands only", key.Value)
			continue
		}
		switch key.Value {
		case "id":
			p.ID = strings.TrimSpace(d.text(key, v))
			if id != "" && p.ID != id {
				d.broken(v, CodeTwoIDs, "the id is %q here but %q above; keep one", p.ID, id)
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
			d.commands(&p, key, v)
		case "app_ids":
			p.AppIDs = ptr(d.texts(key, v))
		case "mime_types":
			p.MimeTypes = ptr(d.texts(key, v))
		case "kind":
			p.Kind = d.kind(key, v)
		case "enabled":
			p.Enabled = d.boolean(key, v)
		default:
			d.unknown(key)
		}
	}
	if p.ID == "" {
		d.broken(m, CodeEmptyID, "\"id\" is empty; write the application's id, such as \"id: firefox\"")
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
	if near := spell.Nearest(key.Value, fields); near != "" {
		d.warn(key, CodeUnknownKey, "the unknown key %q is ignored; did you mean %q?", key.Value, near)
		return
	}
	d.warn(key, CodeUnknownKey, "the unknown key %q is ignored", key.Value)
}

func ptr[T any](v T) *T { return &v }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// text reads a scalar as it is written. Null is the empty text.
func (d *decoder) text(key, v *yaml.Node) string {
	if v.Kind != yaml.ScalarNode {
		d.broken(v, CodeText, "%q is a text, not a list or map", key.Value)
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
				d.broken(item, CodeTexts, "%q is a list of texts", key.Value)
				continue
			}
			list = append(list, item.Value)
		}
	default:
		d.broken(v, CodeTexts, "%q is a list of texts, such as [one, two]", key.Value)
	}
	return list
}

// argv reads a command line. A plain text is split at spaces.
func (d *decoder) argv(key, v *yaml.Node) []string {
	if v.Kind == yaml.ScalarNode && !isNull(v) {
		if strings.ContainsAny(v.Value, `"'\`) {
			d.broken(v, CodeQuotes, "%q has quotes in it; write a list, such as [program, \"an argument\"]", key.Value)
		}
		return strings.Fields(v.Value)
	}
	argv := d.texts(key, v)
	if len(argv) > 0 && argv[0] == "" {
		d.broken(v, CodeNoProgram, "%q names no program", key.Value)
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
		d.broken(v, CodeBoolean, "%q is %q; write true or false", key.Value, s)
		return nil
	}
}

func (d *decoder) searchURL(key, v *yaml.Node) *string {
	u := d.text(key, v)
	var e *SearchURLError
	if u != "" && errors.As(CheckSearchURL(u), &e) {
		p := newProblem(d.at(v), Broken, CodeSearchURL, "%q %v", key.Value, e)
		p.Args = []string{key.Value, e.Code, e.URL}
		d.problems = append(d.problems, p)
	}
	return &u
}

// A SearchURLError says why an address is no search address.
type SearchURLError struct {
	Code string // NoScheme or NoQ
	URL  string
}

func (e *SearchURLError) Error() string {
	if e.Code == NoScheme {
		return fmt.Sprintf("is %q; an address begins with https:// or http://", e.URL)
	}
	return fmt.Sprintf("is %q without {q}; write {q} where the words to search for go", e.URL)
}

// CheckSearchURL returns a *SearchURLError where u is no search address.
func CheckSearchURL(u string) error {
	if !strings.HasPrefix(u, "https://") && !strings.HasPrefix(u, "http://") {
		return &SearchURLError{NoScheme, u}
	}
	if !strings.Contains(u, "{q}") {
		return &SearchURLError{NoQ, u}
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
		d.broken(v, CodeKind, "%q is %q; write one of %s", key.Value, k, strings.Join(names, ", "))
		return nil
	}
	return &k
}

// sequences reads names and their keys. An empty value removes an inherited one.
func (d *decoder) sequences(key, v *yaml.Node) map[string]chord.Sequence {
	all := map[string]chord.Sequence{}
	for name, value := range d.names(key, v) {
		all[name.Value] = d.keys(name, value)
	}
	return all
}

// names yields the pairs of the value of key, which must be a map or null.
func (d *decoder) names(key, v *yaml.Node) func(yield func(k, v *yaml.Node) bool) {
	if !isNull(v) && v.Kind != yaml.MappingNode {
		d.broken(v, CodeMapping, "%q maps names to key combinations, such as \"new_tab: ctrl+t\"", key.Value)
		return func(func(k, v *yaml.Node) bool) {}
	}
	return d.pairs(v)
}

// keys reads a chord or a list of them.
func (d *decoder) keys(name, v *yaml.Node) chord.Sequence {
	seq := chord.Sequence{}
	for i, s := range d.texts(name, v) {
		at := v
		if v.Kind == yaml.SequenceNode && i < len(v.Content) {
			at = v.Content[i]
		}
		c, err := chord.Parse(s)
		if err != nil {
			d.badKeys(at, name.Value, err)
			continue
		}
		seq = append(seq, c)
	}
	return seq
}

func (d *decoder) badKeys(at *yaml.Node, name string, err error) {
	p := newProblem(d.at(at), Broken, CodeKeys, "%q: %v", name, err)
	var e *chord.SyntaxError
	if errors.As(err, &e) {
		p.Args = append([]string{name, string(e.Code), e.Input}, e.Args()...)
	}
	d.problems = append(d.problems, p)
}

// commands reads phrases and what they stand for: keys, or the name of an
// action. A text that is both is keys; {action: name} is always an action.
func (d *decoder) commands(p *Patch, key, v *yaml.Node) {
	p.Commands, p.Says, p.saysAt = map[string]chord.Sequence{}, map[string]string{}, map[string]Origin{}
	for phrase, value := range d.names(key, v) {
		action, isAction := d.action(phrase, value)
		if !isAction {
			p.Commands[phrase.Value] = d.keys(phrase, value)
			continue
		}
		p.Says[phrase.Value], p.saysAt[phrase.Value] = action, d.at(value)
	}
}

// action reads the value of a phrase if it stands for an action.
func (d *decoder) action(phrase, v *yaml.Node) (name string, isAction bool) {
	switch {
	case v.Kind == yaml.MappingNode:
		return d.actionMap(phrase, v), true
	case v.Kind != yaml.ScalarNode, isNull(v), v.Value == "":
		return "", false
	}
	if _, err := chord.Parse(v.Value); err == nil {
		return "", false
	}
	return ActionName(v.Value)
}

func (d *decoder) actionMap(phrase, m *yaml.Node) string {
	v := valueOf(m, "action")
	if v == nil || len(m.Content) > 2 {
		d.broken(m, CodeCommand, "%q: write keys, or \"action: name\" and nothing else", phrase.Value)
		return ""
	}
	text := d.text(m.Content[0], v)
	name, ok := ActionName(text)
	if !ok && text != "" {
		d.broken(v, CodeAction, "%q: %q is no name of an action; write letters, digits and underscores", phrase.Value, text)
	}
	return name
}

// ActionName returns the name of an action as files have it: "New tab" is
// new_tab. It is not ok where text is no such name.
func ActionName(text string) (name string, ok bool) {
	name = strings.ToLower(strings.Join(strings.Fields(text), "_"))
	plain := func(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
	ok = strings.ContainsFunc(name, func(r rune) bool { return r != '_' && plain(r) }) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !plain(r) })
	if !ok {
		return "", false
	}
	return name, true
}
