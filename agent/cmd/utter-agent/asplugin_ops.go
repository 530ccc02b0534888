package main

import (
	"context"
	"slices"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin"
)

// ops are all operations that the agent has a handler for.
func (a *agentPlugin) ops() []plugin.Op {
	var all []plugin.Op
	for _, spec := range op.Specs() {
		if !spec.Foreign() && !spec.Missing {
			all = append(all, plugin.Op{
				Name: string(spec.Name), Doc: spec.Doc, Confirm: slices.Contains(a.confirmed, spec.Name),
				Do: plugin.DoAs(spec.Type(), a.doGiven),
			})
		}
	}
	return all
}

// doGiven carries out the operation of arguments that fit its schema; package op knows more.
func (a *agentPlugin) doGiven(ctx context.Context, given any) (carriedOut, error) {
	args := given.(op.Args)
	args, err := op.Decode(args.Op(), op.Map(args))
	if err != nil {
		return carriedOut{}, plugin.Invalid("%w", err)
	}
	return a.do(ctx, plan.Step{Args: args})
}
