package main

import (
	"context"
	"slices"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin"
)

// ops are all operations but click_element, which the agent cannot do yet.
func (a *agentPlugin) ops() []plugin.Op {
	return []plugin.Op{
		opOf[op.OpenURL](a),
		opOf[op.EnsureURL](a),
		opOf[op.LaunchApp](a),
		opOf[op.EnsureApp](a),
		opOf[op.FocusApp](a),
		opOf[op.CloseApp](a),
		opOf[op.Search](a),
		opOf[op.Key](a),
		opOf[op.TypeText](a),
		opOf[op.Terminal](a),
		opOf[op.Niri](a),
		opOf[op.Media](a),
		opOf[op.ClickPoint](a),
		opOf[op.Scroll](a),
		opOf[op.Wait](a),
		opOf[op.Speak](a),
		opOf[op.Done](a),
	}
}

// opOf makes an operation of the SDK of the one whose arguments are an A.
func opOf[A op.Args](a *agentPlugin) plugin.Op {
	var none A
	spec := op.Of(none)
	return plugin.Op{
		Name: string(spec.Name), Doc: spec.Doc, Confirm: slices.Contains(a.confirmed, spec.Name),
		Do: plugin.Do(func(ctx context.Context, given A) (carriedOut, error) {
			args, err := op.Decode(spec.Name, op.Map(given)) // which knows more than the schema
			if err != nil {
				return carriedOut{}, plugin.Invalid("%w", err)
			}
			return a.do(ctx, plan.Step{Args: args})
		}),
	}
}
