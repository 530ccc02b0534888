// Package dialogue is the core of the agent: it routes utterances, runs their plans one
// at a time and keeps the question that waits for an answer. It returns Go values and
// knows no bus; the parts that touch the desktop are handed to it.
package dialogue

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/knowledge"
	"utter/agent/internal/launch"
	"utter/agent/internal/router"
	"utter/shared/op"
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
	Supports(action string) bool
	Focus(ctx context.Context, id compositor.WindowID) error
}

// Events is told what happens, as it happens.
type Events interface {
	PlanStarted(p *plan.Plan)
	StepFinished(index int, r plan.Result)
	PlanFinished(p *plan.Plan, outcome plan.Outcome, message string)
	ConfirmationRequested(q Question)
	ChoiceRequested(q Question)
	StateChanged(state string)
	ProfilesChanged(problems []profile.Problem)
}

// Parts are what a Dialogue works with.
type Parts struct {
	Desktop  Desktop
	Executor *executor.Executor
	AppOf    func(compositor.Window) *profile.Profile
	// IsTerminal reports whether a window is a terminal.
	IsTerminal func(compositor.Window) bool
	Log        *slog.Logger
	// Knowledge is what is known from files.
	Knowledge Knowledge
	// Turns keeps what waits for its turn and for the user.
	Turns *Turns
	// FindProgram looks for what an argument list would start.
	FindProgram func(ctx context.Context, argv []string) launch.Program
	// Probe looks at the parts of the desktop, for Doctor.
	Probe func(ctx context.Context) []Part
	// Plugins are asked if no rule fits; nil means that there are none.
	Plugins Plugins
}

// Knowledge is what the agent needs to know from files.
type Knowledge interface {
	// Load reads what has changed, and reports whether that is more than settings.
	Load() (changed bool, err error)
	// Now returns what the last Load found.
	Now() *knowledge.Snapshot
}

// Plugins are what the runner's plugins can do.
type Plugins interface {
	// Known returns what can be said to plugins, as learned last.
	Known() *router.PluginOps
	// Ops asks anew; nil means that there is nobody to ask.
	Ops(ctx context.Context) *router.PluginOps
	// Route asks their routers; a nil plan and no error is not an answer.
	Route(ctx context.Context, utterance string, from plan.Provenance, c router.Context) (*plan.Plan, error)
}

// A Part is the state of one part of the desktop.
type Part struct {
	Name   string
	State  string // "ok", "absent" or "broken"
	Detail string
}

// A Dialogue is the product's core. Its methods may be called at any time from
// several goroutines.
type Dialogue struct {
	parts Parts
	turns *Turns

	mu      sync.Mutex
	trouble []profile.Problem // with watching the files
}

// New returns a Dialogue that has loaded its profiles.
func New(p Parts) (*Dialogue, error) {
	if p.Plugins == nil {
		p.Plugins = none{}
	}
	a := &Dialogue{parts: p, turns: p.Turns}
	if err := a.Reload(); err != nil {
		return nil, err
	}
	return a, nil
}

// Listen sets who is told of events.
func (a *Dialogue) Listen(e Events) { a.turns.listen(e) }

// Reload reads profiles, applications and configuration again. It does not disturb running
// plans.
func (a *Dialogue) Reload() error {
	changed, err := a.parts.Knowledge.Load()
	if changed {
		a.turns.listener().ProfilesChanged(a.Problems())
	}
	return err
}

// WatchTrouble adds the problem that files cannot be watched.
func (a *Dialogue) WatchTrouble(err error) {
	a.mu.Lock()
	a.trouble = []profile.Problem{{
		Origin: profile.Origin{Layer: profile.User, File: "inotify"}, Severity: profile.Warning,
		Message: fmt.Sprintf("watch files: %v; they are checked every two seconds instead; raise "+
			"fs.inotify.max_user_watches or fs.inotify.max_user_instances with sysctl", err),
	}}
	a.mu.Unlock()
	a.turns.listener().ProfilesChanged(a.Problems())
}

// Problems returns what is wrong with the files.
func (a *Dialogue) Problems() []profile.Problem {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Concat(a.parts.Knowledge.Now().Problems, a.trouble)
}

// router returns the current router.
func (a *Dialogue) router() *router.Router { return a.parts.Knowledge.Now().Router }

// Suggest returns what can be said now, or, with app, if that application had the focus.
func (a *Dialogue) Suggest(ctx context.Context, app, prefix string, limit int) []router.Suggestion {
	a.awaitDesktop(ctx)
	c := a.windowsOf(a.parts.Desktop.State())
	if app != "" {
		c.Focused = &router.Window{AppID: app}
	}
	c.Plugins = a.parts.Plugins.Ops(ctx)
	return a.router().Suggest(prefix, c, limit, a.able)
}

// able reports whether a step can be carried out at all: the compositor has the action,
// and policy does not forbid it.
func (a *Dialogue) able(s plan.Step) bool {
	if n, ok := s.Args.(op.Niri); ok && !a.parts.Desktop.Supports(n.Command) {
		return false
	}
	_, ok := a.parts.Executor.Check(&plan.Plan{Steps: []plan.Step{s}}, true)
	return ok
}

// Cancel ends the running plan and those that wait, and drops the question. It returns the
// number of plans.
func (a *Dialogue) Cancel() int {
	defer a.turns.tell()
	return a.turns.happens(userCancels{}).ended
}

// Doctor returns the parts of the desktop.
func (a *Dialogue) Doctor(ctx context.Context) []Part {
	a.awaitDesktop(ctx)
	return a.parts.Probe(ctx)
}

// awaitDesktop waits a moment for a compositor that is starting. Without one there are no
// windows, and the steps that need them fail later.
func (a *Dialogue) awaitDesktop(ctx context.Context) {
	_ = a.parts.Desktop.AwaitConnection(ctx, connectTime)
}

// none is for an agent without plugins.
type none struct{}

func (none) Known() *router.PluginOps              { return nil }
func (none) Ops(context.Context) *router.PluginOps { return nil }
func (none) Route(context.Context, string, plan.Provenance, router.Context) (*plan.Plan, error) {
	return nil, nil
}
