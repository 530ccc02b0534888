package protocol

import (
	"encoding/json"
	"testing"
)

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

func TestReadInvocation(t *testing.T) {
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
		a, err := ReadInvocation(tt.method, json.RawMessage(tt.params))
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
		"stream.subscribe": AccessRefused, "handle.fetch": AccessRefused,
		"handle.create": AccessRunner, "$/cancel": AccessRefused,
		"router.plan": AccessFree, "llm.choose": AccessFree, "plugin.health": AccessFree, "context.snapshot": AccessFree,
		"action.capabilities": AccessFree, "action.invoke": AccessInvoke, "input.inject": AccessPoliced,
		"tts.speak": AccessPoliced, "": AccessPoliced,
	} {
		if got := InvokeAccess(method); got != want {
			t.Errorf("%s: %v, want %v", method, got, want)
		}
	}
}
