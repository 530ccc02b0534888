package addons

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"utter/agent/internal/router"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
	"utter/shared/plugin/runnerclient"
)

// Route asks the routers of plugins what an utterance means. No steps and no
// error: it means nothing to them. An error is for people.
func (a *Addons) Route(ctx context.Context, utterance string, from plan.Provenance, c router.Context) (*plan.Plan, error) {
	desktop, err := rpc.Marshal(snapshot(c))
	if err != nil {
		return nil, err
	}
	params := protocol.CommandParams{
		Utterance: utterance, Provenance: wireProvenance(from), Context: desktop, Timeout: protocol.Timeout(routeTime / time.Millisecond),
	}
	var said protocol.PlanResult
	err = a.unlessResting(ctx, "the routers", routeTime, func(ctx context.Context) error {
		conn, err := a.connected(ctx)
		if err != nil {
			return err
		}
		return conn.Call(ctx, protocol.MethodRunnerPlan, params, &said)
	})
	switch {
	case errors.Is(err, runnerclient.ErrNoRunner), noRouter(err), err == nil && len(said.Steps) == 0:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the routers of plugins: %s", forPeople(err.Error()))
	}
	return a.plan(ctx, utterance, from, c, said)
}

// noRouter reports the error that says there is none.
func noRouter(err error) bool {
	return protocol.CodeOf(err) == protocol.CodeUnavailable && protocol.ErrorData(err).Reason == ""
}

// plan makes a plan of what a router said. It is refused whole where a step is
// wrong.
func (a *Addons) plan(ctx context.Context, utterance string, from plan.Provenance, c router.Context, said protocol.PlanResult) (*plan.Plan, error) {
	switch {
	case said.Plugin == "": // or it would pass for the user's own words
		return nil, errors.New("the plugin runner does not say which plugin made this plan")
	case len(said.Steps) > protocol.MaxSteps:
		return nil, fmt.Errorf("the plugin %s: a plan of %d steps, more than %d", said.Plugin, len(said.Steps), protocol.MaxSteps)
	}
	size := 0
	for _, s := range said.Steps {
		size += len(s.Args)
	}
	if size > maxArgs {
		return nil, fmt.Errorf("the plugin %s: the arguments are longer than %d KiB", said.Plugin, maxArgs>>10)
	}
	made := &plan.Plan{Utterance: utterance, Source: plan.SourcePlugins, Rule: "router", Confidence: 1}
	if c.Focused != nil {
		made.Focused = c.Focused.ID
	}
	a.mu.Lock()
	known := a.offers // Ops is asked before Route
	a.mu.Unlock()
	if known.said == nil {
		var err error
		if known, err = a.refresh(ctx); err != nil {
			return nil, err
		}
	}
	for i, s := range said.Steps {
		step, err := readStep(s, known)
		if err != nil {
			return nil, fmt.Errorf("the plugin %s: step %d: %s", said.Plugin, i+1, forPeople(err.Error()))
		}
		step.Author = said.Plugin
		if from != plan.FromUser {
			step.Provenance = plan.FromScreen
		}
		made.Steps = append(made.Steps, step)
	}
	return made, nil
}

// readStep reads a step: one of the agent's own operations, or one that a plugin
// that runs says it does.
func readStep(s protocol.Step, known offers) (plan.Step, error) {
	step := plan.Step{Confirm: s.Confirm, Provenance: plan.FromScreen}
	if s.Provenance == protocol.FromUser {
		step.Provenance = plan.FromUser
	}
	name := op.Name(protocol.BareOp(s.Op))
	args, err := readArgs(s.Args)
	if err != nil {
		return step, fmt.Errorf("%.80s: %w", name, err)
	}
	if op.Known(name) {
		step.Args, err = op.Decode(name, args)
		return step, err
	}
	if step.Plugin = known.serving(s.Op); step.Plugin == "" {
		return step, fmt.Errorf("no running plugin provides %.80q", s.Op)
	}
	step.Args = op.Foreign{Name: op.Name(s.Op), Args: args}
	return step, step.Check()
}

// Bounds of what a router may write: a step goes over D-Bus, which ends the
// connection of a peer that nests deeper, and is shown to people.
const (
	maxArgs  = 64 << 10 // bytes, of all steps together
	maxDepth = 8        // objects and lists in each other
)

// readArgs reads the arguments of a step.
func readArgs(text json.RawMessage) (map[string]any, error) {
	if len(text) == 0 {
		return map[string]any{}, nil
	}
	var args map[string]any
	if err := rpc.Unmarshal(text, &args); err != nil {
		return nil, fmt.Errorf("the arguments are not an object: %w", err)
	}
	if depth(args) > maxDepth {
		return nil, fmt.Errorf("the arguments are nested more than %d deep", maxDepth)
	}
	if args == nil {
		return nil, errors.New("the arguments are not an object: null")
	}
	return values(args).(map[string]any), nil
}

// depth is how many objects and lists are in each other.
func depth(v any) int {
	most := 0
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			most = max(most, depth(item))
		}
	case []any:
		for _, item := range v {
			most = max(most, depth(item))
		}
	default:
		return 0
	}
	return most + 1
}

// serving returns the plugin that the runner would ask for an operation.
func (all offers) serving(op string) string {
	for _, s := range all.known {
		if slices.ContainsFunc(s.row.Ops, func(o string) bool { return protocol.BareOp(o) == protocol.BareOp(op) }) {
			return s.row.ID
		}
	}
	return ""
}

// values makes of what JSON says values as an op.Foreign has them.
func values(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64() // one out of range is an infinity, which fits nothing
		return f
	case map[string]any:
		made := make(map[string]any, len(v))
		for name, item := range v {
			made[name] = values(item)
		}
		return made
	case []any:
		made := make([]any, len(v))
		for i, item := range v {
			made[i] = values(item)
		}
		return made
	}
	return v
}

// snapshot tells routers of the windows. The runner cuts off what a plugin may
// not see.
func snapshot(c router.Context) protocol.Snapshot {
	told := func(w router.Window) protocol.Window {
		return protocol.Window{AppID: w.AppID, Title: w.Title, WindowID: w.ID}
	}
	s := protocol.Snapshot{Windows: []protocol.Window{}, Timestamp: float64(time.Now().UnixMilli()) / 1000}
	for _, w := range c.Windows {
		s.Windows = append(s.Windows, told(w))
	}
	if c.Focused != nil {
		focused := told(*c.Focused)
		s.Focused = &focused
	}
	return s
}
