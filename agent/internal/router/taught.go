package router

import (
	"strings"

	"utter/shared/chord"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// custom: what the user taught, for the focused application or everywhere, comes
// before everything else.
func (r *Router) custom(q *request) answer {
	if a := r.ownName(q); a.given() {
		return a
	}
	p := r.taught(q)
	if p == nil {
		return answer{}
	}
	for _, t := range []string{q.t, q.Full} {
		s, ok := p.Taught(t)
		switch {
		case ok && len(s.Keys) > 0:
			return mine(keySteps(s.Keys, s.Words+inside(q))...)
		case ok && s.Action == newWindowAction && len(p.NewWindow) > 0:
			return mine(openNewWindow(target{p.ID, p})...)
		}
	}
	return answer{}
}

// ownName: a verb with a name that the user gave, where both are a phrase as well.
func (r *Router) ownName(q *request) answer {
	verbs := &r.words.Verbs
	for _, v := range [...]struct {
		verbs []string
		route func(*Router, *request) answer
	}{{verbs.Open.Any, (*Router).open}, {verbs.Switch, (*Router).switchTo}, {verbs.Close, (*Router).close}} {
		if name, ok := cutFront(q.t, v.verbs); ok && r.words.IsPhrase(q.t) && r.resolve(q, name, true).IsOwn() {
			return v.route(r, q)
		}
	}
	return answer{}
}

// taught returns whose actions and phrases can be said now: the focused
// application's, else those of everywhere. It is nil where there are none.
func (r *Router) taught(q *request) *profile.Profile {
	if q.app != nil {
		return q.app
	}
	return r.lib.Index.Everywhere()
}

// inside says for a description where keys go.
func inside(q *request) string {
	if q.app == nil {
		return ""
	}
	return in(q.app.Name)
}

// in names the application for a description.
func in(app string) string { return " in " + app }

// The actions of applications that are more than their keys.
const (
	newWindowAction = "new_window" // can be done without keys, by a command line
	closeTabAction  = "close_tab"
	newTabAction    = "new_tab"
)

// spoken writes new_tab as "new tab".
func spoken(name string) string { return profile.Spoken(name) }

// sayCustom lists what the user taught for the focused application.
func (r *Router) sayCustom(q *request) (all []phrase) {
	p := r.taught(q)
	if p == nil || q.ctx.Focused == nil {
		return nil
	}
	for text := range p.TaughtWords() {
		all = append(all, fixed(text))
	}
	return all
}

// shortcut: the named actions of the focused application, of any kind, and those
// of everywhere.
func (r *Router) shortcut(q *request) answer {
	p := r.taught(q)
	if p == nil || q.t == "" {
		return answer{}
	}
	action, ok := r.words.Actions[q.t]
	if !ok {
		action, ok = r.words.Actions[r.bare(q)]
	}
	if ok {
		if seq := r.action(p, action); len(seq) > 0 {
			return mine(keySteps(seq, spoken(action)+inside(q))...)
		}
		if action == newWindowAction && len(p.NewWindow) > 0 {
			return mine(openNewWindow(target{p.ID, p})...)
		}
	}
	for name, seq := range p.Shortcuts {
		if sameSpoken(name, q.t) {
			return mine(keySteps(seq, q.t+inside(q))...)
		}
	}
	return answer{}
}

// action returns the keys of an action of p under its name here or another one.
func (r *Router) action(p *profile.Profile, name string) chord.Sequence {
	if seq := p.Shortcuts[name]; len(seq) > 0 {
		return seq
	}
	for other, same := range r.words.SameAs {
		if same == name && len(p.Shortcuts[other]) > 0 {
			return p.Shortcuts[other]
		}
	}
	return nil
}

// sameSpoken compares an action's name, as it is said, with a text in normal
// form.
func sameSpoken(name, t string) bool {
	if len(name) != len(t) {
		return strings.ContainsFunc(name, func(r rune) bool { return r != '_' && r != ' ' && (r < 'a' || r > 'z') }) &&
			utterance.Key(spoken(name)) == t
	}
	for i := range len(name) {
		if name[i] != t[i] && (name[i] != '_' || t[i] != ' ') {
			return utterance.Key(spoken(name)) == t
		}
	}
	return true
}

// sayShortcut lists the actions of the focused application.
func (r *Router) sayShortcut(q *request) (all []phrase) {
	p := r.taught(q)
	if p == nil || q.ctx.Focused == nil {
		return nil
	}
	for name := range p.Shortcuts {
		text := utterance.Key(spoken(name))
		all = append(all, phrase{text: text, said: text, own: p.Own[name]})
	}
	for text, name := range r.words.Actions {
		all = append(all, phrase{text: text, said: text, own: p.Own[name]})
	}
	return all
}
