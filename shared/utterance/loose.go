package utterance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Plain returns a text in normal form without accents and with its letters fully
// folded: "touche" for "touché", "strasse" for "straße".
func Plain(key string) string {
	if isASCII(key) {
		return key
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(cases.Fold().String(key)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case letters[r] != "":
			b.WriteString(letters[r])
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// letters are those that people write otherwise and that are not made of parts.
var letters = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ı': "i", 'ħ': "h", 'ŧ': "t",
}

// AppendLoose appends the letters and digits of Plain(key) to b: recognisers split and
// join words. The plus and number signs count, as in "c++".
func AppendLoose(b []byte, key string) []byte {
	if isASCII(key) {
		for i := range len(key) {
			c := key[i]
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '#' {
				b = append(b, c)
			}
		}
		return b
	}
	for _, r := range Plain(key) {
		if r == '+' || r == '#' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// Loose is AppendLoose as a text.
func Loose(key string) string { return string(AppendLoose(nil, key)) }
