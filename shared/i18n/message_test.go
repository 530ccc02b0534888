package i18n

import "testing"

func TestAMessageAsAnError(t *testing.T) {
	for want, m := range map[string]Message{
		`the file's "a\x1b" is not a key; did you mean "b"?`: {"The file’s “%s” is not a key", []any{"a\x1b"}, "b"},
		`b of a`:              {"%[2]s of %[1]s", []any{"a", Message{"B", nil, ""}}, ""},
		`"x" appears twice`:   {"“%s” appears twice", []any{"x"}, ""},
		"write a key":         {"Write a key", []any{"not named"}, ""},
		`a: "b" is not a key`: {"%[1]s: %[2]s", []any{"a", Message{"“%s” is not a key", []any{"b"}, ""}}, ""},
	} {
		if got := m.Plain(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
