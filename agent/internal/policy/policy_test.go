package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

func TestCheck(t *testing.T) {
	terminal := plan.Step{Args: op.Terminal{Command: "date"}, Provenance: plan.FromUser}
	from := func(args op.Args, p plan.Provenance) plan.Step { return plan.Step{Args: args, Provenance: p} }
	tests := []struct {
		policy Policy
		step   plan.Step
		want   Rule // "" if the step may run
	}{
		{Policy{}, from(op.TypeText{Text: "x"}, plan.FromUser), ""},
		{Policy{}, from(op.Done{}, plan.FromUser), ""},

		// The screen selects; it does not author, not even what is harmless.
		{Policy{}, from(op.Done{}, plan.FromScreen), ""},
		{Policy{}, from(op.Done{}, plan.FromScreen), ""},
		{Policy{}, from(op.OpenURL{URL: "https://e.org"}, plan.FromScreen), RuleScreen},
		{Policy{}, from(op.Wait{MS: new(1)}, plan.FromScreen), RuleScreen},
		{Policy{}, from(op.Niri{Command: "focus-column-left"}, plan.FromScreen), RuleScreen},
		{Policy{Enabled: []string{"terminal"}}, from(terminal.Args, plan.FromScreen), RuleScreen},

		// A step without an origin gets nothing.
		{Policy{}, from(op.Done{}, plan.FromUnknown), RuleUnknown},
		{Policy{Enabled: []string{"terminal"}}, plan.Step{Args: terminal.Args}, RuleUnknown},

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
		if !errors.As(fmt.Errorf("wrapped: %w", err), &denied) || denied.Rule != tt.want || denied.Op != tt.step.Op() {
			t.Errorf("%v from %v under %v: %v, want %q", tt.step, tt.step.Provenance, tt.policy, err, tt.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), string(tt.step.Op())+": ") {
			t.Errorf("%q does not name the operation", err)
		}
	}
}

func TestNeedsConfirmation(t *testing.T) {
	words := Policy{Words: []string{"send", "delete", "purchase", "pay", "confirm order", "", "Löschen"}}
	click := func(what string) plan.Step {
		return plan.Step{Args: op.ClickElement{Description: what}}
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
		{words, plan.Step{Args: op.TypeText{Text: "send"}}, false},
		{words, plan.Step{Args: op.Search{Query: "delete"}}, false},
		{words, plan.Step{Args: op.OpenURL{URL: "https://paypal.com/pay"}}, false},
		{words, plan.Step{Args: op.Key{Chord: "delete"}}, false},
		// A person's own words close without a question, unless that is set.
		{words, plan.Step{Args: op.CloseApp{App: "x"}}, false},
		{Policy{Confirm: []string{"close_app"}}, plan.Step{Args: op.CloseApp{App: "x"}}, true},
		{Policy{Confirm: []string{"close_app"}}, plan.Step{Args: op.FocusApp{App: "x"}}, false},
		// Dangerous steps, and those that say so, always ask.
		{Policy{Enabled: []string{"terminal"}}, plan.Step{Args: op.Terminal{Command: "date"}}, true},
		{Policy{}, plan.Step{Args: op.Niri{Command: "quit"}, Confirm: true}, true},
		{Policy{}, plan.Step{Args: op.Niri{Command: "close-window"}}, false},
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
	by := func(args op.Args) plan.Step {
		return plan.Step{Args: args, Provenance: plan.FromUser, Author: "router"}
	}
	note := op.Foreign{Name: "note", Args: map[string]any{"text": "x"}}
	ofPlugin := by(note)
	ofPlugin.Plugin = "notes"
	spawn := by(op.Niri{Command: "spawn", Args: []any{"sh", "-c", "x"}})
	for _, tt := range []struct {
		policy  Policy
		step    plan.Step
		allowed bool
		confirm bool // where it is allowed
	}{
		{Policy{}, by(op.OpenURL{URL: "https://e.org"}), true, false},
		{Policy{}, by(op.OpenURL{URL: "file:///etc/passwd"}), false, false},
		{Policy{}, by(op.OpenURL{URL: "javascript:alert(1)"}), false, false},
		{Policy{}, by(op.LaunchApp{App: "foot"}), true, false},
		{Policy{}, by(op.LaunchApp{Argv: []string{"sh", "-c", "x"}}), false, false},
		{Policy{}, by(op.EnsureApp{App: "foot", Argv: []string{"sh"}}), false, false},
		{on, by(op.LaunchApp{Argv: []string{"sh", "-c", "x"}}), true, true},
		{Policy{}, spawn, false, false},
		{on, spawn, true, true},
		{on, by(op.Terminal{Command: "x"}), true, true},
		{Policy{}, by(op.Niri{Command: "focus-column-left"}), true, false},
		{Policy{}, by(op.Niri{Command: "quit"}), true, true},
		{Policy{}, by(op.Niri{Command: "no-such-action"}), false, false},
		{Policy{}, by(op.CloseApp{App: "x"}), true, true},
		{Policy{}, by(op.Done{}), true, false},
		{Policy{}, by(op.Key{Chord: "ctrl+t"}), true, false},
		{Policy{}, by(op.Key{Chord: "alt+left"}), true, false},
		{Policy{}, by(op.Key{Chord: "Super+shift+e"}), true, true},
		{Policy{}, by(op.Key{Chord: "ctrl+alt+f3"}), true, true},
		{Policy{}, by(op.Key{Chord: "alt+F4"}), true, true},
		{Policy{}, by(op.Key{Chord: "super"}), true, true},
		{Policy{}, by(op.Key{Chord: "xf86poweroff"}), true, true},
		{Policy{}, by(op.Key{Chord: "no+such"}), true, true},
		{Policy{}, by(op.Media{Command: "pause"}), true, false},
		{off, by(op.Media{Command: "pause"}), false, false},
		{Policy{}, ofPlugin, true, false},
		{Policy{}, by(note), false, false}, // nobody's
	} {
		err := tt.policy.Check(tt.step)
		if (err == nil) != tt.allowed || err != nil && !errors.As(err, new(*DeniedError)) {
			t.Errorf("%v under %+v: %v", tt.step, tt.policy, err)
		}
		if got := tt.policy.NeedsConfirmation(tt.step); tt.allowed && got != tt.confirm {
			t.Errorf("%v under %+v needs confirmation: %v", tt.step, tt.policy, got)
		}
		// The user's own words may do what a plugin may not.
		own := tt.step
		own.Author = ""
		if err := off.Check(own); err != nil && !op.Off(own.Op()) {
			t.Errorf("%v by the user: %v", own, err)
		}
	}
}
