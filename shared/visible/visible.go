// Package visible shows what a reader could not see.
package visible

import (
	"strconv"
	"strings"
	"unicode"
)

// Text writes the characters of s that are invisible, or change the order of
// others, as escapes: \n, \x1b, \u202e. What is left reads as it is. It is for
// questions to the user, in which nothing may be left out or hidden.
func Text(s string) string {
	var b strings.Builder
	for _, c := range s {
		if unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
