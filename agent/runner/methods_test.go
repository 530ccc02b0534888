package runner

import (
	"testing"

	"utter/shared/plugin/protocol"
)

// TestEveryMethodIsServed: a declared method has its code, and code its declaration.
// runner.auth is served before the others.
func TestEveryMethodIsServed(t *testing.T) {
	declared := map[string]bool{}
	for _, m := range protocol.ClientMethods {
		if declared[m.Name] {
			t.Errorf("%s is declared twice", m.Name)
		}
		declared[m.Name] = true
		if methods[m.Name] == nil && m.Name != protocol.MethodRunnerAuth {
			t.Errorf("the runner does not serve %s", m.Name)
		}
	}
	for name := range methods {
		if !declared[name] {
			t.Errorf("%s is served and not declared", name)
		}
	}
}
