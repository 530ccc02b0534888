package phrases

import "testing"

func TestGenericWordsAreTaken(t *testing.T) {
	words, err := English()
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"desktop": true, "terminal": true, "codex": true, "nautilus": false, "": false} {
		if words.Taken(word) != want {
			t.Errorf("%q is taken: %v", word, !want)
		}
	}
}
