package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"utter/shared/plan"
)

func TestCheck(t *testing.T) {
	terminal := plan.Step{Op: plan.Terminal, Args: plan.Args{"command": "date"}, Provenance: plan.FromUser}
	from := func(op plan.Op, p plan.Provenance, args plan.Args) plan.Step {
		return plan.Step{Op: op, Args: args, Provenance: p}
	}
	tests := []struct {
		policy Policy
		step   plan.Step
		want   Rule // "" if the step may run
	}{
		{Policy{}, from(plan.TypeText, plan.FromUser, plan.Args{"text": "x"}), ""},
		{Policy{}, from(plan.Done, plan.FromUser, nil), ""},

		// The screen selects; it does not author, not even what is harmless.
		{Policy{}, from(plan.Done, plan.FromScreen, nil), ""},
		{Policy{}, from(plan.Done, plan.FromScreen, plan.Args{}), ""},
		{Policy{}, from(plan.OpenURL, plan.FromScreen, plan.Args{"url": "https://e.org"}), RuleProvenance},
		{Policy{}, from(plan.Wait, plan.FromScreen, plan.Args{"ms": 1}), RuleProvenance},
		{Policy{}, from(plan.Niri, plan.FromScreen, plan.Args{"command": "focus-column-left"}), RuleProvenance},
		{Policy{Enabled: []string{"terminal"}}, from(plan.Terminal, plan.FromScreen, terminal.Args), RuleProvenance},

		// Who does not say where it comes from gets nothing.
		{Policy{}, from(plan.Done, plan.FromUnknown, nil), RuleUnknown},
		{Policy{Enabled: []string{"terminal"}}, plan.Step{Op: plan.Terminal, Args: terminal.Args}, RuleUnknown},

		{Policy{}, terminal, RuleDisabled},
		{Policy{Enabled: []string{"Terminal", "input", "*"}}, terminal, RuleDisabled},
		{Policy{Enabled: []string{"terminal"}}, terminal, ""},
	}
	for _, tt := range tests {
		err := tt.policy.Check(tt.step)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%v from %v under %v: %v", tt.step, tt.step.Provenance, tt.policy, err)
			}
			continue
		}
		var denied *DeniedError
		if !errors.As(fmt.Errorf("wrapped: %w", err), &denied) || denied.Rule != tt.want || denied.Op != tt.step.Op || !errors.Is(err, ErrDenied) {
			t.Errorf("%v from %v under %v: %v, want %q", tt.step, tt.step.Provenance, tt.policy, err, tt.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), string(tt.step.Op)+": ") {
			t.Errorf("%q does not name the operation", err)
		}
	}
}

func TestNeedsConfirmation(t *testing.T) {
	words := Policy{Words: []string{"send", "delete", "purchase", "pay", "confirm order", "", "Löschen"}}
	click := func(what string) plan.Step {
		return plan.Step{Op: plan.ClickElement, Args: plan.Args{"description": what}}
	}
	tests := []struct {
		policy Policy
		step   plan.Step
		want   bool
	}{
		{words, click("send"), true},
		{words, click("the Send button"), true},
		{words, click("“Send” now"), true},
		{words, click("pay-now"), true},
		{words, click("Confirm  order!"), true},
		{words, click("löschen"), true},
		// Whole words only.
		{words, click("resend"), false},
		{words, click("paypal"), false},
		{words, click("payload"), false},
		{words, click("deleted items"), false},
		{words, click("confirm the order"), false},
		{words, click(""), false},
		{Policy{}, click("send"), false},
		// Never what is typed, searched, opened or pressed.
		{words, plan.Step{Op: plan.TypeText, Args: plan.Args{"text": "send"}}, false},
		{words, plan.Step{Op: plan.Search, Args: plan.Args{"query": "delete"}}, false},
		{words, plan.Step{Op: plan.OpenURL, Args: plan.Args{"url": "https://paypal.com/pay"}}, false},
		{words, plan.Step{Op: plan.Key, Args: plan.Args{"chord": "delete"}}, false},
		// A person's own words close without a question, unless that is set.
		{words, plan.Step{Op: plan.CloseApp, Args: plan.Args{"app": "x"}}, false},
		{Policy{Confirm: []string{"close_app"}}, plan.Step{Op: plan.CloseApp, Args: plan.Args{"app": "x"}}, true},
		{Policy{Confirm: []string{"close_app"}}, plan.Step{Op: plan.FocusApp, Args: plan.Args{"app": "x"}}, false},
		// Dangerous steps, and those that say so, always ask.
		{Policy{Enabled: []string{"terminal"}}, plan.Step{Op: plan.Terminal, Args: plan.Args{"command": "date"}}, true},
		{Policy{}, plan.Step{Op: plan.Niri, Args: plan.Args{"command": "quit"}, Confirm: true}, true},
		{Policy{}, plan.Step{Op: plan.Niri, Args: plan.Args{"command": "close-window"}}, false},
	}
	for _, tt := range tests {
		if got := tt.policy.NeedsConfirmation(tt.step); got != tt.want {
			t.Errorf("%v under %v needs confirmation: %v", tt.step, tt.policy, got)
		}
	}
}

// TestWhatAPluginWrote is judged as the runner judges it: what runs a program
// counts as terminal, and what may cost the user's work is confirmed.
func TestWhatAPluginWrote(t *testing.T) {
	on := Policy{Enabled: []string{"terminal"}}
	off := Policy{Disabled: []string{"action.media"}}
	by := func(op plan.Op, args plan.Args) plan.Step {
		return plan.Step{Op: op, Args: args, Provenance: plan.FromUser, Author: "router"}
	}
	ofPlugin := by("note", plan.Args{"text": "x"})
	ofPlugin.Plugin = "notes"
	spawn := by(plan.Niri, plan.Args{"command": "spawn", "args": []any{"sh", "-c", "x"}})
	for _, tt := range []struct {
		policy  Policy
		step    plan.Step
		allowed bool
		confirm bool // where it is allowed
	}{
		{Policy{}, by(plan.OpenURL, plan.Args{"url": "https://e.org"}), true, false},
		{Policy{}, by(plan.OpenURL, plan.Args{"url": "file:///etc/passwd"}), false, false},
		{Policy{}, by(plan.OpenURL, plan.Args{"url": "javascript:alert(1)"}), false, false},
		{Policy{}, by(plan.LaunchApp, plan.Args{"app": "foot"}), true, false},
		{Policy{}, by(plan.LaunchApp, plan.Args{"argv": []any{"sh", "-c", "x"}}), false, false},
		{Policy{}, by(plan.EnsureApp, plan.Args{"app": "foot", "argv": []any{"sh"}}), false, false},
		{on, by(plan.LaunchApp, plan.Args{"argv": []any{"sh", "-c", "x"}}), true, true},
		{Policy{}, spawn, false, false},
		{on, spawn, true, true},
		{on, by(plan.Terminal, plan.Args{"command": "x"}), true, true},
		{Policy{}, by(plan.Niri, plan.Args{"command": "focus-column-left"}), true, false},
		{Policy{}, by(plan.Niri, plan.Args{"command": "quit"}), true, true},
		{Policy{}, by(plan.Niri, plan.Args{"command": "no-such-action"}), false, false},
		{Policy{}, by(plan.CloseApp, plan.Args{"app": "x"}), true, true},
		{Policy{}, by(plan.Done, nil), true, false},
		{Policy{}, by(plan.Key, plan.Args{"chord": "ctrl+t"}), true, false},
		{Policy{}, by(plan.Key, plan.Args{"chord": "alt+left"}), true, false},
		{Policy{}, by(plan.Key, plan.Args{"chord": "Super+shift+e"}), true, true},
		{Policy{}, by(plan.Key, plan.Args{"chord": "ctrl+alt+f3"}), true, true},
		{Policy{}, by(plan.Key, plan.Args{"chord": "alt+F4"}), true, true},
		{Policy{}, by(plan.Key, plan.Args{"chord": "super"}), true, true},
		{Policy{}, by(plan.Key, plan.Args{"chord": "xf86poweroff"}), true, true},
		{Policy{}, by(plan.Key, plan.Args{"chord": "no+such"}), true, true},
		{Policy{}, by(plan.Media, plan.Args{"command": "pause"}), true, false},
		{off, by(plan.Media, plan.Args{"command": "pause"}), false, false},
		{Policy{}, ofPlugin, true, false},
		{Policy{}, by("note", plan.Args{"text": "x"}), false, false}, // nobody's
	} {
		err := tt.policy.Check(tt.step)
		if (err == nil) != tt.allowed || err != nil && !errors.Is(err, ErrDenied) {
			t.Errorf("%v under %+v: %v", tt.step, tt.policy, err)
		}
		if got := tt.policy.NeedsConfirmation(tt.step); tt.allowed && got != tt.confirm {
			t.Errorf("%v under %+v needs confirmation: %v", tt.step, tt.policy, got)
		}
		// The user's own words may do what a plugin may not.
		own := tt.step
		own.Author = ""
		if err := off.Check(own); err != nil && !own.Op.Dangerous() {
			t.Errorf("%v by the user: %v", own, err)
		}
	}
}
