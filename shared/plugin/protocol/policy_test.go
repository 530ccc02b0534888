package protocol

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

func TestPolicy(t *testing.T) {
	on := Policy{Enabled: []string{"action.terminal", "input", "made.up"}}
	act := func(op string, from Provenance, args string) Action {
		return Action{Op: op, Provenance: from, Args: json.RawMessage(args)}
	}
	with := func(a Action, change func(*Action)) Action { change(&a); return a }
	known := func(a *Action) { a.Advertised = true }
	tests := []struct {
		name    string
		policy  Policy
		action  Action
		code    Code // 0 if allowed
		reason  Reason
		as      string
		confirm bool
	}{
		{"a page", Policy{}, act("ensure_url", FromUser, `{"url":"HTTPS://e.org"}`), 0, "", "ensure_url", false},
		{"either spelling", Policy{}, act("action.open_url", FromUser, `{"url":"mailto:a@b"}`), 0, "", "open_url", false},
		{"no url", Policy{}, act("open_url", FromUser, `{}`), CodeInvalidParams, "", "", false},
		{"url of another type", Policy{}, act("open_url", FromUser, `{"url":1}`), CodeInvalidParams, "", "", false},
		{"URL is no url", Policy{}, act("open_url", FromUser, `{"URL":"https://e.org"}`), CodeInvalidParams, "", "", false},
		{"another scheme", Policy{}, act("open_url", FromUser, `{"url":"javascript:x"}`), CodeDenied, ReasonScheme, "", false},
		{"no scheme", Policy{}, act("open_url", FromUser, `{"url":"e.org"}`), CodeDenied, ReasonScheme, "", false},
		{"args that are none", Policy{}, act("open_url", FromUser, `[1]`), CodeInvalidParams, "", "", false},
		{"a name twice", Policy{}, act("open_url", FromUser, `{"url":"https://e.org","url":"javascript:x"}`), CodeInvalidParams, "", "", false},

		{"terminal from the screen", Policy{}, act("terminal", FromScreen, `{"command":"ls"}`), CodeUntrusted, "", "", false},
		{"and switched on", on, act("terminal", FromScreen, `{"command":"ls"}`), CodeUntrusted, "", "", false},
		{"terminal of the user", Policy{}, act("terminal", FromUser, `{"command":"ls"}`), CodeDenied, ReasonDisabled, "", false},
		{"and switched on", on, act("terminal", FromUser, `{"command":"ls"}`), 0, "", "terminal", true},
		{"disabled wins", Policy{Enabled: []string{"terminal"}, Disabled: []string{"terminal"}}, act("terminal", FromUser, `{"command":"ls"}`), CodeDenied, ReasonDisabled, "", false},
		{"unknown op of the screen", Policy{}, act("x.y", FromScreen, `{"b":1}`), CodeUntrusted, "", "", false},
		{"unknown op", on, act("made.up", FromUser, `{}`), CodeMethodNotFound, "", "", false},
		{"two prefixes", on, act("action.action.terminal", FromUser, `{"command":"ls"}`), CodeMethodNotFound, "", "", false},
		{"two prefixes, advertised", on, with(act("action.action.terminal", FromUser, `{"command":"ls"}`), known), CodeMethodNotFound, "", "", false},
		{"two prefixes from the screen", on, act("action.action.terminal", FromScreen, `{"command":"ls"}`), CodeUntrusted, "", "", false},
		{"op of a plugin", Policy{}, with(act("x.y", FromUser, `{"b":1}`), known), 0, "", "x.y", false},
		{"disabled op of a plugin", Policy{Disabled: []string{"action.x.y"}}, with(act("x.y", FromUser, `{}`), known), CodeDenied, ReasonDisabled, "", false},
		{"screen without arguments", Policy{}, act("done", FromScreen, `{}`), 0, "", "done", false},
		{"nobody vouches", Policy{}, act("done", "", `{}`), CodeDenied, ReasonProvenance, "", false},

		{"app by name", Policy{}, act("launch_app", FromUser, `{"app":"firefox"}`), 0, "", "launch_app", false},
		{"app by argv", Policy{}, act("launch_app", FromUser, `{"argv":["sh"]}`), CodeDenied, ReasonDisabled, "", false},
		{"app by argv, on", on, act("ensure_app", FromUser, `{"app":"x","argv":["sh"]}`), 0, "", "terminal", true},
		{"disabled by its own name", Policy{Enabled: []string{"terminal"}, Disabled: []string{"ensure_app"}}, act("ensure_app", FromUser, `{"argv":["sh"]}`), CodeDenied, ReasonDisabled, "", false},
		{"spawn", Policy{}, act("niri", FromUser, `{"command":"spawn"}`), CodeDenied, ReasonDisabled, "", false},
		{"spawn-sh, on", on, act("niri", FromUser, `{"command":"spawn-sh"}`), 0, "", "terminal", true},
		{"quit", Policy{}, act("niri", FromUser, `{"command":"quit"}`), 0, "", "niri", true},
		{"power off", Policy{}, act("niri", FromUser, `{"command":"power-off-monitors"}`), 0, "", "niri", true},
		{"move", Policy{}, act("niri", FromUser, `{"command":"move-column-right"}`), 0, "", "niri", false},
		{"no such command", Policy{}, act("niri", FromUser, `{"command":"reboot"}`), CodeInvalidParams, "", "", false},
		{"no command", Policy{}, act("niri", FromUser, ``), CodeInvalidParams, "", "", false},
		{"close", Policy{}, act("close_app", FromUser, `{"app":"x"}`), 0, "", "close_app", true},
		{"asked for", Policy{}, with(act("wait", FromUser, `{}`), func(a *Action) { a.Confirm = true }), 0, "", "wait", true},
		{"into a terminal", Policy{}, with(act("type_text", FromUser, `{"text":"x"}`), func(a *Action) { a.IntoTerminal = true }), CodeDenied, ReasonDisabled, "", false},
		{"input.inject", Policy{}, with(act("input.inject", FromUser, `{"key":"a"}`), known), CodeDenied, ReasonDisabled, "", false},
		{"input.inject, on", on, with(act("input.inject", FromUser, `{"key":"a"}`), known), 0, "", "input", true},
	}
	for _, tt := range tests {
		v, err := tt.policy.Check(tt.action)
		if tt.code != 0 {
			if err == nil || CodeOf(err) != tt.code || ErrorData(err).Reason != tt.reason {
				t.Errorf("%s: %v (%s), want %d (%s)", tt.name, err, ErrorData(err).Reason, tt.code, tt.reason)
			}
			continue
		}
		if err != nil || v != (Verdict{tt.as, tt.confirm}) {
			t.Errorf("%s: %+v, %v", tt.name, v, err)
		}
	}
}

func TestUntrustedNamesEveryField(t *testing.T) {
	_, err := Policy{}.Check(Action{Op: "action.x", Provenance: FromScreen, Args: json.RawMessage(`{"z":1,"a":null,"m":""}`)})
	var e *Error
	if !errors.As(err, &e) || string(e.Data) != `{"op":"x","fields":["a","m","z"]}` {
		t.Errorf("%v %s", err, e.Data)
	}
}

func TestProvenance(t *testing.T) {
	for text, want := range map[string]Provenance{
		`{}`: "", `{"provenance":"user"}`: FromUser, `{"provenance":"screen"}`: FromScreen,
		`{"Provenance":"screen"}`: "", // another name
		`{"provenance":""}`:       "bad", `{"provenance":null}`: "bad", `{"provenance":"User"}`: "bad",
		`{"provenance":1}`: "bad", `{"provenance":["user"]}`: "bad",
	} {
		var p CommandParams
		err := DecodeParams(json.RawMessage(text), &p)
		if want == "bad" {
			if CodeOf(err) != CodeInvalidParams || err == nil {
				t.Errorf("%s: %v, %v", text, p.Provenance, err)
			}
		} else if err != nil || p.Provenance != want {
			t.Errorf("%s: %v, %v", text, p.Provenance, err)
		}
	}
	for _, tt := range []struct{ command, step, want Provenance }{
		{"", "", FromUser}, {FromUser, "", FromUser}, {FromUser, FromUser, FromUser},
		{FromUser, FromScreen, FromScreen}, {FromScreen, FromUser, FromScreen}, {FromScreen, "", FromScreen},
	} {
		if got := tt.step.OfStep(tt.command); got != tt.want {
			t.Errorf("step %q of command %q: %s", tt.step, tt.command, got)
		}
	}
}

func TestInvokedAction(t *testing.T) {
	tests := []struct {
		method, params string
		code           Code
		op, args       string
	}{
		{"action.invoke", `{"op":"x","args":{"a":1},"provenance":"user"}`, 0, "x", `{"a":1}`},
		{"action.invoke", `{"op":"x","args":{"a":1}}`, CodeDenied, "", ""},
		{"action.invoke", `{"op":"x","provenance":null}`, CodeInvalidParams, "", ""},
		{"action.invoke", `{"args":{},"provenance":"user"}`, CodeInvalidParams, "", ""},
		{"input.inject", `{"key":"a","op":7,"timeout_ms":5,"provenance":"screen"}`, 0, "input.inject", `{"key":"a","op":7}`},
		{"input.inject", `{"key":"a"}`, CodeDenied, "", ""},
		{"input.inject", ``, CodeDenied, "", ""},
	}
	for _, tt := range tests {
		a, err := InvokedAction(tt.method, json.RawMessage(tt.params))
		if tt.code != 0 {
			if err == nil || CodeOf(err) != tt.code {
				t.Errorf("%s %s: %v", tt.method, tt.params, err)
			}
		} else if err != nil || a.Op != tt.op || string(a.Args) != tt.args {
			t.Errorf("%s %s: %+v, %v", tt.method, tt.params, a, err)
		}
	}
	for method, want := range map[string]Access{
		"protocol.hello": AccessRefused, "plugin.hello": AccessRefused, "plugin.describe": AccessRefused,
		"stream.subscribe": AccessRefused, "handle.fetch": AccessRefused, "handle.create": AccessRunner, "$/cancel": AccessRefused,
		"router.plan": AccessFree, "llm.choose": AccessFree, "plugin.health": AccessFree, "context.snapshot": AccessFree,
		"action.capabilities": AccessFree, "action.invoke": AccessInvoke, "input.inject": AccessPoliced, "tts.speak": AccessPoliced, "": AccessPoliced,
	} {
		if got := InvokeAccess(method); got != want {
			t.Errorf("%s: %v, want %v", method, got, want)
		}
	}
}

func TestNiriTableIsRead(t *testing.T) {
	if n := len(niriActions()); n < 100 {
		t.Errorf("%d commands", n)
	}
	if !slices.Contains(CoreOps(), "ensure_url") {
		t.Error("no ensure_url")
	}
}
