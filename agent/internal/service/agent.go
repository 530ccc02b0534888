// Package service is the agent: it routes utterances, runs their plans one at a
// time, keeps what waits for the user's word, and answers on D-Bus. The parts
// that touch the desktop are handed to it.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/notify"
	"utter/agent/internal/router"
	"utter/shared/plan"
	"utter/shared/profile"
)

// connectTime is how long an utterance waits for a compositor that is starting.
const connectTime = time.Second

// A Desktop is what the agent needs to know of the windows.
type Desktop interface {
	State() *compositor.State
	Info() (compositor.Info, bool)
	Changed() <-chan struct{}
	AwaitConnection(ctx context.Context, limit time.Duration) error
}

// Events are told to whoever listens on the bus.
type Events interface {
	PlanStarted(p *plan.Plan)
	StepFinished(index int, r plan.Result)
	PlanFinished(p *plan.Plan, outcome plan.Outcome, message string)
	ConfirmationRequested(w Waiting)
	ChoiceRequested(w Waiting)
	StateChanged(state string)
	ProfilesChanged(problems []profile.Problem)
}

// Parts are what an Agent works with.
type Parts struct {
	Desktop  Desktop
	Executor *executor.Executor
	AppOf    func(compositor.Window) *profile.Profile
	Log      *slog.Logger
	// Load reads profiles and configuration again.
	Load func() (*router.Router, []profile.Problem, error)
	// Ask asks for confirmation outside any window, where something can.
	Ask Asker
	// Probe looks at the parts of the desktop, for Doctor.
	Probe func(ctx context.Context) []Part
}

// An Asker shows a question with answers to choose from.
type Asker interface {
	Show(ctx context.Context, summary, text string, actions []notify.Action, ms int32, answered func(key string)) error
}

// A Part is one part of the desktop and how it stands.
type Part struct {
	Name   string
	State  string // "ok", "absent" or "broken"
	Detail string
}

// An Agent is the product's core. Its methods may be called at any time from
// several goroutines.
type Agent struct {
	parts   Parts
	queue   *queue
	pending *pending

	mu       sync.Mutex
	events   Events
	router   *router.Router
	problems []profile.Problem
	trouble  []profile.Problem // with watching the files

	stateMu sync.Mutex
	state   string // what was told last
}

// New returns an Agent that has loaded its profiles.
func New(p Parts) (*Agent, error) {
	a := &Agent{parts: p, queue: newQueue(), pending: newPending(time.Now), events: silent{}, state: "ready"}
	a.pending.expired = a.tellState
	if err := a.Reload(); err != nil {
		return nil, err
	}
	return a, nil
}

// Listen sets who is told of events.
func (a *Agent) Listen(e Events) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = e
}

func (a *Agent) told() Events {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.events
}

// Reload reads profiles, applications and configuration again. Running plans are
// not disturbed.
func (a *Agent) Reload() error {
	r, problems, err := a.parts.Load()
	if err != nil {
		return err
	}
	a.mu.Lock()
	changed := a.router != r || !slices.Equal(a.problems, problems)
	a.router, a.problems = r, problems
	events := a.events
	a.mu.Unlock()
	if changed {
		events.ProfilesChanged(a.Problems())
	}
	return nil
}

// WatchTrouble makes it a problem that files cannot be watched.
func (a *Agent) WatchTrouble(err error) {
	a.mu.Lock()
	a.trouble = []profile.Problem{{
		Origin: profile.Origin{Layer: profile.User, File: "inotify"}, Severity: profile.Warning,
		Message: fmt.Sprintf("files are looked at every two seconds, since the kernel gives no watches (%v); "+
			"raise fs.inotify.max_user_watches or fs.inotify.max_user_instances by sysctl", err),
	}}
	events := a.events
	a.mu.Unlock()
	events.ProfilesChanged(a.Problems())
}

// Router returns the router in force.
func (a *Agent) Router() *router.Router {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.router
}

// Problems returns what is wrong with files.
func (a *Agent) Problems() []profile.Problem {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Concat(a.problems, a.trouble)
}

// An Answer is what became of an utterance.
type Answer struct {
	executor.Report
	// Waiting is set where the user must choose or confirm first.
	Waiting *Waiting
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
	Explain    bool            // of Plan: say what else a name could mean
}

// maxUtterance bounds an utterance, in bytes.
const maxUtterance = 1 << 20

// Run routes an utterance, carries out its plan and answers when it has ended.
func (a *Agent) Run(ctx context.Context, utterance string, o Options) Answer {
	if len(utterance) > maxUtterance {
		return refused(plan.NoPlan, "the utterance is longer than 1 MiB")
	}
	if o.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	if !o.DryRun && o.Provenance == plan.FromUser { // the screen answers no question
		if answer, ok := a.spokenAnswer(ctx, utterance, o); ok {
			return answer
		}
		a.pending.drop()
		a.tellState()
	}
	d := a.route(ctx, utterance, o)
	if d.Plan == nil {
		return a.unplanned(ctx, utterance, d, o)
	}
	if o.DryRun {
		return Answer{Report: executor.Report{Outcome: plan.Completed, Message: "dry run"}, Planned: d.Plan.Steps}
	}
	return a.carryOut(ctx, d.Plan, false, func() router.Decision { return a.route(ctx, utterance, o) })
}

// spokenAnswer takes an utterance for the answer to what is going on, if it is
// one: a number or name to a choice, yes or no to a confirmation, a word such as
// "cancel" to a plan that runs.
func (a *Agent) spokenAnswer(ctx context.Context, utterance string, o Options) (Answer, bool) {
	r := a.Router()
	if w, index, ok := a.pending.answeredBy(utterance, r); ok {
		return a.carryOut(ctx, w.choice(index), false, nil), true
	}
	switch word := r.Word(utterance, a.pending.confirms()); word {
	case router.Yes, router.No:
		if w, ok := a.pending.takeConfirmation(); ok {
			return a.confirmed(ctx, w, word == router.Yes), true
		}
	case router.Stop:
		if n := a.Cancel(); n > 0 {
			return Answer{Report: executor.Report{Outcome: plan.Completed, Message: fmt.Sprintf("cancelled %d", n)}}, true
		}
	}
	return Answer{}, false
}

// route plans an utterance for the desktop as it is.
func (a *Agent) route(ctx context.Context, utterance string, o Options) router.Decision {
	context := router.Context{}
	if o.Context != nil {
		context = *o.Context
	} else {
		a.awaitDesktop(ctx)
		context = windowsOf(a.parts.Desktop.State())
	}
	if o.App != "" {
		context.Focused = &router.Window{AppID: o.App}
	}
	d := a.Router().Route(utterance, context)
	if d.Plan != nil {
		for i := range d.Plan.Steps {
			d.Plan.Steps[i].Provenance = o.Provenance
		}
		if context.Focused != nil {
			d.Plan.Focused = context.Focused.ID
		}
	}
	return d
}

func windowsOf(s *compositor.State) router.Context {
	var c router.Context
	for _, w := range s.Windows {
		rw := router.Window{ID: uint64(w.ID), AppID: w.AppID, Title: w.Title}
		c.Windows = append(c.Windows, rw)
		if w.Focused {
			c.Focused = &rw
		}
	}
	return c
}

// unplanned answers an utterance without a plan; where it is ambiguous, the user
// may choose.
func (a *Agent) unplanned(ctx context.Context, utterance string, d router.Decision, o Options) Answer {
	answer := refused(d.Reason, "%s", d.Message)
	answer.Choices = d.Choices
	if d.Reason == plan.Ambiguous && !o.DryRun && o.Provenance == plan.FromUser {
		answer.Waiting = a.ask(ctx, utterance, d.Message, d.Choices)
	}
	return answer
}

func (a *Agent) ask(ctx context.Context, utterance, text string, choices []plan.Choice) *Waiting {
	w := a.pending.add(Waiting{Utterance: utterance, Text: text, Choices: choices})
	a.told().ChoiceRequested(w)
	a.tellState()
	var buttons []notify.Action
	for i, c := range choices[:min(mostButtons, len(choices))] {
		buttons = append(buttons, notify.Action{Key: strconv.Itoa(i), Label: c.Label + " (" + c.Origin + ")"})
	}
	a.show(ctx, w, "Which one?", buttons, func(key string) error {
		i, err := strconv.Atoi(key)
		if err == nil {
			_, err = a.Choose(context.WithoutCancel(ctx), w.Token, i)
		}
		return err
	})
	return &w
}

// mostButtons is how many choices a notification shows; all have numbers.
const mostButtons = 6

func refused(reason plan.Reason, format string, args ...any) Answer {
	return Answer{Report: executor.Report{Outcome: plan.Refused, Reason: reason, Message: fmt.Sprintf(format, args...)}}
}

// carryOut runs a plan when its turn has come.
//
// again plans anew, for a desktop that has changed while the plan waited; it is
// nil for a plan that the user has seen.
func (a *Agent) carryOut(ctx context.Context, p *plan.Plan, approved bool, again func() router.Decision) Answer {
	report, ok := a.parts.Executor.Check(p, approved)
	if !ok && report.Reason == plan.NeedsConfirmation {
		return Answer{Report: report, Waiting: a.confirmFirst(ctx, p, report.Message)}
	}
	if !ok {
		return Answer{Report: report}
	}
	waits := a.queue.length() > 0
	ctx, leave, err := a.queue.enter(ctx)
	if errors.Is(err, errBusy) {
		return refused(plan.Busy, "eight utterances are waiting already")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return refused(plan.Timeout, "its time was over before it began")
	}
	if err != nil {
		return refused(plan.Cancelled, "cancelled before it began")
	}
	defer func() { leave(); a.tellState() }()
	if waits && again != nil {
		d := again()
		if d.Plan == nil {
			return a.unplanned(ctx, p.Utterance, d, Options{Provenance: p.Steps[0].Provenance})
		}
		p = d.Plan
		if report, ok := a.parts.Executor.Check(p, approved); !ok {
			answer := Answer{Report: report}
			if report.Reason == plan.NeedsConfirmation {
				answer.Waiting = a.confirmFirst(ctx, p, report.Message)
			}
			return answer
		}
	}
	return a.perform(ctx, p, approved)
}

// askToGoOn asks for a step that turned out, while the plan ran, to need the
// user's word. What is left of the plan waits.
func (a *Agent) askToGoOn(ctx context.Context, p *plan.Plan, report executor.Report) *Waiting {
	rest := *p
	rest.Steps = p.Steps[len(report.Results)-1:]
	return a.confirmFirst(ctx, &rest, report.Message)
}

// confirmFirst makes a plan wait for the user's word.
func (a *Agent) confirmFirst(ctx context.Context, p *plan.Plan, text string) *Waiting {
	w := a.pending.add(Waiting{Utterance: p.Utterance, Text: text, Plan: p})
	a.told().ConfirmationRequested(w)
	a.tellState()
	a.askForConfirmation(ctx, w)
	return &w
}

// askForConfirmation shows a notification with the question.
func (a *Agent) askForConfirmation(ctx context.Context, w Waiting) {
	const yes, no = "yes", "no"
	buttons := []notify.Action{{Key: yes, Label: "Do it"}, {Key: no, Label: "No"}}
	a.show(ctx, w, w.Text, buttons, func(key string) error {
		_, err := a.Confirm(context.WithoutCancel(ctx), w.Token, key == yes)
		return err
	})
}

// show asks by a notification. Where nothing shows it, the CLI and D-Bus still
// answer. The answer runs when the call that asked is long over, so it has the
// values of ctx but not its end.
func (a *Agent) show(ctx context.Context, w Waiting, text string, buttons []notify.Action, answered func(key string) error) {
	err := a.parts.Ask.Show(ctx, "Utter", text, buttons, int32(w.Expires.Milliseconds()), func(key string) {
		if err := answered(key); err != nil {
			a.parts.Log.Info("notification answered too late", "error", err)
		}
	})
	if err != nil {
		a.parts.Log.Debug("notification", "error", err)
	}
}

func (a *Agent) perform(ctx context.Context, p *plan.Plan, approved bool) Answer {
	events := a.told()
	a.tellState()
	events.PlanStarted(p)
	began := time.Now()
	report := a.parts.Executor.Run(ctx, p, approved, events.StepFinished)
	events.PlanFinished(p, report.Outcome, report.Message)
	a.parts.Log.Info("plan", "rule", p.Rule, "op", p.Steps[0].Op, "steps", len(p.Steps),
		"outcome", report.Outcome, "reason", report.Reason, "took", time.Since(began).Round(time.Millisecond))
	answer := Answer{Report: report}
	if report.Reason == plan.NeedsConfirmation {
		answer.Waiting = a.askToGoOn(ctx, p, report)
	}
	if report.Reason == plan.Ambiguous && len(report.Choices) > 0 {
		answer.Waiting = a.ask(ctx, p.Utterance, report.Message, report.Choices)
	}
	return answer
}

// tellState tells whoever listens what the agent is doing, if that has changed.
func (a *Agent) tellState() {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	now := "ready"
	switch {
	case a.queue.running():
		now = "running"
	case a.pending.waits():
		now = "waiting"
	}
	if now != a.state {
		a.state = now
		a.told().StateChanged(now)
	}
}

// Plan returns what Run would do now.
func (a *Agent) Plan(ctx context.Context, utterance string, o Options) router.Decision {
	if len(utterance) > maxUtterance {
		return router.Decision{Reason: plan.NoPlan, Message: "the utterance is longer than 1 MiB"}
	}
	return a.route(ctx, utterance, o)
}

// Suggest returns what can be said now; with app, as if that had the focus.
func (a *Agent) Suggest(app, prefix string, limit int) []router.Suggestion {
	ctx := windowsOf(a.parts.Desktop.State())
	if app != "" {
		ctx.Focused = &router.Window{AppID: app}
	}
	return a.Router().Suggest(prefix, ctx, limit)
}

// Choose carries out one of the choices of an ambiguous utterance.
func (a *Agent) Choose(ctx context.Context, token string, index int) (Answer, error) {
	w, err := a.pending.take(token)
	defer a.tellState()
	if err != nil {
		return Answer{}, err
	}
	if index < 0 || index >= len(w.Choices) {
		a.pending.restore(w)
		return Answer{}, fmt.Errorf("%w: choice %d of %d", errNoChoice, index+1, len(w.Choices))
	}
	return a.carryOut(ctx, w.choice(index), false, nil), nil
}

// Confirm carries out, or turns down, a plan that asked for confirmation. The
// plan that runs is the one whose digest the token stands for; target and policy
// are checked again.
func (a *Agent) Confirm(ctx context.Context, token string, approve bool) (Answer, error) {
	w, err := a.pending.take(token)
	defer a.tellState()
	if err != nil {
		return Answer{}, err
	}
	if w.Plan == nil {
		a.pending.restore(w)
		return Answer{}, fmt.Errorf("%w: this token is for a choice", errNoChoice)
	}
	return a.confirmed(ctx, w, approve), nil
}

// confirmed does what the user's word to a confirmation asks for.
func (a *Agent) confirmed(ctx context.Context, w Waiting, approve bool) Answer {
	switch {
	case !approve:
		return refused(plan.Cancelled, "turned down")
	case digest(w.Plan) != w.digest:
		return refused(plan.PolicyReason, "the plan is not the one that was shown")
	}
	return a.carryOut(ctx, w.Plan, true, nil)
}

// Cancel ends the running plan and empties the queue. It returns how many plans
// that were.
func (a *Agent) Cancel() int {
	defer a.tellState()
	a.pending.drop()
	return a.queue.cancelAll()
}

// Doctor returns the parts of the desktop.
func (a *Agent) Doctor(ctx context.Context) []Part {
	a.awaitDesktop(ctx)
	return a.parts.Probe(ctx)
}

// awaitDesktop gives a compositor that was just met time to be there. Without one
// there are no windows; what needs them says so later.
func (a *Agent) awaitDesktop(ctx context.Context) {
	_ = a.parts.Desktop.AwaitConnection(ctx, connectTime)
}

// silent is for an agent whose bus is not there yet.
type silent struct{}

func (silent) PlanStarted(*plan.Plan)                        {}
func (silent) StepFinished(int, plan.Result)                 {}
func (silent) PlanFinished(*plan.Plan, plan.Outcome, string) {}
func (silent) ConfirmationRequested(Waiting)                 {}
func (silent) ChoiceRequested(Waiting)                       {}
func (silent) StateChanged(string)                           {}
func (silent) ProfilesChanged([]profile.Problem)             {}
