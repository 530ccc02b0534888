package compositortest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
)

// Translations compares what translate makes of every action with
// testdata/translate.golden. To add a case, write its "> " line, run go test
// -update, and read the diff. There must be one for every action of the
// vocabulary, and supports must name those that can be translated.
func Translations(
	t *testing.T, update bool, translate func(compositor.Action) (string, error), supports func(action string) bool,
) {
	const golden = "testdata/translate.golden"
	old, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	v := Vocabulary(t)
	seen, can := map[string]bool{}, map[string]bool{}
	var got strings.Builder
	for line := range strings.Lines(string(old)) {
		input, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		words := strings.Fields(input)
		answer := translated(v, words, translate)
		seen[words[0]] = true
		if !strings.HasPrefix(answer, "not read") && !strings.Contains(answer, compositor.ErrNotSupported.Error()) {
			can[words[0]] = true
		}
		fmt.Fprintf(&got, "%s%s\n", line, answer)
	}
	if update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got.String() != string(old) {
		t.Errorf("translations changed; got:\n%s", got.String())
	}
	for _, name := range v.Names() {
		if !seen[name] {
			t.Errorf("%s has no line for %s", golden, name)
		}
		if supports(name) != can[name] {
			t.Errorf("%s is translated: %t, but supports does not say so", name, can[name])
		}
	}
}

func translated(v *compositor.Vocabulary, words []string, translate func(compositor.Action) (string, error)) string {
	a, err := v.Parse(words[0], words[1:])
	if err != nil {
		return "not read: " + err.Error()
	}
	if a.Window == 0 {
		a.Window = 11 // Perform always names the window
	}
	answer, err := translate(a)
	if err != nil {
		return "refused: " + err.Error()
	}
	return answer
}
