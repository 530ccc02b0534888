package service

import (
	"cmp"
	"fmt"
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
	f.props.SetMust(bus.Interface, name, value)
}

// emit sends a signal; a bus that is going away loses it.
func (f *Facade) emit(e bus.Event) {
	if err := bus.Emit(f.conn, e); err != nil {
		f.log.Debug("signal", "name", fmt.Sprintf("%T", e), "error", err)
	}
}

// PlanStarted sends the signal of that name.
func (f *Facade) PlanStarted(p *plan.Plan) {
	e := bus.PlanStarted{Utterance: withoutTyped(p.Utterance, p.Steps)}
	for _, s := range p.Steps {
		e.Steps = append(e.Steps, public(bus.StepOf(s), s))
	}
	f.emit(e)
}

// public removes private text from told, which describes s: every program on the bus receives signals.
func public(told bus.Step, s plan.Step) bus.Step {
	if private(s) {
		told.Args = map[string]any{}
	}
	return told
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
	f.emit(bus.StepFinished{Index: uint32(index), Step: public(bus.ResultOf(r), r.Step)})
}

// PlanFinished sends the signal of that name.
func (f *Facade) PlanFinished(p *plan.Plan, outcome plan.Outcome, message string) {
	f.emit(bus.PlanFinished{
		Utterance: withoutTyped(p.Utterance, p.Steps), Outcome: outcome.String(), Message: withoutWords(message, p.Steps...),
	})
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
	e := bus.ConfirmationRequested{Token: q.Token, Text: publicText(q), Expires: seconds(q)}
	if q.Kind == dialogue.Request { // only a program that shows it may answer it
		e.Token, e.Text = "", "confirm: another program wants "+q.Op
	}
	f.emit(e)
}

// ChoiceRequested sends the signal of that name.
func (f *Facade) ChoiceRequested(q dialogue.Question) {
	f.emit(bus.ChoiceRequested{Token: q.Token, Text: q.Text, Choices: bus.ChoicesOf(q.Choices), Expires: seconds(q)})
}

// ProfilesChanged sets the property Problems and sends the signal.
func (f *Facade) ProfilesChanged(problems []profile.Problem) {
	f.setProperty("Problems", bus.EncodeList(listOf(problems, problemOf)))
	f.emit(bus.ProfilesChanged{})
}

// StateChanged sets the property State.
func (f *Facade) StateChanged(state string) { f.setProperty("State", state) }
