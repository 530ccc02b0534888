package session

import (
	"fmt"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/profile"
)

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

// differences lists the fields in which two contents of a file differ.
func differences(file string, yours, theirs []byte) []Difference {
	a, b := profile.Parse(file, profile.User, yours), profile.Parse(file, profile.User, theirs)
	var rows []Difference
	for _, id := range ids(a, b) {
		mine, others := a.Patch(id), b.Patch(id)
		for _, path := range profile.Paths(mine, others) {
			if x, y := mine.Value(path...), others.Value(path...); !SameValue(x, y) {
				rows = append(rows, Difference{path, x, y})
			}
		}
	}
	return rows
}

// ids lists the ids in all files, once each in whatever case.
func ids(files ...*profile.File) []string {
	var all []string
	for _, f := range files {
		for _, p := range f.Patches {
			if !slices.ContainsFunc(all, func(id string) bool { return strings.EqualFold(id, p.ID) }) {
				all = append(all, p.ID)
			}
		}
	}
	slices.Sort(all)
	return all
}
