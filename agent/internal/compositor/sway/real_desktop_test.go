package sway

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/shared/plan"
)

func TestRealFocusAcrossWorkspacesAndOutputs(t *testing.T) {
	d := newDesk(t, 2)
	a := d.open("a")
	d.msg("workspace number 3")
	hidden := d.open("hidden")
	d.msg("focus output HEADLESS-2")
	b := d.open("b")
	d.msg("workspace number 4")
	d.open("c")
	desktop := d.follow()
	for _, tt := range []struct {
		id   compositor.WindowID
		want string
	}{
		{a, "a on 2, HEADLESS-1"}, {b, "b on 1, HEADLESS-2"}, {b, "b on 1, HEADLESS-2"},
		{hidden, "hidden on 3, HEADLESS-1"}, {a, "a on 2, HEADLESS-1"},
	} {
		compositortest.CheckError(t, "Focus", desktop.Focus(t.Context(), tt.id), plan.Completed, "")
		if got := d.where(); got != tt.want {
			t.Errorf("the focus is at %s, want %s", got, tt.want)
		}
	}
	if s := desktop.State(); len(s.Outputs) != 2 || s.Bounds() != (compositor.Rect{Width: 2560, Height: 800}) {
		t.Errorf("outputs = %+v", s.Outputs)
	}
	want := "a hidden b c"
	if _, err := desktop.Wait(t.Context(), func(s *compositor.State) bool { return order(s) == want }); err != nil {
		t.Errorf("the order is %s, want %s", order(desktop.State()), want)
	}
}

func order(s *compositor.State) string {
	var b bytes.Buffer
	for i, w := range s.Windows {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(w.AppID)
	}
	return b.String()
}

// A window of the scratchpad comes to the workspace in use.
func TestRealFocusFromTheScratchpad(t *testing.T) {
	d := newDesk(t, 1)
	id := d.open("a")
	d.msg("move scratchpad")
	d.open("b")
	b := d.backend()
	s, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if w, _ := s.Window(id); !w.Hidden {
		t.Errorf("it is not hidden: %+v", w)
	}
	compositortest.CheckError(t, "Focus", compositortest.Follow(t, b).Focus(t.Context(), id), plan.Completed, "")
	if got := d.where(); got != "a floating_con on 1, HEADLESS-1" {
		t.Errorf("the focus is at %s", got)
	}
}

func TestRealMoveWindow(t *testing.T) {
	d := newDesk(t, 2)
	d.open("a")
	d.open("b")
	desktop := d.follow()
	place := func(app string) (place string) {
		d.tree().visit("", "", func(n *oracle, output, workspace string) {
			if n.AppID == app {
				place = workspace + ", " + output
			}
		})
		return place
	}
	for _, tt := range []struct {
		action  string
		outcome plan.Outcome
		reason  plan.Reason
		b, at   string // where the window b is then, and the focus
	}{
		{"move-window-to-workspace 5", plan.Completed, "", "5, HEADLESS-1", "a on 2, HEADLESS-1"},
		{"move-window-to-workspace nowhere", plan.Refused, plan.NotFound, "5, HEADLESS-1", "a on 2, HEADLESS-1"},
		{"focus-workspace 99", plan.Completed, "", "5, HEADLESS-1", "workspace on 99, HEADLESS-1"},
		{"move-window-to-workspace 5", plan.Refused, plan.NotFound, "5, HEADLESS-1", "workspace on 99, HEADLESS-1"},
		{"focus-workspace-previous", plan.Completed, "", "5, HEADLESS-1", "a on 2, HEADLESS-1"},
		{"focus-workspace 5", plan.Completed, "", "5, HEADLESS-1", "b on 5, HEADLESS-1"},
		{"move-window-to-monitor HEADLESS-2", plan.Completed, "", "1, HEADLESS-2", "workspace on 5, HEADLESS-1"},
		{"focus-monitor-right", plan.Completed, "", "1, HEADLESS-2", "b on 1, HEADLESS-2"},
		{"move-window-to-monitor headless-2", plan.Completed, "", "1, HEADLESS-2", "b on 1, HEADLESS-2"},
		{"move-window-to-monitor-next", plan.Completed, "", "5, HEADLESS-1", "workspace on 1, HEADLESS-2"},
		{"focus-monitor HEADLESS-2", plan.Completed, "", "5, HEADLESS-1", "workspace on 1, HEADLESS-2"},
		{"focus-monitor DP-7", plan.Refused, plan.NotFound, "5, HEADLESS-1", "workspace on 1, HEADLESS-2"},
	} {
		perform(t, desktop, tt.action, tt.outcome, tt.reason)
		if got, at := place("b"), d.where(); got != tt.b || at != tt.at {
			t.Errorf("after %s: b is on %s and the focus at %s; want %s and %s", tt.action, got, at, tt.b, tt.at)
		}
	}
}

func TestRealFloatingAndSize(t *testing.T) {
	d := newDesk(t, 1)
	d.open("a")
	b := d.backend()
	desktop := compositortest.Follow(t, b)
	perform(t, desktop, "set-column-width 50%", plan.Unknown, plan.Timeout) // the only one fills the output
	perform(t, desktop, "set-column-width +10%", plan.Failed, "")           // here sway says so
	d.open("b")
	for _, tt := range []struct{ action, want string }{
		{"toggle-window-floating", "a on 1; b on 1 focused floating; workspace 1"},
		{"move-window-to-floating", "a on 1; b on 1 focused floating; workspace 1"}, // it does
		{"set-window-width 400", "a on 1; b on 1 focused floating; workspace 1"},
		{"set-window-height +20", "a on 1; b on 1 focused floating; workspace 1"},
		{"move-column-left", "a on 1; b on 1 focused floating; workspace 1"},
		{"focus-tiling", "a on 1 focused; b on 1 floating; workspace 1"},
		{"focus-floating", "a on 1; b on 1 focused floating; workspace 1"},
		{"switch-focus-between-floating-and-tiling", "a on 1 focused; b on 1 floating; workspace 1"},
		{"focus-window-previous", "a on 1; b on 1 focused floating; workspace 1"},
		{"move-window-to-tiling", "a on 1; b on 1 focused; workspace 1"},
		{"move-window-to-tiling", "a on 1; b on 1 focused; workspace 1"}, // it does
		{"set-column-width 30%", "a on 1; b on 1 focused; workspace 1"},
		{"move-column-left", "a on 1; b on 1 focused; workspace 1"},
		{"focus-column-last", "a on 1 focused; b on 1; workspace 1"},
		{"focus-column-first", "a on 1; b on 1 focused; workspace 1"},
		{"fullscreen-window", "a on 1; b on 1 focused fullscreen; workspace 1"},
	} {
		perform(t, desktop, tt.action, plan.Completed, "")
		s, err := b.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := compositortest.Facts(s); got != tt.want {
			t.Errorf("after %s: %s, want %s", tt.action, got, tt.want)
		}
	}
	// A window behind one in fullscreen gets the focus, and the other shrinks.
	compositortest.CheckError(t, "Focus", desktop.Focus(t.Context(), d.id("a")), plan.Completed, "")
	s, err := b.Read(t.Context())
	if got, want := compositortest.Facts(s), "a on 1 focused; b on 1; workspace 1"; err != nil || got != want {
		t.Errorf("after Focus: %s, %v; want %s", got, err, want)
	}
}

func TestRealClose(t *testing.T) {
	d := newDesk(t, 1)
	d.open("a")
	d.open("b")
	frozen := d.open("frozen")
	desktop := d.follow()
	pid := d.pid("frozen")
	perform(t, desktop, "focus-column-left", plan.Completed, "")
	perform(t, desktop, "close-window", plan.Completed, "")
	if got := d.where(); got != "frozen on 1, HEADLESS-1" {
		t.Errorf("the focus is at %s", got)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	compositortest.CheckError(t, "CloseWindow", desktop.CloseWindow(t.Context(), frozen), plan.Unknown, plan.Timeout)
	if took := time.Since(start); took < 3*time.Second || took > 5*time.Second {
		t.Errorf("it waited %v for an application that hangs", took)
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := desktop.Wait(t.Context(), func(s *compositor.State) bool { return len(s.Windows) == 1 }); err != nil {
		t.Error(err)
	}
	compositortest.CheckError(t, "CloseWindow again", desktop.CloseWindow(t.Context(), frozen),
		plan.Refused, plan.NotFound)
	if got := d.where(); got != "a on 1, HEADLESS-1" {
		t.Errorf("the focus is at %s", got)
	}
}

// After a crash the next sway has other sockets and begins its ids again.
func TestRealRestart(t *testing.T) {
	d := newDesk(t, 2)
	d.open("old")
	old, oldDisplay, oldSocket := d.id("old"), d.display, d.socket
	// The agent keeps the environment that it was started with.
	env := compositortest.Getenv(map[string]string{"SWAYSOCK": oldSocket, "WAYLAND_DISPLAY": oldDisplay})
	desktop := compositortest.FollowAll(t, d.connector(env))
	check := func() {
		t.Helper()
		info, ok := desktop.Info()
		if !ok || info.Name != "sway" || info.Env["WAYLAND_DISPLAY"] != d.display || info.Env["SWAYSOCK"] != d.socket {
			t.Errorf("Info = %+v, %v; want %s and %s", info, ok, d.display, d.socket)
		}
	}
	check()
	d.kill()
	if !compositortest.Eventually(func() bool { _, ok := desktop.Info(); return !ok }) {
		t.Fatal("it did not notice that sway is gone")
	}
	perform(t, desktop, "focus-column-left", plan.Refused, plan.Missing)
	if n := len(desktop.State().Windows); n != 0 {
		t.Errorf("it still shows %d windows", n)
	}

	d.start()
	if d.display == oldDisplay || d.socket == oldSocket {
		t.Fatalf("the new sway has the old sockets: %s, %s", d.display, d.socket)
	}
	d.open("first")
	d.msg("workspace number 6")
	d.open("second")
	if err := desktop.AwaitConnection(t.Context(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	check()
	s, err := desktop.Wait(t.Context(), func(s *compositor.State) bool { return len(s.Windows) == 2 })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := compositortest.Facts(s), "first on 2; second on 6 focused; workspace 6"; got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
	if old != d.id("first") {
		t.Logf("the ids did not begin again: %d, %d", old, d.id("first"))
	}
	compositortest.CheckError(t, "Focus", desktop.Focus(t.Context(), d.id("first")), plan.Completed, "")
	if got := d.where(); got != "first on 2, HEADLESS-1" {
		t.Errorf("the focus is at %s", got)
	}
}

// A sway that hangs costs a limited time, and the agent finds it again when it
// goes on.
func TestRealFrozen(t *testing.T) {
	d := newDesk(t, 1)
	d.open("a")
	desktop := compositortest.FollowAll(t, d.connector(compositortest.Getenv(map[string]string{"SWAYSOCK": d.socket})))
	if err := d.sway.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	perform(t, desktop, "fullscreen-window", plan.Refused, plan.Missing)
	if took := time.Since(start); took > replyTime+2*time.Second {
		t.Errorf("it waited %v", took)
	}
	if err := d.sway.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if !compositortest.Eventually(func() bool {
		desktop.Kick()
		_, err := desktop.Read(t.Context())
		return err == nil
	}) {
		t.Fatal("it did not find sway again")
	}
	perform(t, desktop, "fullscreen-window", plan.Completed, "")
}

func TestRealQuit(t *testing.T) {
	d := newDesk(t, 1)
	d.open("a")
	perform(t, d.follow(), "quit", plan.Completed, "")
	select {
	case <-d.exited:
	case <-time.After(10 * time.Second):
		t.Error("sway still runs")
	}
}
