package apps_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/shared/op"
	"utter/shared/plan"
)

var hosted = shelf{
	entries: map[string]string{
		"foot":   "Name=Foot\nExec=foot\nCategories=TerminalEmulator",
		"sysmon": "Name=System Monitor\nExec=foot -T sysmon sleep 100",
		"htop":   "Name=Htop\nExec=htop\nTerminal=true",
		"tool":   "Name=Tool\nExec=tool-bin",
		"Portal": "Name=Portal\nExec=steam steam://rungameid/400",
	},
	user: map[string]string{"sysmon.yaml": "id: sysmon\naliases: [my monitor]\n", "portal.yaml": "id: Portal\nshortcuts: {jump: space}\n"},
}

// What an application runs in is not its own: only the window that its launch
// brought is, and only while it is open.
func TestAWindowInAHostIsItsApplications(t *testing.T) {
	for _, app := range []string{"sysmon", "htop"} {
		t.Run(app, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, hosted, window(1, "foot"))
				b.do(op.CloseApp{App: app}, plan.Refused, plan.NotFound)
				b.starts(os.Getpid(), time.Second, func() {
					b.screen.Open(compositor.Window{ID: 2, AppID: "foot", PID: os.Getpid()})
				})
				b.do(op.EnsureApp{App: app}, plan.Completed, "")
				b.do(op.EnsureApp{App: "foot"}, plan.Completed, "")
				if b.focused() != 1 {
					t.Errorf("the terminal is window %d", b.focused())
				}
				b.do(op.EnsureApp{App: app}, plan.Completed, "")
				if b.focused() != 2 || b.open() != "1 2" {
					t.Errorf("the focus is on %d of %s", b.focused(), b.open())
				}
				b.do(op.CloseApp{App: app}, plan.Completed, "")
				if b.open() != "1" {
					t.Errorf("the windows %s are left", b.open())
				}
				// A window that gets the same number later is not it.
				b.screen.Open(compositor.Window{ID: 2, AppID: "foot", PID: 1 << 30})
				b.do(op.CloseApp{App: app}, plan.Refused, plan.NotFound)
			})
		})
	}
}

func TestAGuessClosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, hosted, window(1, "tool-bin"), window(2, "steam"))
		b.do(op.FocusApp{App: "tool"}, plan.Completed, "")
		_, message := b.do(op.CloseApp{App: "tool"}, plan.Refused, plan.Ambiguous)
		contains(t, message, "Tool", `"tool-bin"`, "app_ids")
		b.do(op.CloseApp{App: "Portal"}, plan.Refused, plan.NotFound)
		if b.open() != "1 2" {
			t.Errorf("the windows %s are left", b.open())
		}
		// Our own launch proves it.
		b.screen.Remove(1)
		synctest.Wait()
		b.starts(os.Getpid(), time.Second, func() {
			b.screen.Open(compositor.Window{ID: 3, AppID: "tool-bin", PID: os.Getpid()})
		})
		b.do(op.LaunchApp{App: "tool"}, plan.Completed, "")
		b.do(op.CloseApp{App: "tool"}, plan.Completed, "")
		if b.open() != "2" {
			t.Errorf("the windows %s are left", b.open())
		}
	})
}

// A terminal with an app id of its own is one by its process.
func TestATerminalIsOneByItsProgram(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	start := func(name string) int {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(sleep)
		if err == nil {
			err = os.WriteFile(path, text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(path, "60")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		return c.Process.Pid
	}
	foot, editor := start("foot"), start("editor")
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, hosted)
		for i, tt := range []struct {
			appID string
			pid   int
			want  bool
		}{
			{"dropdown", foot, true}, {"dropdown", editor, false}, {"foot", 0, true}, {"", foot, true}, {"", 0, false}, {"sysmon", foot, true},
		} {
			w := compositor.Window{ID: compositor.WindowID(i), AppID: tt.appID, PID: tt.pid}
			if got := b.IsTerminal(w); got != tt.want {
				t.Errorf("%+v is a terminal: %v", w, got)
			}
		}
	})
}
