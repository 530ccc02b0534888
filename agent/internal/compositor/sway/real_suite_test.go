package sway

import (
	"os"
	"path/filepath"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/shared/plan"
)

func TestRealBackend(t *testing.T) {
	compositortest.Run(t, func(t *testing.T, windows ...compositortest.Wanted) compositor.Backend {
		d := newDesk(t, 1)
		for _, w := range windows {
			d.msg("workspace number %d", w.Workspace)
			d.open(w.AppID)
		}
		return d.backend()
	})
}

// perform carries an action out and checks what becomes of it.
func perform(t *testing.T, desktop *compositor.Desktop, line string, outcome plan.Outcome, reason plan.Reason) {
	t.Helper()
	a := compositortest.Parse(t, desktop, line)
	_, err := desktop.Perform(t.Context(), a)
	compositortest.CheckError(t, line, err, outcome, reason)
}

// TestRecord writes what a real sway answers into testdata: two outputs, a
// window that tiles, one that floats, one in fullscreen, one in the scratchpad,
// a workspace with a name, and a keyboard with two layouts.
func TestRecord(t *testing.T) {
	if !*update {
		t.Skip("it records with -update only")
	}
	d := newDesk(t, 2)
	d.plug("us,de")
	d.open("tiled")
	d.open("hidden")
	d.msg("move scratchpad")
	d.open("floating")
	d.msg("floating enable")
	d.msg("workspace mail")
	d.open("other")
	d.msg("focus output HEADLESS-2")
	d.msg("workspace number 3")
	d.open("full")
	d.msg("fullscreen enable")
	d.msg("focus output HEADLESS-1")
	d.msg("workspace number 1")
	d.msg(`input type:keyboard xkb_switch_layout 1`)
	for _, kind := range []string{"tree", "workspaces", "outputs", "inputs", "version"} {
		out, err := d.command("swaymsg", "-r", "-t", "get_"+kind).Output()
		if err == nil {
			err = os.WriteFile(filepath.Join("testdata", "sway", kind+".json"), out, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
