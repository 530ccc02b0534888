package main

import (
	"utter/shared/bus"
	"utter/ui/model/try"
	"utter/ui/model/wording"
)

// planOf reads the answer of Plan.
func (a *agent) planOf(d bus.Dict) try.Plan {
	p := try.Plan{Source: text(d, "source"), Rule: text(d, "rule"), Message: text(d, "message"), Reason: text(d, "reason"), Refusal: text(d, "refusal")}
	p.Found, _ = d["found"].(bool)
	p.Confidence, _ = d["confidence"].(float64)
	p.Micros, _ = d["micros"].(uint64)
	p.Passed, _ = d["passed"].([]string)
	for _, step := range dicts(d, "steps") {
		p.Steps = append(p.Steps, a.stepOf(step))
	}
	for _, c := range dicts(d, "choices") {
		p.Choices = append(p.Choices, text(c, "label"))
	}
	for _, c := range dicts(d, "claims") {
		p.Claims = append(p.Claims, text(c, "name"))
	}
	return p
}

func (a *agent) stepOf(d bus.Dict) try.Step {
	args, _ := d["args"].(bus.Dict)
	confirm, _ := d["confirm"].(bool)
	action := text(d, "action")
	plugin := text(d, "plugin")
	words := wording.Step(action, args, a.nameOf)
	if plugin != "" {
		words = wording.PluginStep(action, args)
	}
	return try.Step{
		Text: words, Plugin: plugin, Author: text(d, "author"), Action: action, Args: args, Tier: text(d, "tier"), Confirm: confirm,
		Outcome: text(d, "outcome"), Reason: text(d, "reason"), Message: text(d, "message"),
	}
}

func text(d bus.Dict, name string) string {
	s, _ := d[name].(string)
	return s
}

func dicts(d bus.Dict, name string) []bus.Dict {
	list, _ := d[name].([]bus.Dict)
	return list
}

// resultOf reads the answer of Run. What is asked stands at the last step.
func (a *agent) resultOf(r bus.Reply) try.Result {
	result := try.Result{Outcome: r.Outcome, Message: r.Message}
	for _, step := range r.Steps {
		result.Steps = append(result.Steps, a.stepOf(step))
	}
	if len(r.Steps) == 0 {
		return result
	}
	last := r.Steps[len(r.Steps)-1]
	result.Reason = text(last, "reason")
	if token := text(last, "token"); token != "" {
		result.Question = &try.Question{Token: token, Detail: r.Message}
		for _, c := range dicts(last, "choices") {
			result.Question.Choices = append(result.Question.Choices, wording.Choice(text(c, "label"), text(c, "origin")))
		}
	}
	return result
}
