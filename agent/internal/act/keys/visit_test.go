package keys

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
)

// twoSpaces is a desktop with firefox in front of the user, code beside it and
// on another workspace, and a mail program there.
func twoSpaces(t *testing.T) *world {
	w := newWorld(t,
		compositor.Window{ID: 1, AppID: "firefox", Workspace: 1, Focused: true},
		compositor.Window{ID: 2, AppID: "code", Title: "main.go", Workspace: 1},
		compositor.Window{ID: 3, AppID: "mail", Workspace: 2},
		compositor.Window{ID: 4, AppID: "chat", Title: "Ada", Workspace: 2, Output: "a"},
		compositor.Window{ID: 5, AppID: "chat", Title: "Bob", Workspace: 3, Output: "b"},
		compositor.Window{ID: 6, AppID: "code", Title: "other.go", Workspace: 2},
	)
	w.set(false, func(s *compositor.State) {
		s.Workspaces = []compositor.Workspace{{ID: 1, Visible: true, Focused: true}, {ID: 2}, {ID: 3, Visible: true}}
	})
	focuses(w)
	return w
}

// focuses makes the desktop do what it is asked to focus, and notes it.
func focuses(w *world) *[]compositor.WindowID {
	log := &[]compositor.WindowID{}
	w.perform = func(a compositor.Action) (compositor.WindowID, error) {
		*log = append(*log, a.Window)
		w.set(false, focusOn(a.Window))
		return a.Window, nil
	}
	return log
}

func into(app string, s plan.Step) plan.Step {
	s.Args = op.Into(s.Args, app)
	return s
}

func TestAVisitGivesTheFocusBack(t *testing.T) {
	for _, s := range []plan.Step{into("code", typeText("hello")), into("code", press("f5"))} {
		w, d := twoSpaces(t), &devices{}
		log := focuses(w)
		where := compositor.WindowID(0)
		d.meanwhile = func() error { now, _ := w.State().Focused(); where = now.ID; return nil }
		b := &executor.Binding{Window: 1}
		if err := do(t.Context(), newHands(w, d), b, s); err != nil {
			t.Errorf("%s: %v", s.Op(), err)
		}
		// The window beside is meant, not the other one on another workspace.
		if where != 2 || len(d.log) != 1 || !slices.Equal(*log, []compositor.WindowID{2, 1}) || b.Window != 1 {
			t.Errorf("%s: acted in window %d, %q; focused %v; bound to %d", s.Op(), where, d.log, *log, b.Window)
		}
	}
}

func TestAVisitOfTheFocusedWindowMovesNothing(t *testing.T) {
	w, d := twoSpaces(t), &devices{}
	log := focuses(w)
	if err := do(t.Context(), newHands(w, d), &executor.Binding{}, into("firefox", press("f5"))); err != nil ||
		len(*log) > 0 || len(d.log) != 1 {
		t.Errorf("%v; focused %v, %q", err, *log, d.log)
	}
}

func TestAVisitFollowsAUserWhoMoves(t *testing.T) {
	w, d := twoSpaces(t), &devices{}
	log := focuses(w)
	d.meanwhile = func() error { w.set(false, focusOn(3)); return nil }
	if err := do(t.Context(), newHands(w, d), &executor.Binding{}, into("code", press("f5"))); err != nil {
		t.Error(err)
	}
	if !slices.Equal(*log, []compositor.WindowID{2}) {
		t.Errorf("focused %v: the user has moved on and is brought back", *log)
	}
}

func TestAVisitThatDisturbsAsksFirst(t *testing.T) {
	fullscreen := twoSpaces(t)
	fullscreen.set(false, func(s *compositor.State) { s.Windows[0].Fullscreen = true })
	for name, tt := range map[string]struct {
		w   *world
		app string
	}{
		"to another workspace": {twoSpaces(t), "mail"},
		"out of fullscreen":    {fullscreen, "code"},
	} {
		log, d := focuses(tt.w), &devices{}
		is(t, name, do(t.Context(), newHands(tt.w, d), &executor.Binding{}, into(tt.app, press("f5"))),
			plan.Refused, plan.NeedsConfirmation)
		if len(*log)+len(d.log) > 0 {
			t.Errorf("%s: focused %v, %q", name, *log, d.log)
		}
		if err := do(t.Context(), newHands(tt.w, d), &executor.Binding{Approved: true},
			into(tt.app, press("f5"))); err != nil || len(d.log) != 1 || len(*log) != 2 {
			t.Errorf("%s, approved: %v, focused %v, %q", name, err, *log, d.log)
		}
	}
}

// TestAVisitNeverGuessesBetweenWindows: the answer to the question is the window.
func TestAVisitNeverGuessesBetweenWindows(t *testing.T) {
	w, d := twoSpaces(t), &devices{}
	focuses(w)
	s := into("chat", typeText("hello"))
	s.Provenance = plan.FromUser
	err := do(t.Context(), newHands(w, d), &executor.Binding{}, s)
	is(t, "two windows", err, plan.Refused, plan.Ambiguous)
	var known *plan.Error
	if !errors.As(err, &known) || len(known.Choices) != 2 || len(d.log) > 0 {
		t.Fatalf("%v, %q", err, d.log)
	}
	for i, c := range known.Choices {
		if c.Label != []string{"Ada", "Bob"}[i] || !strings.Contains(c.Origin, fmt.Sprint("window ", 4+i)) ||
			len(c.Steps) != 1 {
			t.Errorf("choice %+v", c)
		}
		got := c.Steps[0]
		if err := got.Check(); err != nil || got.Args != op.Args(op.TypeText{Text: "hello", WindowID: fmt.Sprint(4 + i)}) ||
			got.Provenance != plan.FromUser {
			t.Errorf("choice %d: %s from %v, %v", i, got, got.Provenance, err)
		}
		if err := do(t.Context(), newHands(w, d), &executor.Binding{Approved: true}, got); err != nil {
			t.Errorf("choice %d: %v", i, err)
		}
	}
	if len(d.log) != 2 {
		t.Errorf("%q", d.log)
	}
}

func TestAVisitOfNothing(t *testing.T) {
	w, d := twoSpaces(t), &devices{}
	is(t, "no window", do(t.Context(), newHands(w, d), &executor.Binding{}, into("steam", press("f5"))),
		plan.Refused, plan.NotFound)
	for _, id := range []string{"99", "x", "-1", "0"} {
		s := plan.Step{Args: op.Key{Chord: "f5", WindowID: id}}
		is(t, "window "+id, do(t.Context(), newHands(w, d), &executor.Binding{}, s), plan.Refused, plan.NotFound)
	}
	if len(d.log) > 0 {
		t.Errorf("%q", d.log)
	}
}

func TestAVisitThatDoesNotArriveTypesNothing(t *testing.T) {
	w, d := twoSpaces(t), &devices{}
	w.perform = func(a compositor.Action) (compositor.WindowID, error) {
		return a.Window, plan.Unsure(plan.Timeout, "focus-window had no visible effect")
	}
	is(t, "no focus", do(t.Context(), newHands(w, d), &executor.Binding{}, into("code", typeText("x"))),
		plan.Unknown, plan.Timeout)
	if len(d.log) > 0 {
		t.Errorf("%q", d.log)
	}
}

func TestAVisitThatFailsStillGoesHome(t *testing.T) {
	w := twoSpaces(t)
	log, broken := focuses(w), errors.New("broken pipe")
	d := &devices{meanwhile: func() error { return broken }}
	if err := do(t.Context(), newHands(w, d), &executor.Binding{}, into("code", press("f5"))); !errors.Is(err, broken) ||
		!slices.Equal(*log, []compositor.WindowID{2, 1}) {
		t.Errorf("%v; focused %v", err, *log)
	}
}

func TestAVisitThatIsCancelledGoesHome(t *testing.T) {
	w := twoSpaces(t)
	log := focuses(w)
	ctx, cancel := context.WithCancel(t.Context())
	d := &devices{meanwhile: func() error { cancel(); return ctx.Err() }}
	if err := do(ctx, newHands(w, d), &executor.Binding{},
		into("code", typeText("x"))); !errors.Is(err, context.Canceled) || !slices.Equal(*log, []compositor.WindowID{2, 1}) {
		t.Errorf("%v; focused %v", err, *log)
	}
}

func run(command string) plan.Step { return plan.Step{Args: op.Terminal{Command: command}} }

func TestACommandGoesToTheShellOfTheFocusedTerminal(t *testing.T) {
	d := &devices{}
	h := newHands(newWorld(t, foot), d)
	done, err := act(t.Context(), h, &executor.Binding{}, run("echo 'a b' $HOME"))
	if err != nil || done.Evidence != plan.Delivered || done.Window != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if want := []string{`type "echo 'a b' $HOME" by auto, paste with ctrl+shift+v`,
		"press return"}; !slices.Equal(d.log, want) {
		t.Errorf("%q, want %q", d.log, want)
	}
	d.log = nil
	if _, err := act(t.Context(), h, &executor.Binding{},
		plan.Step{Args: op.Terminal{Command: "ls", Enter: new(false)}}); err != nil || len(d.log) != 1 {
		t.Errorf("without enter: %v, %q", err, d.log)
	}
}

func TestACommandIsTypedIntoNothingElse(t *testing.T) {
	vim := func(int) (string, bool, error) { return "vim", false, nil }
	nobodyKnows := func(int) (string, bool, error) { return "", false, errors.New("no such process") }
	for name, tt := range map[string]struct {
		window     compositor.Window
		command    string
		foreground func(int) (string, bool, error)
		reason     plan.Reason
	}{
		"a browser":         {firefoxFocused(), "ls", nil, plan.NotFound},
		"an editor in it":   {foot, "ls", vim, plan.PolicyReason},
		"nobody knows what": {foot, "ls", nobodyKnows, plan.NotFound},
		"several lines":     {foot, "ls\nrm x", nil, plan.NotSupported},
		"a carriage return": {foot, "ls\rrm x", nil, plan.NotSupported},
		"nothing":           {foot, "", nil, plan.NotSupported},
	} {
		d := &devices{}
		h := newHands(newWorld(t, tt.window), d)
		if tt.foreground != nil {
			h.Foreground = tt.foreground
		}
		_, err := act(context.Background(), h, &executor.Binding{}, run(tt.command))
		is(t, name, err, plan.Refused, tt.reason)
		if len(d.log) > 0 {
			t.Errorf("%s: %q", name, d.log)
		}
	}
}

// TestTheQuestionBeforeAJumpShowsTheText that would be typed, and nothing hidden in it.
func TestTheQuestionBeforeAJumpShowsTheText(t *testing.T) {
	step := plan.Step{Args: op.TypeText{Text: "hello\nworld\u202e", App: "mail"}}
	err := do(t.Context(), newHands(twoSpaces(t), &devices{}), &executor.Binding{}, step)
	is(t, "a jump", err, plan.Refused, plan.NeedsConfirmation)
	if err == nil || !strings.Contains(err.Error(), "hello") || strings.ContainsAny(err.Error(), "\n\u202e") {
		t.Errorf("the question is %v", err)
	}
}
