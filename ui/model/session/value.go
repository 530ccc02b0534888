package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/profile"
)

// Fields are the fields of a profile that hold one value each.
var Fields = []string{"name", "aliases", "launch", "new_window", "search_url", "app_ids", "mime_types", "kind", "terminal", "enabled"}

// Own returns what a patch says of a field, in the form of profile.Change; nil
// where it says nothing.
func Own(p *profile.Patch, path []string) any {
	switch {
	case p == nil:
		return nil
	case len(path) == 2:
		return ownEntry(p, path[0], path[1])
	}
	switch path[0] {
	case "name":
		return value(p.Name)
	case "aliases":
		return value(p.Aliases)
	case "launch":
		return value(p.Launch)
	case "new_window":
		return value(p.NewWindow)
	case "search_url":
		return value(p.SearchURL)
	case "app_ids":
		return value(p.AppIDs)
	case "mime_types":
		return value(p.MimeTypes)
	case "kind":
		if p.Kind != nil {
			return string(*p.Kind)
		}
	case "terminal":
		return value(p.Terminal)
	case "enabled":
		return value(p.Enabled)
	}
	return nil
}

// ownEntry is Own of an action or a phrase.
func ownEntry(p *profile.Patch, group, name string) any {
	if group == "shortcuts" {
		if seq, ok := p.Shortcuts[name]; ok {
			return seq
		}
		return nil
	}
	if action, ok := p.Says[name]; ok {
		return map[string]string{"action": action}
	}
	if seq, ok := p.Commands[name]; ok {
		return seq
	}
	return nil
}

func value[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// SameValue compares two values in the form of profile.Change. A text and an
// action of that name are one, since a phrase may be written in both ways.
func SameValue(a, b any) bool { return spell(a) == spell(b) }

// spell writes a value in one way; nothing, what is empty, and keys and actions
// of one name differ.
func spell(v any) string {
	const nothing, empty, text, keys = "-", "=", "=t", "=k"
	switch v := v.(type) {
	case nil:
		return nothing
	case string:
		if v != "" {
			return text + v
		}
	case map[string]string:
		return spell(v["action"])
	case chord.Sequence:
		if len(v) > 0 {
			return keys + v.String()
		}
	case []string:
		if len(v) > 0 {
			return fmt.Sprintf("=%q", v)
		}
	default:
		return fmt.Sprint("=", v)
	}
	return empty
}

// paths lists the fields of which one of the patches may say something: fields,
// actions, then phrases, each sorted.
func paths(patches ...*profile.Patch) [][]string {
	actions, phrases := map[string]bool{}, map[string]bool{}
	for _, p := range patches {
		if p == nil {
			continue
		}
		for name := range p.Shortcuts {
			actions[name] = true
		}
		for phrase := range p.Commands {
			phrases[phrase] = true
		}
		for phrase := range p.Says {
			phrases[phrase] = true
		}
	}
	var all [][]string
	for _, f := range Fields {
		all = append(all, []string{f})
	}
	for _, name := range slices.Sorted(maps.Keys(actions)) {
		all = append(all, []string{"shortcuts", name})
	}
	for _, phrase := range slices.Sorted(maps.Keys(phrases)) {
		all = append(all, []string{"commands", phrase})
	}
	return all
}

// differences lists the fields in which two contents of a file differ.
func differences(file string, yours, theirs []byte) []Difference {
	a, _ := profile.Decode(file, profile.User, yours)
	b, _ := profile.Decode(file, profile.User, theirs)
	var rows []Difference
	for _, id := range ids(a, b) {
		mine, others := patchOf(a, id), patchOf(b, id)
		for _, path := range paths(mine, others) {
			if x, y := Own(mine, path), Own(others, path); !SameValue(x, y) {
				rows = append(rows, Difference{path, x, y})
			}
		}
	}
	return rows
}

// ids lists the ids of all patches, once each in whatever case.
func ids(lists ...[]profile.Patch) []string {
	var all []string
	for _, p := range slices.Concat(lists...) {
		if !slices.ContainsFunc(all, func(id string) bool { return strings.EqualFold(id, p.ID) }) {
			all = append(all, p.ID)
		}
	}
	slices.Sort(all)
	return all
}
