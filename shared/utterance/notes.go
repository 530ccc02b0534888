package utterance

import "strings"

// notes are the signs round what recognisers write about a sound: "[BLANK_AUDIO]",
// "(music)", "*coughs*".
var notes = [...][2]string{{"[", "]"}, {"(", ")"}, {"*", "*"}, {"♪", "♪"}}

// plain reports whether a byte is a letter or digit of English, at which no note begins
// or ends.
func plain(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// TrimNotes removes the notes of recognisers behind a command, unless they are all of it.
func TrimNotes(s string) string {
again:
	if end := strings.TrimRight(s, " .,"); end == "" || plain(end[len(end)-1]) {
		return s
	}
	for _, n := range notes {
		inner, ok := strings.CutSuffix(strings.TrimRight(s, " .,"), n[1])
		if !ok {
			continue
		}
		i := strings.LastIndex(inner, n[0])
		if i > 0 && inner[i-1] == ' ' && strings.TrimSpace(inner[i+len(n[0]):]) != "" {
			s = strings.TrimSpace(inner[:i])
			goto again
		}
	}
	return s
}

// leadingNotes removes them before a command.
func leadingNotes(s string) string {
again:
	if s == "" || plain(s[0]) {
		return s
	}
	for _, n := range notes {
		inner, ok := strings.CutPrefix(s, n[0])
		if !ok {
			continue
		}
		note, rest, closed := strings.Cut(inner, n[1])
		if rest = strings.TrimLeft(rest, " .,"); closed && note != "" && rest != "" {
			s = rest
			goto again
		}
	}
	return s
}
