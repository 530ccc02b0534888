package router

import (
	"slices"
	"strings"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/utterance"
)

const (
	// mostSteps bounds a chain.
	mostSteps = 12
	// mostSplits bounds how often an utterance is split on trial: there are
	// more ways than can be tried.
	mostSplits = 12
)

// chain reads "A then B" and "A and B" where both halves mean something by
// themselves. Behind a verb that takes the user's own text "and" is part of that
// text, and "then" only splits where what follows is a command.
func (r *Router) chain(said string, q *request, tries *int) (Decision, bool) {
	for i := 1; i+1 < len(q.Words); i++ {
		next := i + 1
		and := r.isAnd(q.Words[i])
		switch {
		case and && r.isThen(q.Words[next]) && next+1 < len(q.Words):
			next++
			and = false
		case and && r.takesText(q.Words[:i]), !and && !r.isThen(q.Words[i]):
			continue
		}
		left := strings.TrimRight(q.Raw[:q.Words[i].Start], " ,;")
		right := q.Raw[q.Words[next].Start:]
		if d, ok := r.both(said, left, right, and, q.ctx, tries); ok {
			return d, true
		}
	}
	return Decision{}, false
}

// takesText reports whether words begin with a verb that takes free text, perhaps
// behind the name of an application.
func (r *Router) takesText(words []utterance.Word) bool {
	verbs := &r.words.Verbs
	for _, v := range [...][]string{verbs.Type, verbs.Search.Any, verbs.Search.Site, verbs.Terminal} {
		if begins(words, v) > 0 {
			return true
		}
	}
	for i := 1; i < min(len(words), mostNameWords+1); i++ {
		if slices.Contains(verbs.Target.Type, words[i].Text) {
			return true
		}
	}
	return false
}

func (r *Router) isAnd(w utterance.Word) bool  { return slices.Contains(r.words.Words.And, w.Text) }
func (r *Router) isThen(w utterance.Word) bool { return slices.Contains(r.words.Words.Then, w.Text) }

// both routes the halves of a chain, the second for the desktop as the first
// leaves it. The first is one command; the second may be a chain again. and says
// that only that word is between them, which a button may have on it.
func (r *Router) both(said, left, right string, and bool, ctx Context, tries *int) (Decision, bool) {
	if *tries == 0 {
		return Decision{}, false
	}
	*tries--
	first := r.whole(left, r.request(left, ctx))
	known := first.Reason == plan.Missing || first.Reason == plan.Ambiguous
	if first.Plan == nil && known && r.route(right, ctx, tries).Plan != nil {
		return first, true // the reason why the first half cannot be done
	}
	if first.Plan == nil || and && first.Rule == clickRule {
		return Decision{}, false
	}
	second := r.route(right, r.after(first.Plan, ctx), tries)
	if second.Plan == nil || len(first.Plan.Steps)+len(second.Plan.Steps) > mostSteps {
		return Decision{}, false
	}
	p := *first.Plan
	p.Utterance, p.Rule = said, chainRule
	p.Steps = append(append([]plan.Step{}, first.Plan.Steps...), follow(first.Plan.Steps, second.Plan.Steps)...)
	p.NeedsPerception = p.NeedsPerception || second.Plan.NeedsPerception
	p.Confidence = min(p.Confidence, second.Plan.Confidence)
	return Decision{Plan: &p, Passed: first.Passed, Rule: chainRule, Name: first.Name}, true
}

// follow sends keys behind "code type hello" where that text went: the focus is
// given back in between.
func follow(first, second []plan.Step) []plan.Step {
	app := op.TypesInto(first[len(first)-1].Args)
	if app == "" {
		return second
	}
	for i, s := range second {
		if op.TypesInto(s.Args) == "" {
			second[i].Args = op.Into(s.Args, app)
		}
	}
	return second
}

// after is the desktop once a plan has run, as far as can be told: what it brings
// up has the focus. Where it moves the focus elsewhere, nobody knows to what.
func (r *Router) after(p *plan.Plan, ctx Context) Context {
	last := p.Steps[len(p.Steps)-1]
	switch args := last.Args.(type) {
	case op.EnsureApp, op.LaunchApp, op.FocusApp:
		ctx.Focused = &Window{AppID: op.AppOf(args)}
	case op.Key, op.TypeText:
		if app := op.TypesInto(args); app != "" {
			ctx.Focused = &Window{AppID: app}
		}
	case op.OpenURL, op.EnsureURL:
		ctx.Focused = nil
		if role := r.lib.Index.ByID("generic-browser"); role != nil {
			if t, ok := r.forRole(&request{ctx: ctx}, role); ok {
				ctx.Focused = &Window{AppID: t.id}
			}
		}
	case op.CloseApp:
		ctx.Focused = nil
	case op.Niri:
		if movesFocus(args.Command) {
			ctx.Focused = nil
		}
	}
	return ctx
}

func movesFocus(command string) bool {
	for _, start := range []string{"focus-", "switch-focus", closeWindow, "move-window-to-", "move-column-to-"} {
		if strings.HasPrefix(command, start) {
			return true
		}
	}
	return false
}

// splits reports whether there is anything in q to split at.
func (r *Router) splits(u utterance.Utterance) bool {
	return slices.ContainsFunc(u.Words, func(w utterance.Word) bool { return r.isAnd(w) || r.isThen(w) })
}
