package keys

import (
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/input"
	"utter/shared/op"
	"utter/shared/plan"
)

// TestAPluginDoesNotWriteIntoATerminal: what a plugin wrote counts as a command
// there, also where it names the terminal. The user's own words do not.
func TestAPluginDoesNotWriteIntoATerminal(t *testing.T) {
	named := typeText("rm -rf ~")
	named.Args = op.TypeText{Text: "rm -rf ~", App: "foot"}
	home := firefox
	home.Focused = true
	shell := foot
	shell.Focused = false
	for _, tt := range []struct {
		name     string
		windows  []compositor.Window
		step     plan.Step
		author   string
		may      bool
		approved bool
		reason   plan.Reason // "" if it is typed
	}{
		{"text", []compositor.Window{foot}, typeText("ls"), "p", false, false, plan.PolicyReason},
		{"keys", []compositor.Window{foot}, press("return"), "p", false, false, plan.PolicyReason},
		{"approved, but off", []compositor.Window{foot}, typeText("ls"), "p", false, true, plan.PolicyReason},
		{"on", []compositor.Window{foot}, typeText("ls"), "p", true, false, plan.NeedsConfirmation},
		{"on and approved", []compositor.Window{foot}, typeText("ls"), "p", true, true, ""},
		{"on and approved: keys", []compositor.Window{foot}, press("return"), "p", true, true, ""},
		{"by its name", []compositor.Window{home, shell}, named, "p", false, false, plan.PolicyReason},
		{"by its name, on and approved", []compositor.Window{home, shell}, named, "p", true, true, ""},
		{"no terminal", []compositor.Window{home}, typeText("ls"), "p", false, false, ""},
		{"the user's words", []compositor.Window{foot}, typeText("ls"), "", false, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &devices{typed: input.Typed{Evidence: plan.Delivered}}
			w := newWorld(t, tt.windows...)
			focuses(w)
			h := newHands(w, d)
			h.MayCommand = func() bool { return tt.may }
			tt.step.Author = tt.author
			err := do(t.Context(), h, &executor.Binding{Approved: tt.approved}, tt.step)
			if tt.reason != "" {
				is(t, tt.name, err, plan.Refused, tt.reason)
			} else if err != nil {
				t.Error(err)
			}
			if (len(d.log) == 0) != (tt.reason != "") {
				t.Errorf("the devices did %q", d.log)
			}
		})
	}
}
