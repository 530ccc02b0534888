package router

import (
	"strings"

	"utter/shared/utterance"
)

// cutFront removes the longest of the phrases that t begins with. Something is
// left.
func cutFront(t string, phrases []string) (rest string, ok bool) {
	longest := 0
	for _, p := range phrases {
		if n := len(p); n > longest && len(t) > n && t[n] == ' ' && t[:n] == p {
			longest = n
		}
	}
	if longest == 0 {
		return t, false
	}
	return t[longest+1:], true
}

// cutBack removes the longest of the phrases that t ends with. Something is left.
func cutBack(t string, phrases []string) (rest string, ok bool) {
	longest := 0
	for _, p := range phrases {
		if n := len(t) - len(p); len(p) > longest && n > 1 && t[n-1] == ' ' && t[n:] == p {
			longest = len(p)
		}
	}
	if longest == 0 {
		return t, false
	}
	return t[:len(t)-longest-1], true
}

// begins returns how many words the longest of the phrases takes that words begin
// with, or 0.
func begins(words []utterance.Word, phrases []string) int {
	longest := 0
	for _, p := range phrases {
		rest := p
		for n := 0; n < len(words); n++ {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, words[n].Text); !ok || strings.Contains(words[n].Text, " ") {
				break // "look-up" is one word
			}
			if rest == "" {
				longest = max(longest, n+1)
				break
			}
			if rest, ok = strings.CutPrefix(rest, " "); !ok {
				break
			}
		}
	}
	return longest
}

// cutAt splits t at the first of the words that is between others, or at the
// last.
func cutAt(t string, words []string, last bool) (before, behind string, ok bool) {
	at, end := -1, 0
	for _, w := range words {
		w = " " + w + " "
		i := strings.Index(t, w)
		if last {
			i = strings.LastIndex(t, w)
		}
		if i > 0 && (at < 0 || (i > at) == last) {
			at, end = i, i+len(w)
		}
	}
	if at < 0 {
		return t, "", false
	}
	return t[:at], t[end:], true
}
