package executor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/shared/op"
	"utter/shared/plan"
)

// doer is a Handler whose step has no arguments that matter.
func doer(f func(ctx context.Context, b *Binding) (Done, error)) Handler {
	return HandlerFunc(func(ctx context.Context, b *Binding, _ plan.Step) (Done, error) { return f(ctx, b) })
}

func ends(d Done, err error) Handler {
	return doer(func(context.Context, *Binding) (Done, error) { return d, err })
}

// rules is a Policy: what check and ask say, nil and no where they are nil.
type rules struct {
	check func(plan.Step) error
	ask   func(plan.Step) bool
}

func (r rules) Check(s plan.Step) error {
	if r.check == nil {
		return nil
	}
	return r.check(s)
}

func (r rules) NeedsConfirmation(s plan.Step) bool { return r.ask != nil && r.ask(s) }

func quiet(int, plan.Result) {}

var (
	wait  = plan.Step{Args: op.Wait{}, Description: "wait a bit", Provenance: plan.FromUser}
	done  = plan.Step{Args: op.Done{}, Description: "done", Provenance: plan.FromUser}
	focus = plan.Step{Args: op.FocusApp{App: "foot"}, Provenance: plan.FromUser}
)

func steps(s ...plan.Step) *plan.Plan { return &plan.Plan{Utterance: "x", Steps: s} }

func TestAStepIsJudgedByWhatItsHandlerKnows(t *testing.T) {
	proved := Done{Evidence: plan.ByState, Window: 7, Message: "it is open"}
	tests := []struct {
		err      error
		outcome  plan.Outcome
		reason   plan.Reason
		evidence plan.Evidence
		message  string
	}{
		{nil, plan.Completed, "", plan.ByState, "it is open"},
		{plan.Refuse(plan.NotFound, "no window"), plan.Refused, plan.NotFound, "", "no window"},
		{plan.Unsure(plan.Timeout, "no sign"), plan.Unknown, plan.Timeout, "", "no sign"},
		{plan.Fail("broke"), plan.Failed, "", "", "broke"},
		{fmt.Errorf("foot: %w", plan.Refuse(plan.Missing, "not here")), plan.Refused, plan.Missing, "", "foot: not here"},
		{errors.New("broken pipe"), plan.Failed, "", "", "focus_app: broken pipe"},
		// A limit of the handler's own is not a cancellation.
		{fmt.Errorf("read: %w", context.DeadlineExceeded), plan.Unknown, plan.Timeout,
			"", "focus_app was interrupted; it may have taken effect"},
		{context.Canceled, plan.Unknown, plan.Cancelled, "", "focus_app was interrupted; it may have taken effect"},
	}
	for _, tt := range tests {
		e := New(map[op.Name]Handler{op.FocusApp{}.Op(): ends(proved, tt.err)}, nil, rules{})
		rep := e.Run(t.Context(), steps(focus), Approval{}, quiet)
		if len(rep.Results) != 1 {
			t.Fatalf("%v: %d results", tt.err, len(rep.Results))
		}
		r := rep.Results[0]
		if r.Outcome != tt.outcome || r.Reason != tt.reason || r.Evidence != tt.evidence ||
			r.Message != tt.message || r.Window != 7 {
			t.Errorf("%v: %v, reason %q, evidence %q, %q, window %d", tt.err, r.Outcome, r.Reason,
				r.Evidence, r.Message, r.Window)
		}
		if rep.Outcome != tt.outcome || rep.Reason != tt.reason || rep.Message != tt.message {
			t.Errorf("%v: the plan is %v, reason %q, %q", tt.err, rep.Outcome, rep.Reason, rep.Message)
		}
	}
}

func TestAPlanStopsAtTheFirstStepThatDoesNotComplete(t *testing.T) {
	for _, tt := range []struct {
		err     error
		outcome plan.Outcome // of the plan
		reason  plan.Reason
	}{
		{nil, plan.Completed, ""},
		{plan.Refuse(plan.NotFound, "gone"), plan.Failed, plan.NotFound}, // something was done before
		{plan.Unsure(plan.Timeout, "no sign"), plan.Unknown, plan.Timeout},
		{errors.New("broke"), plan.Failed, ""},
	} {
		reached := false
		e := New(map[op.Name]Handler{
			op.Wait{}.Op():     ends(Done{Evidence: plan.ByState}, nil),
			op.FocusApp{}.Op(): ends(Done{}, tt.err),
			op.Done{}.Op():     doer(func(context.Context, *Binding) (Done, error) { reached = true; return Done{}, nil }),
		}, nil, rules{})
		var told []string
		rep := e.Run(t.Context(), steps(wait, focus, done), Approval{}, func(i int, r plan.Result) {
			told = append(told, fmt.Sprint(i, r.Step.Op(), r.Outcome))
		})
		if reached != (tt.err == nil) || len(told) != len(rep.Results) {
			t.Errorf("%v: third step reached: %v; told %q", tt.err, reached, told)
		}
		if rep.Outcome != tt.outcome || rep.Reason != tt.reason {
			t.Errorf("%v: the plan is %v, reason %q; want %v, %q", tt.err, rep.Outcome, rep.Reason, tt.outcome, tt.reason)
		}
		if tt.err != nil && !strings.HasPrefix(rep.Message, "step 2 of 3: ") {
			t.Errorf("%v: %q does not say which step", tt.err, rep.Message)
		}
	}
}

func TestAPlanRefusedAtItsFirstStepDidNothing(t *testing.T) {
	e := New(map[op.Name]Handler{op.FocusApp{}.Op(): ends(Done{}, plan.Refuse(plan.NotFound, "no window")),
		op.Done{}.Op(): ends(Done{}, nil)}, nil, rules{})
	if rep := e.Run(t.Context(), steps(focus, done), Approval{}, quiet); rep.Outcome != plan.Refused ||
		rep.Message != "no window" {
		t.Errorf("%v %q", rep.Outcome, rep.Message)
	}
	if rep := e.Run(t.Context(), &plan.Plan{}, Approval{}, quiet); rep.Outcome != plan.Completed ||
		len(rep.Results) != 0 || rep.Message == "" {
		t.Errorf("a plan without steps: %+v", rep)
	}
}

func TestWhatMayNotRunIsRefusedBeforeItsHandler(t *testing.T) {
	denied := errors.New("denied: only the user may ask for this")
	tests := []struct {
		policy   rules
		step     plan.Step
		approved bool
		reason   plan.Reason // "" if the step runs
		message  string
	}{
		{rules{}, focus, false, "", ""},
		{rules{}, plan.Step{Args: op.Foreign{Name: "fly"}}, false, plan.NotSupported, "fly is not supported here"},
		{rules{}, plan.Step{Args: op.LaunchApp{}}, false, plan.NotSupported, `"app" or "argv" is missing`},
		{rules{}, wait, false, plan.NotSupported, "wait is not supported here"}, // no handler
		{rules{check: func(plan.Step) error { return denied }}, focus, true, plan.PolicyReason, denied.Error()},
		{rules{ask: func(plan.Step) bool { return true }}, focus, false, plan.NeedsConfirmation, "focus_app app=foot"},
		{rules{ask: func(plan.Step) bool { return true }}, focus, true, "", ""},
		// What is forbidden is not asked for.
		{rules{check: func(plan.Step) error { return denied }, ask: func(plan.Step) bool { return true }}, focus, false,
			plan.PolicyReason, "denied"},
	}
	for _, tt := range tests {
		ran := false
		e := New(map[op.Name]Handler{op.FocusApp{}.Op(): doer(func(context.Context, *Binding) (Done, error) { ran = true; return Done{}, nil })}, nil, tt.policy)
		rep := e.Run(t.Context(), steps(tt.step), Approval{Shown: tt.approved}, quiet)
		if ran != (tt.reason == "") || rep.Reason != tt.reason || !strings.Contains(rep.Message, tt.message) {
			t.Errorf("%v: ran %v, %v, reason %q, %q", tt.step, ran, rep.Outcome, rep.Reason, rep.Message)
		}
		if tt.reason != "" && rep.Outcome != plan.Refused {
			t.Errorf("%v: outcome %v", tt.step, rep.Outcome)
		}
		// Check says the same of the whole plan, before anything is done.
		before, ok := e.Check(steps(focus, tt.step), tt.approved)
		if ok != (tt.reason == "") || before.Reason != tt.reason {
			t.Errorf("%v: Check says %v, %q", tt.step, ok, before.Reason)
		}
	}
}

func TestConfirmationShowsTheDescriptionAndTheArguments(t *testing.T) {
	s := plan.Step{Args: op.Terminal{Command: "rm -rf /tmp/x"}, Description: "run a command in the terminal"}
	e := New(map[op.Name]Handler{op.Terminal{}.Op(): ends(Done{}, nil)}, nil,
		rules{ask: func(plan.Step) bool { return true }})
	rep, ok := e.Check(steps(s), false)
	if ok || !strings.Contains(rep.Message, "run a command in the terminal") ||
		!strings.Contains(rep.Message, "rm -rf /tmp/x") {
		t.Errorf("%v, %q", ok, rep.Message)
	}
}

func TestStepsShareOneBindingAPlan(t *testing.T) {
	var seen []uint64
	e := New(map[op.Name]Handler{
		op.FocusApp{}.Op(): doer(func(_ context.Context, b *Binding) (Done, error) {
			seen = append(seen, b.Window)
			b.Window = 42
			return Done{Window: 42}, nil
		}),
		op.Done{}.Op(): doer(func(_ context.Context, b *Binding) (Done, error) {
			seen = append(seen, b.Window)
			return Done{}, nil
		}),
	}, nil, rules{})
	for range 2 {
		e.Run(t.Context(), steps(focus, done), Approval{}, quiet)
	}
	if fmt.Sprint(seen) != "[0 42 0 42]" {
		t.Errorf("windows %v: a plan must begin with none", seen)
	}
}

func TestChoicesComeThrough(t *testing.T) {
	ambiguous := plan.Refuse(plan.Ambiguous, "which?")
	ambiguous.Choices = []plan.Choice{{Label: "a"}, {Label: "b"}}
	e := New(map[op.Name]Handler{op.FocusApp{}.Op(): ends(Done{}, fmt.Errorf("foot: %w", ambiguous))}, nil, rules{})
	if rep := e.Run(t.Context(), steps(focus), Approval{}, quiet); rep.Reason != plan.Ambiguous || len(rep.Choices) != 2 {
		t.Errorf("%+v", rep)
	}
}

// TestCancel ends a plan in the middle: what was interrupted is unknown, what was
// not begun did nothing.
func TestCancel(t *testing.T) {
	byUser := errors.New("cancelled by the user")
	tests := []struct {
		name    string
		end     func(context.Context) (context.Context, func())
		handler func(ctx context.Context, cancel func()) error
		outcome plan.Outcome
		reason  plan.Reason
	}{
		{"in a step", cancelCause(byUser), func(ctx context.Context, cancel func()) error { cancel(); return ctx.Err() },
			plan.Unknown, plan.Cancelled},
		{"in a step that fails of it", cancelCause(byUser),
			func(_ context.Context, cancel func()) error { cancel(); return errors.New("read: closed") },
			plan.Unknown, plan.Cancelled},
		{"in a step that is unsure", cancelCause(byUser), func(_ context.Context, cancel func()) error {
			cancel()
			return plan.Unsure(plan.Missing, "does not respond")
		}, plan.Unknown, plan.Cancelled},
		{"in a step that did nothing yet", cancelCause(byUser), func(_ context.Context, cancel func()) error {
			cancel()
			return plan.Refuse(plan.NotFound, "gone")
		}, plan.Refused, plan.NotFound},
		{"between steps", cancelCause(byUser), func(_ context.Context, cancel func()) error { cancel(); return nil },
			plan.Failed, plan.Cancelled},
		{"by the plan's limit", timeout, func(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() },
			plan.Unknown, plan.Timeout},
		{"by the limit between steps", timeout, func(ctx context.Context, _ func()) error { <-ctx.Done(); return nil },
			plan.Failed, plan.Timeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := tt.end(t.Context())
				defer cancel()
				reached := false
				e := New(map[op.Name]Handler{
					op.FocusApp{}.Op(): doer(func(ctx context.Context, _ *Binding) (Done, error) {
						return Done{}, tt.handler(ctx, cancel)
					}),
					op.Done{}.Op(): doer(func(context.Context, *Binding) (Done, error) { reached = true; return Done{}, nil }),
				}, nil, rules{})
				rep := e.Run(ctx, steps(focus, done), Approval{}, quiet)
				if rep.Outcome != tt.outcome || rep.Reason != tt.reason || reached {
					t.Errorf("%v, reason %q, %q; second step reached: %v", rep.Outcome, rep.Reason, rep.Message, reached)
				}
				if rep.Outcome == plan.Failed && rep.Results[1].Outcome != plan.Refused {
					t.Errorf("the step that was not begun is %v", rep.Results[1].Outcome)
				}
			})
		})
	}
}

func cancelCause(cause error) func(context.Context) (context.Context, func()) {
	return func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		return ctx, func() { cancel(cause) }
	}
}

func timeout(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	return ctx, cancel
}
