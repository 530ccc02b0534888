package service

import (
	"cmp"
	"slices"
	"strings"

	"utter/agent/internal/dialogue"
	"utter/shared/bus"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
)

// setProperty sets a property and tells its change. A bus that is going away
// loses it.
func (f *Facade) setProperty(name string, value any) {
	defer func() {
		if err := recover(); err != nil { // the library panics where it cannot send
			f.log.Debug("property", "name", name, "error", err)
		}
	}()
	f.props.SetMust(bus.Interface, name, sendable(value))
}

// emit sends a signal; a bus that is going away loses it.
func (f *Facade) emit(name string, args ...any) {
	if err := f.conn.Emit(bus.Path, bus.Interface+"."+name, args...); err != nil {
		f.log.Debug("signal", "name", name, "error", err)
	}
}

// PlanStarted sends the signal of that name.
func (f *Facade) PlanStarted(p *plan.Plan) {
	all := []dict{}
	for _, s := range p.Steps {
		all = append(all, public(encodeStep(s), s))
	}
	f.emit("PlanStarted", withoutTyped(p.Utterance, p.Steps), all)
}

// public removes what is typed from a step that was written as d: every program on the bus sees signals.
func public(d dict, s plan.Step) dict {
	if private(s) {
		set(d, "args", dict{})
	}
	return d
}

// withoutWords removes what a plugin said of a step, which may repeat what it was
// told.
func withoutWords(message string, steps ...plan.Step) string {
	if slices.ContainsFunc(steps, func(s plan.Step) bool { return s.Plugin != "" }) {
		return ""
	}
	return message
}

// private reports whether the user's own text is in the arguments of s.
func private(s plan.Step) bool { return op.Of(s.Args).Has(op.Private) }

// withoutTyped removes an utterance that has text to be typed in it.
func withoutTyped(utterance string, steps []plan.Step) string {
	for _, s := range steps {
		if private(s) {
			return ""
		}
	}
	return utterance
}

// StepFinished sends the signal of that name.
func (f *Facade) StepFinished(index int, r plan.Result) {
	r.Message = withoutWords(r.Message, r.Step)
	f.emit("StepFinished", uint32(index), public(encodeResult(r), r.Step))
}

// PlanFinished sends the signal of that name.
func (f *Facade) PlanFinished(p *plan.Plan, outcome plan.Outcome, message string) {
	f.emit("PlanFinished", withoutTyped(p.Utterance, p.Steps), outcome.String(), cleanText(withoutWords(message, p.Steps...)))
}

// publicText is the text of a question without what would be typed.
func publicText(q dialogue.Question) string {
	if q.Plan == nil {
		return q.Text
	}
	for _, s := range q.Plan.Steps {
		if private(s) {
			return strings.TrimSpace("confirm: " + cmp.Or(s.Description, string(s.Op())))
		}
	}
	return q.Text
}

// ConfirmationRequested sends the signal of that name.
func (f *Facade) ConfirmationRequested(q dialogue.Question) {
	if q.Kind == dialogue.Request { // only a program that shows it may answer it
		f.emit("ConfirmationRequested", "", cleanText("confirm: another program wants "+q.Op), uint32(q.Expires.Seconds()))
		return
	}
	f.emit("ConfirmationRequested", q.Token, cleanText(publicText(q)), uint32(q.Expires.Seconds()))
}

// ChoiceRequested sends the signal of that name.
func (f *Facade) ChoiceRequested(q dialogue.Question) {
	f.emit("ChoiceRequested", q.Token, q.Text, encodeChoices(q.Choices), uint32(q.Expires.Seconds()))
}

// ProfilesChanged sets the property Problems and sends the signal.
func (f *Facade) ProfilesChanged(problems []profile.Problem) {
	f.setProperty("Problems", encodeProblems(problems))
	f.emit("ProfilesChanged")
}

// StateChanged sets the property State.
func (f *Facade) StateChanged(state string) { f.setProperty("State", state) }
