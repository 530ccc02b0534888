package executor

import (
	"context"
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

// TestAStepOfAPluginGoesToPlugins and to nobody else, whatever its operation is
// called.
func TestAStepOfAPluginGoesToPlugins(t *testing.T) {
	var did []string
	names := func(who string) Handler {
		return HandlerFunc(func(_ context.Context, _ *Binding, s plan.Step) (Done, error) {
			did = append(did, who+" "+string(s.Op()))
			return Done{Evidence: plan.ByPlugin}, nil
		})
	}
	steps := []plan.Step{{Args: op.Foreign{Name: op.Done{}.Op()}, Plugin: "notes"},
		{Args: op.Foreign{Name: "note", Args: map[string]any{"any": nil}}, Plugin: "notes"}, {Args: op.Done{}}}
	p := &plan.Plan{Steps: steps}
	e := New(map[op.Name]Handler{op.Done{}.Op(): names("agent")}, names("plugins"), rules{})
	if r := e.Run(t.Context(), p, Approval{}, func(int, plan.Result) {}); r.Outcome != plan.Completed {
		t.Errorf("%+v", r)
	}
	if len(did) != 3 || did[0] != "plugins done" || did[1] != "plugins note" || did[2] != "agent done" {
		t.Errorf("%q", did)
	}
	without := New(map[op.Name]Handler{op.Done{}.Op(): names("agent")}, nil, rules{})
	if r, ok := without.Check(p, true); ok || r.Reason != plan.NotSupported {
		t.Errorf("without plugins: %v, %+v", ok, r)
	}
	if r, ok := e.Check(&plan.Plan{Steps: []plan.Step{{Args: op.Foreign{Name: "note"}}}}, true); ok ||
		r.Reason != plan.NotSupported {
		t.Errorf("an operation that is nobody's: %v, %+v", ok, r)
	}
}
