package spell

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"return", "escape", "shortcuts", "aliases", "é"}
	tests := []struct{ in, want string }{
		{"retrun", "return"},
		{"alias", "aliases"},
		{"shortcut", "shortcuts"},
		{"esc", ""},
		{"banana", ""},
		{"return", "return"},
	}
	for _, tt := range tests {
		if got := Nearest(tt.in, known); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
