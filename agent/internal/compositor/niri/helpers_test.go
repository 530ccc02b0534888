package niri

import (
	"encoding/json"
	"flag"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/data"
	fakeniri "utter/tests/fakes/niri"
)

var update = flag.Bool("update", false, "write what the tests see into testdata")

// start runs a model of niri with a window of each name, on one workspace.
func start(t testing.TB, o fakeniri.Options, apps ...string) *fakeniri.Niri {
	t.Helper()
	n := fakeniri.Start(t, o)
	for _, app := range apps {
		n.Open(fakeniri.Toplevel{AppID: app, Title: app, PID: 1})
	}
	return n
}

// connect connects to n; the connection ends with the test.
func connect(t testing.TB, n *fakeniri.Niri) *Backend {
	t.Helper()
	b, err := Dial(t.Context(), n.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// watched connects to n and waits for the first state.
func watched(t testing.TB, n *fakeniri.Niri) (*Backend, <-chan *compositor.State) {
	t.Helper()
	b := connect(t, n)
	states, err := b.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compositortest.Next(t, states)
	return b, states
}

// A fact is what is known of one action.
type fact struct {
	Name   string
	Class  string
	Socket map[string]map[string]string
}

func facts(t testing.TB) []fact {
	t.Helper()
	raw, err := data.FS.ReadFile("niri_actions.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Actions []fact }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Actions) < 100 {
		t.Fatalf("%d actions, %v", len(file.Actions), err)
	}
	return file.Actions
}
