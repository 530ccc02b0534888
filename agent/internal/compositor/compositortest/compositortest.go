// Package compositortest checks that a backend keeps the promises of
// compositor.Backend, and that compositor.Desktop tells the truth on it.
package compositortest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"utter/agent/internal/compositor"
)

// A Wanted is a window that a test wants to be open.
type Wanted struct {
	AppID     string
	Workspace int // its number
}

// A Factory returns a backend, not yet watched, of a desktop with one output
// that shows exactly these windows, opened in this order. The last has the
// focus. The desktop ends with the test.
type Factory func(t *testing.T, windows ...Wanted) compositor.Backend

// far are two windows that are never seen together: a waits on workspace 2
// while b has the focus.
var far = []Wanted{{"a", 2}, {"b", 1}}

// Run checks one kind of backend.
func Run(t *testing.T, newBackend Factory) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, Factory)
	}{
		{"Info names the compositor", testInfo},
		{"Watch sends the state first", testFirstState},
		{"Watch sends what a slow receiver missed", testSlowReceiver},
		{"Watch ends with Close", testWatchEndsWithClose},
		{"Watch ends with its context", testWatchEndsWithContext},
		{"Read shows what Do did", testReadAfterDo},
		{"Do finds no missing window", testDoMissing},
		{"Do knows no such action", testDoUnknown},
		{"Do refuses what is not supported", testSupports},
		{"after Close all is gone", testAfterClose},
		{"a state never changes", testStatesStay},
		{"focus by id, wherever it is", testFocus},
		{"close by id, and no other", testClose},
		{"fullscreen and back", testFullscreen},
		{"a workspace that is not there yet", testWorkspace},
		{"a missing window is refused", testPerformMissing},
		{"an unknown action is refused by name", testPerformUnknown},
		{"an edge is refused", testEdge},
		{"several goroutines at once", testConcurrent},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, newBackend) })
	}
}

func testInfo(t *testing.T, newBackend Factory) {
	if info := newBackend(t).Info(); info.Name == "" {
		t.Errorf("Info = %+v, which has no name", info)
	}
}

func testFirstState(t *testing.T, newBackend Factory) {
	states := watch(t, newBackend(t, Wanted{"a", 2}, Wanted{"c", 1}, Wanted{"b", 1}))
	s := next(t, states)
	if got, want := Facts(s), "a on 2; b on 1 focused; c on 1; workspace 1"; got != want {
		t.Errorf("the first state is %q, want %q", got, want)
	}
	for _, w := range s.Windows {
		if w.ID == 0 {
			t.Errorf("%s has no id", w.AppID)
		}
	}
	if len(s.Outputs) != 1 || !s.Outputs[0].Rect.Known() {
		t.Errorf("outputs = %+v, want one", s.Outputs)
	}
	if s.Windows[0].AppID != "b" {
		t.Errorf("the first window is %s, not the focused one", s.Windows[0].AppID)
	}
}

func testSlowReceiver(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	states := watch(t, b)
	s := read(t, b)
	for range 5 {
		for _, app := range []string{"a", "b", "a"} {
			do(t, b, s, compositor.Action{Name: "focus-window", Window: find(t, s, app).ID})
		}
	}
	deadline := time.After(patience)
	for {
		select {
		case s, ok := <-states:
			if !ok {
				t.Fatal("the channel closed")
			}
			if focused(s) == "a" {
				return
			}
		case <-deadline:
			t.Fatal("the last change was never sent")
		}
	}
}

func testWatchEndsWithClose(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	states := watch(t, b)
	next(t, states)
	b.Close()
	drain(t, states)
}

func testWatchEndsWithContext(t *testing.T, newBackend Factory) {
	ctx, cancel := context.WithCancel(t.Context())
	states, err := newBackend(t, far...).Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	drain(t, states)
}

func testReadAfterDo(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	s := read(t, b)
	do(t, b, s, compositor.Action{Name: "focus-window", Window: find(t, s, "a").ID})
	s = read(t, b)
	if focused(s) != "a" || s.Windows[0].AppID != "a" {
		t.Errorf("after focus-window: %s, first %s", Facts(s), s.Windows[0].AppID)
	}
	do(t, b, s, compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Number: 7}})
	if s = read(t, b); Facts(s) != "a on 2; b on 1; workspace 7" {
		t.Errorf("after focus-workspace 7: %s", Facts(s))
	}
}

// A window may close between the reading of the state and the action.
func testDoMissing(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	s := read(t, b)
	before := Facts(s)
	for _, name := range []string{"focus-window", "close-window", "fullscreen-window"} {
		a := compositor.Action{Name: name, Window: missing(s)}
		if err := b.Do(t.Context(), s, a); !errors.Is(err, compositor.ErrNotFound) {
			t.Errorf("Do(%s of a missing window) = %v, want ErrNotFound", name, err)
		}
	}
	a := compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Text: "nowhere"}}
	if err := b.Do(t.Context(), s, a); !errors.Is(err, compositor.ErrNotFound) {
		t.Errorf("Do(focus-workspace nowhere) = %v, want ErrNotFound", err)
	}
	if after := Facts(read(t, b)); after != before {
		t.Errorf("%q became %q", before, after)
	}
}

// refused are actions that no compositor is to carry out.
var refused = []string{"no-such-action", "", "spawn", "spawn-sh", "minimize-window"}

func testDoUnknown(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	s := read(t, b)
	for _, name := range refused {
		a := compositor.Action{Name: name, Arg: compositor.Arg{Text: "true"}, Window: s.Windows[0].ID}
		if err := b.Do(t.Context(), s, a); !errors.Is(err, compositor.ErrNotSupported) {
			t.Errorf("Do(%q) = %v, want ErrNotSupported", name, err)
		}
	}
	if after := Facts(read(t, b)); after != Facts(s) {
		t.Errorf("%q became %q", Facts(s), after)
	}
}

// What Supports denies, of the whole vocabulary, Do refuses. The rest is shown
// by the translation tests: it would end sessions and switch screens off.
func testSupports(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	s := read(t, b)
	v := Vocabulary(t)
	for _, name := range slices.Concat(v.Names(), refused) {
		if b.Supports(name) {
			continue
		}
		if err := b.Do(t.Context(), s, compositor.Action{Name: name}); !errors.Is(err, compositor.ErrNotSupported) {
			t.Errorf("Supports denies %q, but Do = %v", name, err)
		}
	}
	for _, name := range []string{"focus-window", "close-window", "focus-workspace", "fullscreen-window"} {
		if !b.Supports(name) {
			t.Errorf("Supports denies %q", name)
		}
	}
	for _, name := range refused {
		if b.Supports(name) {
			t.Errorf("Supports claims %q", name)
		}
	}
	if after := Facts(read(t, b)); after != Facts(s) {
		t.Errorf("%q became %q", Facts(s), after)
	}
}

func testAfterClose(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	s := read(t, b)
	b.Close()
	b.Close() // no harm
	start := time.Now()
	if _, err := b.Read(t.Context()); !errors.Is(err, compositor.ErrGone) {
		t.Errorf("Read = %v, want ErrGone", err)
	}
	err := b.Do(t.Context(), s, compositor.Action{Name: "focus-window", Window: s.Windows[0].ID})
	if !errors.Is(err, compositor.ErrGone) {
		t.Errorf("Do = %v, want ErrGone", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("that took %v", took)
	}
}

func testStatesStay(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	states := watch(t, b)
	held := []*compositor.State{next(t, states), read(t, b)}
	before := fmt.Sprintf("%+v", held)
	for _, a := range []compositor.Action{
		{Name: "focus-window", Window: find(t, held[0], "a").ID},
		{Name: "focus-workspace", Arg: compositor.Arg{Number: 5}},
		{Name: "fullscreen-window", Window: find(t, held[0], "a").ID},
		{Name: "close-window", Window: find(t, held[0], "b").ID},
	} {
		do(t, b, held[0], a)
		next(t, states)
	}
	if after := fmt.Sprintf("%+v", held); after != before {
		t.Errorf("states that were handed out changed from\n%s to\n%s", before, after)
	}
}

func read(t *testing.T, b compositor.Backend) *compositor.State {
	t.Helper()
	s, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func do(t *testing.T, b compositor.Backend, s *compositor.State, a compositor.Action) {
	t.Helper()
	if err := b.Do(t.Context(), s, a); err != nil {
		t.Fatalf("Do(%s) = %v", a.Name, err)
	}
}

func find(t *testing.T, s *compositor.State, app string) compositor.Window {
	t.Helper()
	i := slices.IndexFunc(s.Windows, func(w compositor.Window) bool { return w.AppID == app })
	if i < 0 {
		t.Fatalf("there is no %s: %s", app, Facts(s))
	}
	return s.Windows[i]
}

// missing returns an id that no window has.
func missing(s *compositor.State) compositor.WindowID {
	id := compositor.WindowID(424242)
	for _, w := range s.Windows {
		id += w.ID
	}
	return id
}

func focused(s *compositor.State) string {
	w, _ := s.Focused()
	return w.AppID
}
