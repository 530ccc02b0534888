package niri

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/shared/plan"
	fakeniri "utter/tests/fakes/niri"
)

// actions returns the actions that n was asked for.
func actions(n *fakeniri.Niri) (asked []string) {
	for _, r := range n.Requests() {
		if strings.HasPrefix(r, `{"Action"`) {
			asked = append(asked, r)
		}
	}
	return asked
}

// What does not exist is refused before niri is asked: it would say Handled, or
// go to the last one.
func TestPerformRefusesWhatIsNotThere(t *testing.T) {
	n := start(t, fakeniri.Options{Named: []string{"mail"}}, "a", "b", "c")
	d := compositortest.Follow(t, connect(t, n))
	for _, tt := range []struct {
		action string
		reason plan.Reason
		says   string
	}{
		{"focus-workspace 99", plan.NotFound, "99"},
		{"focus-workspace 3", plan.NotFound, "3"},
		{"focus-workspace nowhere", plan.NotFound, "nowhere"},
		{"move-window-to-workspace 99", plan.NotFound, "99"},
		{"move-column-to-workspace nowhere", plan.NotFound, "nowhere"},
		{"focus-monitor HDMI-A-9", plan.NotFound, "HDMI-A-9"},
		{"move-window-to-monitor HDMI-A-9", plan.NotFound, "HDMI-A-9"},
		{"move-workspace-to-monitor HDMI-A-9", plan.NotFound, "HDMI-A-9"},
		{"focus-window 99", plan.NotFound, "99"},
		{"close-window --id 99", plan.NotFound, "99"},
		{"fullscreen-window --id 99", plan.NotFound, "99"},
		{"set-window-urgent 99", plan.NotFound, "99"},
		{"focus-column 4", plan.NotFound, "4 of 3"},
		{"move-column-to-index 4", plan.NotFound, "4 of 3"},
		{"focus-window-in-column 2", plan.NotFound, "2 of 1"},
		{"move-workspace-to-index 3", plan.NotFound, "3 of 2"},
		{"switch-layout 2", plan.NotFound, "2 of 1"},
		{"move-floating-window", plan.NotSupported, "move-floating-window"},
		{"minimize-window", plan.NotSupported, "minimize-window"},
	} {
		_, err := d.Perform(t.Context(), compositortest.Parse(t, d, tt.action))
		compositortest.CheckError(t, tt.action, err, plan.Refused, tt.reason)
		if err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %q does not name %s", tt.action, err, tt.says)
		}
	}
	if asked := actions(n); asked != nil {
		t.Errorf("niri was asked for %q", asked)
	}
}

// performTests are actions, one after the other, and how the desktop is after each.
var performTests = []struct {
	action  string
	outcome plan.Outcome
	reason  plan.Reason
	facts   string
}{
	{"focus-workspace 1", plan.Completed, "",
		"a on mail; b on mail; c on mail focused; workspace mail"}, // it is there already
	{"focus-workspace MAIL", plan.Completed, "", "a on mail; b on mail; c on mail focused; workspace mail"},
	{"focus-column-right", plan.Refused, plan.Edge, "a on mail; b on mail; c on mail focused; workspace mail"},
	{"focus-column-first", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"focus-column 2", plan.Completed, "", "a on mail; b on mail focused; c on mail; workspace mail"},
	{"move-column-left", plan.Completed, "", "a on mail; b on mail focused; c on mail; workspace mail"},
	{"move-column-left", plan.Refused, plan.Edge, "a on mail; b on mail focused; c on mail; workspace mail"},
	{"focus-window-down", plan.Refused, plan.Edge, "a on mail; b on mail focused; c on mail; workspace mail"},
	{"focus-workspace-up", plan.Refused, plan.Edge, "a on mail; b on mail focused; c on mail; workspace mail"},
	{"focus-monitor-left", plan.Refused, plan.Edge, "a on mail; b on mail focused; c on mail; workspace mail"},
	{"move-window-to-monitor-left", plan.Refused, plan.Edge, "a on mail; b on mail focused; c on mail; workspace mail"},
	{"consume-window-into-column", plan.Completed, "", "a on mail; b on mail focused; c on mail; workspace mail"},
	{"focus-window-in-column 2", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"toggle-window-floating", plan.Completed, "", "a on mail focused floating; b on mail; c on mail; workspace mail"},
	{"move-window-to-floating", plan.Completed, "", "a on mail focused floating; b on mail; c on mail; workspace mail"},
	{"set-window-width +20", plan.Completed, "", "a on mail focused floating; b on mail; c on mail; workspace mail"},
	{"fullscreen-window", plan.Completed, "", "a on mail focused fullscreen; b on mail; c on mail; workspace mail"},
	{"fullscreen-window", plan.Completed, "", "a on mail focused floating; b on mail; c on mail; workspace mail"},
	{"move-window-to-tiling", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"maximize-column", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"move-window-to-workspace 2", plan.Completed, "", "a on 2 focused; b on mail; c on mail; workspace 2"},
	{"move-window-to-workspace mail", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"focus-workspace-down", plan.Completed, "", "a on mail; b on mail; c on mail; workspace 2"},
	{"set-workspace-name web", plan.Completed, "", "a on mail; b on mail; c on mail; workspace web"},
	{"unset-workspace-name", plan.Completed, "", "a on mail; b on mail; c on mail; workspace 2"},
	{"close-window", plan.Refused, plan.NotFound, "a on mail; b on mail; c on mail; workspace 2"},
	{"focus-workspace-previous", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"switch-layout next", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"switch-layout 1", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"set-window-urgent 2", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"screenshot-window", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"center-column", plan.Unknown, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"toggle-debug-tint", plan.Unknown, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"screenshot", plan.Unknown, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"open-overview", plan.Completed, "", "a on mail; b on mail; c on mail; workspace mail"},
	{"close-overview", plan.Completed, "", "a on mail focused; b on mail; c on mail; workspace mail"},
	{"close-window --id 3", plan.Completed, "", "a on mail focused; b on mail; workspace mail"},
	{"close-window", plan.Completed, "", "b on mail focused; workspace mail"},
}

// TestPerform shows what actions come to on a niri that works.
func TestPerform(t *testing.T) {
	n := start(t, fakeniri.Options{Named: []string{"mail"}, Layouts: []string{"us", "de"}}, "a", "b", "c")
	d := compositortest.Follow(t, connect(t, n))
	for _, tt := range performTests {
		_, err := d.Perform(t.Context(), compositortest.Parse(t, d, tt.action))
		compositortest.CheckError(t, tt.action, err, tt.outcome, tt.reason)
		s, err := d.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := compositortest.Facts(s); got != tt.facts {
			t.Errorf("after %s: %s, want %s", tt.action, got, tt.facts)
		}
	}
	_, err := d.Perform(t.Context(), compositor.Action{Name: "quit"})
	compositortest.CheckError(t, "quit", err, plan.Completed, "")
}

// A trouble says what goes wrong with a niri, as Misbehave takes it.
type trouble func(*fakeniri.Niri) func(string) fakeniri.Fault

// anotherFocus changes the focus just before niri carries an action out.
func anotherFocus(n *fakeniri.Niri) func(string) fakeniri.Fault {
	return func(name string) fakeniri.Fault {
		if name == "CloseWindow" || name == "FullscreenWindow" {
			n.Do(`{"FocusWindow":{"id":1}}`)
		}
		return fakeniri.Fault{}
	}
}

// on makes f go wrong with an action.
func on(action string, f fakeniri.Fault) trouble {
	return func(*fakeniri.Niri) func(string) fakeniri.Fault {
		return func(name string) fakeniri.Fault {
			if name == action {
				return f
			}
			return fakeniri.Fault{}
		}
	}
}

// instead has do happen in place of an action.
func instead(action string, do func(*fakeniri.Niri)) trouble {
	return func(n *fakeniri.Niri) func(string) fakeniri.Fault {
		return on(action, fakeniri.Fault{Instead: func() { do(n) }})(n)
	}
}

func nothing(*fakeniri.Niri) {}

// truthTests are actions on a desktop with the windows a, b and c, which have the
// ids 1, 2 and 3; c has the focus.
var truthTests = []struct {
	what, action string
	fault        trouble
	outcome      plan.Outcome
	reason       plan.Reason
	facts        string
}{
	{"the focus changes between two requests", "close-window", anotherFocus, plan.Completed, "",
		"a on 1 focused; b on 1; workspace 1"},
	{"the same, with an id", "close-window --id 2", anotherFocus, plan.Completed, "",
		"a on 1 focused; c on 1; workspace 1"},
	{"the same in fullscreen", "fullscreen-window", anotherFocus, plan.Completed, "",
		"a on 1 focused; b on 1; c on 1 fullscreen; workspace 1"},
	{"it closes by itself just before", "close-window --id 2",
		instead("CloseWindow", func(n *fakeniri.Niri) { n.Remove(2) }),
		plan.Completed, "", "a on 1; c on 1 focused; workspace 1"},
	{"another one closes", "close-window --id 2", instead("CloseWindow", func(n *fakeniri.Niri) { n.Remove(1) }),
		plan.Unknown, plan.Timeout, "b on 1; c on 1 focused; workspace 1"},
	{"nothing closes", "close-window", instead("CloseWindow", nothing), plan.Unknown, plan.Timeout,
		"a on 1; b on 1; c on 1 focused; workspace 1"},
	{"nothing gets the focus", "focus-window 1", instead("FocusWindow", nothing), plan.Unknown, plan.Timeout,
		"a on 1; b on 1; c on 1 focused; workspace 1"},
	{"another gets the focus", "focus-window 1",
		instead("FocusWindow", func(n *fakeniri.Niri) { n.Do(`{"FocusWindow":{"id":2}}`) }),
		plan.Unknown, plan.Timeout, "a on 1; b on 1 focused; c on 1; workspace 1"},
	{"it closes instead", "focus-window 1", instead("FocusWindow", func(n *fakeniri.Niri) { n.Remove(1) }), plan.Unknown,
		plan.Timeout, "b on 1; c on 1 focused; workspace 1"},
	{"another is in fullscreen", "fullscreen-window",
		instead("FullscreenWindow", func(n *fakeniri.Niri) { n.Do(`{"FullscreenWindow":{"id":1}}`) }),
		plan.Unknown, plan.Timeout, "a on 1 fullscreen; b on 1; c on 1 focused; workspace 1"},
	{"no picture is taken", "screenshot-screen", instead("ScreenshotScreen", nothing), plan.Unknown, plan.Timeout,
		"a on 1; b on 1; c on 1 focused; workspace 1"},
	{"another layout", "switch-layout 2", instead("SwitchLayout", nothing), plan.Unknown, plan.Timeout,
		"a on 1; b on 1; c on 1 focused; workspace 1"},
	{"another workspace", "focus-workspace 2", instead("FocusWorkspace", nothing), plan.Refused, plan.Edge,
		"a on 1; b on 1; c on 1 focused; workspace 1"},
	{"late", "focus-window 1", on("FocusWindow", fakeniri.Fault{Late: 200 * time.Millisecond}), plan.Completed, "",
		"a on 1 focused; b on 1; c on 1; workspace 1"},
	{"late to close", "close-window", on("CloseWindow", fakeniri.Fault{Late: time.Second}), plan.Completed,
		"", "a on 1; b on 1 focused; workspace 1"},
	{"late in fullscreen", "fullscreen-window", on("FullscreenWindow", fakeniri.Fault{Late: 200 * time.Millisecond}),
		plan.Completed, "", "a on 1; b on 1; c on 1 focused fullscreen; workspace 1"},
	{"slow", "focus-window 1", func(*fakeniri.Niri) func(string) fakeniri.Fault {
		return func(string) fakeniri.Fault { return fakeniri.Fault{Wait: 100 * time.Millisecond} }
	}, plan.Completed, "", "a on 1 focused; b on 1; c on 1; workspace 1"},
	{"it says no", "center-column",
		on("CenterColumn", fakeniri.Fault{Say: []byte(`{"Err":"error parsing request"}` + "\n")}),
		plan.Refused, plan.NotSupported, "a on 1; b on 1; c on 1 focused; workspace 1"},
	{"it says nothing", "focus-window 1", on("FocusWindow", fakeniri.Fault{Silent: true}), plan.Unknown, plan.Missing,
		"a on 1 focused; b on 1; c on 1; workspace 1"},
	{"it dies", "close-window", on("CloseWindow", fakeniri.Fault{Silent: true, End: true}), plan.Unknown, plan.Missing,
		"a on 1; b on 1 focused; workspace 1"},
}

// TestPerformTellsTheTruth shows what becomes of actions on a niri that says
// Handled and does something else.
func TestPerformTellsTheTruth(t *testing.T) {
	t.Parallel()
	for _, tt := range truthTests {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			n := start(t, fakeniri.Options{Layouts: []string{"us", "de"}}, "a", "b", "c")
			d := compositortest.Follow(t, connect(t, n))
			n.Misbehave(tt.fault(n))
			begun := time.Now()
			_, err := d.Perform(t.Context(), compositortest.Parse(t, d, tt.action))
			compositortest.CheckError(t, tt.action, err, tt.outcome, tt.reason)
			if took := time.Since(begun); took > 6*time.Second {
				t.Errorf("it took %v", took)
			}
			n.Misbehave(nil)
			s, err := connect(t, n).Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := compositortest.Facts(s); got != tt.facts {
				t.Errorf("it is %s, want %s", got, tt.facts)
			}
		})
	}
}

// "workspace 1" on workspace 1 stays there, whatever niri's configuration makes
// of that.
func TestFocusOfTheSameWorkspace(t *testing.T) {
	n := start(t, fakeniri.Options{BackAndForth: true}, "a")
	d := compositortest.Follow(t, connect(t, n))
	for _, action := range []string{"focus-workspace 2", "focus-workspace 2", "focus-workspace 1", "focus-workspace 1"} {
		_, err := d.Perform(t.Context(), compositortest.Parse(t, d, action))
		compositortest.CheckError(t, action, err, plan.Completed, "")
		s, err := d.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if in, _ := s.FocusedWorkspace(); !strings.HasSuffix(action, in.Name) {
			t.Errorf("%s: it is on %s", action, in.Name)
		}
	}
}

// Quitting is done when niri goes, not when it says nothing.
func TestQuit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what    string
		fault   fakeniri.Fault
		outcome plan.Outcome
		reason  plan.Reason
	}{
		{"it goes at once", fakeniri.Fault{}, plan.Completed, ""},
		{"it says Handled and stays", fakeniri.Fault{Instead: fakeniri.Nothing}, plan.Unknown, plan.Timeout},
		{"it hangs", fakeniri.Fault{Instead: fakeniri.Nothing, Silent: true}, plan.Unknown, plan.Missing},
	} {
		n := start(t, fakeniri.Options{}, "a")
		d := compositortest.Follow(t, connect(t, n))
		n.On("Quit", tt.fault)
		_, err := d.Perform(t.Context(), compositor.Action{Name: "quit"})
		compositortest.CheckError(t, tt.what, err, tt.outcome, tt.reason)
	}
}

// A window that asks whether to save is asked, and stays.
func TestCloseOfAStubbornWindow(t *testing.T) {
	t.Parallel()
	n := start(t, fakeniri.Options{}, "a")
	id := n.Open(fakeniri.Toplevel{AppID: "b", Stubborn: true})
	d := compositortest.Follow(t, connect(t, n))
	compositortest.CheckError(t, "CloseWindow", d.CloseWindow(t.Context(), compositor.WindowID(id)),
		plan.Unknown, plan.Timeout)
	if want := []string{fmt.Sprintf(`{"Action":{"CloseWindow":{"id":%d}}}`, id)}; !slices.Equal(actions(n), want) {
		t.Errorf("niri was asked for %q", actions(n))
	}
}

// Windows that vanish while Do is on its way are not taken for others.
func TestDoOnAnOldState(t *testing.T) {
	n := start(t, fakeniri.Options{}, "a", "b")
	b := connect(t, n)
	old, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n.Remove(2)
	if err := b.Do(t.Context(), old, compositor.Action{Name: "close-window", Window: 2}); err != nil {
		t.Errorf("Do = %v", err) // it is closed, by itself
	}
	s, err := b.Read(t.Context())
	if err != nil || compositortest.Facts(s) != "a on 1 focused; workspace 1" {
		t.Errorf("it is %s, %v", compositortest.Facts(s), err)
	}
	if err := b.Do(t.Context(), s, compositor.Action{Name: "close-window", Window: 2}); !errors.Is(err,
		compositor.ErrNotFound) {
		t.Errorf("Do = %v, want ErrNotFound", err)
	}
}
