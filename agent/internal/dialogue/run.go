package dialogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/router"
	"utter/shared/plan"
	"utter/shared/turnstile"
)

// A Reply is what became of an utterance.
type Reply struct {
	executor.Report
	// Question is set if the user must choose or confirm first.
	Question *Question
	// Planned are the steps of a dry run.
	Planned []plan.Step
}

// Options are what RunWithOptions takes.
type Options struct {
	DryRun     bool
	Provenance plan.Provenance
	Timeout    time.Duration   // 0: none
	Context    *router.Context // with DryRun only; nil: the desktop
	App        string          // plan as if this application had the focus
	Window     uint64          // 0, or the window that is to have the focus
	Explain    bool            // of Plan: report what else a name could mean
}

// maxUtterance bounds an utterance, in bytes.
const maxUtterance = 1 << 20

// Run routes an utterance, carries out its plan and answers when it has ended.
func (a *Dialogue) Run(ctx context.Context, utterance string, o Options) Reply {
	if len(utterance) > maxUtterance {
		return refused(plan.NoPlan, "the utterance is longer than 1 MiB")
	}
	if o.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	if !o.DryRun && o.Provenance == plan.FromUser { // the screen answers no question
		if answer, ok := a.hear(ctx, utterance); ok {
			return answer
		}
	}
	d := a.route(ctx, utterance, o)
	if d.Plan == nil {
		return a.unplanned(ctx, utterance, d.Decision, o)
	}
	if o.DryRun {
		return Reply{Report: executor.Report{Outcome: plan.Completed, Message: "dry run"}, Planned: d.Plan.Steps}
	}
	t := task{plan: d.Plan, window: o.Window}
	if d.Plan.Source == plan.SourceRules { // the routers of plugins take their time, and may think again
		t.again = func() router.Decision { return a.route(ctx, utterance, o).Decision }
	}
	return a.carryOut(ctx, t)
}

// A Planned is a decision and the time that routing took.
type Planned struct {
	router.Decision
	Took time.Duration
	// Refusal is the reason why the plan would not be carried out, or "".
	Refusal string
	// Claims is everything that Name could mean; nil unless the options ask for it.
	Claims []Claim
}

// Plan returns what Run would do now.
func (a *Dialogue) Plan(ctx context.Context, utterance string, o Options) Planned {
	if len(utterance) > maxUtterance {
		return Planned{Decision: router.Decision{Reason: plan.NoPlan, Message: "the utterance is longer than 1 MiB"}}
	}
	d := a.route(ctx, utterance, o)
	if o.Explain && d.Name != "" {
		d.Claims = a.claims(d.Name)
	}
	if d.Plan == nil {
		return d
	}
	if r, ok := a.parts.Executor.Check(d.Plan, true); !ok {
		d.Refusal = r.Message
	}
	for i, s := range d.Plan.Steps {
		d.Plan.Steps[i].Confirm = a.parts.Executor.Asks(s)
	}
	return d
}

// route plans an utterance for the desktop as it is, or as o says.
func (a *Dialogue) route(ctx context.Context, utterance string, o Options) Planned {
	moment, ok := a.moment(ctx, o)
	if !ok {
		gone := fmt.Sprintf("the window %d is gone", o.Window)
		return Planned{Decision: router.Decision{Reason: plan.NotFound, Message: gone}}
	}
	began := time.Now()
	d := Planned{Decision: a.rules(utterance, moment, o.Provenance)}
	unknown := d.Plan == nil && d.Reason == plan.NoPlan && strings.TrimSpace(utterance) != ""
	if unknown || d.Plan != nil && slices.ContainsFunc(d.Plan.Steps, ofPlugin) {
		d.Decision = a.plugins(ctx, utterance, moment, o.Provenance, d.Decision)
	}
	d.Took = time.Since(began)
	return d
}

// rules plans by the rules alone, including the operations that plugins had last.
func (a *Dialogue) rules(utterance string, moment router.Context, from plan.Provenance) router.Decision {
	d := a.router().Route(utterance, moment)
	if d.Plan == nil {
		return d
	}
	for i := range d.Plan.Steps {
		d.Plan.Steps[i].Provenance = from
	}
	if moment.Focused != nil {
		d.Plan.Focused = moment.Focused.ID
	}
	return d
}

func ofPlugin(s plan.Step) bool { return s.Plugin != "" }

// plugins replaces a decision that needs plugins: by the rules with the operations that
// plugins have now, or, if no rule fits, by the routers of plugins.
func (a *Dialogue) plugins(
	ctx context.Context, utterance string, moment router.Context, from plan.Provenance, d router.Decision,
) router.Decision {
	if ops := a.parts.Plugins.Ops(ctx); ops != moment.Plugins {
		moment.Plugins = ops
		d = a.rules(utterance, moment, from)
	}
	if d.Plan != nil || d.Reason != plan.NoPlan || moment.Plugins == nil {
		return d
	}
	p, err := a.parts.Plugins.Route(ctx, utterance, from, moment)
	switch {
	case err != nil:
		d.Message += "; " + err.Error()
		return d
	case p == nil:
		return d
	}
	return router.Decision{Plan: p, Passed: append(d.Passed, "plugins"), Rule: p.Rule}
}

// moment returns the desktop to plan for. It is not ok if the window that is to have the
// focus does not exist.
func (a *Dialogue) moment(ctx context.Context, o Options) (c router.Context, ok bool) {
	if o.Context != nil {
		c = *o.Context
	} else {
		a.awaitDesktop(ctx)
		c = a.windowsOf(a.parts.Desktop.State())
	}
	if o.App != "" {
		c.Focused = &router.Window{AppID: o.App}
	}
	if o.Window != 0 {
		i := slices.IndexFunc(c.Windows, func(w router.Window) bool { return w.ID == o.Window })
		if i < 0 {
			return c, false
		}
		w := c.Windows[i]
		c.Focused, c.Windows = &w, slices.Insert(slices.Delete(c.Windows, i, i+1), 0, w)
	}
	c.Plugins = a.parts.Plugins.Known()
	return c, true
}

// windowsOf is what the rules need of a desktop. Whose window it is, the handlers say.
func (a *Dialogue) windowsOf(s *compositor.State) router.Context {
	var c router.Context
	for _, w := range s.Windows {
		rw := router.Window{ID: uint64(w.ID), AppID: w.AppID, Title: w.Title, Terminal: a.parts.IsTerminal(w)}
		if p := a.parts.AppOf(w); p != nil {
			rw.App = p.ID
		}
		c.Windows = append(c.Windows, rw)
		if w.Focused {
			c.Focused = &rw
		}
	}
	return c
}

// unplanned answers an utterance without a plan. If it is ambiguous, the user may choose.
func (a *Dialogue) unplanned(ctx context.Context, utterance string, d router.Decision, o Options) Reply {
	answer := refused(d.Reason, "%s", d.Message)
	answer.Choices = d.Choices
	if d.Reason == plan.Ambiguous && !o.DryRun && o.Provenance == plan.FromUser {
		answer.Question = a.askToChoose(ctx, utterance, d.Message, d.Choices, o.Window)
	}
	return answer
}

func refused(reason plan.Reason, format string, args ...any) Reply {
	return Reply{Report: executor.Report{Outcome: plan.Refused, Reason: reason, Message: fmt.Sprintf(format, args...)}}
}

// A task is a plan on its way.
type task struct {
	plan     *plan.Plan
	approval executor.Approval
	// window is 0, or gets the focus before anything else is done.
	window uint64
	// again plans once more, for a desktop that has changed while the plan waited.
	// It is nil for a plan that the user has seen.
	again func() router.Decision
}

// carryOut runs a plan when its turn has come.
func (a *Dialogue) carryOut(ctx context.Context, t task) Reply {
	if answer, ok := a.admit(ctx, t); !ok {
		return answer
	}
	joined := a.turns.happens(planJoins{ctx})
	if joined.place == nil {
		return refused(plan.Busy, "too many requests are waiting (%d)", turnstile.MaxWaiting)
	}
	defer func() { a.turns.happens(planLeaves{joined.place}); a.turns.tell() }()
	ctx, err := joined.place.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		return refused(plan.Timeout, "timed out before it started")
	}
	if err != nil {
		return refused(plan.Cancelled, "cancelled before it started")
	}
	if joined.behind && t.again != nil {
		d := t.again()
		if d.Plan == nil {
			return a.unplanned(ctx, t.plan.Utterance, d, Options{Provenance: t.plan.Steps[0].Provenance, Window: t.window})
		}
		t.plan = d.Plan
		if answer, ok := a.admit(ctx, t); !ok {
			return answer
		}
	}
	if answer, ok := a.focus(ctx, t.window); !ok {
		return answer
	}
	return a.perform(ctx, t)
}

// admit checks a plan before anything is done, and asks for the confirmation that it
// needs.
func (a *Dialogue) admit(ctx context.Context, t task) (answer Reply, ok bool) {
	answer.Report, ok = a.parts.Executor.Check(t.plan, t.approval.Shown)
	if !ok && answer.Reason == plan.NeedsConfirmation {
		answer.Question = a.askToConfirm(ctx, t, answer.Message, executor.Approval{Shown: true})
	}
	return answer, ok
}

// focus gives a window the focus. If that fails, nothing must be done. 0 is not a window.
func (a *Dialogue) focus(ctx context.Context, window uint64) (refusal Reply, ok bool) {
	if window == 0 {
		return Reply{}, true
	}
	err := a.parts.Desktop.Focus(ctx, compositor.WindowID(window))
	var known *plan.Error
	switch {
	case err == nil:
		return Reply{}, true
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return refused(plan.Timeout, "timed out before window %d was focused", window), false
	case ctx.Err() != nil:
		return refused(plan.Cancelled, "cancelled before window %d was focused", window), false
	case errors.As(err, &known) && known.Reason == plan.Missing:
		return refused(plan.Missing, "%v", err), false
	}
	return refused(plan.NotFound, "window %d could not be focused, so nothing was done: %v", window, err), false
}

func (a *Dialogue) perform(ctx context.Context, t task) Reply {
	p, events := t.plan, a.turns.listener()
	a.turns.tell()
	events.PlanStarted(p)
	began := time.Now()
	report := a.parts.Executor.Run(ctx, p, t.approval, events.StepFinished)
	events.PlanFinished(p, report.Outcome, report.Message)
	a.parts.Log.Info("plan", "rule", p.Rule, "op", p.Steps[0].Op(), "steps", len(p.Steps),
		"outcome", report.Outcome, "reason", report.Reason, "took", time.Since(began).Round(time.Millisecond))
	if len(report.Results) > 1 {
		t.window = 0 // the plan has gone on from there
	}
	answer := Reply{Report: report}
	if report.Reason == plan.NeedsConfirmation {
		answer.Question = a.askToGoOn(ctx, t, report)
	}
	if report.Reason == plan.Ambiguous && len(report.Choices) > 0 {
		answer.Question = a.askToChoose(ctx, p.Utterance, report.Message, report.Choices, t.window)
	}
	return answer
}
