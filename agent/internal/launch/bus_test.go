package launch

import (
	"testing"

	"utter/tests/fakes/privatebus"
)

func busLauncher(t *testing.T, address string) *Launcher {
	t.Helper()
	l, err := New(privatebus.Connect(t, address))
	if err != nil {
		t.Fatal(err)
	}
	return l
}
