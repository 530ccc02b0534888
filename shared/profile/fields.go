package profile

import (
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"utter/shared/chord"
)

// A field is a line of a profile that holds one value.
type field struct {
	name string
	read func(d *decoder, p *Patch, key, v *yaml.Node)
	// value returns what a patch says, in the form of Change; nil for nothing.
	value func(p *Patch) any
}

// single declares a field that is kept at a place of a Patch.
func single[T any](name string, at func(*Patch) **T, read func(d *decoder, key, v *yaml.Node) *T) field {
	return field{
		name: name,
		read: func(d *decoder, p *Patch, key, v *yaml.Node) { *at(p) = read(d, key, v) },
		value: func(p *Patch) any {
			if v := *at(p); v != nil {
				return *v
			}
			return nil
		},
	}
}

// said makes a reader whose every result says something.
func said[T any](read func(d *decoder, key, v *yaml.Node) T) func(d *decoder, key, v *yaml.Node) *T {
	return func(d *decoder, key, v *yaml.Node) *T { t := read(d, key, v); return &t }
}

// singles are the fields of one value, in the order in which pages show them.
var singles = []field{
	single("name", func(p *Patch) **string { return &p.Name }, said((*decoder).text)),
	single("aliases", func(p *Patch) **[]string { return &p.Aliases }, said((*decoder).texts)),
	single("launch", func(p *Patch) **[]string { return &p.Launch }, said((*decoder).argv)),
	single("new_window", func(p *Patch) **[]string { return &p.NewWindow }, said((*decoder).argv)),
	single("search_url", func(p *Patch) **string { return &p.SearchURL }, said((*decoder).searchURL)),
	single("app_ids", func(p *Patch) **[]string { return &p.AppIDs }, said((*decoder).texts)),
	single("mime_types", func(p *Patch) **[]string { return &p.MimeTypes }, said((*decoder).texts)),
	single("kind", func(p *Patch) **Kind { return &p.Kind }, (*decoder).kind),
	single("terminal", func(p *Patch) **bool { return &p.Terminal }, (*decoder).boolean),
	single("enabled", func(p *Patch) **bool { return &p.Enabled }, (*decoder).boolean),
}

// Fields names the fields of a profile that hold one value each, in the order in
// which pages show them.
var Fields = func() []string {
	var names []string
	for _, f := range singles {
		names = append(names, f.name)
	}
	return names
}()

// groups are the fields with entries of their own. They are what a profile of
// every application may have.
var groups = []string{"shortcuts", "commands"}

// known lists all fields.
var known = slices.Concat([]string{"id"}, Fields, groups)

// Value returns what p says of a field, by the path of a Change and in the form
// of its Value; nil where it says nothing. p may be nil.
func (p *Patch) Value(path ...string) any {
	if p == nil {
		return nil
	}
	if len(path) == 2 {
		return p.entry(path[0], path[1])
	}
	for _, f := range singles {
		if f.name == path[0] {
			if k, ok := f.value(p).(Kind); ok {
				return string(k)
			}
			return f.value(p)
		}
	}
	return nil
}

// entry is Value of an action or a phrase.
func (p *Patch) entry(group, name string) any {
	entries := p.Commands
	if group == "shortcuts" {
		entries = p.Shortcuts
	} else if action, ok := p.Says[name]; ok {
		return map[string]string{"action": action}
	}
	if seq, ok := entries[name]; ok {
		return seq
	}
	return nil
}

// Paths lists the fields of which one of the patches says something: single
// ones, actions, then phrases, each group sorted. A patch may be nil.
func Paths(patches ...*Patch) [][]string {
	actions, phrases := map[string]chord.Sequence{}, map[string]bool{}
	var all [][]string
	for _, f := range singles {
		if slices.ContainsFunc(patches, func(p *Patch) bool { return p.Value(f.name) != nil }) {
			all = append(all, []string{f.name})
		}
	}
	for _, p := range patches {
		if p == nil {
			continue
		}
		maps.Copy(actions, p.Shortcuts)
		for phrase := range p.Commands {
			phrases[phrase] = true
		}
		for phrase := range p.Says {
			phrases[phrase] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(actions)) {
		all = append(all, []string{"shortcuts", name})
	}
	for _, phrase := range slices.Sorted(maps.Keys(phrases)) {
		all = append(all, []string{"commands", phrase})
	}
	return all
}
