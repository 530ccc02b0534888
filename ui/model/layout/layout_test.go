package layout

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLoad(t *testing.T) {
	first := Layout{Width: 940, Height: 680, Page: "apps", Filter: "main"}
	tests := []struct {
		name, text string
		want       Layout
	}{
		{"nothing", "", first},
		{"nonsense", "{", first},
		{"another type", `{"width": "wide"}`, first},
		{"a part", `{"page": "try", "more": 1}`, Layout{Width: 940, Height: 680, Page: "try", Filter: "main"}},
		{"all", `{"width": 400, "height": 300, "maximized": true, "page": "safety", "filter": "all"}`,
			Layout{400, 300, true, "safety", "all"}},
		{"too small", `{"width": 10, "height": 700}`, first},
		{"too large", `{"width": 900, "height": 70000}`, first},
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	if got := Load(path); got != first {
		t.Errorf("no file: %+v", got)
	}
	for _, tt := range tests {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Load(path); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestSaveIsWhatLoadReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "utter", "settings.json")
	want := Layout{1280, 720, true, "try", "edited"}
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	if got := Load(path); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := want.Save(filepath.Join(path, "x")); err == nil {
		t.Error("saved below a file")
	}
}
