package typing

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDeclarations: each method has all its words, and no two share a name.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods {
		if m.Way == "" || m.Part == "" || m.Title == "" || m.Without == "" || m.Proof == "" {
			t.Errorf("incomplete: %+v", m)
		}
		for _, name := range []string{string(m.Way), "part " + m.Part, "title " + m.Title} {
			if seen[name] {
				t.Errorf("%q is declared twice", name)
			}
			seen[name] = true
		}
	}
}

// TestGuide: the guide lists the methods by their titles, in the order of the ladder.
func TestGuide(t *testing.T) {
	var titles, listed []string
	for _, m := range Methods {
		titles = append(titles, m.Title)
	}
	item := regexp.MustCompile(`(?m)^\d+\. \*\*(.+?)\.?\*\*`)
	for _, m := range item.FindAllStringSubmatch(read(t, "../../data/guides/text-and-keys.md"), -1) {
		listed = append(listed, m[1])
	}
	if !slices.Equal(listed, titles) {
		t.Errorf("text-and-keys.md lists %q, declared are %q", listed, titles)
	}
}

// TestManPage: utter-config(5) lists the values of type_with, and no others.
func TestManPage(t *testing.T) {
	_, entry, _ := strings.Cut(read(t, "../../data/man/utter-config.5"), ".B [agent] type_with\n")
	entry, _, _ = strings.Cut(entry, "\n.TP")
	var listed []Way
	for _, line := range regexp.MustCompile(`(?m)^\.B[RI]? (.*)$`).FindAllStringSubmatch(entry, -1) {
		for _, word := range strings.Fields(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(line[1], "")) {
			if word != "." {
				listed = append(listed, Way(word))
			}
		}
	}
	if !slices.Equal(listed, Ways()) {
		t.Errorf("utter-config(5) lists %q, declared are %q", listed, Ways())
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
