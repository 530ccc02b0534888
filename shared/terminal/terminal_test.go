package terminal

import (
	"slices"
	"testing"
)

func TestIs(t *testing.T) {
	for id, want := range map[string]bool{
		"foot": true, "Alacritty": true, "alacritty": true, "org.wezfurlong.wezterm": true, "com.mitchellh.ghostty": true,
		"kgx": true, "org.gnome.Console": true, "org.gnome.Terminal.desktop": true, "xfce4-terminal": true,
		"mate-terminal":          true,
		"io.elementary.terminal": true, "org.codeberg.dnkl.foot": true, "Guake": true, "dev.warp.Warp": true,
		"footnote": false, "terminalizer": false, "": false, "firefox": false, "org.gnome.TextEditor": false,
		"app.drey.Warp": false, // it sends files
	} {
		if got := Is(id); got != want {
			t.Errorf("Is(%q) = %v", id, got)
		}
	}
}

func TestExec(t *testing.T) {
	for program, want := range map[string][]string{
		"gnome-terminal": {"--"}, "wezterm": {"start", "--"}, "kitty": {}, "some-new-terminal": {"-e"},
	} {
		if got := Exec(program); !slices.Equal(got, want) {
			t.Errorf("Exec(%q) = %q, want %q", program, got, want)
		}
	}
}
