package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPagesAreDocumented compares the pages of the settings app, as pages.go
// declares them, with its manual page and its desktop entry.
func TestPagesAreDocumented(t *testing.T) {
	var pages []string
	for _, m := range regexp.MustCompile(`\btag: "(\w+)"`).FindAllStringSubmatch(text(t,
		"app/cmd/utter-settings/pages.go"), -1) {
		pages = append(pages, m[1])
	}
	if len(pages) == 0 {
		t.Fatal("pages.go declares no page")
	}
	_, entry, _ := strings.Cut(text(t, "data/man/utter-settings.1"), "\nOpen a page:\n.BR ")
	entry, _, _ = strings.Cut(entry, "\n")
	manual := strings.Fields(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(strings.TrimSuffix(entry, " ."), ""))
	if !slices.Equal(manual, pages) {
		t.Errorf("utter-settings(1) lists the pages %q, declared are %q", manual, pages)
	}
	for _, m := range regexp.MustCompile(`--page (\w+)`).FindAllStringSubmatch(text(t,
		"data/org.utter.Settings.desktop.in"), -1) {
		if !slices.Contains(pages, m[1]) {
			t.Errorf("the desktop entry opens the page %q, which is not declared", m[1])
		}
	}
}

// text reads a file of the repository.
func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
