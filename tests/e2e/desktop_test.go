package e2e

import (
	"os"
	"testing"
	"time"
)

// A Window is what the compositor says of one window.
type Window struct {
	ID         uint64
	AppID      string
	Title      string
	PID        int
	Focused    bool
	Workspace  string
	Output     string
	Fullscreen bool
	Floating   bool
}

// A desktop is the compositor under the test. Its answers are the oracle, so it
// asks the compositor itself and nothing of ours.
type desktop interface {
	name() string
	// start brings the compositor up and adds its sockets to the session.
	start()
	// plugIn gives the seat its keyboard, with the session's layouts.
	plugIn()
	windows() []Window
	// workspace returns the focused workspace.
	workspace() string
	focus(id uint64)
	pids() []int
	stop()
}

// newDesktop returns the desktop that the environment asks for.
func newDesktop(t *testing.T, s *Session) desktop {
	t.Helper()
	switch kind := os.Getenv("UTTER_E2E_COMPOSITOR"); kind {
	case "", "sway":
		return &sway{s: s}
	case "niri":
		path := os.Getenv("UTTER_E2E_NIRI")
		if path == "" {
			os.RemoveAll(s.dir)
			t.Skip("UTTER_E2E_NIRI names no niri binary")
		}
		return &niri{s: s, path: path, host: sway{s: s}}
	default:
		t.Fatalf("UTTER_E2E_COMPOSITOR=%s is neither sway nor niri", kind)
		return nil
	}
}

// sway returns the session's sway, and skips the test on another compositor.
func (s *Session) sway() *sway {
	s.t.Helper()
	d, ok := s.desktop.(*sway)
	if !ok {
		s.t.Skip("needs sway's workspaces and outputs")
	}
	return d
}

// find returns the windows that fit.
func (s *Session) find(fits func(Window) bool) (found []Window) {
	for _, w := range s.desktop.windows() {
		if fits(w) {
			found = append(found, w)
		}
	}
	return found
}

// byApp returns the windows of one app_id.
func (s *Session) byApp(appID string) []Window {
	return s.find(func(w Window) bool { return w.AppID == appID })
}

// window returns the window called id as it is now, or a zero Window.
func (s *Session) window(id uint64) Window {
	if found := s.find(func(w Window) bool { return w.ID == id }); len(found) > 0 {
		return found[0]
	}
	return Window{}
}

// focused returns the focused window, or a zero Window.
func (s *Session) focused() Window {
	if found := s.find(func(w Window) bool { return w.Focused }); len(found) > 0 {
		return found[0]
	}
	return Window{}
}

// awaitWindow waits until a window fits and returns it.
func (s *Session) awaitWindow(what string, within time.Duration, fits func(Window) bool) (w Window) {
	s.t.Helper()
	s.await("a window: "+what, within, func() bool {
		found := s.find(fits)
		if len(found) > 0 {
			w = found[len(found)-1]
		}
		return len(found) > 0
	})
	return w
}

// bringToFront focuses a window behind the agent's back.
func (s *Session) bringToFront(w Window) {
	s.t.Helper()
	s.desktop.focus(w.ID)
	s.await("focus on "+w.AppID, 3*time.Second, func() bool { return s.focused().ID == w.ID })
}

// checkWindows fails the test unless exactly these windows are open, in any
// order.
func (s *Session) checkWindows(want []Window) {
	s.t.Helper()
	got := s.desktop.windows()
	known := map[uint64]bool{}
	for _, w := range want {
		known[w.ID] = true
	}
	for _, w := range got {
		if !known[w.ID] {
			s.t.Errorf("a window was added: %+v", w)
		}
		delete(known, w.ID)
	}
	for id := range known {
		s.t.Errorf("window %d is gone", id)
	}
}
