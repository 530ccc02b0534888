package apps_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/agent/internal/launch"
	"utter/shared/op"
	"utter/shared/plan"
)

// Three applications; that of the tests is the viewer.
var viewer = shelf{entries: map[string]string{
	"viewer": "Name=Viewer\nExec=viewer --plain %F\nPath=/srv/pictures\nStartupWMClass=Viewer-Class",
	"other":  "Name=Other\nExec=other",
	"htop":   "Name=Htop\nExec=htop\nTerminal=true",
}}

func window(id compositor.WindowID, appID string) compositor.Window {
	return compositor.Window{ID: id, AppID: appID}
}

func TestAnOpenApplicationIsFocused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer, window(3, "viewer"), window(1, "viewer"), window(2, "other"))
		for _, tt := range []struct {
			what string
			args op.Args
			want compositor.WindowID
		}{
			{"the latest", op.EnsureApp{App: "viewer"}, 1},
			{"the next one", op.EnsureApp{App: "viewer"}, 3},
			{"round again", op.FocusApp{App: "viewer"}, 1},
			{"and again", op.FocusApp{App: "viewer"}, 3},
		} {
			done, message := b.do(tt.args, plan.Completed, "")
			if b.focused() != tt.want || done.Window != uint64(tt.want) {
				t.Errorf("%s: window %d, the focus is on %d; want %d", tt.what, done.Window, b.focused(), tt.want)
			}
			contains(t, message, "Viewer has the focus")
		}
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it started: %s", calls)
		}
	})
}

// The windows of an application are found whatever number they have.
func TestTheOnlyWindowStaysFocused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const huge = compositor.WindowID(1) << 63
		b := newBench(t, viewer, window(2, "other"), window(huge, "viewer"))
		for range 2 {
			b.do(op.EnsureApp{App: "viewer"}, plan.Completed, "")
			if b.focused() != huge {
				t.Errorf("the focus is on %d", b.focused())
			}
		}
		b.screen.Open(window(huge+1, "viewer"))
		synctest.Wait()
		for _, want := range []compositor.WindowID{huge, huge + 1, huge} {
			b.do(op.FocusApp{App: "viewer"}, plan.Completed, "")
			if b.focused() != want {
				t.Errorf("the focus is on %d, want %d", b.focused(), want)
			}
		}
	})
}

func TestFocusAppStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer, window(2, "other"))
		_, message := b.do(op.FocusApp{App: "viewer"}, plan.Refused, plan.NotFound)
		contains(t, message, "Viewer")
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it started: %s", calls)
		}
	})
}

// An application that is not open is started as its desktop file says, with
// what it needs to find this desktop and to take the focus.
func TestAnApplicationIsStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer, window(2, "other"))
		b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
			time.AfterFunc(3*time.Second, func() { b.screen.Open(window(5, "viewer")) })
			return lives(1 << 30)
		}
		start := time.Now()
		done, message := b.do(op.EnsureApp{App: "viewer"}, plan.Completed, "")
		if took := time.Since(start); took != 3*time.Second || done.Window != 5 {
			t.Errorf("window %d after %v", done.Window, took)
		}
		if message != "Viewer is open" {
			t.Errorf("it says %q", message)
		}
		if calls := b.launcher.calls(); calls != "start viewer --plain" {
			t.Errorf("it did: %s", calls)
		}
		c := b.launcher.last
		if c.Dir != "/srv/pictures" || c.Name != "viewer" {
			t.Errorf("command %+v", c)
		}
		for name, want := range map[string]string{
			"WAYLAND_DISPLAY": "wayland-7", "XDG_ACTIVATION_TOKEN": "token-for-viewer", "DESKTOP_STARTUP_ID": "token-for-viewer",
		} {
			if c.Env[name] != want {
				t.Errorf("%s = %q, want %q", name, c.Env[name], want)
			}
		}
	})
}

// The plan's own command counts, and is passed on as it is.
func TestThePlansCommandIsStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		next := compositor.WindowID(10)
		b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
			next++
			b.screen.Open(window(next, "viewer"))
			return lives(1 << 30)
		}
		argv := []string{"viewer", "--new-window", "a && b; $(c)", "3"}
		b.do(op.LaunchApp{App: "viewer", Argv: argv}, plan.Completed, "")
		if got, want := fmt.Sprintf("%q", b.launcher.last.Argv), `["viewer" "--new-window" "a && b; $(c)" "3"]`; got != want {
			t.Errorf("argv = %s, want %s", got, want)
		}
		// Without an application the program stands for it.
		b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
			b.screen.Open(window(30, "Xyz"))
			return lives(1 << 30)
		}
		done, message := b.do(op.LaunchApp{Argv: []string{"xyz", "-v"}}, plan.Completed, "")
		if done.Window != 30 || b.launcher.last.Name != "xyz" {
			t.Errorf("window %d of %q", done.Window, b.launcher.last.Name)
		}
		contains(t, message, "xyz is open")
	})
}

func TestATerminalApplicationRunsInATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
			b.screen.Open(compositor.Window{ID: 5, AppID: "a-terminal", PID: me})
			return lives(me)
		}
		_, message := b.do(op.EnsureApp{App: "htop"}, plan.Completed, "")
		if calls := b.launcher.calls(); calls != "start a-terminal -e htop" {
			t.Errorf("it did: %s", calls)
		}
		// The terminal's windows are not all htop's, now or later.
		if message != "Htop is open" {
			t.Errorf("it says %q", message)
		}
		b.screen.Open(window(6, "a-terminal"))
		synctest.Wait()
		if p := b.AppOf(window(6, "a-terminal")); p != nil {
			t.Errorf("a terminal counts as %s", p.Name)
		}
	})
}

func TestWithoutATerminalATerminalApplicationIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		b.noTerminal = true
		_, message := b.do(op.EnsureApp{App: "htop"}, plan.Refused, plan.Missing)
		contains(t, message, "no terminal")
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it did: %s", calls)
		}
	})
}

// What cannot be started is named.
func TestWhatIsNotThereIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := viewer
		gone.missing = []string{"viewer"}
		b := newBench(t, gone)
		_, message := b.do(op.EnsureApp{App: "viewer"}, plan.Refused, plan.Missing)
		contains(t, message, "Viewer", "not installed")
		_, message = b.do(op.EnsureApp{App: "unheard-of"}, plan.Refused, plan.Missing)
		contains(t, message, "unheard-of", "not installed")
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it did: %s", calls)
		}

		b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
			return nil, fmt.Errorf("launch: %w", launch.ErrNoProgram)
		}
		_, message = b.do(op.LaunchApp{App: "viewer", Argv: []string{"vw", "x"}}, plan.Refused, plan.Missing)
		contains(t, message, "Viewer", "vw", "not installed")
		b.launcher.onStart = func(launch.Command) (*launch.Process, error) { return nil, errors.New("exec format error") }
		_, message = b.do(op.LaunchApp{Argv: []string{"vw"}}, plan.Failed, "")
		contains(t, message, "exec format error")
	})
}

// Every handler says so where there is no desktop to look at.
func TestWithoutACompositorNothingIsStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer, window(1, "viewer"))
		b.screen.Close()
		synctest.Wait()
		for _, args := range []op.Args{
			op.EnsureApp{App: "viewer"}, op.FocusApp{App: "viewer"}, op.LaunchApp{App: "viewer"}, op.CloseApp{App: "viewer"},
			op.EnsureURL{URL: "https://x.com"}, op.OpenURL{URL: "https://x.com"}, op.Search{Query: "q"},
		} {
			_, err := b.act(t.Context(), plan.Step{Args: args})
			compositortest.CheckError(t, string(args.Op()), err, plan.Refused, plan.Missing)
		}
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it did: %s", calls)
		}
	})
}

// A cancelled launch ends at once, and says no more than that.
func TestALaunchCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, viewer)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := b.act(ctx, plan.Step{Args: op.EnsureApp{App: "viewer"}})
		if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("EnsureApp = %v after %v", err, time.Since(start))
		}
	})
}
