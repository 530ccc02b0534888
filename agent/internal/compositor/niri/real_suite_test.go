package niri

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/shared/plan"
)

// TestRealBackend runs the suite of all backends on a real niri, whose
// configuration names the workspaces that the suite goes to.
func TestRealBackend(t *testing.T) {
	var names strings.Builder
	for n := range 99 {
		fmt.Fprintf(&names, "workspace \"%d\"\n", n+1)
	}
	compositortest.Run(t, func(t *testing.T, windows ...compositortest.Wanted) compositor.Backend {
		d := newDesk(t, names.String())
		d.do(`{"FocusWorkspace":{"reference":{"Index":1}}}`)
		for _, w := range windows {
			d.do(fmt.Sprintf(`{"FocusWorkspace":{"reference":{"Index":%d}}}`, w.Workspace))
			d.open(w.AppID)
		}
		return d.backend()
	})
}

// TestRealActions carries actions out on a real niri and has them proved.
func TestRealActions(t *testing.T) {
	d := newDesk(t, "workspace \"mail\"\n")
	for _, app := range []string{"a", "b", "c"} {
		d.open(app)
	}
	desktop := compositortest.Follow(t, d.backend())
	for _, tt := range []struct {
		action  string
		outcome plan.Outcome
		reason  plan.Reason
		now     string
	}{
		{"focus-workspace 99", plan.Refused, plan.NotFound, "a 1/1.1; b 1/2.1; c 1/3.1 *"},
		{"focus-workspace nowhere", plan.Refused, plan.NotFound, "a 1/1.1; b 1/2.1; c 1/3.1 *"},
		{"focus-monitor HDMI-A-9", plan.Refused, plan.NotFound, "a 1/1.1; b 1/2.1; c 1/3.1 *"},
		{"focus-column 9", plan.Refused, plan.NotFound, "a 1/1.1; b 1/2.1; c 1/3.1 *"},
		{"move-column-to-index 9", plan.Refused, plan.NotFound, "a 1/1.1; b 1/2.1; c 1/3.1 *"},
		{"focus-column-right", plan.Refused, plan.Edge, "a 1/1.1; b 1/2.1; c 1/3.1 *"},
		{"focus-column 2", plan.Completed, "", "a 1/1.1; b 1/2.1 *; c 1/3.1"},
		{"move-column-left", plan.Completed, "", "a 1/2.1; b 1/1.1 *; c 1/3.1"},
		{"move-column-left", plan.Refused, plan.Edge, "a 1/2.1; b 1/1.1 *; c 1/3.1"},
		{"consume-window-into-column", plan.Completed, "", "a 1/1.2; b 1/1.1 *; c 1/2.1"},
		{"focus-window-in-column 2", plan.Completed, "", "a 1/1.2 *; b 1/1.1; c 1/2.1"},
		{"toggle-window-floating", plan.Completed, "", "a 1/floating *; b 1/1.1; c 1/2.1"},
		{"set-window-width 500", plan.Completed, "", "a 1/floating *; b 1/1.1; c 1/2.1"},
		{"fullscreen-window", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"fullscreen-window", plan.Completed, "", "a 1/floating *; b 1/1.1; c 1/2.1"},
		{"move-window-to-tiling", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"maximize-column", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"maximize-column", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"set-column-width +10%", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"move-window-to-workspace 2", plan.Completed, "", "a 2/1.1 *; b 1/1.1; c 1/2.1"},
		{"move-window-to-workspace mail", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"focus-workspace-down", plan.Completed, "", "a 1/2.1; b 1/1.1; c 1/3.1"},
		{"set-workspace-name web", plan.Completed, "", "a 1/2.1; b 1/1.1; c 1/3.1"},
		{"unset-workspace-name", plan.Completed, "", "a 1/2.1; b 1/1.1; c 1/3.1"},
		{"focus-workspace-previous", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"switch-layout 2", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"switch-layout next", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"set-window-urgent 2", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"screenshot-window", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"screenshot-screen", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"center-column", plan.Unknown, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"toggle-overview", plan.Completed, "", "a 1/2.1; b 1/1.1; c 1/3.1"},
		{"close-overview", plan.Completed, "", "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"move-floating-window", plan.Refused, plan.NotSupported, "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"minimize-window", plan.Refused, plan.NotSupported, "a 1/2.1 *; b 1/1.1; c 1/3.1"},
		{"close-window --id 2", plan.Completed, "", "a 1/1.1 *; c 1/2.1"},
		{"close-window", plan.Completed, "", "c 1/1.1 *"},
	} {
		_, err := desktop.Perform(t.Context(), compositortest.Parse(t, desktop, tt.action))
		compositortest.CheckError(t, tt.action, err, tt.outcome, tt.reason)
		if got := sorted(d.picture()); got != tt.now {
			t.Errorf("after %s: %s, want %s", tt.action, got, tt.now)
		}
	}
}

// sorted orders the windows of a picture by their names.
func sorted(picture string) string {
	all := strings.Split(picture, "; ")
	slices.Sort(all)
	return strings.Join(all, "; ")
}
