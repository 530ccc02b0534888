package main

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"utter/agent/internal/compositor"
	"utter/agent/internal/dialogue"
	"utter/agent/internal/executor"
	"utter/agent/internal/router"
	"utter/shared/config"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin"
	"utter/shared/plugin/protocol"
	"utter/shared/profile"
	"utter/shared/xdg"
)

// pluginID is what the agent calls itself as a plugin.
const pluginID = "utter-agent"

// An agentPlugin is the agent under a runner: it plans, and carries out one
// operation at a time. It has no name on the bus, and is not a client of a runner.
type agentPlugin struct {
	configFile string
	dirs       xdg.Dirs
	dryRun     bool
	// confirmed are the operations that the runner was told to ask for.
	confirmed []op.Name

	desk     *desk
	body     *body // nil in a dry run
	agent    *dialogue.Dialogue
	executor *executor.Executor
	problems []profile.Problem // that were logged last
}

// newPlugin returns the agent as a plugin. With dryRun it says what it would do
// and touches nothing; it then needs neither a session bus nor a compositor.
func newPlugin(configFile string, dirs xdg.Dirs, dryRun bool) plugin.Plugin {
	a := &agentPlugin{configFile: configFile, dirs: dirs, dryRun: dryRun}
	c, _ := config.Load(configFile) // the desk reads it too, and says what is wrong
	for _, spec := range op.Specs() {
		if spec.Off || slices.Contains(c.Policy.ConfirmOps, string(spec.Name)) {
			a.confirmed = append(a.confirmed, spec.Name)
		}
	}
	return plugin.Plugin{
		ID: pluginID, Version: version, Kind: protocol.KindBundle,
		Ops: a.ops(), Route: a.route, Start: a.start, Run: a.run,
	}
}

// start makes the parts, as serve does.
func (a *agentPlugin) start(ctx context.Context) (err error) {
	log := plugin.Log(ctx)
	if a.desk, err = newDesk(a.configFile, a.dirs, log); err != nil {
		return err
	}
	parts := dialogue.Parts{
		Desktop: atFirst{a.desk.desktop, a.desk.desktop.Changed()}, Log: log, Knowledge: a.desk.knowledge,
		Turns: dialogue.NewTurns(nil, log),
		AppOf: func(w compositor.Window) *profile.Profile {
			return a.desk.knowledge.Now().Library().Index.ForWindow(w.AppID)
		},
		IsTerminal: func(w compositor.Window) bool { return a.desk.knowledge.Now().Library().IsTerminal(w.AppID) },
	}
	does := executor.Handlers{}
	if a.dryRun {
		for _, spec := range op.Specs() {
			does[spec.Name] = executor.HandlerFunc(tell)
		}
	} else {
		if a.body, err = newBody(ctx, a.desk); err != nil {
			return err
		}
		parts.Desktop, does = a.desk.desktop, handlers(a.body, a.desk.knowledge)
		parts.AppOf, parts.IsTerminal = a.body.resolver.AppOf, a.body.resolver.IsTerminal
	}
	a.executor = executor.New(does, nil, a.desk.knowledge)
	parts.Executor = a.executor
	if a.agent, err = dialogue.New(parts); err != nil {
		a.close()
		return err
	}
	a.logProblems()
	return nil
}

func (a *agentPlugin) close() {
	if a.body != nil {
		a.body.close()
	}
}

// run follows the desktop and the user's files until the runner ends it.
func (a *agentPlugin) run(ctx context.Context) error {
	defer a.close()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.desk.desktop.Run(ctx) })
	g.Go(func() error { return a.desk.knowledge.Follow(ctx, a.reload, a.agent.WatchTrouble, a.desk.log) })
	if a.body != nil {
		g.Go(func() error { return a.body.run(ctx) })
	}
	return g.Wait()
}

func (a *agentPlugin) reload() error {
	err := a.agent.Reload()
	a.logProblems()
	return err
}

// logProblems says what is wrong with the user's files, if that has changed.
func (a *agentPlugin) logProblems() {
	now := a.agent.Problems()
	if slices.EqualFunc(now, a.problems, profile.Problem.Equal) {
		return
	}
	for _, p := range now {
		a.desk.log.Warn(p.Error())
	}
	a.problems = now
}

// route plans by the rules, for the desktop that the runner tells of, else for
// the one that runs.
func (a *agentPlugin) route(ctx context.Context, said plugin.Utterance) ([]plugin.Step, error) {
	o := dialogue.Options{Provenance: plan.FromUser}
	if said.FromScreen {
		o.Provenance = plan.FromScreen
	}
	var err error
	if o.Context, err = contextOf(said.Context); err != nil {
		return nil, err
	}
	d := a.agent.Plan(ctx, said.Text, o)
	switch {
	case d.Plan != nil:
		plugin.Log(ctx).Info("planned", "source", d.Plan.Source, "rule", d.Plan.Rule, "steps", len(d.Plan.Steps))
		return wireSteps(d.Plan.Steps), nil
	case d.Reason == plan.NoPlan:
		plugin.Log(ctx).Info("no rule matches, and the decision head does not exist yet")
		return nil, nil
	}
	return nil, plugin.Unavailable("%s", d.Message)
}

// contextOf reads what a client tells of the desktop; nil where it tells nothing.
func contextOf(text json.RawMessage) (*router.Context, error) {
	var said struct {
		Focused *protocol.Window  `json:"focused"`
		Windows []protocol.Window `json:"windows"`
	}
	if len(text) == 0 {
		return nil, nil
	}
	if err := protocol.DecodeParams(text, &said); err != nil {
		return nil, plugin.Invalid("context: %w", err)
	}
	if said.Focused == nil && said.Windows == nil {
		return nil, nil
	}
	window := func(w protocol.Window) router.Window {
		return router.Window{ID: w.WindowID, AppID: w.AppID, Title: w.Title}
	}
	c := &router.Context{}
	if said.Focused != nil {
		w := window(*said.Focused)
		c.Focused = &w
	}
	for _, w := range said.Windows {
		c.Windows = append(c.Windows, window(w))
	}
	return c, nil
}

// wireSteps writes steps for the runner. An application goes by its name alone:
// its command follows from that, and to the runner a command counts as terminal.
func wireSteps(steps []plan.Step) []plugin.Step {
	var all []plugin.Step
	for _, s := range steps {
		if app, ok := s.Args.(op.EnsureApp); ok {
			app.Argv = nil
			s.Args = app
		}
		fromScreen := s.Provenance != plan.FromUser
		all = append(all, plugin.Step{Op: string(s.Op()), Args: op.Map(s.Args), Confirm: s.Confirm, FromScreen: fromScreen})
	}
	return all
}

// carriedOut is what the caller gets of an operation that completed.
type carriedOut struct {
	Detail   string        `json:"detail"`
	Evidence plan.Evidence `json:"evidence,omitempty"`
}

// do carries out one step.
func (a *agentPlugin) do(ctx context.Context, s plan.Step) (carriedOut, error) {
	s.Provenance = plan.FromUser
	if plugin.FromScreen(ctx) {
		s.Provenance = plan.FromScreen
	}
	if op.Of(s.Args).Has(op.Input) {
		s.Author = "(not told)" // who wrote it; a plugin may not write into a terminal
	}
	if err := s.Check(); err != nil {
		return carriedOut{}, plugin.Invalid("%w", err)
	}
	asked := executor.Approval{Shown: slices.Contains(a.confirmed, s.Op())}
	r := a.executor.Run(ctx, &plan.Plan{Steps: []plan.Step{s}}, asked, func(int, plan.Result) {})
	if r.Outcome != plan.Completed {
		return carriedOut{}, failure(r)
	}
	return carriedOut{cmp.Or(r.Message, s.String()), r.Results[0].Evidence}, nil
}

// failure says what became of a step that did not complete.
func failure(r executor.Report) error {
	code, data := protocol.CodePlugin, protocol.Data{}
	switch r.Outcome {
	case plan.Refused:
		data.Outcome = protocol.OutcomeNotStarted
	case plan.Unknown:
		data.Outcome = protocol.OutcomeUnknown
	}
	switch r.Reason {
	case plan.PolicyReason:
		code, data.Reason = protocol.CodeDenied, protocol.ReasonDisabled
	case plan.NeedsConfirmation: // the runner was not told to ask
		r.Message += "; the runner asks if [policy] confirm_ops contained the operation when this plugin started"
		code, data.Reason = protocol.CodeDenied, protocol.ReasonDenied
	case plan.Missing, plan.NotSupported:
		code = protocol.CodeUnavailable
	case plan.Timeout:
		code = protocol.CodeTimeout
	case plan.Cancelled:
		code = protocol.CodeCancelled
	}
	return protocol.Errorf(code, "%s", r.Message).With(data)
}

// tell is the handler of a dry run.
func tell(_ context.Context, _ *executor.Binding, s plan.Step) (executor.Done, error) {
	return executor.Done{Message: "dry run: " + s.String()}, nil
}

// atFirst is a desktop that is waited for once, until it has been looked for: a
// dry run is for a place without one too.
type atFirst struct {
	*compositor.Desktop
	looked <-chan struct{}
}

// AwaitConnection waits until the first attempt has ended.
func (d atFirst) AwaitConnection(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-d.looked:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
