package sway

import (
	"testing"

	"utter/shared/plan"
)

// TestRealEdges shows what sway does where nothing is in that direction: the
// focus goes to the next output; where there is none it wraps round within the
// workspace; a window alone stays. Windows go to the next output and do not
// wrap. Outputs wrap.
func TestRealEdges(t *testing.T) {
	// From left to right: a, b on HEADLESS-1; then c alone on HEADLESS-2.
	d := newDesk(t, 2)
	d.open("a")
	d.open("b")
	d.msg("focus output HEADLESS-2")
	d.open("c")
	d.msg("[app_id=a] focus")
	desktop := d.follow()
	const left, right = "2, HEADLESS-1", "1, HEADLESS-2"
	for _, tt := range []struct {
		do      string // sway's own command before, if any
		action  string
		outcome plan.Outcome
		reason  plan.Reason
		want    string
	}{
		{"", "focus-column-right", plan.Completed, "", "b on " + left},
		{"", "focus-column-right", plan.Completed, "", "c on " + right}, // the next output
		{"", "focus-column-right", plan.Refused, plan.Edge, "c on " + right},
		{"", "focus-column-left", plan.Completed, "", "b on " + left},
		{"", "focus-column-left", plan.Completed, "", "a on " + left},
		{"", "focus-column-left", plan.Completed, "", "b on " + left}, // it wraps
		{"", "focus-window-up", plan.Refused, plan.Edge, "b on " + left},
		{"", "focus-window-down", plan.Refused, plan.Edge, "b on " + left},
		{"", "move-window-up", plan.Completed, "", "b on " + left}, // sway makes a row of its own
		{"[app_id=c] focus, workspace number 8", "focus-column-left", plan.Completed, "", "b on " + left},
		{"", "focus-column-right", plan.Completed, "", "workspace on 8, HEADLESS-2"}, // an empty one
		{"", "focus-column-right", plan.Refused, plan.Edge, "workspace on 8, HEADLESS-2"},
		{"focus output HEADLESS-1, workspace number 9, focus output HEADLESS-2", "focus-column-left", plan.Completed, "",
			"workspace on 9, HEADLESS-1"},
		{"[app_id=c] focus", "move-column-right", plan.Refused, plan.Edge, "c on " + right},
		{"", "move-column-left", plan.Completed, "", "c on 9, HEADLESS-1"}, // the next output
		{"", "focus-monitor-right", plan.Completed, "", "workspace on 1, HEADLESS-2"},
		{"", "focus-monitor-right", plan.Completed, "", "c on 9, HEADLESS-1"}, // it wraps
		{"", "focus-monitor-left", plan.Completed, "", "workspace on 1, HEADLESS-2"},
		{"", "focus-monitor-up", plan.Refused, plan.Edge, "workspace on 1, HEADLESS-2"},
		{"", "focus-workspace-down", plan.Refused, plan.Edge, "workspace on 1, HEADLESS-2"},
		{"[app_id=a] focus", "focus-workspace-down", plan.Completed, "", "c on 9, HEADLESS-1"},
		{"", "focus-workspace-down", plan.Completed, "", "a on " + left}, // it wraps
		{"", "move-workspace-to-monitor-right", plan.Completed, "", "a on 2, HEADLESS-2"},
		{"", "move-workspace-to-monitor-right", plan.Completed, "", "a on " + left}, // it wraps
		{"", "move-workspace-to-monitor-up", plan.Refused, plan.NotFound, "a on " + left},
		{"", "move-window-to-monitor-up", plan.Refused, plan.NotFound, "a on " + left},
		{"", "focus-floating", plan.Refused, plan.NotFound, "a on " + left},
		{"workspace number 8", "focus-tiling", plan.Refused, plan.NotFound, "workspace on 8, HEADLESS-1"},
		// Beside a window in fullscreen is the next output, not the window that it covers.
		{"[app_id=a] focus, fullscreen enable", "focus-column-left", plan.Refused, plan.Edge, "a on " + left},
		{"", "focus-column-right", plan.Completed, "", "workspace on 1, HEADLESS-2"},
	} {
		if tt.do != "" {
			d.msg("%s", tt.do)
		}
		before := d.where()
		perform(t, desktop, tt.action, tt.outcome, tt.reason)
		if got := d.where(); got != tt.want {
			t.Errorf("%s at %s: %s, want %s", tt.action, before, got, tt.want)
		}
	}
}
