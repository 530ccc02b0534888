// Package visible makes invisible characters visible.
package visible

import (
	"strconv"
	"strings"
	"unicode"
)

// blank are characters that draw nothing and are in no class that says so.
const blank = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"

// mostBlanks is how many spaces in a row are left as they are: more could push
// the rest of a text out of sight.
const mostBlanks = 8

// Text writes the characters of s that are invisible, or change the order of
// others, as escapes: \n, \x1b, \u202e. What is left reads as it is. It is for
// questions to the user, in which nothing may be left out or hidden.
func Text(s string) string {
	var b strings.Builder
	spaces := 0
	for _, c := range s {
		if unicode.IsSpace(c) {
			spaces++
		} else {
			spaces = 0
		}
		switch {
		case c == ' ' && spaces > mostBlanks:
			b.WriteString(`\x20`)
		case hidden(c), spaces > mostBlanks:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func hidden(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) || strings.ContainsRune(blank, c)
}
