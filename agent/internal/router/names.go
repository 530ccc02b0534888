package router

import (
	"slices"
	"strconv"
	"strings"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/terminal"
)

// running reports whether p has a window.
func (r *Router) running(q *request, p *profile.Profile) bool { return r.allRunning(q)[p] }

// allRunning returns the applications with a window.
func (r *Router) allRunning(q *request) map[*profile.Profile]bool {
	if q.running == nil {
		q.running = map[*profile.Profile]bool{}
		for i := range q.ctx.Windows {
			if p := r.appOf(&q.ctx.Windows[i]); p != nil {
				q.running[p] = true
			}
		}
	}
	return q.running
}

// here reports whether p can be used at all: it has a window or can be started.
func (r *Router) here(q *request) func(*profile.Profile) bool {
	return func(p *profile.Profile) bool { return r.running(q, p) || r.lib.Startable(p) }
}

// resolve finds the application that name means, by the one resolver: as it is,
// then without articles, then without words such as "app". exact leaves out
// parts of names and keywords.
func (r *Router) resolve(q *request, name string, exact bool) profile.Match {
	find := r.lib.Index.Resolve
	if exact || r.words.Language.IsArticle(name) {
		find = r.lib.Index.ResolveExact
	}
	m := find(name, r.here(q))
	if len(m.Profiles) > 0 {
		return m
	}
	short := r.words.Language.TrimArticles(name)
	if short != name {
		if m = find(short, r.here(q)); len(m.Profiles) > 0 {
			return m
		}
	}
	for _, cut := range [...]func(string, []string) (string, bool){cutBack, cutFront} { // "the app spotify"
		if bare, ok := cut(short, r.words.Words.App); ok {
			if m = find(bare, r.here(q)); len(m.Profiles) > 0 {
				return m
			}
			short = bare
		}
	}
	if digits, ok := r.inDigits(short); ok && exact {
		return r.lib.Index.ResolveExact(digits, r.here(q))
	}
	return m
}

// inDigits writes the number words of a name in digits and leaves out the "and" between
// words, for which its sign may stand. It is not ok where there are none.
func (r *Router) inDigits(name string) (digits string, ok bool) {
	var buf [96]byte
	b := buf[:0]
	for rest, first := name, true; rest != ""; first = false {
		var w string
		w, rest, _ = strings.Cut(rest, " ")
		n, number := r.words.Language.NumberWord(w)
		switch {
		case number:
			ok = true
			b = strconv.AppendInt(append(b, ' '), int64(n), 10)
		case !first && rest != "" && slices.Contains(r.words.Words.And, w):
			ok = true
		default:
			b = append(append(b, ' '), w...)
		}
	}
	if !ok || !strings.Contains(name, " ") {
		return "", false
	}
	return string(b[1:]), true
}

// pick narrows a match by parts of names down to the only running application.
// Exact ties are never guessed between.
func (r *Router) pick(q *request, m profile.Match) profile.Match {
	if len(m.Profiles) < 2 || m.Pass < profile.BySubset {
		return m
	}
	var one *profile.Profile
	for _, p := range m.Profiles {
		if !r.running(q, p) {
			continue
		}
		if one != nil {
			return m
		}
		one = p
	}
	if one != nil {
		m.Profiles = []*profile.Profile{one}
	}
	return m
}

// A target is the application that words came to, ready for steps: the id for
// the step and, where it is known, its profile.
type target struct {
	id      string
	profile *profile.Profile
}

// forRole returns what a role stands for now: the latest window of its kind,
// else the default application.
func (r *Router) forRole(q *request, role *profile.Profile) (target, bool) {
	byProcess := -1 // a window that only its process shows to be a terminal: it may be something that runs in one
	for i := range q.ctx.Windows {
		w := &q.ctx.Windows[i]
		p := r.appOf(w)
		switch {
		case p != nil && p.Kind == role.Kind:
			return target{p.ID, p}, true
		case p != nil || role.Kind != profile.Terminal || !r.isTerminal(w):
		case terminal.Is(w.AppID):
			return target{w.AppID, nil}, true
		case byProcess < 0:
			byProcess = i
		}
	}
	if byProcess >= 0 {
		return target{q.ctx.Windows[byProcess].AppID, nil}, true
	}
	if p := r.lib.Default(role.Kind); p != nil {
		return target{p.ID, p}, true
	}
	return target{}, false
}

// choices describes equal candidates, each with what choosing it would do.
func choices(profiles []*profile.Profile, steps func(target) []plan.Step) []plan.Choice {
	var all []plan.Choice
	for _, p := range profiles {
		made := steps(target{p.ID, p})
		for i := range made {
			made[i].Provenance = plan.FromUser
		}
		all = append(all, plan.Choice{Label: p.Name, Origin: p.Origin.String(), Steps: made})
	}
	return all
}

// forApp answers with the steps for the application that m means: a plan, or a
// refusal where it is unclear or not here. It is not mine where m is empty.
func (r *Router) forApp(q *request, said string, m profile.Match, steps func(target) []plan.Step) answer {
	m = r.pick(q, m)
	if len(m.Profiles) == 0 {
		return answer{}
	}
	q.named = said
	if len(m.Profiles) > 1 {
		a := refuse(plan.Ambiguous, "%q matches several applications: %s", said, candidates(m.Profiles))
		a.refusal.Choices = choices(m.Profiles, steps)
		return a
	}
	p := m.One()
	if p.Role() {
		t, ok := r.forRole(q, p)
		if !ok {
			return refuse(plan.Missing, "no %s is installed", strings.ToLower(p.Name))
		}
		return mine(steps(t)...)
	}
	if !r.here(q)(p) {
		return refuse(plan.Missing, "%s", p.WhyNot())
	}
	return mine(steps(target{p.ID, p})...)
}

// candidates names applications and where they are from.
func candidates(profiles []*profile.Profile) string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name + ", from " + p.Origin.String()
	}
	return strings.Join(names, "; ")
}

// ensure brings an application up.
func ensure(t target) []plan.Step {
	argv := []string{}
	name := t.id
	if t.profile != nil {
		argv, name = append(argv, t.profile.Launch...), t.profile.Name
	}
	return []plan.Step{{
		Args: op.EnsureApp{App: t.id, Argv: argv}, Description: "bring up " + name,
	}}
}
