package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHarness proves the bed itself: if it fails, no other result counts.
func TestHarness(t *testing.T) {
	t.Run("keys of the physical keyboard reach a terminal", func(t *testing.T) {
		s := NewSession(t, Options{})
		d := s.sway()
		_, file := s.catTerminal("target")
		for range 3 {
			d.keyboard.press(modShift, codeLeftShift, codeT)
		}
		d.keyboard.press(modCtrl, codeLeftCtrl, 32) // ctrl+d twice ends a line that has no end
		d.keyboard.press(modCtrl, codeLeftCtrl, 32)
		s.checkFile(file, "TTT", 3*time.Second)
	})
	t.Run("the active layout is the chosen one", func(t *testing.T) {
		s := NewSession(t, Options{Layouts: "us,ru", Group: 1})
		if got := string(s.sway().ask("get_inputs")); !strings.Contains(got, `"xkb_active_layout_name": "Russian"`) {
			t.Errorf("get_inputs = %s", got)
		}
	})
	t.Run("windows are told with their workspaces and outputs", harnessWindows)
	t.Run("sway comes back on other sockets", func(t *testing.T) {
		s := NewSession(t, Options{})
		d := s.sway()
		display, socket := s.env["WAYLAND_DISPLAY"], s.env["SWAYSOCK"]
		d.restart()
		if s.env["WAYLAND_DISPLAY"] == display || s.env["SWAYSOCK"] == socket {
			t.Errorf("still on %s and %s", s.env["WAYLAND_DISPLAY"], s.env["SWAYSOCK"])
		}
		s.foot("after")
	})
	t.Run("a program in foot gets keys as escape codes", func(t *testing.T) {
		s := NewSession(t, Options{})
		_, file := s.bytesTerminal(1)
		s.sway().keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeT)
		s.checkFile(file, "\x1b[116;6u", 3*time.Second)
	})
	t.Run("a program in kitty gets lines", func(t *testing.T) {
		s := NewSession(t, Options{})
		file := s.kitty()
		s.sway().keyboard.press(0, codeT)
		s.sway().keyboard.press(0, codeEnter)
		s.checkFile(file, "t\n", 5*time.Second)
	})
	t.Run("only the listed programs are found", func(t *testing.T) {
		s := NewSession(t, Options{Programs: []string{"sway", "swaymsg", "dbus-daemon", "foot", "sh", "bash"}})
		if out, err := s.command("sh", "-c", "command -v kitty").Output(); err == nil {
			t.Errorf("kitty is found: %s", out)
		}
	})
}

func harnessWindows(t *testing.T) {
	s := NewSession(t, Options{Outputs: 2})
	d := s.sway()
	first := s.foot("one")
	d.do("focus output HEADLESS-2")
	d.do("workspace 7")
	second := s.foot("two")
	if w := s.window(first.ID); w.Output != "HEADLESS-1" || w.Workspace != "1" || w.Focused {
		t.Errorf("first = %+v", w)
	}
	if w := s.window(second.ID); w.Output != "HEADLESS-2" || w.Workspace != "7" || !w.Focused || d.workspace() != "7" {
		t.Errorf("second = %+v", w)
	}
}

func TestHarnessFirefox(t *testing.T) {
	needPrograms(t, "firefox-esr", "xdg-open")
	s := NewSession(t, Options{})
	w := newWeb(s)
	s.start("xdg-open", "xdg-open", w.url("/video")+"?a=b%20c&d")
	window := s.awaitWindow("the page", 60*time.Second, func(w Window) bool {
		return isFirefox(w) && strings.HasPrefix(w.Title, titles["/video"])
	})
	if calls := s.firefoxCalls(); len(calls) != 1 || len(calls[0]) != 1 || calls[0][0] != w.url("/video")+"?a=b%20c&d" {
		t.Errorf("calls of firefox = %s", readable(s.firefoxCalls()))
	}
	if n := w.count("/video"); n != 1 {
		t.Errorf("%d requests for /video, want 1", n)
	}
	t.Logf("%+v", window)
}

// TestHarnessForm proves the page that tells what is in its fields.
func TestHarnessForm(t *testing.T) {
	for name, open := range map[string]func(*Session, string, string) Window{
		"Firefox":  (*Session).firefox,
		"Chromium": (*Session).chromium,
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSession(t, Options{})
			w := newWeb(s)
			open(s, w.url("/form"), "A form")
			for _, field := range []string{"text", "password"} {
				s.focusField(w, field)
				s.sway().keyboard.press(modShift, codeLeftShift, codeT)
				s.sway().keyboard.press(0, codeT)
				s.checkField(w, field, "Tt", 5*time.Second)
			}
		})
	}
}

func TestHarnessEditor(t *testing.T) {
	s := NewSession(t, Options{})
	_, file := s.editor()
	d := s.sway()
	d.keyboard.press(0, codeT)
	d.keyboard.press(modCtrl, codeLeftCtrl, codeS)
	s.checkFile(file, "t\n", 5*time.Second)
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// TestHarnessAccessibility proves the driver of windows on a program that is
// not ours.
func TestHarnessAccessibility(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	w, file := s.editor()
	a := s.app(w.PID)
	if got := a.window().name; !strings.Contains(got, base(file)) {
		t.Errorf("the window is called %q, the file %s", got, base(file))
	}
	a.setText("", "héllo")
	a.checkText("", "héllo")
	s.sway().keyboard.press(modCtrl, codeLeftCtrl, codeS)
	s.checkFile(file, "héllo\n", 5*time.Second)

	a.activate("Main Menu")
	a.activate("About Text Editor")
	a.find(roleDialog, "About")
	if stops := a.tabStops(); len(stops) < 3 || slices.Contains(a.namesOf(roleButton), "New Tab") {
		t.Errorf("in the dialog Tab stops at %v, and buttons are %q", stops, a.namesOf(roleButton))
	}
	a.checkNames()
	s.sway().keyboard.press(0, codeEscape)
	a.gone(roleDialog, "About")
	a.find(roleButton, "New Tab")

	a.size(500, 600)
	if box := a.shot("harness/light").Bounds(); box.Dx() != 500 || box.Dy() != 600 {
		t.Errorf("the picture is %v", box)
	}
}

func TestHarnessLook(t *testing.T) {
	s := look{dark: true, locale: "de_DE.UTF-8", textScale: 1.5}.newSession(t, Options{})
	w, _ := s.editor()
	a := s.app(w.PID)
	a.activate("Hauptmenü")
	a.find(roleMenuItem, "Info zu Texteditor")
	if got := brightness(a.shot("harness/dark")); got > 0.3 {
		t.Errorf("dark is as bright as %.2f", got)
	}
}
