package router

import (
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

// The router believes what the context says of a window's application, whatever
// the window's app id.
func TestTheContextSaysWhoseAWindowIs(t *testing.T) {
	r := newRouter(t, "", []string{"foot", "firefox-esr", "steam"})
	own := Window{ID: 1, AppID: "weird.id", App: "foot", Terminal: true}
	dropdown := Window{ID: 2, AppID: "dropdown", Terminal: true}
	for _, focused := range []Window{own, dropdown} {
		ctx := Context{Focused: &focused, Windows: []Window{focused}}
		for said, wrong := range map[string]string{"copy": "ctrl+c", "paste": "ctrl+v", "undo": "ctrl+z"} {
			if d := r.Route(said, ctx); d.Plan != nil {
				for _, s := range d.Plan.Steps {
					if k, ok := s.Args.(op.Key); ok && k.Chord == wrong {
						t.Errorf("%q in %s presses %s", said, focused.AppID, k.Chord)
					}
				}
			} else if d.Reason == plan.NoPlan {
				t.Errorf("%q in %s: %s", said, focused.AppID, d.Message)
			}
		}
		if d := r.Route("run ls", ctx); d.Plan == nil || !op.Is[op.Terminal](d.Plan.Steps[0].Args) {
			t.Errorf("run ls in %s: %+v", focused.AppID, d)
		}
		want := map[string]string{"weird.id": "foot", "dropdown": "dropdown"}[focused.AppID]
		if d := r.Route("switch to terminal", ctx); d.Plan == nil || op.AppOf(d.Plan.Steps[0].Args) != want {
			t.Errorf("switch to terminal with %s: %+v", focused.AppID, d)
		}
	}
	if d := r.Route("new tab", Context{Focused: &Window{ID: 3, AppID: "x", App: "firefox"}}); d.Plan == nil {
		t.Errorf("new tab: %s", d.Message)
	}
}
