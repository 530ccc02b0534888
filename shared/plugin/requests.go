package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

func (s *session) plan(ctx context.Context, params json.RawMessage) (any, error) {
	var in protocol.PlanParams
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	return s.run(ctx, "Route", func() (any, error) {
		steps, err := s.plugin.Route(ctx, Utterance{in.Utterance, in.Provenance == protocol.FromScreen, in.Context})
		if err != nil {
			return nil, err
		}
		if len(steps) > protocol.MaxSteps {
			return nil, fmt.Errorf("a plan has %d steps; the maximum is %d", len(steps), protocol.MaxSteps)
		}
		plan := protocol.PlanResult{Steps: []protocol.Step{}}
		for _, step := range steps {
			wire, err := step.wire()
			if err != nil {
				return nil, err
			}
			plan.Steps = append(plan.Steps, wire)
		}
		return plan, nil
	})
}

func (st Step) wire() (protocol.Step, error) {
	w := protocol.Step{Op: st.Op, Args: json.RawMessage("{}"), Confirm: st.Confirm, Provenance: protocol.FromUser}
	if st.FromScreen {
		w.Provenance = protocol.FromScreen
	}
	if st.Args == nil {
		return w, nil
	}
	text, err := rpc.Marshal(st.Args)
	if err != nil {
		return w, fmt.Errorf("step %s: %w", st.Op, err)
	}
	if text[0] != '{' {
		return w, fmt.Errorf("step %s: its arguments are not an object", st.Op)
	}
	w.Args = text
	return w, nil
}

func (s *session) invoke(ctx context.Context, params json.RawMessage) (any, error) {
	var in protocol.InvokeParams
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s.plugin.Ops, func(o Op) bool { return o.Name == in.Op })
	if i < 0 {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "plugin %s has no op %.80q", s.plugin.ID, in.Op)
	}
	op := s.plugin.Ops[i]
	if err := op.Do.args.fits(in.Args); err != nil {
		return nil, wire(ctx, fmt.Errorf("%s: %w", op.Name, err))
	}
	if err := s.act(ctx); err != nil {
		return nil, wire(ctx, err)
	}
	defer func() { <-s.acting }()
	return s.run(ctx, op.Name, func() (any, error) {
		result, err := op.Do.call(context.WithValue(ctx, fromKey{}, in.Provenance), orEmpty(in.Args))
		if err != nil {
			return nil, err
		}
		return invoked(op.Name, result)
	})
}

// act waits until no other op runs.
func (s *session) act(ctx context.Context) error {
	select {
	case s.acting <- struct{}{}:
		return nil
	default: // only now is a channel made for the end of ctx
	}
	select {
	case s.acting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func orEmpty(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

func (s *session) desktop(ctx context.Context, params json.RawMessage) (any, error) {
	var in protocol.SnapshotParams
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	return s.run(ctx, "Desktop", func() (any, error) { return s.plugin.Desktop(ctx, in.Sources) })
}
