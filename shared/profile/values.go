package profile

import (
	"errors"
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
		d.broken(v, CodeText, key.Value)
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
				d.broken(item, CodeTexts, key.Value)
				continue
			}
			list = append(list, item.Value)
		}
	default:
		d.broken(v, CodeTexts, key.Value)
	}
	return list
}

// argv reads a command line. A plain text is split at spaces.
func (d *decoder) argv(key, v *yaml.Node) []string {
	if v.Kind == yaml.ScalarNode && !isNull(v) {
		if strings.ContainsAny(v.Value, `"'\`) {
			d.broken(v, CodeQuotes, key.Value)
		}
		return strings.Fields(v.Value)
	}
	argv := d.texts(key, v)
	if len(argv) > 0 && argv[0] == "" {
		d.broken(v, CodeNoProgram, key.Value)
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
		d.broken(v, CodeBoolean, key.Value, s)
	}
	return nil
}

func (d *decoder) searchURL(key, v *yaml.Node) string {
	u := d.text(key, v)
	if e, wrong := errors.AsType[*SearchURLError](CheckSearchURL(u)); wrong && u != "" {
		d.broken(v, CodeSearchURL, key.Value, e.Code, e.URL)
	}
	return u
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
		d.broken(v, CodeKind, key.Value, string(k), strings.Join(names, ", "))
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
		d.broken(v, CodeMapping, key.Value)
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
		if e, wrong := errors.AsType[*chord.SyntaxError](err); wrong {
			d.broken(at, CodeKeys, append([]string{name.Value, string(e.Code), e.Input}, e.Args()...)...)
			continue
		}
		seq = append(seq, c)
	}
	return seq
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
		d.broken(m, CodeCommand, phrase.Value)
		return ""
	}
	text := d.text(m.Content[0], v)
	name, ok := ActionName(text)
	if !ok && text != "" {
		d.broken(v, CodeAction, phrase.Value, text)
	}
	return name
}

// ActionName returns the name of an action as files have it: "New tab" is
// new_tab. It is not ok where text is not a such name.
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
