package compositortest

import (
	"strings"
	"sync"
	"testing"

	"utter/agent/internal/compositor"
	"utter/shared/plan"
)

func testFocus(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	d := Follow(t, b)
	id := find(t, read(t, b), "a").ID
	for range 2 { // the second time it has the focus already
		CheckError(t, "Focus", d.Focus(t.Context(), id), plan.Completed, "")
		if got, want := Facts(read(t, b)), "a on 2 focused; b on 1; workspace 2"; got != want {
			t.Errorf("after Focus: %q, want %q", got, want)
		}
	}
	if _, err := d.Wait(t.Context(), func(s *compositor.State) bool { return focused(s) == "a" }); err != nil {
		t.Errorf("Wait = %v", err)
	}
}

func testClose(t *testing.T, newBackend Factory) {
	b := newBackend(t, Wanted{"a", 2}, Wanted{"c", 1}, Wanted{"b", 1})
	d := Follow(t, b)
	s := read(t, b)
	for _, tt := range []struct{ app, left string }{
		{"a", "b on 1 focused; c on 1; workspace 1"}, // out of sight
		{"c", "b on 1 focused; workspace 1"},         // beside the focused one
		{"b", "workspace 1"},                         // the focused one
	} {
		CheckError(t, "CloseWindow", d.CloseWindow(t.Context(), find(t, s, tt.app).ID), plan.Completed, "")
		if got := Facts(read(t, b)); got != tt.left {
			t.Errorf("after closing %s: %q, want %q", tt.app, got, tt.left)
		}
	}
	_, err := d.Perform(t.Context(), compositor.Action{Name: "close-window"})
	CheckError(t, "close-window without a window", err, plan.Refused, plan.NotFound)
}

func testFullscreen(t *testing.T, newBackend Factory) {
	b := newBackend(t, Wanted{"a", 1}, Wanted{"b", 1})
	d := Follow(t, b)
	want := find(t, read(t, b), "b").ID
	for _, after := range []string{"a on 1; b on 1 focused fullscreen; workspace 1",
		"a on 1; b on 1 focused; workspace 1"} {
		id, err := d.Perform(t.Context(), compositor.Action{Name: "fullscreen-window"})
		CheckError(t, "fullscreen-window", err, plan.Completed, "")
		if id != want {
			t.Errorf("it was about the window %d, want %d", id, want)
		}
		if got := Facts(read(t, b)); got != after {
			t.Errorf("it is %q, want %q", got, after)
		}
	}
}

func testWorkspace(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	d := Follow(t, b)
	for range 2 { // the second time it is there already
		_, err := d.Perform(t.Context(), compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Number: 99}})
		CheckError(t, "focus-workspace 99", err, plan.Completed, "")
		if got, want := Facts(read(t, b)), "a on 2; b on 1; workspace 99"; got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
	_, err := d.Perform(t.Context(), compositor.Action{Name: "fullscreen-window"})
	CheckError(t, "fullscreen-window on an empty workspace", err, plan.Refused, plan.NotFound)
	_, err = d.Perform(t.Context(), compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Text: "nowhere"}})
	CheckError(t, "focus-workspace nowhere", err, plan.Refused, plan.NotFound)
	CheckError(t, "Focus", d.Focus(t.Context(), find(t, read(t, b), "b").ID), plan.Completed, "")
	if got, want := Facts(read(t, b)), "a on 2; b on 1 focused; workspace 1"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}

func testPerformMissing(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	d := Follow(t, b)
	s := read(t, b)
	for _, name := range []string{"focus-window", "close-window", "fullscreen-window"} {
		_, err := d.Perform(t.Context(), compositor.Action{Name: name, Window: missing(s)})
		CheckError(t, name+" of a missing window", err, plan.Refused, plan.NotFound)
	}
	// 0 is what code has that forgot to find a window: it is none, not the
	// focused one.
	CheckError(t, "CloseWindow(0)", d.CloseWindow(t.Context(), 0), plan.Refused, plan.NotFound)
	CheckError(t, "Focus(0)", d.Focus(t.Context(), 0), plan.Refused, plan.NotFound)
	if after := Facts(read(t, b)); after != Facts(s) {
		t.Errorf("%q became %q", Facts(s), after)
	}
}

func testPerformUnknown(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	d := Follow(t, b)
	before := Facts(read(t, b))
	for _, name := range refused {
		_, err := d.Perform(t.Context(), compositor.Action{Name: name, Arg: compositor.Arg{Text: "true"}})
		CheckError(t, name, err, plan.Refused, plan.NotSupported)
		if err != nil && !(strings.Contains(err.Error(), name) && strings.Contains(err.Error(), b.Info().Name)) {
			t.Errorf("%q does not name %s and %s", err, b.Info().Name, name)
		}
	}
	if after := Facts(read(t, b)); after != before {
		t.Errorf("%q became %q", before, after)
	}
}

func testEdge(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	d := Follow(t, b)
	before := Facts(read(t, b))
	for _, name := range []string{"focus-column-left", "focus-column-right"} {
		_, err := d.Perform(t.Context(), compositor.Action{Name: name})
		CheckError(t, name+" of the only window", err, plan.Refused, plan.Edge)
	}
	if after := Facts(read(t, b)); after != before {
		t.Errorf("%q became %q", before, after)
	}
}

// The race detector does most of the checking here.
func testConcurrent(t *testing.T, newBackend Factory) {
	b := newBackend(t, far...)
	d := Follow(t, b)
	s := read(t, b)
	a, other := find(t, s, "a").ID, find(t, s, "b").ID
	var workers sync.WaitGroup
	repeat := func(what string, work func() error) {
		workers.Go(func() {
			for range 20 {
				if err := work(); err != nil {
					t.Errorf("%s = %v", what, err)
					return
				}
			}
		})
	}
	for range 2 {
		repeat("Focus", func() error { return d.Focus(t.Context(), a) })
		repeat("Read", func() error {
			s, err := b.Read(t.Context())
			if err == nil && len(s.Windows) != 2 {
				t.Errorf("Read shows %s", Facts(s))
			}
			return err
		})
	}
	repeat("Do", func() error {
		return b.Do(t.Context(), s, compositor.Action{Name: "fullscreen-window", Window: other})
	})
	repeat("State", func() error {
		d.Info()
		_ = Facts(d.State())
		_, err := d.Wait(t.Context(), func(s *compositor.State) bool { return len(s.Windows) == 2 })
		return err
	})
	workers.Wait()
	if got, want := Facts(read(t, b)), "a on 2 focused; b on 1; workspace 2"; got != want {
		t.Errorf("in the end it is %q, want %q", got, want)
	}
}
