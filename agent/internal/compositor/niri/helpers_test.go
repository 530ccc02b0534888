package niri

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"utter/agent/internal/compositor"
	"utter/data"
	fakeniri "utter/tests/fakes/niri"
)

var update = flag.Bool("update", false, "write what the tests see into testdata")

// start runs a model of niri with a window of each name, on one workspace.
func start(t testing.TB, o fakeniri.Options, apps ...string) *fakeniri.Niri {
	t.Helper()
	n := fakeniri.Start(t, o)
	for _, app := range apps {
		n.Open(fakeniri.Window{AppID: app, Title: app, PID: 1})
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
	nextState(t, states)
	return b, states
}

// shortDir makes a folder whose path is short enough for sockets.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "u")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// eventually reports whether ok becomes true soon.
func eventually(ok func() bool) bool {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// nextState returns the next state, or nil if the channel is closed.
func nextState(t testing.TB, states <-chan *compositor.State) *compositor.State {
	t.Helper()
	select {
	case s := <-states:
		return s
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	return nil
}

func vocabulary(t testing.TB) *compositor.Vocabulary {
	t.Helper()
	v, err := compositor.NewVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return v
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
