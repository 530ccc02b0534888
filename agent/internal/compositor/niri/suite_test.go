package niri

import (
	"fmt"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	fakeniri "utter/tests/fakes/niri"
)

// TestBackend runs the suite of all backends on the model: as it is, and as one
// from the future. The suite goes to workspaces by numbers up to 99, which niri
// makes only where its configuration names them.
func TestBackend(t *testing.T) {
	for name, o := range map[string]fakeniri.Options{"25.11": {}, "newer": {Newer: true}} {
		for n := range 99 {
			o.Named = append(o.Named, fmt.Sprint(n+1))
		}
		t.Run(name, func(t *testing.T) {
			compositortest.Run(t, func(t *testing.T, windows ...compositortest.Wanted) compositor.Backend {
				n := fakeniri.Start(t, o)
				for _, w := range windows {
					n.Do(fmt.Sprintf(`{"FocusWorkspace":{"reference":{"Index":%d}}}`, w.Workspace))
					n.Open(fakeniri.Toplevel{AppID: w.AppID, Title: w.AppID, PID: 1})
				}
				return connect(t, n)
			})
		})
	}
}
