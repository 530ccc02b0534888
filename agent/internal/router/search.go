package router

import (
	"strings"
	"unicode"

	"utter/shared/address"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// searchFor: on the web, on a site, or in an application that can be searched.
func (r *Router) searchFor(q *request) answer {
	verbs := &r.words.Verbs.Search
	if n := begins(q.Words, verbs.Site); n > 0 {
		if s := r.siteCalled(q.t); s.Site != nil {
			return r.showSite(s, anywhere) // "google maps"
		}
		if s := r.site(nameBefore(q, n)); s != nil && s.Search != "" {
			return r.searchAt(s.Search, r.query(q.Rest(n)), s.Name)
		}
		return answer{}
	}
	n := begins(q.Words, verbs.Any)
	if n == 0 {
		return answer{}
	}
	rest := q.Rest(n)
	if a, ok := r.searchSite(q, rest); ok {
		return a
	}
	if a, ok := r.searchApp(q, rest); ok {
		return a
	}
	rest = trimLead(rest, r.words.Words.Web)
	if q.app != nil && q.app.Kind == profile.Browser && q.app.SearchURL != "" {
		return r.searchAt(q.app.SearchURL, r.query(rest), q.app.Name)
	}
	return r.searchAt(r.search, r.query(rest), "the web")
}

// searchAt opens an address with the words to search for put in.
func (r *Router) searchAt(template, words, name string) answer {
	if words == "" {
		return answer{}
	}
	u := address.FillQuery(template, words)
	return mine(plan.Step{Args: op.OpenURL{URL: u}, Description: "search for " + words + " on " + name})
}

// query removes what leads up to the words to search for, and the punctuation
// that speech recognisers put behind them.
func (r *Router) query(s string) string {
	for _, leads := range [][]string{r.words.Words.For, r.words.Words.About} {
		if cut := trimLead(s, leads); len(cut) < len(s) {
			s = cut
			break
		}
	}
	s = utterance.TrimNotes(s)
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s), ".!?"))
}

// trimLead removes the first of leads from the front of s, in any case. What is
// left may be empty.
func trimLead(s string, leads []string) string {
	for _, l := range leads {
		if len(s) >= len(l) && strings.EqualFold(s[:len(l)], l) && (len(s) == len(l) || s[len(l)] == ' ') {
			return strings.TrimSpace(s[len(l):])
		}
	}
	return s
}

// searchSite reads "youtube for cats" and "for cats on youtube".
func (r *Router) searchSite(q *request, rest string) (answer, bool) {
	words := &r.words.Words
	lower := strings.ToLower(rest)
	if len(lower) != len(rest) {
		return answer{}, false
	}
	if name, behind, ok := cutAt(lower, words.For, false); ok {
		name = trimLead(name, words.On)
		if s := r.site(utterance.Key(name)); s != nil && s.Search != "" {
			return r.searchAt(s.Search, r.query(rest[len(rest)-len(behind):]), s.Name), true
		}
	}
	if before, name, ok := cutAt(lower, words.On, true); ok {
		name = r.words.Language.TrimArticles(utterance.Key(name))
		if s := r.site(name); s != nil && s.Search != "" {
			return r.searchAt(s.Search, r.query(rest[:len(before)]), s.Name), true
		}
	}
	return answer{}, false
}

// searchApp reads "cats in this app", "cats here" and "cats in firefox". Words
// behind "in" that name no application that can be searched are part of the
// query.
func (r *Router) searchApp(q *request, rest string) (answer, bool) {
	words := &r.words.Words
	if a, ok := r.searchIn(q, rest); ok {
		return a, true
	}
	key := utterance.Key(rest)
	what, here := cutBack(key, words.ThisApp)
	if !here && q.app != nil {
		what, here = cutBack(key, words.Here)
	}
	if here {
		return r.searchHere(q, cutWords(rest, countWords(key)-countWords(what))), true
	}
	what, name, ok := cutAt(key, words.In, true)
	if !ok {
		return answer{}, false
	}
	p := r.resolve(q, name, true).One()
	if p == nil || p.SearchURL == "" {
		return answer{}, false
	}
	return r.searchAt(p.SearchURL, r.query(cutWords(rest, countWords(key)-countWords(what))), p.Name), true
}

// searchHere searches in the focused application.
func (r *Router) searchHere(q *request, words string) answer {
	switch {
	case q.app == nil:
		return refuse(plan.NotFound, "no known application is focused")
	case q.app.SearchURL == "":
		return refuse(plan.NotSupported, "%s has no search address; it can be set in its profile", q.app.Name)
	}
	return r.searchAt(q.app.SearchURL, r.query(words), q.app.Name)
}

// searchIn reads "in this app for cats", "here for cats" and "in firefox for cats".
func (r *Router) searchIn(q *request, rest string) (answer, bool) {
	words := &r.words.Words
	what := trimLead(rest, words.ThisApp)
	if len(what) == len(rest) && q.app != nil {
		what = trimLead(rest, words.Here)
	}
	if len(what) < len(rest) && len(trimLead(what, words.For)) < len(what) {
		return r.searchHere(q, what), true
	}
	named := trimLead(rest, words.In)
	lower := strings.ToLower(named)
	if len(named) == len(rest) || len(lower) != len(named) {
		return answer{}, false
	}
	name, behind, ok := cutAt(lower, words.For, false)
	if !ok {
		return answer{}, false
	}
	p := r.resolve(q, utterance.Key(name), true).One()
	if p == nil || p.SearchURL == "" {
		return answer{}, false
	}
	return r.searchAt(p.SearchURL, r.query(named[len(named)-len(behind):]), p.Name), true
}

// countWords counts the words of a text in normal form.
func countWords(t string) int { return 1 + strings.Count(t, " ") }

// cutWords removes the last n words of s, as words are in normal form.
func cutWords(s string, n int) string {
	for n > 0 {
		s = strings.TrimSpace(s)
		i := strings.LastIndexFunc(s, unicode.IsSpace)
		n -= len(strings.Fields(utterance.Key(s[i+1:])))
		if i < 0 {
			return ""
		}
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// saySearch lists where one can search.
func (r *Router) saySearch() []phrase {
	verbs, leads := &r.words.Verbs.Search, r.words.Words.For
	all := append(followed(verbs.Any), followed(verbs.Site)...)
	for _, lead := range leads {
		all = append(all, followed([]string{verbs.Any[0] + " " + lead})...)
		for name, s := range r.words.Sites {
			if s.Search != "" {
				all = append(all, followed([]string{verbs.Any[0] + " " + name + " " + lead})...)
			}
		}
	}
	return all
}
