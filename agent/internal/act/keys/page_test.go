package keys

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
)

// firefoxFocused is the window of a page, with the focus.
func firefoxFocused() compositor.Window {
	w := firefox
	w.Focused = true
	return w
}

func niri(command string, args ...any) plan.Step {
	return plan.Step{Args: op.Niri{Command: command, Args: args}}
}

// performed notes what the desktop is asked to do, and does nothing.
func performed(w *world, id compositor.WindowID, err error) *[]string {
	log := &[]string{}
	w.perform = func(a compositor.Action) (compositor.WindowID, error) {
		*log = append(*log, fmt.Sprint(a.Name, " ", a.Window, " ", a.Arg.Number, a.Arg.Text))
		return id, err
	}
	return log
}

func TestNiriActsOnTheBoundWindow(t *testing.T) {
	tests := []struct {
		step  plan.Step
		bound uint64
		want  string // what the desktop is asked for
		after uint64 // the window that later steps go to
	}{
		{niri("fullscreen-window"), 0, "fullscreen-window 0 0", 0},
		{niri("fullscreen-window"), 7, "fullscreen-window 7 0", 0},
		{niri("close-window"), 7, "close-window 7 0", 0},
		{niri("focus-workspace", 3), 0, "focus-workspace 0 3", 0},
		{niri("focus-window", "--id", 9), 7, "focus-window 9 0", 9},
		{plan.Step{Args: op.Niri{Command: "close-window", WindowID: "8"}}, 7, "close-window 8 0", 0},
	}
	for _, tt := range tests {
		w := newWorld(t, foot)
		log := performed(w, 9, nil)
		b := &executor.Binding{Window: tt.bound}
		done, err := act(t.Context(), newHands(w, &devices{}), b, tt.step)
		if err != nil || len(*log) != 1 || (*log)[0] != tt.want || b.Window != tt.after ||
			done.Evidence != plan.ByState || done.Window != 9 {
			t.Errorf("%v: %q, %+v, %v; then bound to %d", tt.step, *log, done, err, b.Window)
		}
	}
}

func TestNiriRefusesWhatIsNoAction(t *testing.T) {
	w := newWorld(t, foot)
	log := performed(w, 0, nil)
	for _, s := range []plan.Step{
		niri("fly"), niri("spawn", "rm"), niri("focus-workspace"), niri("focus-workspace", 1, 2), niri("close-window", "x"),
		{Args: op.Niri{Command: "close-window", WindowID: "x"}},
		{Args: op.Niri{Command: "close-window", WindowID: "-1"}},
	} {
		is(t, s.String(), do(t.Context(), newHands(w, &devices{}), &executor.Binding{}, s), plan.Refused, plan.NotSupported)
	}
	if len(*log) > 0 {
		t.Errorf("the desktop was asked for %q", *log)
	}
	performed(w, 5, plan.Refuse(plan.Edge, "nothing further"))
	done, err := act(t.Context(), newHands(w, &devices{}), &executor.Binding{}, niri("focus-column-right"))
	is(t, "an edge", err, plan.Refused, plan.Edge)
	if done.Window != 5 || done.Evidence != plan.NoEvidence {
		t.Errorf("%+v", done)
	}
}

// TestClosingAPageNeverClosesItsWindow: the window may hold other tabs.
func TestClosingAPageNeverClosesItsWindow(t *testing.T) {
	for name, change := range map[string]func(*compositor.State){
		"the next tab is shown":       titled(2, "News — Mozilla Firefox"),
		"it was the window's last":    without(2),
		"it was the last and foot is": func(s *compositor.State) { without(2)(s); focusOn(1)(s) },
	} {
		w := newWorld(t, firefoxFocused(), compositor.Window{ID: 1, AppID: "foot"})
		log := performed(w, 0, errors.New("the window was closed"))
		d := &devices{meanwhile: func() error { w.set(false, change); return nil }}
		done, err := act(t.Context(), newHands(w, d), &executor.Binding{Window: 2, Page: showsYouTube}, closeWindow)
		if err != nil || done.Window != 2 || done.Evidence != plan.ByState || done.Message != "closed the tab" {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
		if fmt.Sprint(d.log) != "[press ctrl+w]" || len(*log) > 0 {
			t.Errorf("%s: %q, the desktop was asked for %q", name, d.log, *log)
		}
	}
}

func TestAPageThatIsNotThereAnyMoreIsNotClosed(t *testing.T) {
	other := firefoxFocused()
	other.Title = "News — Mozilla Firefox"
	chromium := firefoxFocused()
	chromium.AppID = "chromium"
	for name, tt := range map[string]struct {
		windows []compositor.Window
		reason  plan.Reason
	}{
		"another tab is shown now":      {[]compositor.Window{other}, plan.NotFound},
		"the focus has moved":           {[]compositor.Window{foot, firefox}, plan.NotFound},
		"the window is gone":            {[]compositor.Window{foot}, plan.NotFound},
		"no key for tabs is known":      {[]compositor.Window{chromium}, plan.NotSupported},
		"a window of a stopped program": {[]compositor.Window{{ID: 2, AppID: "firefox", Title: firefox.Title, PID: 13, Focused: true}}, plan.Timeout},
	} {
		w := newWorld(t, tt.windows...)
		log, d := performed(w, 0, nil), &devices{}
		is(t, name, do(t.Context(), newHands(w, d), &executor.Binding{Window: 2, Page: showsYouTube}, closeWindow),
			plan.Refused, tt.reason)
		if len(d.log)+len(*log) > 0 {
			t.Errorf("%s: %q, %q", name, d.log, *log)
		}
	}
}

func TestAPageThatStaysIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := newWorld(t, firefoxFocused()), &devices{}
		began := time.Now()
		err := do(t.Context(), newHands(w, d), &executor.Binding{Window: 2, Page: showsYouTube}, closeWindow)
		is(t, "it asks whether to leave", err, plan.Unknown, plan.Timeout)
		if took := time.Since(began); took != 3*time.Second || len(d.log) != 1 {
			t.Errorf("after %v, %q", took, d.log)
		}

		// Cancelled, and a compositor that goes away, are told apart from that.
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := do(ctx, newHands(w, d), &executor.Binding{Window: 2, Page: showsYouTube},
			closeWindow); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		time.AfterFunc(time.Second, w.vanish)
		err = do(t.Context(), newHands(w, d), &executor.Binding{Window: 2, Page: showsYouTube}, closeWindow)
		is(t, "the compositor goes away", err, plan.Unknown, plan.Missing)
	})
}

// TestCloseYouTube is the whole plan: the first step finds the page, the second
// closes it, and the first not finding it ends the plan with nothing done.
func TestCloseYouTube(t *testing.T) {
	p := &plan.Plan{Steps: []plan.Step{{Args: op.EnsureURL{URL: "https://www.youtube.com", MustExist: true}}, closeWindow}}
	for _, open := range []bool{true, false} {
		w := newWorld(t, firefoxFocused())
		log := performed(w, 0, nil)
		d := &devices{meanwhile: func() error { w.set(false, titled(2, "News")); return nil }}
		handlers := executor.Handlers{}
		newHands(w, d).Register(handlers)
		executor.On(handlers,
			func(_ context.Context, b *executor.Binding, _ plan.Step, _ op.EnsureURL) (executor.Done, error) {
				if !open {
					return executor.Done{}, plan.Refuse(plan.NotFound, "no browser window shows it")
				}
				b.Window, b.Page = 2, showsYouTube
				return executor.Done{Evidence: plan.ByState, Window: 2}, nil
			})
		rep := executor.New(handlers, nil, anything{}).Run(t.Context(), p, executor.Approval{}, func(int, plan.Result) {})
		if open && (rep.Outcome != plan.Completed || len(d.log) != 1) ||
			!open && (rep.Outcome != plan.Refused || len(d.log) != 0) || len(*log) != 0 {
			t.Errorf("open: %v: %v %q, pressed %q, asked for %q", open, rep.Outcome, rep.Message, d.log, *log)
		}
	}
}
