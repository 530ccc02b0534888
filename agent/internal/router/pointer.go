package router

import (
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/plan"
)

// scroll: the wheel.
func (r *Router) scroll(q *request) answer {
	t := r.bare(q)
	if c, ok := r.words.Presses[t]; ok {
		return mine(keySteps(chord.Sequence{c}, t)...)
	}
	rest, ok := cutFront(t, r.words.Verbs.Scroll)
	if !ok {
		return answer{}
	}
	said, amount, _ := strings.Cut(rest, " ")
	direction, ok := r.words.Words.Directions[said]
	if !ok {
		return answer{}
	}
	steps, ok := r.scrollSteps(amount)
	if !ok {
		return answer{}
	}
	return mine(plan.Step{
		Args: op.Scroll{Direction: direction, Amount: steps}, Description: t,
	})
}

const (
	scrollDefault = op.DefaultScroll
	scrollMost    = 100
)

// scrollSteps reads "a bit", "a lot", "three times" and "3".
func (r *Router) scrollSteps(amount string) (int, bool) {
	words := &r.words.Words
	if amount == "" {
		return scrollDefault, true
	}
	if n, ok := words.Amounts[amount]; ok {
		return n, true
	}
	if n, ok := words.Repeated[amount]; ok {
		return n * scrollDefault, true
	}
	factor := 1
	amount, times := cutBack(amount, words.Times)
	if times {
		factor = scrollDefault
	}
	amount, _ = cutBack(amount, words.Steps)
	n, ok := r.words.Language.Number(amount)
	return min(n*factor, scrollMost), ok && n > 0
}

// click: an element that is named.
func (r *Router) click(q *request) answer {
	what, ok := cutFront(q.t, r.words.Verbs.Click)
	if !ok || q.Rest(1) == "" {
		return answer{}
	}
	what, _ = cutFront(what, r.words.Words.On)
	if slices.Contains(r.words.Words.On, what) {
		return answer{}
	}
	a := mine(plan.Step{Args: op.ClickElement{Description: what}, Description: q.t})
	a.unsure = true
	return a
}

// sayScroll lists where one can scroll to.
func (r *Router) sayScroll() []phrase {
	all := fixedAll(r.words.Presses)
	for said := range r.words.Words.Directions {
		all = append(all, named(r.words.Verbs.Scroll, said)...)
	}
	return all
}

// sayClick lists that something can be clicked, which only sight can do.
func (r *Router) sayClick() []phrase { return followed(r.words.Verbs.Click) }
