// Package utterance prepares what a person said or typed for matching: one
// spelling for the many that speech recognisers write, without the words that
// carry no command. It understands nothing.
package utterance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// An Utterance is one command. Families that carry the user's own text match
// their verb on Words and cut the rest from Raw; all others use Text.
type Utterance struct {
	// Raw is what was said from the first word that counts, in its own case
	// and punctuation.
	Raw string
	// Text is the normal form of Raw without the closing words. It is "" for
	// an utterance longer than any phrase.
	Text string
	// Full is the normal form of everything that was said, "" as for Text.
	Full string
	// Words are the first words of Raw; AllWords returns all of them.
	Words []Word
}

// A Word is a word of Raw in its normal form and the byte range it is in.
type Word struct {
	Text       string
	Start, End int
}

const (
	// maxPhrase is the longest utterance, in bytes, that is matched as a whole.
	maxPhrase = 500
	// maxWords is how many words of Raw are looked at.
	maxWords = 24
)

// New prepares s.
func (l *Language) New(s string) Utterance {
	s = leadingNotes(strings.TrimSpace(s))
	words := split(s, maxWords)
	from := l.leading(words)
	var u Utterance
	u.Raw = s
	if from > 0 {
		u.Raw = s[words[from].Start:]
		u.Words = make([]Word, len(words)-from)
		for i, w := range words[from:] {
			u.Words[i] = Word{w.Text, w.Start - words[from].Start, w.End - words[from].Start}
		}
	} else {
		u.Words = words
	}
	if len(s) <= maxPhrase {
		u.Full = Key(TrimNotes(s))
		u.Text = l.trimClosers(Key(TrimNotes(u.Raw)))
	}
	return u
}

// Rest returns Raw after its first n words, without the space round it.
func (u Utterance) Rest(n int) string {
	if n == 0 || n > len(u.Words) {
		return ""
	}
	return strings.TrimSpace(u.Raw[u.Words[n-1].End:])
}

// AllWords returns the words of Raw, however many there are.
func (u Utterance) AllWords() []Word {
	if n := len(u.Words); n == 0 || u.Words[n-1].End == len(u.Raw) {
		return u.Words
	}
	return split(u.Raw, len(u.Raw))
}

// split returns the first words of s, at most so many.
func split(s string, most int) []Word {
	words := make([]Word, 0, min(most, 1+strings.Count(s, " ")))
	pos := 0
	for len(words) < most {
		start := strings.IndexFunc(s[pos:], func(r rune) bool { return !unicode.IsSpace(r) })
		if start < 0 {
			break
		}
		start += pos
		end := len(s)
		if n := strings.IndexFunc(s[start:], unicode.IsSpace); n >= 0 {
			end = start + n
		}
		words = append(words, Word{Key(s[start:end]), start, end})
		pos = end
	}
	return words
}

// Key returns the normal form of s, the one spelling under which names and
// phrases are kept: NFKC, lower case, plain quotes, single spaces, no
// punctuation round words, hyphens between letters as spaces.
func Key(s string) string {
	if isKey(s) {
		return s
	}
	if !isASCII(s) {
		s = fold(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for w := range strings.FieldsSeq(s) {
		w = trimWord(w)
		if w == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		appendWord(&b, w)
	}
	return b.String()
}

// isKey reports whether s is lower-case letters, digits and single spaces between
// them, which Key leaves as they are.
func isKey(s string) bool {
	space := true // before the first word
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ' ' && !space:
			space = true
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			space = false
		default:
			return false
		}
	}
	return !space || s == ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fold brings characters that look or sound alike to one form.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '‘', '’', '‚', '‛', '′':
			return '\''
		case '“', '”', '„', '‟', '″', '«', '»':
			return '"'
		case '‐', '‑', '‒', '–', '—', '−':
			return '-'
		}
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

const around = `.,;:!?"'…¿¡。、，！？()`

// trimWord removes punctuation round w. A word of nothing else is not a word; the
// plus and minus signs, slashes and the like are not punctuation here.
func trimWord(w string) string { return strings.Trim(w, around) }

// appendWord writes w in lower case, with hyphens between letters as spaces
// unless w looks like an address.
func appendWord(b *strings.Builder, w string) {
	w = strings.ToLower(w)
	if !strings.Contains(w, "-") || strings.ContainsAny(w, "./:@+") {
		b.WriteString(w)
		return
	}
	runes := []rune(w)
	for i, r := range runes {
		if r == '-' && i > 0 && i < len(runes)-1 && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1]) {
			r = ' '
		}
		b.WriteRune(r)
	}
}
