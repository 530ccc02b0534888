package knowledge

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"utter/shared/plan"
)

// TestFieldBug29 is an application for the terminal: its command goes behind what
// the terminal wants before it.
func TestFieldBug29(t *testing.T) {
	h := newHome(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	h.read()
	var refused *plan.Error
	if argv, err := h.Now().InTerminal([]string{"vim", "-R", "a b"}); !errors.As(err, &refused) ||
		refused.Reason != plan.Missing {
		t.Errorf("where no terminal is installed: %q, %v", argv, err)
	}
	for _, program := range []string{"t-term", "xdg-terminal-exec"} {
		path := filepath.Join(bin, program)
		h.write(path, "#!/bin/sh\n")
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
		h.app("org.t.Term", "Name=Tee Term\nExec=t-term\nCategories=TerminalEmulator;\n")
		h.read()
		want := []string{"t-term", "-e", "vim", "-R", "a b"}
		if program == "xdg-terminal-exec" {
			want = []string{"xdg-terminal-exec", "vim", "-R", "a b"}
		}
		var argv []string
		var err error
		for range 60 { // what is found in PATH is remembered for two seconds
			if argv, err = h.Now().InTerminal([]string{"vim", "-R", "a b"}); err == nil && slices.Equal(argv, want) {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if err != nil || !slices.Equal(argv, want) {
			t.Errorf("%s: %q, %v; want %q", program, argv, err, want)
		}
	}
}

func TestPasteChordIsTheApplicationsOwn(t *testing.T) {
	h := newHome(t)
	h.profile("a.yaml", "id: t-a\nname: Aye\nkind: other\nshortcuts: {paste: shift+insert}\n")
	h.read()
	for appID, want := range map[string]string{
		"t-a": "shift+insert", "foot": "ctrl+shift+v", "unheard.of": "ctrl+v", "": "ctrl+v",
	} {
		if got := PasteChord(h.Now().Library().Index.ForWindow(appID), h.Now().Library().IsTerminal(appID)).String(); got != want {
			t.Errorf("%q pastes with %s, want %s", appID, got, want)
		}
	}
	for appID, want := range map[string]bool{"foot": true, "firefox": false, "unheard.of": false} {
		if got := h.Now().Library().IsTerminal(appID); got != want {
			t.Errorf("%q is a terminal: %v", appID, got)
		}
	}
	index := h.Now().Library().Index
	if fox, none := CloseTab(index.ForWindow("firefox")), CloseTab(nil); len(fox) == 0 || len(none) > 0 {
		t.Errorf("tabs are closed with %v, %v", fox, none)
	}
}
