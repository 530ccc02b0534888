package router

import (
	"strings"

	"utter/shared/plan"
	"utter/shared/utterance"
)

// mostSteps bounds a chain.
const mostSteps = 12

// chain reads "A then B" and "A and B" where both halves mean something by
// themselves. Behind a verb that takes the user's own text "and" is part of that
// text, and "then" only splits where what follows is a command.
func (r *Router) chain(said string, q *request) (Decision, bool) {
	free := takesText(q)
	for i := 1; i+1 < len(q.Words); i++ {
		next := i + 1
		switch q.Words[i].Text {
		case "and":
			if q.Words[next].Text == "then" && next+1 < len(q.Words) {
				next++
			} else if free {
				continue
			}
		case "then":
		default:
			continue
		}
		left := strings.TrimRight(q.Raw[:q.Words[i].Start], " ,;")
		right := q.Raw[q.Words[next].Start:]
		if d, ok := r.both(said, left, right, q.ctx); ok {
			return d, true
		}
	}
	return Decision{}, false
}

// takesText reports whether the words begin with a verb that takes free text.
func takesText(q *request) bool {
	for _, verb := range []string{"type", "write", "enter", "search", "google", "look", "run", "execute"} {
		if q.StartsWith(verb) {
			return true
		}
	}
	for i := 1; i < len(q.Words) && i <= mostNameWords; i++ {
		if t := q.Words[i].Text; t == "type" || t == "write" {
			return true
		}
	}
	return false
}

// both routes the halves of a chain, the second for the desktop as the first
// leaves it.
func (r *Router) both(said, left, right string, ctx Context) (Decision, bool) {
	first := r.Route(left, ctx)
	if first.Plan == nil {
		return Decision{}, false
	}
	second := r.Route(right, after(first.Plan, ctx))
	if second.Plan == nil || len(first.Plan.Steps)+len(second.Plan.Steps) > mostSteps {
		return Decision{}, false
	}
	p := *first.Plan
	p.Utterance, p.Rule = said, "chain"
	p.Steps = append(append([]plan.Step{}, first.Plan.Steps...), second.Plan.Steps...)
	p.NeedsPerception = p.NeedsPerception || second.Plan.NeedsPerception
	p.Confidence = min(p.Confidence, second.Plan.Confidence)
	return Decision{Plan: &p, Passed: first.Passed, Rule: "chain", Name: first.Name}, true
}

// after is the desktop once a plan has run, as far as can be told: an
// application that it brings up has the focus.
func after(p *plan.Plan, ctx Context) Context {
	last := p.Steps[len(p.Steps)-1]
	switch last.Op {
	case plan.EnsureApp, plan.LaunchApp, plan.FocusApp:
		ctx.Focused = &Window{AppID: last.Args.Text("app")}
	}
	return ctx
}

// splits reports whether there is anything in q to split at.
func splits(u utterance.Utterance) bool {
	for _, w := range u.Words {
		if w.Text == "and" || w.Text == "then" {
			return true
		}
	}
	return false
}
