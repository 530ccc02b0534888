package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	uiTag = regexp.MustCompile("\\*[a-zA-Z.]+ +`ui:\"([^\"]+)\"`")
	uiID  = regexp.MustCompile(`id="([^"]+)"`)
)

// TestBuilderIDs: what a view binds by a tag is in a builder file, or a text,
// of its package, once. Without it the view panics when it is shown.
func TestBuilderIDs(t *testing.T) {
	dirs, err := filepath.Glob(root + "/ui/view/*")
	if err != nil {
		t.Fatal(err)
	}
	tags := 0
	for _, dir := range dirs {
		ids := map[string]int{}
		for _, file := range sources(t, dir, "*.ui", "*.go") {
			for _, m := range uiID.FindAllStringSubmatch(file, -1) {
				ids[m[1]]++
			}
		}
		for _, file := range sources(t, dir, "*.go") {
			for _, m := range uiTag.FindAllStringSubmatch(file, -1) {
				tags++
				if ids[m[1]] != 1 {
					t.Errorf("%s binds %q, which stands there %d times", dir, m[1], ids[m[1]])
				}
			}
		}
	}
	if tags == 0 {
		t.Error("saw no tag")
	}
}

// sources reads the files of a folder whose names match one of the patterns.
func sources(t *testing.T, dir string, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f, "_test.go") {
				all = append(all, string(data))
			}
		}
	}
	return all
}
