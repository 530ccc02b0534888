package policy

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

func TestJudge(t *testing.T) {
	on := Policy{Enabled: []string{"action.terminal", "input", "made.up"}}
	ask := func(op string, from plan.Provenance, args string) Request {
		r := Request{Op: op, From: from}
		if args != "" {
			if err := json.Unmarshal([]byte(args), &r.Args); err != nil {
				t.Fatal(err)
			}
		}
		return r
	}
	with := func(r Request, change func(*Request)) Request { change(&r); return r }
	known := func(r *Request) { r.Advertised = true }
	tests := []struct {
		name    string
		policy  Policy
		request Request
		rule    Rule // "" if allowed
		as      op.Name
		confirm bool
	}{
		{"a page", Policy{}, ask("ensure_url", plan.FromUser, `{"url":"HTTPS://e.org"}`), "", "ensure_url", false},
		{"either spelling", Policy{}, ask("action.open_url", plan.FromUser, `{"url":"mailto:a@b"}`), "", "open_url", false},
		{"no url", Policy{}, ask("open_url", plan.FromUser, `{}`), RuleArgs, "", false},
		{"url of another type", Policy{}, ask("open_url", plan.FromUser, `{"url":1}`), RuleArgs, "", false},
		{"URL is not url", Policy{}, ask("open_url", plan.FromUser, `{"URL":"https://e.org"}`), RuleArgs, "", false},
		{"another scheme", Policy{}, ask("open_url", plan.FromUser, `{"url":"javascript:x"}`), RuleScheme, "", false},
		{"no scheme", Policy{}, ask("open_url", plan.FromUser, `{"url":"e.org"}`), RuleScheme, "", false},

		{"terminal from the screen", Policy{}, ask("terminal", plan.FromScreen, `{"command":"ls"}`), RuleScreen, "", false},
		{"and switched on", on, ask("terminal", plan.FromScreen, `{"command":"ls"}`), RuleScreen, "", false},
		{"terminal of the user", Policy{}, ask("terminal", plan.FromUser, `{"command":"ls"}`), RuleDisabled, "", false},
		{"and switched on", on, ask("terminal", plan.FromUser, `{"command":"ls"}`), "", "terminal", true},
		{"disabled wins", Policy{Enabled: []string{"terminal"}, Disabled: []string{"terminal"}},
			ask("terminal", plan.FromUser, `{"command":"ls"}`), RuleDisabled, "", false},
		{"unknown op of the screen", Policy{}, ask("x.y", plan.FromScreen, `{"b":1}`), RuleScreen, "", false},
		{"unknown op", on, ask("made.up", plan.FromUser, `{}`), RuleNoOp, "", false},
		{"two prefixes", on, ask("action.action.terminal", plan.FromUser, `{"command":"ls"}`), RuleNoOp, "", false},
		{"two prefixes, advertised", on, with(ask("action.action.terminal", plan.FromUser, `{"command":"ls"}`), known),
			RuleNoOp, "", false},
		{"two prefixes from the screen", on, ask("action.action.terminal", plan.FromScreen, `{"command":"ls"}`),
			RuleScreen, "", false},
		{"op of a plugin", Policy{}, with(ask("x.y", plan.FromUser, `{"b":1}`), known), "", "x.y", false},
		{"disabled op of a plugin", Policy{Disabled: []string{"action.x.y"}},
			with(ask("x.y", plan.FromUser, `{}`), known), RuleDisabled, "", false},
		{"screen without arguments", Policy{}, ask("done", plan.FromScreen, `{}`), "", "done", false},
		{"nobody vouches", Policy{}, ask("done", plan.FromUnknown, `{}`), RuleUnknown, "", false},

		{"app by name", Policy{}, ask("launch_app", plan.FromUser, `{"app":"firefox"}`), "", "launch_app", false},
		{"app by argv", Policy{}, ask("launch_app", plan.FromUser, `{"argv":["sh"]}`), RuleDisabled, "", false},
		{"app by argv, on", on, ask("ensure_app", plan.FromUser, `{"app":"x","argv":["sh"]}`), "", "terminal", true},
		{"disabled by its own name", Policy{Enabled: []string{"terminal"}, Disabled: []string{"ensure_app"}},
			ask("ensure_app", plan.FromUser, `{"argv":["sh"]}`), RuleDisabled, "", false},
		{"spawn", Policy{}, ask("niri", plan.FromUser, `{"command":"spawn"}`), RuleDisabled, "", false},
		{"spawn-sh, on", on, ask("niri", plan.FromUser, `{"command":"spawn-sh"}`), "", "terminal", true},
		{"quit", Policy{}, ask("niri", plan.FromUser, `{"command":"quit"}`), "", "niri", true},
		{"power off", Policy{}, ask("niri", plan.FromUser, `{"command":"power-off-monitors"}`), "", "niri", true},
		{"move", Policy{}, ask("niri", plan.FromUser, `{"command":"move-column-right"}`), "", "niri", false},
		{"no such command", Policy{}, ask("niri", plan.FromUser, `{"command":"reboot"}`), RuleArgs, "", false},
		{"no command", Policy{}, ask("niri", plan.FromUser, ``), RuleArgs, "", false},
		{"close", Policy{}, ask("close_app", plan.FromUser, `{"app":"x"}`), "", "close_app", true},
		{"a chord of the desktop", Policy{}, ask("key", plan.FromUser, `{"chord":"super+q"}`), "", "key", true},
		{"a chord of the window", Policy{}, ask("key", plan.FromUser, `{"chord":"ctrl+t"}`), "", "key", false},
		{"keys in a plugin's own way", Policy{}, ask("key", plan.FromUser, `{"keys":"ctrl+t"}`), "", "key", false},
		{"asked for", Policy{}, with(ask("wait", plan.FromUser, `{}`), func(r *Request) { r.Confirm = true }),
			"", "wait", true},
		{"into a terminal", Policy{}, with(ask("type_text", plan.FromUser, `{"text":"x"}`),
			func(r *Request) { r.IntoTerminal = true }), RuleDisabled, "", false},
		{"input.inject", Policy{}, with(ask("input.inject", plan.FromUser, `{"key":"a"}`), known), RuleDisabled, "", false},
		{"input.inject, on", on, with(ask("input.inject", plan.FromUser, `{"key":"a"}`), known), "", "input", true},
	}
	for _, tt := range tests {
		v, err := tt.policy.Judge(tt.request)
		if tt.rule != "" {
			var denied *DeniedError
			if !errors.As(err, &denied) || denied.Rule != tt.rule {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.rule)
			}
			continue
		}
		if err != nil || v != (Verdict{tt.as, tt.confirm}) {
			t.Errorf("%s: %+v, %v", tt.name, v, err)
		}
	}
}

func TestTheScreensArgumentsAreNamed(t *testing.T) {
	_, err := Policy{}.Judge(Request{Op: "action.x", From: plan.FromScreen,
		Args: map[string]any{"z": 1, "a": nil, "m": ""}})
	var denied *DeniedError
	if !errors.As(err, &denied) || denied.Op != "x" || !slices.Equal(denied.Fields, []string{"a", "m", "z"}) {
		t.Errorf("%+v", err)
	}
}

func TestTheCommandsAreRead(t *testing.T) {
	if n := len(commands()); n < 100 {
		t.Errorf("%d commands", n)
	}
}
