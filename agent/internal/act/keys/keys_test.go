package keys

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/input"
	"utter/shared/op"
	"utter/shared/plan"
)

var (
	foot = compositor.Window{ID: 1, AppID: "foot", PID: 10, Focused: true, Placed: true,
		Rect: compositor.Rect{X: 0, Y: 100, Width: 400, Height: 200}}
	firefox = compositor.Window{ID: 2, AppID: "firefox", Title: "Cats - YouTube — Mozilla Firefox", PID: 20}
	stopped = compositor.Window{ID: 3, AppID: "gimp", PID: 13, Focused: true}
)

func typeText(text string) plan.Step {
	return plan.Step{Args: op.TypeText{Text: text}}
}

func press(chord string) plan.Step {
	return plan.Step{Args: op.Key{Chord: chord}}
}

var closeWindow = plan.Step{Args: op.Niri{Command: "close-window"}}

func showsYouTube(title string) bool { return strings.Contains(title, "YouTube") }

// do hands a step to its handler.
func do(ctx context.Context, h *Keys, b *executor.Binding, s plan.Step) error {
	_, err := act(ctx, h, b, s)
	return err
}

// act is do, with what was done.
func act(ctx context.Context, h *Keys, b *executor.Binding, s plan.Step) (executor.Done, error) {
	handlers := executor.Handlers{}
	h.Register(handlers)
	return handlers[s.Op()].Do(ctx, b, s)
}

// is checks what an error says is known.
func is(t *testing.T, what string, err error, outcome plan.Outcome, reason plan.Reason) {
	t.Helper()
	var known *plan.Error
	if !errors.As(err, &known) || known.Outcome != outcome || known.Reason != reason || known.Text == "" {
		t.Errorf("%s: %#v, want %v, reason %q", what, err, outcome, reason)
	}
}

func TestTypingGoesToTheFocusedWindow(t *testing.T) {
	d := &devices{typed: input.Typed{Evidence: plan.ByReadBack, Note: "in two parts"}}
	h := newHands(newWorld(t, foot, firefox), d)
	done, err := act(t.Context(), h, &executor.Binding{}, typeText("Grüße, 'x'"))
	if err != nil || done.Window != 1 || done.Evidence != plan.ByReadBack ||
		done.Message != "typed into foot; in two parts" {
		t.Errorf("%+v, %v", done, err)
	}
	if want := `type "Grüße, 'x'" by auto, paste with ctrl+shift+v`; len(d.log) != 1 || d.log[0] != want {
		t.Errorf("%q, want %q", d.log, want)
	}
}

func TestReadBackCanBeDemanded(t *testing.T) {
	s := plan.Step{Args: op.TypeText{Text: "x", RequireReadBack: true}}
	for evidence, sure := range map[plan.Evidence]bool{plan.ByReadBack: true, plan.Delivered: false} {
		h := newHands(newWorld(t, foot), &devices{typed: input.Typed{Evidence: evidence}})
		_, err := act(t.Context(), h, &executor.Binding{}, s)
		if sure && err != nil {
			t.Errorf("%s: %v", evidence, err)
		} else if !sure {
			is(t, string(evidence), err, plan.Unknown, "")
		}
	}
}

// TestTheBoundWindowOrNone: once a plan has brought up a window, its keys go there
// and nowhere else.
func TestTheBoundWindowOrNone(t *testing.T) {
	for _, s := range []plan.Step{typeText("x"), press("ctrl+t"), {Args: op.Scroll{Direction: "up"}}} {
		for _, tt := range []struct {
			what    string
			windows []compositor.Window
			bound   uint64
			runs    bool
		}{
			{"the focused one is bound", []compositor.Window{foot, firefox}, 1, true},
			{"nothing is bound", []compositor.Window{foot, firefox}, 0, true},
			{"another one has the focus", []compositor.Window{foot, firefox}, 2, false},
			{"it is gone", []compositor.Window{foot}, 2, false},
			{"nothing has the focus", []compositor.Window{firefox}, 0, false},
			{"there is nothing", nil, 0, false},
		} {
			d := &devices{}
			err := do(t.Context(), newHands(newWorld(t, tt.windows...), d), &executor.Binding{Window: tt.bound}, s)
			if tt.runs && (err != nil || len(d.log) != 1) {
				t.Errorf("%s, %s: %v, %q", s.Op(), tt.what, err, d.log)
			}
			if !tt.runs {
				is(t, string(s.Op())+", "+tt.what, err, plan.Refused, plan.NotFound)
				if len(d.log) > 0 {
					t.Errorf("%s, %s: %q", s.Op(), tt.what, d.log)
				}
			}
		}
	}
}

// TestEventsMayComeLate: a window that has the focus is typed into once the events
// say so too, and they are waited for, but not for ever.
func TestEventsMayComeLate(t *testing.T) {
	for _, s := range []plan.Step{typeText("x"), press("ctrl+t"), closeWindow} {
		for _, come := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, foot, firefox)
				w.set(true, focusOn(2)) // so it is, but no event has told
				d := &devices{}
				d.meanwhile = func() error { w.set(false, titled(2, "New Tab")); return nil }
				if come {
					time.AfterFunc(200*time.Millisecond, w.catchUp)
				}
				began := time.Now()
				err := do(t.Context(), newHands(w, d), &executor.Binding{Window: 2, Page: showsYouTube}, s)
				if come && (err != nil || len(d.log) != 1) {
					t.Errorf("%s: %v, %q", s.Op(), err, d.log)
				}
				if !come {
					is(t, string(s.Op()), err, plan.Refused, plan.NotFound)
					if took := time.Since(began); took != 500*time.Millisecond || len(d.log) > 0 {
						t.Errorf("%s: refused after %v, %q", s.Op(), took, d.log)
					}
				}
			})
		}
	}
}

func TestTheFocusIsLostInBetween(t *testing.T) {
	w := newWorld(t, foot, firefox)
	d := &devices{typed: input.Typed{Evidence: plan.Delivered}}
	d.meanwhile = func() error { w.set(false, focusOn(2)); return nil }
	_, err := act(t.Context(), newHands(w, d), &executor.Binding{}, typeText("secret"))
	is(t, "while typing", err, plan.Unknown, plan.NotFound)

	// Between two parts of a text the devices ask whether to go on.
	w = newWorld(t, foot, firefox)
	h := newHands(w, &devices{})
	goOn := h.alive(foot)
	if err := goOn(); err != nil {
		t.Errorf("before: %v", err)
	}
	w.set(false, focusOn(2))
	is(t, "after", goOn(), plan.Refused, plan.NotFound)

	// What a chord does to the focus is its business.
	w = newWorld(t, foot, firefox)
	d = &devices{meanwhile: func() error { w.set(false, focusOn(2)); return nil }}
	done, err := act(t.Context(), newHands(w, d), &executor.Binding{}, press("alt+tab"))
	if err != nil || done.Window != 1 || done.Evidence != plan.Delivered || done.Message != "pressed alt+tab in foot" {
		t.Errorf("a chord that moves the focus: %+v, %v", done, err)
	}
}

func TestAStoppedProcessIsNotTypedInto(t *testing.T) {
	d := &devices{}
	_, err := act(t.Context(), newHands(newWorld(t, stopped), d), &executor.Binding{}, typeText("x"))
	is(t, "before", err, plan.Refused, plan.Timeout)
	if len(d.log) > 0 {
		t.Errorf("%q", d.log)
	}
	h := newHands(newWorld(t, foot), d)
	asked := 0
	h.Stopped = func(int) bool { asked++; return asked > 1 }
	_, err = act(t.Context(), h, &executor.Binding{}, typeText("x"))
	is(t, "meanwhile", err, plan.Unknown, plan.Timeout)
}

func TestACompositorThatGoesAwayIsSaidSo(t *testing.T) {
	w := newWorld(t, foot)
	w.vanish()
	_, err := act(t.Context(), newHands(w, &devices{}), &executor.Binding{}, press("a"))
	is(t, "before", err, plan.Unknown, plan.Missing)

	w = newWorld(t, foot)
	_, err = act(t.Context(), newHands(w, &devices{meanwhile: func() error { w.vanish(); return nil }}),
		&executor.Binding{}, typeText("x"))
	is(t, "meanwhile", err, plan.Unknown, plan.Missing)

	w = newWorld(t, foot)
	w.gone = true // between the question and the wait for events
	is(t, "in between", newHands(w, &devices{}).settled(t.Context(), foot), plan.Refused, plan.Missing)
}

func TestDevicesThatFail(t *testing.T) {
	broken := errors.New("broken pipe")
	h := newHands(newWorld(t, foot), &devices{meanwhile: func() error { return broken }})
	if _, err := act(t.Context(), h, &executor.Binding{}, typeText("x")); !errors.Is(err, broken) {
		t.Errorf("type: %v", err)
	}
	if _, err := act(t.Context(), h, &executor.Binding{}, press("a")); !errors.Is(err, broken) {
		t.Errorf("key: %v", err)
	}
}

func TestScrollIsOverTheMiddleOfTheWindow(t *testing.T) {
	d := &devices{}
	h := newHands(newWorld(t, foot), d)
	for _, args := range []op.Scroll{{Direction: "down"}, {Direction: "left", Amount: 100}} {
		if _, err := act(t.Context(), h, &executor.Binding{}, plan.Step{Args: args}); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	// The layout begins at -100,0 and is 1200x550 large.
	if want := "[scroll down 5 at 300,200 of 1200x550 scroll left 100 at 300,200 of 1200x550]"; fmt.Sprint(d.log) != want {
		t.Errorf("%v, want %s", d.log, want)
	}
	unplaced := foot
	unplaced.Placed = false
	_, err := act(t.Context(), newHands(newWorld(t, unplaced), d), &executor.Binding{},
		plan.Step{Args: op.Scroll{Direction: "up"}})
	is(t, "a window whose place is not known", err, plan.Refused, plan.NotSupported)
}

func TestClickPointIsInTheLayout(t *testing.T) {
	d := &devices{}
	w := newWorld(t, foot)
	h := newHands(w, d)
	if _, err := act(t.Context(), h, &executor.Binding{}, plan.Step{Args: op.ClickPoint{X: -100, Y: 0}}); err != nil ||
		d.log[0] != "click 0,0 of 1200x550" {
		t.Errorf("%v, %q", err, d.log)
	}
	w.set(false, func(s *compositor.State) { s.Outputs = nil })
	_, err := act(t.Context(), h, &executor.Binding{}, plan.Step{Args: op.ClickPoint{X: 1, Y: 1}})
	is(t, "without outputs", err, plan.Refused, plan.NotSupported)
}

func TestWhatIsNoKeyIsRefused(t *testing.T) {
	d := &devices{}
	h := newHands(newWorld(t, foot), d)
	_, err := act(context.Background(), h, &executor.Binding{}, press("ctrl+retrun"))
	is(t, "a wrong key", err, plan.Refused, plan.NotSupported)
	if !strings.Contains(err.Error(), "return") || len(d.log) > 0 {
		t.Errorf("%v, %q", err, d.log)
	}
}

// TestAPlanIsForTheWindowThatWasFocusedWhenItWasMade, until it moves the focus
// itself.
func TestAPlanIsForTheWindowThatWasFocusedWhenItWasMade(t *testing.T) {
	w, d := newWorld(t, foot, firefox), &devices{}
	h := newHands(w, d)
	handlers := executor.Handlers{}
	h.Register(handlers)
	e := executor.New(handlers, nil, anything{})
	p := &plan.Plan{Steps: []plan.Step{press("alt+tab"), typeText("x")}}
	p.Focused = 2 // but foot has the focus now
	rep := e.Run(t.Context(), p, executor.Approval{}, func(int, plan.Result) {})
	if rep.Outcome != plan.Refused || rep.Reason != plan.NotFound || len(d.log) > 0 {
		t.Errorf("the focus has moved: %v, %q, %q", rep.Outcome, rep.Message, d.log)
	}
	p.Focused = 1
	d.meanwhile = func() error { w.set(false, focusOn(2)); return nil }
	if rep := e.Run(t.Context(), p, executor.Approval{}, func(int, plan.Result) {}); rep.Outcome != plan.Completed ||
		rep.Results[0].Window != 1 || rep.Results[1].Window != 2 {
		t.Errorf("its own chord moves the focus: %v, %q, %q", rep.Outcome, rep.Message, d.log)
	}
	p.Focused = 0 // nothing was known
	if rep := e.Run(t.Context(), p, executor.Approval{}, func(int, plan.Result) {}); rep.Outcome != plan.Completed {
		t.Errorf("nothing was focused: %v, %q", rep.Outcome, rep.Message)
	}
}

// anything is a policy that allows all.
type anything struct{}

func (anything) Check(plan.Step) error            { return nil }
func (anything) NeedsConfirmation(plan.Step) bool { return false }
