package visible

import "testing"

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 'x'": "plain é 日本 'x'", "a\u202eb": `a\u202eb`, "\x1b[2J": `\x1b[2J`, "a\u200bb\n": `a\u200bb\n`,
		"\u009b": `\u009b`, "\u2028": `\u2028`, "\x7f": `\x7f`, "\xff": "\ufffd",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}
