package input

import (
	"testing"

	"utter/shared/typing"
)

// TestEveryMethodIsCarriedOut: a declared method has its code, and code its declaration.
func TestEveryMethodIsCarriedOut(t *testing.T) {
	for _, m := range typing.Methods {
		if w := ways[m.Way]; w.try == nil || len(w.globals) == 0 {
			t.Errorf("no file of this package carries out %s", m.Way)
		}
	}
	if len(ways) != len(typing.Methods) {
		t.Errorf("%d methods are declared, %d carried out", len(typing.Methods), len(ways))
	}
}
