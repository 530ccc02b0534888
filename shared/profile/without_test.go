package profile

import (
	"errors"
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	tests := []struct{ before, want string }{
		{"# mine\nid: a\nname: b\n", ""},
		{"profiles:\n  a: {}\n", ""},
		{"# all\nprofiles:\n  # a's own\n  a: # A\n    name: b\n    # old\n\n  # c's own\n  c: {}\n",
			"# all\nprofiles:\n\n  # c's own\n  c: {}\n"},
		{"profiles:\n  c: {}\n  # a's own\n  A:\n    name: b", "profiles:\n  c: {}"},
		{"profiles: {c: {}, a: {name: b}} # x\n", "profiles: {c: {}} # x\n"},
		{"profiles: {a: {name: b}, c: {}}\n", "profiles: {c: {}}\n"},
	}
	for _, tt := range tests {
		var rest []byte
		f, err := Parse("profile", User, []byte(tt.before)).Without("a")
		if f != nil {
			rest = f.Bytes()
		}
		if err != nil || string(rest) != tt.want || (f == nil) != (tt.want == "") {
			t.Errorf("%q: %v\n%q\nwant\n%q", tt.before, err, rest, tt.want)
		}
	}
	for before, want := range map[string]error{"id: b\n": ErrNoProfile, "": ErrNoProfile, "id: [\n": ErrBroken} {
		if _, err := Parse("profile", User, []byte(before)).Without("a"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", before, err, want)
		}
	}
}

func TestFileName(t *testing.T) {
	for _, tt := range []struct {
		kind     Kind
		id, want string
	}{
		{Browser, "firefox", "browser_firefox.yaml"},
		{"", "../a/b\x00", "other_..-a-b-.yaml"},
		{Game, strings.Repeat("ä", 300), "game_" + strings.Repeat("ä", 97) + ".yaml"},
	} {
		if got := FileName(tt.kind, tt.id); got != tt.want {
			t.Errorf("FileName(%q, %q) = %q, want %q", tt.kind, tt.id, got, tt.want)
		}
	}
}
