package phrases

import (
	"strings"
	"testing"
)

func TestExpandWritesOutTheChoices(t *testing.T) {
	for in, want := range map[string]string{
		"a b":               "a b",
		"(a|b) c":           "a c, b c",
		"[a|b] c":           "a c, b c, c",
		"[a] [b] {number}":  "a b {number}, a {number}, b {number}, {number}",
		"a (b":              "error",
		"a [b":              "error",
		"{number} {number}": "error",
		"{number":           "error",
	} {
		got, err := expand(in)
		if err != nil {
			got = []string{"error"}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("expand(%q) = %q, %v; want %s", in, got, err, want)
		}
	}
}
