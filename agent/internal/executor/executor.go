// Package executor runs plans, one step after the other, and reports truthfully what
// became of each step. A handler carries out a step; handlers do not know each other.
package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/visible"
)

// A Binding is what earlier steps of a plan settled for later ones.
type Binding struct {
	// Window is the window that the plan brought up, or 0: later steps go to
	// it and nowhere else.
	Window uint64
	// Start is the window that had the focus when the plan was made, or 0. It
	// counts while no step has settled another.
	Start uint64
	// Page, where it is set, reports whether a window's title still shows the
	// page that the plan looked for.
	Page func(title string) bool
	// Approved says that the user has confirmed the step that is carried out.
	Approved bool
}

// An Approval is what the user has confirmed of a plan.
type Approval struct {
	// Shown: every step that policy wants confirmed.
	Shown bool
	// First: what the first step turned out to need a confirmation for.
	First bool
}

// Done is what a handler says of a step that completed.
type Done struct {
	Evidence plan.Evidence
	Window   uint64
	Message  string
}

// A Handler carries out one kind of step. A nil error means that the effect was
// proved; a *plan.Error says what else is known; any other error is a failure,
// and an ended ctx is unknown.
type Handler interface {
	Do(ctx context.Context, b *Binding, s plan.Step) (Done, error)
}

// HandlerFunc is a Handler.
type HandlerFunc func(ctx context.Context, b *Binding, s plan.Step) (Done, error)

// Do calls f.
func (f HandlerFunc) Do(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
	return f(ctx, b, s)
}

// Handlers hold what carries out each operation of the agent's.
type Handlers map[op.Name]Handler

// On registers what carries out the operation whose arguments are an A.
func On[A op.Args](h Handlers, do func(ctx context.Context, b *Binding, s plan.Step, args A) (Done, error)) {
	var a A
	h[a.Op()] = HandlerFunc(func(ctx context.Context, b *Binding, s plan.Step) (Done, error) {
		args, ok := s.Args.(A)
		if !ok {
			return Done{}, plan.Refuse(plan.NotSupported, "%s: these are not its arguments: %T", s.Op(), s.Args)
		}
		return do(ctx, b, s, args)
	})
}

// A Policy says whether a step may run, and whether the user must agree.
type Policy interface {
	Check(s plan.Step) error
	NeedsConfirmation(s plan.Step) bool
}

// An Executor runs plans. Its Run must not be called twice at a time.
type Executor struct {
	handlers Handlers
	plugins  Handler
	policy   Policy
}

// New returns an Executor with the given handlers. plugins, which may be nil,
// carries out the steps that are a plugin's.
func New(handlers Handlers, plugins Handler, policy Policy) *Executor {
	return &Executor{handlers, plugins, policy}
}

// handler returns what carries s out, or nil.
func (e *Executor) handler(s plan.Step) Handler {
	if s.Plugin != "" {
		return e.plugins
	}
	if op.Is[op.Foreign](s.Args) {
		return nil
	}
	return e.handlers[s.Op()]
}

// A Report is what became of a plan.
type Report struct {
	Outcome plan.Outcome
	Reason  plan.Reason
	Message string
	Results []plan.Result // of the steps that were reached
	// Choices are set where the last step was refused as ambiguous.
	Choices []plan.Choice
}

// Check says, before anything is done, what stands against the whole plan: a
// report and false, or an empty report and true. approved says that the user has
// confirmed what policy wants confirmed; the question that is asked otherwise
// shows all of it.
func (e *Executor) Check(p *plan.Plan, approved bool) (Report, bool) {
	for _, s := range p.Steps {
		if err := e.admit(s, true); err != nil {
			return report(p, []plan.Result{result(s, Done{}, err)}, nil), false
		}
	}
	if i := slices.IndexFunc(p.Steps, e.policy.NeedsConfirmation); i >= 0 && !approved {
		err := plan.Refuse(plan.NeedsConfirmation, "%s", e.question(p))
		return report(p, []plan.Result{result(p.Steps[i], Done{}, err)}, nil), false
	}
	return Report{}, true
}

// Asks reports whether the user is asked before s is carried out.
func (e *Executor) Asks(s plan.Step) bool { return e.policy.NeedsConfirmation(s) }

// question shows the steps of a plan that want a confirmation. What a plugin
// wrote is shown whole.
func (e *Executor) question(p *plan.Plan) string {
	shown := slices.DeleteFunc(slices.Clone(p.Steps), func(s plan.Step) bool { return s.Author == "" && !e.policy.NeedsConfirmation(s) })
	if len(shown) == 1 {
		return "confirm: " + ConfirmText(shown[0])
	}
	text := "confirm:"
	for i, s := range shown {
		text += fmt.Sprintf("\n%d. %s", i+1, ConfirmText(s))
	}
	return text
}

// admit says whether s may run.
func (e *Executor) admit(s plan.Step, approved bool) error {
	if err := s.Check(); err != nil {
		return plan.Refuse(plan.NotSupported, "%v", err)
	}
	if err := e.policy.Check(s); err != nil {
		return plan.Refuse(plan.PolicyReason, "%v", err)
	}
	if e.handler(s) == nil {
		if op.Of(s.Args).Missing {
			return plan.Refuse(plan.NotSupported, "%s: Utter cannot do this yet", cmp.Or(s.Description, string(s.Op())))
		}
		return plan.Refuse(plan.NotSupported, "%s is not supported here", s.Op())
	}
	if !approved && e.policy.NeedsConfirmation(s) {
		return plan.Refuse(plan.NeedsConfirmation, "confirm: %s", ConfirmText(s))
	}
	return nil
}

// ConfirmText shows what a step would do, with its arguments and nothing hidden.
func ConfirmText(s plan.Step) string {
	text := s.String()
	switch {
	case s.Plugin != "":
		text += ", by the plugin " + s.Plugin
	case s.Description != "" && op.Is[op.Niri](s.Args):
		text = fmt.Sprintf("%s (%s)", s.Description, s.Args)
	case s.Description != "":
		text = fmt.Sprintf("%s (%s)", s.Description, text)
	}
	if s.Author != "" {
		text += ", planned by the plugin " + s.Author
	}
	return visible.Text(text)
}

// Run runs the steps of p in order and stops after the first that does not
// complete. onStep is called after each.
func (e *Executor) Run(ctx context.Context, p *plan.Plan, a Approval, onStep func(int, plan.Result)) Report {
	var results []plan.Result
	var choices []plan.Choice
	b := &Binding{Start: p.Focused}
	for i, s := range p.Steps {
		b.Approved = a.First && i == 0 || a.Shown && e.policy.NeedsConfirmation(s)
		r, err := e.step(ctx, b, s, a.Shown)
		results = append(results, r)
		onStep(i, r)
		if r.Outcome != plan.Completed {
			var known *plan.Error
			if errors.As(err, &known) {
				choices = known.Choices
			}
			break
		}
	}
	return report(p, results, choices)
}

func (e *Executor) step(ctx context.Context, b *Binding, s plan.Step, approved bool) (plan.Result, error) {
	if err := ctx.Err(); err != nil {
		err = plan.Refuse(whyEnded(ctx, err), "%s: not started", s.Op())
		return result(s, Done{}, err), err
	}
	if err := e.admit(s, approved); err != nil {
		return result(s, Done{}, err), err
	}
	done, err := e.handler(s).Do(ctx, b, s)
	switch {
	case err != nil:
		err = interrupted(ctx, s, err)
	case op.Of(s.Args).MovesFocus && !op.Visits(s.Args):
		b.Start = 0 // the plan goes along
	}
	return result(s, done, err), err
}

// interrupted makes err say that the end of ctx, or a limit of the step's own, is
// the reason, unless it tells for sure what became of the step.
func interrupted(ctx context.Context, s plan.Step, err error) error {
	var known *plan.Error
	switch isKnown := errors.As(err, &known); {
	case isKnown && (known.Outcome != plan.Unknown || ctx.Err() == nil):
		return err
	case isKnown:
		return plan.Unsure(whyEnded(ctx, err), "%s", known.Text)
	case ctx.Err() != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return plan.Unsure(whyEnded(ctx, err), "%s was interrupted; it may have taken effect", s.Op())
	}
	return err
}

// whyEnded tells a step that took too long, by its own limit or the plan's, from
// one that the user cancelled.
func whyEnded(ctx context.Context, err error) plan.Reason {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return plan.Timeout
	}
	return plan.Cancelled
}

// result judges a step by what its handler returned.
func result(s plan.Step, d Done, err error) plan.Result {
	r := plan.Result{Step: s, Evidence: d.Evidence, Window: d.Window, Message: d.Message}
	var known *plan.Error
	switch {
	case err == nil:
		r.Outcome = plan.Completed
	case errors.As(err, &known):
		r.Outcome, r.Reason, r.Message, r.Evidence = known.Outcome, known.Reason, err.Error(), plan.NoEvidence
	default:
		r.Outcome, r.Message, r.Evidence = plan.Failed, fmt.Sprintf("%s: %v", s.Op(), err), plan.NoEvidence
	}
	return r
}

// report sums the results up: a plan is what its last step is, and refused only
// if nothing at all was done.
func report(p *plan.Plan, results []plan.Result, choices []plan.Choice) Report {
	if len(results) == 0 {
		return Report{Outcome: plan.Completed, Message: "there was nothing to do"}
	}
	last := results[len(results)-1]
	rep := Report{Outcome: last.Outcome, Reason: last.Reason, Message: last.Message, Results: results, Choices: choices}
	if last.Outcome == plan.Completed && len(results) < len(p.Steps) {
		rep.Outcome = plan.Unknown
	}
	if last.Outcome != plan.Completed && len(results) > 1 {
		rep.Message = fmt.Sprintf("step %d of %d: %s", len(results), len(p.Steps), last.Message)
		if last.Outcome == plan.Refused {
			rep.Outcome = plan.Failed // something was done before
		}
	}
	if rep.Message == "" {
		rep.Message = last.Step.Description
	}
	return rep
}
