package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A page that is open is shown again, not opened again.
func TestOpenPageOpensItOnceAndThenFocusesIt(t *testing.T) {
	needPrograms(t, "firefox-esr")
	s := NewSession(t, Options{})
	w := newWeb(s)
	s.MustRun("open " + w.host() + "/video")
	page := s.awaitWindow("the page", 30*time.Second, func(w Window) bool {
		return isFirefox(w) && strings.HasPrefix(w.Title, titles["/video"])
	})
	if calls := s.firefoxCalls(); len(calls) != 1 || calls[0][len(calls[0])-1] != w.url("/video") {
		t.Errorf("calls of Firefox = %s, want one for %s", readable(calls), w.url("/video"))
	}
	s.foot("bystander")
	windows, requests := s.desktop.windows(), w.counts()

	s.MustRun("open " + w.host() + "/video")
	if got := s.focused(); got.ID != page.ID {
		t.Errorf("completed, but the focus is on %+v", got)
	}
	if !stays(2*time.Second, func() bool { return len(s.firefoxCalls()) == 1 && w.count("/video") == 1 }) {
		t.Errorf("Firefox was called again: %s", readable(s.firefoxCalls()))
	}
	s.checkWindows(windows)
	s.checkCounts(w, requests)
	if got := s.window(page.ID).Title; got != page.Title {
		t.Errorf("the title is %q, was %q", got, page.Title)
	}
}

// Another page of the same server is another page.
func TestOpenAnotherPageOpensIt(t *testing.T) {
	needPrograms(t, "firefox-esr")
	s := NewSession(t, Options{})
	w := newWeb(s)
	s.firefox(w.url("/video"), titles["/video"])
	s.MustRun("open " + w.host() + "/other")
	s.awaitWindow("the other page", 15*time.Second, func(w Window) bool {
		return isFirefox(w) && strings.HasPrefix(w.Title, titles["/other"])
	})
	if n := w.count("/other"); n != 1 {
		t.Errorf("%d requests for /other, want 1", n)
	}
}

func TestSearchHandsTheExactAddressToTheBrowser(t *testing.T) {
	needPrograms(t, "firefox-esr")
	for _, tt := range []struct{ utterance, want string }{
		{"search for tom & jerry c++", "https://www.google.com/search?q=tom+%26+jerry+c%2B%2B"},
		{"google 50% off #tag?", "https://www.google.com/search?q=50%25+off+%23tag"},
		{"search youtube for ü & {q}", "https://www.youtube.com/results?search_query=%C3%BC+%26+%7Bq%7D"},
	} {
		t.Run(tt.utterance, func(t *testing.T) {
			s := NewSession(t, Options{})
			a := s.Run(tt.utterance)
			checkOneOf(s, "outcome", a.Data.Outcome, "completed", "unknown")
			s.await("a call of Firefox", 5*time.Second, func() bool { return len(s.firefoxCalls()) > 0 })
			calls := s.firefoxCalls()
			if len(calls) != 1 || len(calls[0]) == 0 || calls[0][len(calls[0])-1] != tt.want {
				t.Errorf("calls of Firefox = %s, want one that ends with %s", readable(calls), tt.want)
			}
		})
	}
}

// The key of "new tab" arrives: the title says a new tab, and after closing it
// the old one.
func TestNewTabArrivesInFirefox(t *testing.T) {
	s := NewSession(t, Options{})
	w := newWeb(s)
	page := s.firefox(w.url("/video"), titles["/video"])
	title := func() string { return s.window(page.ID).Title }

	s.MustRun("new tab")
	s.await("a new tab's title", 5*time.Second, func() bool { return title() != page.Title })
	if w.count("/video") != 1 {
		t.Errorf("%d requests for /video, want 1", w.count("/video"))
	}
	s.MustRun("close tab")
	s.await("the first tab's title", 5*time.Second, func() bool { return title() == page.Title })
	s.checkWindows([]Window{page})
}

// bytesTerminal opens a foot that says which bytes its program gets. Keys come
// as the kitty protocol writes them, pastes in brackets, other text as it is.
func (s *Session) bytesTerminal(flags int) (w Window, file string) {
	s.t.Helper()
	file = s.file("bytes")
	script := fmt.Sprintf(`printf '\033[?2004h\033[>%du'; stty raw -echo; exec cat >%s`, flags, file)
	w = s.footRunning("foot", "sh", "-c", script)
	time.Sleep(200 * time.Millisecond) // foot reads the modes
	return w, file
}

// foot does nothing by itself with its profile's chord for a new tab, so the
// program in it gets the key.
func TestNewTabArrivesInFoot(t *testing.T) {
	for _, tt := range []struct{ name, profile, want string }{
		{"by the default of terminals", "", "\x1b[116;6u"},
		{"by the user's profile", "id: foot\nname: Foot\nkind: terminal\nshortcuts:\n  new_tab: ctrl+alt+shift+y\n",
			"\x1b[121;8u"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{}
			if tt.profile != "" {
				o.Profiles = map[string]string{"foot.yaml": tt.profile}
			}
			s := NewSession(t, o)
			_, file := s.bytesTerminal(1)
			s.MustRun("new tab")
			s.checkFile(file, tt.want, 5*time.Second)
		})
	}
}

// What the hand presses and what "new tab" presses is the same to a program.
func TestNewTabInFootIsWhatAHandWouldPress(t *testing.T) {
	s := NewSession(t, Options{})
	_, file := s.bytesTerminal(0)
	s.sway().keyboard.press(modCtrl|modShift, codeLeftCtrl, codeLeftShift, codeT)
	s.await("the hand's key", 5*time.Second, func() bool { return contents(file) != "" })
	byHand := contents(file)
	s.MustRun("new tab")
	s.checkFile(file, byHand+byHand, 5*time.Second)
}
