package router

import (
	"slices"
	"strings"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// mostNameWords is how many words an application's name may have before a verb.
const mostNameWords = 8

// appTarget: an application by its name, and what to do in it: "code type
// hello", "spotify pause", "slack press escape".
func (r *Router) appTarget(q *request) answer {
	verbs := &r.words.Verbs.Target
	for i := 1; i < len(q.Words) && i <= mostNameWords; i++ {
		var a answer
		switch verb := q.Words[i].Text; {
		case slices.Contains(verbs.Type, verb):
			a = r.typeInto(q, i)
		case slices.Contains(verbs.Press, verb):
			a = r.pressIn(q, i)
		}
		if a.given() {
			return a
		}
	}
	return r.mediaOf(q)
}

// nameBefore is the first n words, in normal form.
func nameBefore(q *request, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = q.Words[i].Text
	}
	return strings.Join(words, " ")
}

func (r *Router) typeInto(q *request, verb int) answer {
	text := unquote(q.Rest(verb + 1))
	if text == "" {
		return answer{}
	}
	return r.inApp(q, nameBefore(q, verb), func(t target) []plan.Step {
		return []plan.Step{{
			Args: op.TypeText{Text: text, App: t.id}, Description: "type the text into " + t.name(),
		}}
	})
}

func (r *Router) pressIn(q *request, verb int) answer {
	var pressed answer
	if len(q.Words) == verb+2 {
		pressed = r.spokenChord(q.Rest(verb+1), 1)
	}
	if said, ok := strings.CutPrefix(q.t, utterance.Key(q.Raw[:q.Words[verb].End])+" "); ok && pressed.steps == nil {
		pressed = r.keys(said)
	}
	if pressed.steps == nil {
		if pressed.refusal != nil && len(r.resolve(q, nameBefore(q, verb), true).Profiles) > 0 {
			return pressed
		}
		return answer{}
	}
	return r.inApp(q, nameBefore(q, verb), func(t target) []plan.Step {
		steps := slices.Clone(pressed.steps)
		for i, s := range steps {
			steps[i].Args = op.Into(s.Args, t.id)
			steps[i].Description += in(t.name())
		}
		return steps
	})
}

// inApp answers with steps in the application that is called name: by its id,
// name or alias, but not by a common word that is only an alias. A CLI agent
// counts as an application of its own name.
func (r *Router) inApp(q *request, name string, steps func(target) []plan.Step) answer {
	m := r.resolve(q, name, true)
	guessed := !m.IsOwn() && len(m.Profiles) == 0 || m.Pass == profile.ByAlias && m.Profiles[0].Layer == profile.Catalogue
	if guessed && r.words.IsAgent(name) {
		return mine(steps(target{id: name})...)
	}
	if len(m.Profiles) == 0 {
		return answer{}
	}
	if m.Pass == profile.ByAlias && m.Layer != profile.User && r.words.Generic[r.words.Language.TrimArticles(name)] {
		return answer{}
	}
	return r.forApp(q, name, m, steps)
}

// name is what to call a target.
func (t target) name() string {
	if t.profile != nil {
		return t.profile.Name
	}
	return t.id
}

// sayTarget lists what the applications with a window can be told by their names.
func (r *Router) sayTarget(q *request) (all []phrase) {
	verbs := &r.words.Verbs.Target
	for p := range r.allRunning(q) {
		name := utterance.Key(p.Name)
		for _, v := range verbs.Type {
			all = append(all, slotted(name+" "+v, "", example{anything, anything}))
		}
		for _, v := range verbs.Press {
			all = append(all, slotted(name+" "+v, "", example{someKey, someKey}))
		}
		if p.Kind == profile.MediaPlayer {
			all = append(all, named(r.shortMedia(), name)...)
		}
	}
	return all
}
