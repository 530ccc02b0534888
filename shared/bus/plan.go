package bus

import (
	"utter/shared/op"
	"utter/shared/plan"
)

// StepOf returns a planned step as the bus carries it.
func StepOf(s plan.Step) Step {
	args := op.Map(s.Args)
	if args == nil {
		args = map[string]any{} // a step always has the key
	}
	return Step{
		Action: string(s.Op()), Args: args, Tier: string(s.Tier()), Description: s.Description,
		Confirm: s.Confirm, Plugin: s.Plugin, Author: s.Author,
	}
}

// StepsOf returns planned steps as the bus carries them.
func StepsOf(planned []plan.Step) []Step {
	steps := make([]Step, len(planned))
	for i, s := range planned {
		steps[i] = StepOf(s)
	}
	return steps
}

// ResultOf returns a step that has ended as the bus carries it.
func ResultOf(r plan.Result) Step {
	s := StepOf(r.Step)
	s.Outcome, s.Evidence, s.Reason = r.Outcome.String(), string(r.Evidence), string(r.Reason)
	s.Message, s.Window = r.Message, r.Window
	return s
}

// ChoicesOf returns candidates as the bus carries them; nil if there are none.
func ChoicesOf(candidates []plan.Choice) []Choice {
	var choices []Choice
	for _, c := range candidates {
		choices = append(choices, Choice{c.Label, c.Origin})
	}
	return choices
}
