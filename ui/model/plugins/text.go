package plugins

import (
	"strings"

	"utter/shared/visible"
)

// How much of what a plugin says is shown, in characters, and how many lines of
// its log.
const (
	maxWord  = 80
	maxText  = 600
	maxLine  = 2000
	maxLines = 500
)

// clean makes what a plugin says one line of bounded length with nothing in it
// that is not seen: it is data, and may be written to deceive.
func clean(text string, limit int) string {
	runes := []rune(strings.ReplaceAll(text, "\t", " "))
	if len(runes) > limit {
		return visible.Text(string(runes[:limit])) + "…"
	}
	return visible.Text(string(runes))
}

// sentence is clean for a text whose lines are joined.
func sentence(text string) string {
	return clean(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; "),
		maxText)
}

// words lists names, as many as can be read.
func words(names []string) string {
	const most = 40
	var all []string
	for i, name := range names {
		if i == most {
			all = append(all, "…")
			break
		}
		all = append(all, clean(name, maxWord))
	}
	return strings.Join(all, ", ")
}
