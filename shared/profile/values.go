package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"utter/shared/chord"
)

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
	s := d.text(key, v)
	yes := s == "true"
	switch {
	case yes, s == "false":
		return &yes
	case s != "":
		d.broken(v, CodeBoolean, "%q is %q; write true or false", key.Value, s)
	}
	return nil
}

func (d *decoder) searchURL(key, v *yaml.Node) string {
	u := d.text(key, v)
	var e *SearchURLError
	if u != "" && errors.As(CheckSearchURL(u), &e) {
		p := newProblem(d.at(v), Broken, CodeSearchURL, "%q %v", key.Value, e)
		p.Args = []string{key.Value, e.Code, e.URL}
		d.problems = append(d.problems, p)
	}
	return u
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
