package sway

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/shared/plan"
)

// swayQuoted writes a name that has not both kinds of quotes as sway reads it:
// quotes are taken away, backslashes stay.
func swayQuoted(name string) string {
	inner := strings.TrimRight(name, `\`)
	mark := `"`
	if strings.Contains(name, mark) {
		mark = "'"
	}
	return mark + inner + mark + name[len(inner):]
}

// Whatever a workspace is called, an utterance with its name either goes there
// or is refused, and runs nothing.
func TestRealNames(t *testing.T) {
	d := newDesk(t, 1)
	id := d.open("a")
	b := d.backend()
	desktop := compositortest.Follow(t, b)
	trap := filepath.Join(d.dir, "trap")
	for _, name := range []string{
		"mail", "two words", "ünï", "it's", "semi; exec touch " + trap, "com, exec touch " + trap,
		"[con_id=5] kill", "br]ack[et",
		`"; exec touch ` + trap + `; "`, `\"; exec touch ` + trap + `; \"`, "'; exec touch " + trap + "; '", `back\slash`,
		`end\`, `"`, "$var", "#", "{",
		"tab\there", "--no-auto-back-and-forth", "a;;b",
	} {
		d.msg("workspace number 1")
		d.msg("rename workspace to %s", swayQuoted(name))
		s, err := b.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ws, _ := s.FocusedWorkspace()
		if ws.Name != name {
			t.Errorf("the workspace is called %q, not %q", ws.Name, name)
		}
		d.msg("workspace number 77")
		before := len(d.workspaces())
		a := compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Text: ws.Name}}
		_, err = desktop.Perform(t.Context(), a)
		if err == nil {
			compositortest.CheckError(t, ws.Name, err, plan.Completed, "")
			if got := d.where(); got != "a on "+ws.Name+", HEADLESS-1" {
				t.Errorf("%q: the focus is at %s", ws.Name, got)
			}
		} else {
			compositortest.CheckError(t, ws.Name, err, plan.Refused, plan.NotFound)
			if got := d.where(); got != "workspace on 77, HEADLESS-1" || len(d.workspaces()) != before {
				t.Errorf("%q was refused, and the focus is at %s of %q", ws.Name, got, d.workspaces())
			}
			d.msg("[con_id=%d] focus", id)
		}
		d.msg("rename workspace to 1")
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a name was run as a command")
	}
}

func TestRealLayouts(t *testing.T) {
	d := newDesk(t, 1)
	d.open("a")
	b := d.backend()
	desktop := compositortest.Follow(t, b)
	perform(t, desktop, "switch-layout next", plan.Refused, plan.NotFound) // without a keyboard
	d.plug("us,de")
	layout := func() int {
		s, err := b.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"English (US)", "German"}; len(s.Layouts) != 2 ||
			s.Layouts[0] != want[0] || s.Layouts[1] != want[1] {
			t.Errorf("layouts = %q", s.Layouts)
		}
		return s.Layout
	}
	d.plug("") // sway aborts at "xkb_switch_layout next" while this is there
	for _, tt := range []struct {
		action string
		want   int
	}{{"switch-layout next", 1}, {"switch-layout next", 0}, {"switch-layout prev", 1}, {"switch-layout 1", 0},
		{"switch-layout 1", 0}, {"switch-layout 2", 1}} {
		perform(t, desktop, tt.action, plan.Completed, "")
		if got := layout(); got != tt.want {
			t.Errorf("after %s it is layout %d, want %d", tt.action, got, tt.want)
		}
	}
	perform(t, desktop, "switch-layout 3", plan.Refused, plan.NotFound)
}
