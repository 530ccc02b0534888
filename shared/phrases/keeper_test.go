package phrases

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAKeeperFollowsTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	k := NewKeeper(english(t), dir)
	before, problems := k.Load()
	if before.Sites["intranet"] != nil || len(problems) > 0 {
		t.Fatalf("without a folder: %v", problems)
	}
	if again, _ := k.Load(); again != before {
		t.Error("nothing has changed, and the words are others")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "intranet: https://intra.example/?q={q}\nbad: x\n"
	if err := os.WriteFile(filepath.Join(dir, "site_search.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	after, problems := k.Load()
	if site := after.Sites["intranet"]; site == nil || site.URL != "https://intra.example" || !k.IsPhrase("intranet") {
		t.Errorf("the user's site is %+v", site)
	}
	if len(problems) != 1 || problems[0].Origin.Line != 2 {
		t.Errorf("problems %v, want one in line 2", problems)
	}
	if before.Sites["intranet"] != nil {
		t.Error("the words from before have changed")
	}
}
