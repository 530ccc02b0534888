package executor

import (
	"context"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/input"
	"utter/shared/plan"
)

// TestAStepOfAPluginGoesToPlugins and to nobody else, whatever its operation is
// called.
func TestAStepOfAPluginGoesToPlugins(t *testing.T) {
	var did []string
	names := func(who string) Handler {
		return HandlerFunc(func(_ context.Context, _ *Binding, s plan.Step) (Done, error) {
			did = append(did, who+" "+string(s.Op))
			return Done{Evidence: plan.ByPlugin}, nil
		})
	}
	steps := []plan.Step{{Op: plan.Done, Plugin: "notes"}, {Op: "note", Plugin: "notes", Args: plan.Args{"any": nil}}, {Op: plan.Done}}
	p := &plan.Plan{Steps: steps}
	e := New(map[plan.Op]Handler{plan.Done: names("agent")}, names("plugins"), rules{})
	if r := e.Run(t.Context(), p, Approval{}, func(int, plan.Result) {}); r.Outcome != plan.Completed {
		t.Errorf("%+v", r)
	}
	if len(did) != 3 || did[0] != "plugins done" || did[1] != "plugins note" || did[2] != "agent done" {
		t.Errorf("%q", did)
	}
	without := New(map[plan.Op]Handler{plan.Done: names("agent")}, nil, rules{})
	if r, ok := without.Check(p, true); ok || r.Reason != plan.NotSupported {
		t.Errorf("without plugins: %v, %+v", ok, r)
	}
	if r, ok := e.Check(&plan.Plan{Steps: []plan.Step{{Op: "note"}}}, true); ok || r.Reason != plan.NotSupported {
		t.Errorf("an operation that is nobody's: %v, %+v", ok, r)
	}
}

// TestAPluginDoesNotWriteIntoATerminal: what a plugin wrote counts as a command
// there, also where it names the terminal. The user's own words do not.
func TestAPluginDoesNotWriteIntoATerminal(t *testing.T) {
	named := typeText("rm -rf ~")
	named.Args = plan.Args{"text": "rm -rf ~", "app": "foot"}
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
			err := do(t.Context(), h, &Binding{Approved: tt.approved}, tt.step)
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
