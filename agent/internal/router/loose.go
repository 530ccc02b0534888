package router

import (
	"slices"
	"strings"

	"utter/shared/phrases"
	"utter/shared/utterance"
)

// loose are the words of a language without their blanks: recognisers split and join
// words.
type loose struct {
	sites   map[string]*phrases.Site
	phrases map[string]string // loose form -> phrase
	words   map[string]bool   // that phrases are made of
}

// shortest is how many letters a word has that may have come in two parts.
const shortest = 6

func loosely(words *phrases.Set) loose {
	all := loose{sites: map[string]*phrases.Site{}, phrases: map[string]string{}, words: map[string]bool{}}
	for name, s := range words.Sites {
		all.sites[utterance.Loose(name)] = s
	}
	for phrase := range words.Desktop {
		all.add(phrase)
	}
	for phrase := range words.Media {
		all.add(phrase)
	}
	for phrase := range words.Editing {
		all.add(phrase)
	}
	for phrase := range words.Actions {
		all.add(phrase)
	}
	for phrase := range words.Presses {
		all.add(phrase)
	}
	for before := range words.Patterns {
		all.addWords(before)
	}
	return all
}

// add notes a phrase. Of two that are alike but for blanks the first in order counts.
func (l *loose) add(phrase string) {
	key := utterance.Loose(phrase)
	if old := l.phrases[key]; old == "" || phrase < old {
		l.phrases[key] = phrase
	}
	l.addWords(phrase)
}

func (l *loose) addWords(phrase string) {
	for w := range strings.SplitSeq(phrase, " ") {
		if len(w) >= shortest {
			l.words[w] = true
		}
	}
}

// respelt returns t as the phrases have it: with its words joined or split as in one of
// them, and with the usual word for others. It is not ok where nothing changes.
func (r *Router) respelt(t string) (string, bool) {
	var buf [64]byte
	key := utterance.AppendLoose(buf[:0], t)
	if len(key) > len(buf) {
		return t, false
	}
	if phrase, ok := r.loose.phrases[string(key)]; ok && phrase != t {
		return phrase, true
	}
	if !r.odd(t) {
		return t, false
	}
	words := strings.Split(t, " ")
	for i := 0; i < len(words); i++ {
		if usual := r.words.Words.Same[words[i]]; usual != "" {
			words[i] = usual
		}
		if i > 0 && r.loose.words[words[i-1]+words[i]] {
			words[i-1] += words[i]
			words = slices.Delete(words, i, i+1)
			i--
		}
	}
	return strings.Join(words, " "), true
}

// odd reports whether respelt would change a word of t.
func (r *Router) odd(t string) bool {
	var buf [64]byte
	before := 0
	for w := range strings.SplitSeq(t, " ") {
		if r.words.Words.Same[w] != "" || before+len(w) <= len(buf) && r.loose.words[string(append(buf[:before], w...))] {
			return true
		}
		before = copy(buf[:], w)
	}
	return false
}
