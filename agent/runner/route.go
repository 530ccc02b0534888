package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"utter/agent/runner/supervisor"
	"utter/shared/plugin/protocol"
)

// A routed step is what a router wrote, and what is wrong with it.
type routed struct {
	protocol.Step
	fault *protocol.Error
}

// plan asks the routers, in the order of the configuration, until one gives
// steps, and returns its id with them. Each may take timeout. Errors count only
// if none does.
func (r *Runner) plan(ctx context.Context, c protocol.CommandParams, timeout time.Duration,
	progress func(protocol.Progress)) (steps []routed, by string, err error) {
	patience, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	asked := map[*supervisor.Live]bool{}
	var failures []*protocol.Error
	for {
		next, err := r.nextRouter(patience, asked)
		if err != nil {
			return nil, "", protocol.CallFailure(ctx, err)
		}
		if next == nil {
			break
		}
		asked[next] = true
		steps, err := r.ask(ctx, next, c, timeout, progress)
		if err != nil {
			if ctx.Err() != nil {
				return nil, "", protocol.CallFailure(ctx, err)
			}
			failures = append(failures, protocol.CallFailure(ctx, err))
			continue
		}
		if len(steps) > 0 {
			return steps, next.Plugin.ID(), nil
		}
	}
	if len(asked) == 0 {
		return nil, "", protocol.Errorf(protocol.CodeUnavailable, "there is no router")
	}
	return nil, "", together(failures)
}

// together makes one error of several, with the code of the first.
func together(failures []*protocol.Error) error {
	switch len(failures) {
	case 0:
		return nil
	case 1:
		return failures[0]
	}
	var texts []string
	for _, f := range failures {
		texts = append(texts, f.Message)
	}
	e := *failures[0]
	e.Message = strings.Join(texts, "; ")
	return &e
}

// nextRouter returns the first router that was not asked yet, or nil. One that
// still starts is waited for where it would come first; one that hides its being
// a router is asked at the end.
func (r *Runner) nextRouter(ctx context.Context, asked map[*supervisor.Live]bool) (*supervisor.Live, error) {
	for {
		changed := r.plugins.watch()
		all := r.plugins.all()
		isRouter := func(l *supervisor.Live) bool { return l.Has(protocol.MethodRouterPlan) }
		if !slices.ContainsFunc(all, func(p *supervisor.Plugin) bool { l := p.Live(); return l != nil && isRouter(l) }) {
			isRouter = func(l *supervisor.Live) bool { return l.Plugin.Entry.Kind == protocol.KindRouter }
		}
		waits := false
		for _, p := range all {
			s := p.State()
			if l := s.Live; l != nil {
				if isRouter(l) && !asked[l] {
					return l, nil
				}
				continue
			}
			if s.Starting() {
				if waits = true; mayRoute(p) {
					break
				}
			}
		}
		if !waits {
			return nil, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if len(asked) > 0 && context.Cause(ctx) == context.DeadlineExceeded {
				return nil, nil // what the others said is the answer
			}
			return nil, notStarted(protocol.MethodRouterPlan, context.Cause(ctx))
		}
	}
}

// mayRoute guesses from its entry whether a plugin that starts is a router.
func mayRoute(p *supervisor.Plugin) bool {
	e := p.Entry
	return e.Kind == protocol.KindRouter || e.Kind == protocol.KindBundle ||
		slices.Contains(e.Provides, "router.plan@1") ||
		p.State().Last != nil && p.State().Last.Has(protocol.MethodRouterPlan)
}

// ask asks one router.
func (r *Runner) ask(ctx context.Context, l *supervisor.Live, c protocol.CommandParams, timeout time.Duration,
	progress func(protocol.Progress)) ([]routed, error) {
	result, err := l.Call(ctx, protocol.MethodRouterPlan, protocol.PlanParams{
		Utterance: c.Utterance, Provenance: c.Provenance, Context: cutContext(c.Context, l.Plugin.Entry.Permissions),
	}, timeout, progress)
	if err != nil {
		return nil, err
	}
	var said struct {
		Steps []json.RawMessage `json:"steps"`
	}
	if err := protocol.DecodeParams(result, &said); err != nil {
		return nil, protocol.Errorf(protocol.CodePlugin, "the plan of %s is malformed", l.Plugin.ID())
	}
	if len(said.Steps) > protocol.MaxSteps {
		return nil, protocol.Errorf(protocol.CodePlugin, "the plan of %s has %d steps, more than %d", l.Plugin.ID(),
			len(said.Steps), protocol.MaxSteps)
	}
	steps := make([]routed, len(said.Steps))
	for i, text := range said.Steps {
		steps[i] = readStep(text, c.Provenance, l)
	}
	return steps, nil
}

// readStep reads a step and stamps its provenance: never above that of the
// command, and screen if the router sees the screen.
func readStep(text json.RawMessage, command protocol.Provenance, from *supervisor.Live) (s routed) {
	err := protocol.DecodeParams(text, &s.Step)
	if err == nil && s.Op == "" {
		err = protocol.Errorf(protocol.CodeInvalidParams, "the step has no op")
	}
	if err == nil && len(s.Args) > 0 && s.Args[0] != '{' {
		err = protocol.Errorf(protocol.CodeInvalidParams, "%.80s: args are not an object", s.Op)
	}
	if err != nil {
		s.fault = protocol.CallFailure(context.Background(), err)
	}
	s.Provenance = s.Provenance.OfStep(command)
	if seesScreen(from.Plugin.Entry.Permissions) {
		s.Provenance = protocol.FromScreen
	}
	return s
}

func seesScreen(granted []string) bool {
	return slices.Contains(granted, protocol.PermissionAccessibility) ||
		slices.Contains(granted, protocol.PermissionClipboard)
}

// command plans and carries out. It keeps its place until it has ended, while the
// user is asked too: no other action comes between its steps.
func (r *Runner) command(ctx context.Context, c *client, p protocol.CommandParams) (protocol.CommandResult, error) {
	timeout := p.Timeout.Of(r.timeout())
	result := protocol.CommandResult{Results: []protocol.StepResult{}}
	steps, _, err := r.plan(ctx, p, timeout, c.progress(ctx))
	if err != nil || len(steps) == 0 {
		return result, err
	}
	leave, err := r.queue.enter(ctx, turnOf(ctx), timeout)
	if err != nil {
		return result, err
	}
	defer leave()
	failed := ""
	for i, s := range steps {
		if failed != "" {
			result.Results = append(result.Results, protocol.StepResult{Op: s.Op, Detail: "skipped: " + failed})
			continue
		}
		step, err := r.step(ctx, c, s, timeout)
		if err != nil {
			return result, err
		}
		result.Results = append(result.Results, step)
		if !step.OK {
			failed = fmt.Sprintf("step %d did not succeed", i+1)
		}
	}
	return result, nil
}

// step carries out one step. The error ends the command.
func (r *Runner) step(ctx context.Context, c *client, s routed, timeout time.Duration) (protocol.StepResult, error) {
	done := protocol.StepResult{Op: s.Op}
	fail := func(e *protocol.Error) protocol.StepResult {
		done.Detail, done.Error = e.Message, e
		return done
	}
	if s.fault != nil {
		return fail(s.fault), nil
	}
	action := protocol.Invocation{Op: s.Op, Args: s.Args, Provenance: s.Provenance, Confirm: s.Confirm}
	result, err := r.act(ctx, order{action: action, client: c, timeout: timeout, authored: true, queued: true})
	if err != nil {
		e := protocol.CallFailure(ctx, err)
		if ctx.Err() != nil {
			return done, e
		}
		return fail(e), nil
	}
	var said protocol.InvokeResult
	if err := protocol.DecodeParams(result, &said); err != nil {
		return fail(protocol.Errorf(protocol.CodePlugin, "the answer of the plugin is malformed")), nil
	}
	done.OK, done.Detail = said.Succeeded(), said.Text()
	if done.OK {
		done.Evidence = protocol.EvidencePluginReported
	}
	return done, nil
}
