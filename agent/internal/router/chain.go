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
	words := q.AllWords()
	for i := 1; i+1 < len(words); i++ {
		and := r.isAnd(words[i])
		if !and && !r.isThen(words[i]) {
			continue
		}
		if r.takesText(words[:i]) {
			return r.afterText(said, q, words, i, tries)
		}
		next := i + 1
		if and && r.isThen(words[next]) && next+1 < len(words) {
			next++
			and = false
		}
		left := strings.TrimRight(q.Raw[:words[i].Start], " ,;")
		right := q.Raw[words[next].Start:]
		if d, ok := r.both(said, left, right, and, q.ctx, tries); ok {
			return d, true
		}
	}
	return Decision{}, false
}

// afterText reads the commands behind the user's own text, from the end: each begins
// behind a "then", the first of which may be word from. What is no command belongs
// to the text.
func (r *Router) afterText(said string, q *request, words []utterance.Word, from int, tries *int) (Decision, bool) {
	textEnd := func(end int) Decision {
		return r.whole(said, r.request(strings.TrimRight(q.Raw[:end], " ,;"), q.ctx))
	}
	begin := words[from].Start
	if r.isAnd(words[from]) || r.isAnd(words[from-1]) {
		begin = len(q.Raw)
	}
	d := textEnd(begin)
	if d.Plan == nil {
		begin = len(q.Raw)
		d = textEnd(begin)
	}
	if d.Plan == nil {
		return Decision{}, false
	}
	ctx := r.after(d.Plan, q.ctx)
	var last Decision
	var commands []string // the last first
	looked, end := 0, len(q.Raw)
	for i := len(words) - 2; i >= from && looked < 4*mostSteps; i-- {
		if !r.isThen(words[i]) || words[i].End >= end {
			continue
		}
		looked++
		command := strings.TrimRight(q.Raw[words[i+1].Start:end], " ,;")
		if command == "" {
			continue
		}
		routed := r.route(command, ctx, tries)
		if routed.Plan == nil {
			continue
		}
		last = routed
		if i > from && r.isAnd(words[i-1]) {
			i--
		}
		commands, end = append(commands, command), words[i].Start
	}
	if end != begin {
		d = textEnd(end)
	}
	if len(commands) == 0 || d.Plan == nil {
		return Decision{}, false
	}
	if len(commands) == 1 && end == begin {
		return joined(said, d, last)
	}
	for _, command := range slices.Backward(commands) {
		var ok bool
		if d, ok = joined(said, d, r.route(command, r.after(d.Plan, q.ctx), tries)); !ok || d.Plan == nil {
			return d, ok
		}
	}
	return d, true
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
	if first.Plan == nil || and && first.Rule == clickRule && !r.hasVerb(right) {
		return Decision{}, false
	}
	return joined(said, first, r.route(right, r.after(first.Plan, ctx), tries))
}

// hasVerb reports whether s is a verb of the keyboard, the wheel or the pointer with
// something behind it, which is not on a button.
func (r *Router) hasVerb(s string) bool {
	words, verbs := r.words.Language.New(s).Words, &r.words.Verbs
	for _, v := range [...][]string{verbs.Type, verbs.Key, verbs.Scroll, verbs.Click} {
		if n := begins(words, v); n > 0 && n < len(words) {
			return true
		}
	}
	return false
}

// tooLong refuses a chain of more steps than a plan may have.
func tooLong() Decision {
	a := refuse(plan.NotSupported, "these are more than the %d steps that one command may have; say it in parts", mostSteps)
	d := *a.refusal
	d.Rule = chainRule
	return d
}

// joined is a chain of two decisions. It is not ok where the second is not a plan.
func joined(said string, first, second Decision) (Decision, bool) {
	switch {
	case second.Plan == nil:
		return second, second.Rule == chainRule
	case len(first.Plan.Steps)+len(second.Plan.Steps) > mostSteps:
		return tooLong(), true
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
		ctx.Focused = &Window{AppID: op.AppOf(args), App: op.AppOf(args)}
	case op.Key, op.TypeText:
		if app := op.TypesInto(args); app != "" {
			ctx.Focused = &Window{AppID: app, App: app}
		}
	case op.OpenURL, op.EnsureURL:
		ctx.Focused = nil
		if role := r.lib.Index.ByID("generic-browser"); role != nil {
			if t, ok := r.forRole(&request{ctx: ctx}, role); ok {
				ctx.Focused = &Window{AppID: t.id, App: t.id}
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
	return slices.ContainsFunc(u.AllWords(), r.joins)
}

func (r *Router) joins(w utterance.Word) bool { return r.isAnd(w) || r.isThen(w) }

// joints counts the words of s that may join commands.
func (r *Router) joints(s string) (n int) {
	for _, w := range r.words.Language.New(s).AllWords() {
		if r.joins(w) {
			n++
		}
	}
	return n
}
