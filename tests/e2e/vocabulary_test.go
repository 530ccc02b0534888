package e2e

import (
	"fmt"
	"testing"
	"time"

	fakeniri "utter/tests/fakes/niri"
)

// TestTheSameUtterancesOnSwayAndNiri: the same outcome where the desktop can do
// it, a refusal by name where it cannot. sway is real, niri the model that is
// checked against what a real one said.
func TestTheSameUtterancesOnSwayAndNiri(t *testing.T) {
	const done = "completed "
	utterances := []struct{ said, sway, niri string }{
		{"focus left", done, done},
		{"focus right", done, done},
		{"previous window", done, done},
		{"first column", done, done},
		{"last column", done, done},
		{"workspace two", done, done},
		{"workspace 1", done, done},
		{"workspace 99", done, "refused not_found"},
		{"go to workspace 1", done, done},
		{"workspace named nowhere", "refused not_found", "refused not_found"},
		{"move window to workspace 2", done, done},
		{"workspace 1", done, done},
		{"fullscreen", done, done},
		{"exit fullscreen", done, done},
		{"float window", done, done},
		{"float window", done, done},
		{"overview", "refused not_supported", done},
		{"close overview", "refused not_supported", done},
		{"maximize column", "refused not_supported", done},
		{"minimize window", "refused not_supported", "refused not_supported"},
		{"close window", done, done},
	}
	t.Run("sway", func(t *testing.T) {
		s := NewSession(t, Options{})
		for _, id := range []string{"one", "two", "three"} {
			s.foot(id)
		}
		for _, u := range utterances {
			checkOutcome(s, u.said, u.sway)
		}
		if n := len(s.find(func(Window) bool { return true })); n != 2 {
			t.Errorf("%d windows are left of three, one of which was closed", n)
		}
	})
	t.Run("niri", func(t *testing.T) {
		n := fakeniri.Start(t, fakeniri.Options{})
		for _, id := range []string{"one", "two", "three"} {
			n.Open(fakeniri.Toplevel{AppID: id, Title: id})
		}
		s := NewSession(t, Options{Env: map[string]string{"NIRI_SOCKET": n.Path()}})
		s.sway().kill() // the model is the only compositor then
		for _, u := range utterances {
			checkOutcome(s, u.said, u.niri)
		}
	})
}

func checkOutcome(s *Session, said, want string) {
	s.t.Helper()
	a := s.Run(said)
	if got := fmt.Sprintf("%s %s", a.Data.Outcome, a.reason()); got != want {
		s.t.Errorf("%q is %s (%s), want %s", said, got, a.Data.Message, want)
	}
}

// TestAnEditedProfileIsInForceByItself: nobody tells the agent.
func TestAnEditedProfileIsInForceByItself(t *testing.T) {
	s := NewSession(t,
		Options{Profiles: map[string]string{"foot.yaml": "id: foot\nkind: terminal\nshortcuts:\n  new_tab: \"\"\n"}})
	pid := s.startAgent()
	_, file := s.bytesTerminal(1)
	if a := s.Run("new tab"); a.Data.Outcome != "refused" {
		t.Errorf("a removed action is %s", a.Data.Outcome)
	}
	s.write("c/utter/profiles/foot.yaml", "id: foot\nkind: terminal\nshortcuts:\n  new_tab: ctrl+alt+shift+y\n")
	s.await("the edited profile", 3*time.Second, func() bool { return s.Run("new tab").Data.Outcome == "completed" })
	s.checkFile(file, "\x1b[121;8u", 5*time.Second)
	if s.agentPID() != pid {
		t.Error("another agent answered")
	}
}

// TestTheUsersAliasBeatsACuratedOne: "chrome" is Google Chrome's until the user
// says otherwise.
func TestTheUsersAliasBeatsACuratedOne(t *testing.T) {
	s := NewSession(t, Options{Profiles: map[string]string{"foot.yaml": "id: foot\naliases: [chrome]\n"}})
	s.MustRun("open chrome")
	if w := s.focused(); w.AppID != "foot" {
		t.Errorf("%q has the focus, want foot", w.AppID)
	}
}

// TestAChainTypesIntoWhatItOpened: both halves happen, in their order.
func TestAChainTypesIntoWhatItOpened(t *testing.T) {
	s := NewSession(t, Options{})
	file := s.file("chained")
	s.MustRun("open the terminal")
	s.MustRun("type echo chained > " + file + " then press enter")
	s.checkFile(file, "chained\n", 5*time.Second)
}

// TestAnApplicationIsTypedIntoByItsName: the focus comes back afterwards.
func TestAnApplicationIsTypedIntoByItsName(t *testing.T) {
	s := NewSession(t, Options{})
	file := s.file("named")
	s.MustRun("open the terminal")
	other := s.foot("other")
	s.bringToFront(other)
	s.MustRun("foot type echo named > " + file)
	s.MustRun("foot press enter")
	s.checkFile(file, "named\n", 5*time.Second)
	if w := s.focused(); w.ID != other.ID {
		t.Errorf("the focus is on %q, want it back where it was", w.AppID)
	}
}
