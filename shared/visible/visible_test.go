package visible

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 'x'": "plain é 日本 'x'", "a\u202eb": `a\u202eb`, "\x1b[2J": `\x1b[2J`,
		"a\u200bb\n":          `a\u200bb\n`,
		"a\u3164\u2800\u034f": `a\u3164\u2800\u034f`, "two  blanks": "two  blanks",
		"a" + strings.Repeat(" ", 10) + "b": "a" + strings.Repeat(" ", 8) + `\x20\x20b`,
		strings.Repeat("\u3000", 9):         strings.Repeat("\u3000", 8) + `\u3000`,
		"\u009b":                            `\u009b`, "\u2028": `\u2028`, "\x7f": `\x7f`, "\xff": "\ufffd",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}
