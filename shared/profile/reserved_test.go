package profile

import (
	"testing"
	"testing/fstest"
)

// TestReservedFilesAreNotProfiles: they are reported, and nothing of them counts.
func TestReservedFilesAreNotProfiles(t *testing.T) {
	for _, name := range []string{"_defaults.yaml", "_preselected.yaml", "generated.yaml"} {
		files := fstest.MapFS{name: {Data: []byte("id: foot\naliases: [shell]\n")}}
		patches, problems := LoadFS(files, "user", User)
		if len(patches) != 0 || len(problems) != 1 || problems[0].Code != CodeReserved {
			t.Errorf("%s: %d profiles, problems %v", name, len(patches), problems)
		}
	}
}
