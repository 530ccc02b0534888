package addons

import (
	"strings"
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// FuzzSteps: whatever a router answers, a step that is taken has an owner, sound
// arguments and no more trust than it was given.
func FuzzSteps(f *testing.F) {
	for _, s := range []string{
		`{"steps":[{"op":"note","args":{"text":"x","n":[1,2.5,null,{"a":true}]},"provenance":"user"}]}`,
		`{"steps":[{"op":"action.open_url","args":{"url":"x"},"provenance":"screen"}]}`,
		`{"steps":[{"op":"niri","args":{"command":"spawn","args":[1e999]}}]}`,
	} {
		f.Add([]byte(s))
	}
	known := offers{known: []offer{{row: protocol.PluginRow{ID: "notes", Ops: []string{"note", "action.shop", ""}}}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		var said protocol.PlanResult
		if rpc.Unmarshal(text, &said) != nil {
			return
		}
		for _, s := range said.Steps {
			step, err := readStep(s, known)
			if err != nil {
				continue
			}
			if step.Check() != nil || !op.Known(step.Op()) && step.Plugin == "" || step.Op() == "" {
				t.Errorf("%s: %+v", text, step)
			}
			if step.Provenance == plan.FromUser && s.Provenance != protocol.FromUser {
				t.Errorf("%s is trusted", text)
			}
			if depth(op.Map(step.Args)) > maxDepth || step.String() == "" {
				t.Errorf("%s: %v", text, step)
			}
		}
	})
}

// FuzzSayable: whatever a plugin says that it does, what may be said of it is
// nobody else's, and has a name that can be shown.
func FuzzSayable(f *testing.F) {
	f.Add("note", []byte(`{"properties":{"text":{"type":"string"}},"required":["text"]}`))
	f.Add("a..b/C-d", []byte(`{"properties":{"n":{"type":"integer"}},"required":["n"]}`))
	f.Add("open_url", []byte(`true`))
	f.Fuzz(func(t *testing.T, op string, schema []byte) {
		o, ok := sayable("p", protocol.OpInfo{Op: op, Args: schema})
		if !ok {
			return
		}
		if protocol.IsCoreOp(op) || strings.ContainsAny(op, " \n\x1b\u202e") || len(op) > maxOpName {
			t.Errorf("%q may be said: %+v", op, o)
		}
	})
}
