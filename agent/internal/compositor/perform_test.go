package compositor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/agent/internal/compositor/memory"
	"utter/shared/plan"
)

// Windows of the tests below: 1 is on workspace 2, 3 has the focus.
func threeWindows() *memory.Backend {
	place := compositor.Rect{X: 100, Width: 640, Height: 800}
	return memory.New(
		compositor.Window{ID: 1, AppID: "a", Workspace: 2, Rect: place},
		compositor.Window{ID: 2, AppID: "b", Rect: place},
		compositor.Window{ID: 3, AppID: "c", Rect: place})
}

type (
	backend = *memory.Backend
	// A doing is what a compositor does when it is told an action.
	doing = func(backend, compositor.Action) error
)

// change has a window change, after a time.
func change(after time.Duration, id compositor.WindowID, change func(*compositor.Window)) doing {
	return func(b backend, _ compositor.Action) error {
		if after == 0 {
			b.Update(id, change)
		} else {
			later(after, func() { b.Update(id, change) })
		}
		return nil
	}
}

func say(err error) doing {
	return func(backend, compositor.Action) error { return err }
}

func nothing(backend, compositor.Action) error { return nil }

func played(b backend, a compositor.Action) error { return b.Do(context.Background(), nil, a) }

const ms = time.Millisecond

var performTests = []struct {
	action  string
	what    string
	do      doing
	outcome plan.Outcome
	reason  plan.Reason
	took    time.Duration
}{
	{"focus-window 1", "at once", played, plan.Completed, "", 0},
	{"focus-window 1", "late", func(b backend, a compositor.Action) error {
		later(400*ms, func() { played(b, a) })
		return nil
	}, plan.Completed, "", 400 * ms},
	{"focus-window 1", "never", nothing, plan.Unknown, plan.Timeout, 500 * ms},
	{"focus-window 1", "another window instead", func(b backend, a compositor.Action) error {
		return played(b, compositor.Action{Name: a.Name, Window: 2})
	}, plan.Unknown, plan.Timeout, 500 * ms},
	{"focus-window 3", "it has it already", nothing, plan.Completed, "", 0},
	{"focus-window 9", "no such window", played, plan.Refused, plan.NotFound, 0},
	{"focus-window 1", "it has closed meanwhile", say(fmt.Errorf("that window: %w", compositor.ErrNotFound)),
		plan.Refused, plan.NotFound, 0},

	{"close-window", "at once", played, plan.Completed, "", 0},
	{"close-window", "the application takes its time", func(b backend, a compositor.Action) error {
		later(2900*ms, func() { b.Remove(a.Window) })
		return nil
	}, plan.Completed, "", 2900 * ms},
	{"close-window", "it asks whether to save", nothing, plan.Unknown, plan.Timeout, 3000 * ms},
	{"close-window --id 9", "no such window", played, plan.Refused, plan.NotFound, 0},

	{"focus-column-left", "the window to the left", func(b backend, _ compositor.Action) error {
		return played(b, compositor.Action{Name: "focus-window", Window: 2})
	}, plan.Completed, "", 0},
	{"focus-column-left", "nothing there", nothing, plan.Refused, plan.Edge, 100 * ms},
	{"focus-column-left", "an empty workspace of another output", func(b backend, _ compositor.Action) error {
		return played(b, compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Number: 5}})
	}, plan.Completed, "", 0},
	{"focus-column-or-monitor-left", "nothing there", nothing, plan.Refused, plan.Edge, 100 * ms},
	{"move-column-left", "moved", change(0, 3, func(w *compositor.Window) { w.Rect.X = 0 }), plan.Completed, "", 0},
	{"move-column-left", "nothing there", nothing, plan.Refused, plan.Edge, 500 * ms},
	{"move-window-to-monitor-left", "moved", change(300*ms, 3, func(w *compositor.Window) { w.Output = "other" }),
		plan.Completed, "", 300 * ms},
	{"move-window-to-monitor-left", "nothing there", nothing, plan.Refused, plan.Edge, 500 * ms},
	{"focus-monitor memory", "it is there already", nothing, plan.Completed, "", 0},
	{"focus-monitor other", "never", nothing, plan.Refused, plan.Edge, 100 * ms},
	{"move-window-to-monitor memory", "it is there already", nothing, plan.Completed, "", 0},
	{"move-workspace-to-monitor-left", "nothing there", nothing, plan.Refused, plan.Edge, 500 * ms},

	{"focus-workspace 5", "at once", played, plan.Completed, "", 0},
	{"focus-workspace 1", "it is there already", nothing, plan.Completed, "", 0},
	{"focus-workspace 5", "never", nothing, plan.Refused, plan.Edge, 100 * ms},
	{"focus-workspace nowhere", "no such name", played, plan.Refused, plan.NotFound, 0},
	{"focus-workspace-down", "nothing there", nothing, plan.Refused, plan.Edge, 100 * ms},
	{"move-window-to-workspace 2", "moved", change(0, 3, func(w *compositor.Window) { w.Workspace = 2 }),
		plan.Completed, "", 0},
	{"move-window-to-workspace 1", "it is there already", nothing, plan.Completed, "", 0},
	{"move-window-to-workspace 2", "it went to 1", change(0, 1, func(w *compositor.Window) { w.Workspace = 1 }),
		plan.Refused, plan.Edge, 500 * ms},
	{"move-window-to-workspace-down", "moved", change(0, 3, func(w *compositor.Window) { w.Workspace = 2 }),
		plan.Completed, "", 0},
	{"move-window-to-workspace-down", "nothing there", nothing, plan.Refused, plan.Edge, 500 * ms},

	{"fullscreen-window", "toggled", played, plan.Completed, "", 0},
	{"fullscreen-window", "never", nothing, plan.Unknown, plan.Timeout, 500 * ms},
	{"toggle-window-floating", "toggled", change(0, 3, func(w *compositor.Window) { w.Floating = true }),
		plan.Completed, "", 0},
	{"move-window-to-tiling", "it tiles already", nothing, plan.Completed, "", 0},
	{"move-window-to-floating", "never", nothing, plan.Unknown, plan.Timeout, 500 * ms},
	{"set-column-width 50%", "resized", change(0, 3, func(w *compositor.Window) { w.Rect.Width = 100 }),
		plan.Completed, "", 0},
	{"set-column-width 50%", "never", nothing, plan.Unknown, plan.Timeout, 500 * ms},
	{"center-column", "no state shows it", nothing, plan.Unknown, "", 0},
	{"toggle-overview", "no state shows it", nothing, plan.Unknown, plan.Timeout, 500 * ms},

	{"minimize-window", "refused", say(compositor.ErrNotSupported), plan.Refused, plan.NotSupported, 0},
	{"center-column", "refused, wrapped", say(fmt.Errorf("x: %w", compositor.ErrNotSupported)),
		plan.Refused, plan.NotSupported, 0},
	{"focus-column-left", "the compositor's own words", say(errors.New("cannot")), plan.Failed, "", 0},
	{"focus-column-left", "a reason of the backend", say(plan.Refuse(plan.Edge, "no")), plan.Refused, plan.Edge, 0},
	{"focus-column-left", "gone at once", say(fmt.Errorf("%w: EOF", compositor.ErrGone)), plan.Unknown, plan.Missing, 0},
	{"focus-column-left", "gone before the proof", func(b backend, _ compositor.Action) error {
		return b.Close()
	}, plan.Unknown, plan.Missing, 0},
	{"focus-column-left", "gone during the proof", func(b backend, _ compositor.Action) error {
		later(50*ms, func() { b.Close() })
		return nil
	}, plan.Unknown, plan.Missing, 50 * ms},
	{"quit", "it goes at once", func(b backend, _ compositor.Action) error { return b.Close() }, plan.Completed, "", 0},
	{"quit", "it takes its time", func(b backend, _ compositor.Action) error {
		later(300*ms, func() { b.Close() })
		return nil
	}, plan.Completed, "", 300 * ms},
	{"quit", "it stays", nothing, plan.Unknown, plan.Timeout, 500 * ms},
}

// TestPerform tells a Desktop what a compositor does and when; it must answer
// with what is known, and in time.
func TestPerform(t *testing.T) {
	for _, tt := range performTests {
		t.Run(tt.action+": "+tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := follow(t, &scripted{Backend: threeWindows(), do: tt.do})
				a := compositortest.Parse(t, d, tt.action)
				start := time.Now()
				_, err := d.Perform(t.Context(), a)
				compositortest.CheckError(t, "Perform", err, tt.outcome, tt.reason)
				if took := time.Since(start); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

func TestPerformNamesTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := follow(t, threeWindows())
		for _, tt := range []struct {
			action string
			want   compositor.WindowID
		}{{"focus-window 1", 1}, {"fullscreen-window", 1}, {"close-window --id 3", 3}, {"close-window --id 9", 0}} {
			id, err := d.Perform(t.Context(), compositortest.Parse(t, d, tt.action))
			if id != tt.want || (err == nil) != (id != 0) {
				t.Errorf("%s was about %d, %v; want %d", tt.action, id, err, tt.want)
			}
		}
	})
}

// What the state looked like before an action must not be taken for its
// effect, however late the news of it comes.
func TestPerformIsNotFooledByOldNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := threeWindows()
		old, err := b.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		states := make(chan *compositor.State, 1)
		states <- old
		quiet := &scripted{Backend: b, states: states, do: func(*memory.Backend, compositor.Action) error { return nil }}
		d := follow(t, quiet)
		defer close(states)
		if err := b.Do(t.Context(), nil, compositor.Action{Name: "focus-window", Window: 2}); err != nil {
			t.Fatal(err)
		}
		// The Desktop still thinks that 3 has the focus.
		_, err = d.Perform(t.Context(), compositortest.Parse(t, d, "focus-column-left"))
		compositortest.CheckError(t, "Perform", err, plan.Refused, plan.Edge)
	})
}

// On sway "focus left" leaves an empty workspace for that of the next output.
func TestPerformFromEmptyToEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := threeWindows()
		workspace := func(number int) error {
			return b.Do(t.Context(), nil, compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Number: number}})
		}
		if err := workspace(5); err != nil {
			t.Fatal(err)
		}
		d := follow(t, &scripted{Backend: b, do: func(*memory.Backend, compositor.Action) error { return workspace(6) }})
		_, err := d.Perform(t.Context(), compositortest.Parse(t, d, "focus-column-left"))
		compositortest.CheckError(t, "Perform", err, plan.Completed, "")
	})
}

func TestPerformInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := follow(t, &scripted{Backend: threeWindows(), do: func(*memory.Backend, compositor.Action) error { return nil }})
		ctx, cancel := context.WithCancel(t.Context())
		later(50*time.Millisecond, cancel)
		start := time.Now()
		_, err := d.Perform(ctx, compositortest.Parse(t, d, "close-window"))
		compositortest.CheckError(t, "Perform", err, plan.Unknown, plan.Cancelled)
		if took := time.Since(start); took != 50*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

// Nothing has been done yet when the compositor does not say what there is.
func TestPerformWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		did := false
		d := follow(t, &scripted{
			Backend: threeWindows(),
			do:      func(*memory.Backend, compositor.Action) error { did = true; return nil },
			read:    func() (*compositor.State, error) { return nil, compositor.ErrGone },
		})
		_, err := d.Perform(t.Context(), compositortest.Parse(t, d, "close-window"))
		compositortest.CheckError(t, "Perform", err, plan.Refused, plan.Missing)
		if did {
			t.Error("it acted all the same")
		}
		_, err = d.Read(t.Context())
		compositortest.CheckError(t, "Read", err, plan.Refused, plan.Missing)
	})
}
