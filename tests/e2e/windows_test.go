package e2e

import (
	"fmt"
	"testing"
)

func TestFocusMovesToTheNeighbourAndStopsAtTheEdge(t *testing.T) {
	s := NewSession(t, Options{Config: "focus_wrapping no\n"})
	left, middle, right := s.foot("left"), s.foot("middle"), s.foot("right")
	s.bringToFront(left)
	for _, want := range []Window{middle, right} {
		s.MustRun("focus right")
		if w := s.focused(); w.ID != want.ID {
			t.Errorf("completed, but the focus is on %s, want %s", w.AppID, want.AppID)
		}
	}
	a := s.Run("focus right")
	if a.Exit != exitRefused || a.reason() != "edge" || s.focused().ID != right.ID {
		t.Errorf("at the edge: exit status %d, reason %q, focus on %s", a.Exit, a.reason(), s.focused().AppID)
	}
	s.MustRun("focus left")
	if w := s.focused(); w.ID != middle.ID {
		t.Errorf("completed, but the focus is on %s", w.AppID)
	}
}

func TestWorkspaceIsShown(t *testing.T) {
	s := NewSession(t, Options{})
	d := s.sway()
	for _, tt := range []struct{ utterance, want string }{
		{"workspace 3", "3"},
		{"go to workspace five", "5"},
		{"workspace 3", "3"},
	} {
		s.MustRun(tt.utterance)
		if got := d.workspace(); got != tt.want {
			t.Errorf("%s completed, but workspace %s is shown", tt.utterance, got)
		}
	}
}

func TestMoveWindowToWorkspaceMovesTheFocusedWindow(t *testing.T) {
	s := NewSession(t, Options{})
	s.sway()
	stays, goes := s.foot("stays"), s.foot("goes")
	s.MustRun("move window to workspace 2")
	if w := s.window(goes.ID); w.Workspace != "2" {
		t.Errorf("completed, but the window is %+v", w)
	}
	if w := s.window(stays.ID); w.Workspace != "1" {
		t.Errorf("the other window is %+v", w)
	}
}

func TestFullscreenGoesOnAndOff(t *testing.T) {
	s := NewSession(t, Options{})
	s.sway()
	w := s.foot("big")
	for _, want := range []bool{true, false} {
		s.MustRun("fullscreen")
		if got := s.window(w.ID).Fullscreen; got != want {
			t.Errorf("completed, but fullscreen is %v, want %v", got, want)
		}
	}
}

// Two windows of one application on other workspaces and outputs: focus goes to
// the very window, and nothing else moves.
func TestAWindowElsewhereIsFocusedByID(t *testing.T) {
	s := NewSession(t, Options{Outputs: 2})
	d := s.sway()
	s.startAgent() // it must have seen which window was used last
	d.do("workspace 4")
	near := s.foot("foot")
	d.do("workspace 5") // an empty one: coming back to this output focuses no terminal
	d.do("focus output HEADLESS-2")
	d.do("workspace 7")
	far := s.foot("foot")
	d.do("workspace 8")
	d.do("focus output HEADLESS-1")
	s.foot("bystander")
	places := s.places()

	s.MustRun("switch to foot")
	if w := s.focused(); w.ID != far.ID {
		t.Errorf("the most recent terminal is %d, the focus on %+v", far.ID, w)
	}
	if got := d.workspace(); got != "7" {
		t.Errorf("workspace %s is focused, want 7", got)
	}
	s.MustRun("switch to foot")
	if w := s.focused(); w.ID != near.ID {
		t.Errorf("the next terminal is %d, the focus on %+v", near.ID, w)
	}
	if got := s.places(); got != places {
		t.Errorf("windows moved: %s, before %s", got, places)
	}
}

// Of two windows with one title on two outputs each is reached by its name.
func TestAppsOnTwoOutputsAreEachReached(t *testing.T) {
	s := NewSession(t, Options{Outputs: 2})
	d := s.sway()
	editor, _ := s.editor()
	d.do("focus output HEADLESS-2")
	d.do("workspace 9")
	terminal := s.foot("foot")
	for range 2 {
		s.MustRun("switch to text editor")
		if w := s.focused(); w.ID != editor.ID || w.Output != "HEADLESS-1" {
			t.Errorf("switch to text editor completed, but the focus is on %+v", w)
		}
		s.MustRun("switch to foot")
		if w := s.focused(); w.ID != terminal.ID || w.Output != "HEADLESS-2" {
			t.Errorf("switch to foot completed, but the focus is on %+v", w)
		}
	}
}

// places writes where every window is.
func (s *Session) places() string {
	places := map[uint64]string{}
	for _, w := range s.desktop.windows() {
		places[w.ID] = w.Output + "/" + w.Workspace
	}
	return fmt.Sprint(places)
}

// ListWindows tells what sway's tree tells.
func TestListWindowsAgreesWithTheTree(t *testing.T) {
	s := NewSession(t, Options{Outputs: 2})
	d := s.sway()
	s.foot("foot")
	d.do("focus output HEADLESS-2")
	w := s.foot("floats")
	d.do("[con_id=%d] floating enable", w.ID)
	listed := s.busList("ListWindows")
	if len(listed) != 2 {
		t.Fatalf("listed %v", listed)
	}
	for _, got := range listed {
		id, _ := got["id"].(uint64)
		want := s.window(id)
		if got["app_id"] != want.AppID || got["title"] != want.Title || fmt.Sprint(got["pid"]) != fmt.Sprint(want.PID) ||
			got["workspace"] != want.Workspace || got["output"] != want.Output ||
			got["focused"] != want.Focused || got["floating"] != want.Floating || got["fullscreen"] != want.Fullscreen {
			t.Errorf("listed %v, the tree says %+v", got, want)
		}
	}
	if first, _ := listed[0]["id"].(uint64); first != w.ID {
		t.Errorf("the first one listed is %d, the most recent is %d", first, w.ID)
	}
}
