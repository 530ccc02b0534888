package apps_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/shared/op"
	"utter/shared/plan"
)

// starts makes the launcher return a process of this id, and something happen
// after a while.
func (b *bench) starts(pid int, after time.Duration, happens func()) {
	b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
		time.AfterFunc(after, happens)
		return lives(pid)
	}
}

const startTime = 10 * time.Second

// What proves that an application has come up, and what does not.
func TestWhatProvesALaunch(t *testing.T) {
	const viewer1, viewer2, other = 1, 2, 3 // these are open, and the last has the focus
	for _, tt := range []struct {
		what    string
		happens func(s *screen)
		want    compositor.WindowID // 0: nothing is proved
	}{
		{"a window of it", func(s *screen) { s.Open(window(5, "viewer")) }, 5},
		{"a window by the class of its desktop file", func(s *screen) { s.Open(window(5, "Viewer-Class")) }, 5},
		{"the same in another case", func(s *screen) { s.Open(window(5, "viewer-CLASS")) }, 5},
		{"a window of its process", func(s *screen) { s.Open(compositor.Window{ID: 5, AppID: "unheard-of", PID: me}) }, 5},
		{"an old window that gets the focus", func(s *screen) {
			s.Do(context.Background(), nil, compositor.Action{Name: "focus-window", Window: viewer1})
		}, viewer1},
		{"nothing", func(*screen) {}, 0},
		{"a window of another application", func(s *screen) { s.Open(window(5, "other")) }, 0},
		{"a window of an unknown one", func(s *screen) { s.Open(compositor.Window{ID: 5, AppID: "unheard-of", PID: 1}) }, 0},
		{"a window without a name or process", func(s *screen) { s.Open(compositor.Window{ID: 5}) }, 0},
		{"an old window with another title",
			func(s *screen) { s.Update(viewer1, func(w *compositor.Window) { w.Title = "new" }) }, 0},
		{"an old window that closes", func(s *screen) { s.Remove(viewer1) }, 0},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, viewer, window(viewer1, "viewer"), window(viewer2, "viewer"), window(other, "other"))
				b.starts(me, time.Second, func() { tt.happens(b.screen) })
				start := time.Now()
				if tt.want != 0 {
					if done, _ := b.do(op.LaunchApp{App: "viewer"}, plan.Completed, ""); done.Window != uint64(tt.want) {
						t.Errorf("window %d, want %d", done.Window, tt.want)
					}
					return
				}
				_, message := b.do(op.LaunchApp{App: "viewer"}, plan.Unknown, plan.Timeout)
				contains(t, message, "Viewer was started", "none of its windows", "10s")
				if took := time.Since(start); took != startTime {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// The window that had the focus before is not a sign, wherever the focus goes and
// comes back.
func TestTheFocusThatWasThereProvesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer, window(1, "viewer"))
		b.starts(1<<30, time.Second, func() { b.screen.Update(1, func(w *compositor.Window) { w.Urgent = true }) })
		b.do(op.LaunchApp{App: "viewer"}, plan.Unknown, plan.Timeout)
	})
}

// A program that ends with an error has not been opened, and the answer comes at
// once; one that ends well may have handed its work to another. These are real
// processes: the clock of the test stands still while they run.
func TestAProgramThatEnds(t *testing.T) {
	for _, tt := range []struct {
		status  string
		outcome plan.Outcome
		reason  plan.Reason
		took    time.Duration
		says    string
	}{
		{"7", plan.Failed, "", 0, "exit status 7"},
		{"0", plan.Unknown, plan.Timeout, startTime, "none of its windows"},
	} {
		t.Run(tt.status, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, viewer)
				l, err := launch.New(nil)
				if err != nil {
					t.Fatal(err)
				}
				b.launcher.onStart = func(c launch.Command) (*launch.Process, error) {
					c.Dir = ""
					return l.Start(t.Context(), c)
				}
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				args := op.LaunchApp{App: "viewer", Argv: []string{self, "exit", tt.status}}
				_, message := b.do(args, tt.outcome, tt.reason)
				if took := time.Since(start); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
				contains(t, message, "Viewer", tt.says)
			})
		})
	}
}

// The app id of a window that our own launch brought is learned: the next time
// the window is found, and the user is told what to write down.
func TestALaunchTeaches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		odd := compositor.Window{ID: 5, AppID: "org.Viewer.Main Window", PID: me}
		if p := b.AppOf(odd); p != nil {
			t.Fatalf("before, it is a window of %s", p.Name)
		}
		b.starts(me, time.Second, func() { b.screen.Open(odd) })
		_, message := b.do(op.EnsureApp{App: "viewer"}, plan.Completed, "")
		contains(t, message, "Viewer is open", `"org.Viewer.Main Window"`, "app_ids")
		if p := b.AppOf(compositor.Window{ID: 9, AppID: odd.AppID}); p == nil || p.ID != "viewer" {
			t.Errorf("it is a window of %v now", p)
		}
		b.launcher.calls()
		_, message = b.do(op.EnsureApp{App: "viewer"}, plan.Completed, "")
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it started again: %s", calls)
		}
		if strings.Contains(message, "app_ids") {
			t.Errorf("it nags: %q", message)
		}
		// What it has learned outlives a reload.
		b.reload(viewer.library(t))
		if p := b.AppOf(odd); p == nil || p.ID != "viewer" {
			t.Errorf("after a reload it is a window of %v", p)
		}
	})
}

// A window that is known to be another application's teaches nothing.
func TestALaunchDoesNotTakeAnothersName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		b.starts(me, time.Second, func() { b.screen.Open(compositor.Window{ID: 5, AppID: "other", PID: me}) })
		_, message := b.do(op.EnsureApp{App: "viewer"}, plan.Completed, "")
		if message != "Viewer is open" {
			t.Errorf("it says %q", message)
		}
		if p := b.AppOf(window(5, "other")); p == nil || p.ID != "other" {
			t.Errorf("it is a window of %v", p)
		}
	})
}

// A reload while an application starts makes new profiles of the same
// applications.
func TestAReloadDoesNotHideALaunch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		b.starts(1<<30, time.Second, func() {
			b.reload(viewer.library(t))
			b.screen.Open(window(5, "viewer"))
		})
		b.do(op.EnsureApp{App: "viewer"}, plan.Completed, "")
	})
}

// Where the compositor goes away meanwhile, nothing is known.
func TestACompositorThatGoesAwayDuringALaunch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		b.starts(1<<30, time.Second, func() { b.screen.Close() })
		_, message := b.do(op.EnsureApp{App: "viewer"}, plan.Unknown, plan.Missing)
		contains(t, message, "Viewer", "compositor")
	})
}
