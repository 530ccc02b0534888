package router

import "utter/shared/bus"

// OnBus returns the decision about an utterance as the answer of Plan.
func (d Decision) OnBus(utterance string) bus.Plan {
	p := bus.Plan{Utterance: utterance, Rule: d.Rule, Passed: d.Passed}
	if d.Plan == nil {
		p.Reason, p.Message, p.Choices = string(d.Reason), d.Message, bus.ChoicesOf(d.Choices)
		return p
	}
	p.Found, p.Source, p.Confidence = true, string(d.Plan.Source), d.Plan.Confidence
	p.NeedsPerception, p.Steps = &d.Plan.NeedsPerception, bus.StepsOf(d.Plan.Steps)
	return p
}

// ContextOf returns the context that a bus.Context describes.
func ContextOf(c bus.Context) Context {
	read := func(w bus.ContextWindow) Window { return Window{AppID: w.AppID, Title: w.Title} }
	var to Context
	if c.Focused != nil {
		focused := read(*c.Focused)
		to.Focused = &focused
	}
	for _, w := range c.Windows {
		to.Windows = append(to.Windows, read(w))
	}
	return to
}
