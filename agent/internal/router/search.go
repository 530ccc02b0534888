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
	verb := 0
	google := false
	switch {
	case q.StartsWith("look", "up"):
		verb = 2
	case q.StartsWith("google"):
		verb, google = 1, true
	case q.StartsWith("search"):
		verb = 1
	default:
		return answer{}
	}
	if google {
		if s := r.siteCalled(q.t); s.Site != nil {
			return mine(r.siteStep(s, anywhere)) // "google maps"
		}
		return r.searchAt(r.words.Sites["google"].Search, "Google", query(q.Rest(verb)))
	}
	rest := q.Rest(verb)
	if a, ok := r.searchSite(q, rest); ok {
		return a
	}
	if a, ok := r.searchApp(q, rest); ok {
		return a
	}
	rest = trimLead(rest, "the web", "the internet", "web")
	if q.app != nil && q.app.Kind == profile.Browser && q.app.SearchURL != "" {
		return r.searchAt(q.app.SearchURL, q.app.Name, query(rest))
	}
	return r.searchAt(r.search, "the web", query(rest))
}

// searchAt opens an address with the words to search for put in.
func (r *Router) searchAt(template, name, words string) answer {
	if words == "" {
		return answer{}
	}
	u := address.FillQuery(template, words)
	return mine(plan.Step{Args: op.OpenURL{URL: u}, Description: "search for " + words + " on " + name})
}

// query removes what leads up to the words to search for, and the punctuation
// that speech recognisers put behind them.
func query(s string) string {
	s = trimLead(s, "for", "about")
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s), ".!?"))
}

// trimLead removes the first of leads from the front of s, in any case. What is
// left may be empty.
func trimLead(s string, leads ...string) string {
	for _, l := range leads {
		if len(s) >= len(l) && strings.EqualFold(s[:len(l)], l) && (len(s) == len(l) || s[len(l)] == ' ') {
			return strings.TrimSpace(s[len(l):])
		}
	}
	return s
}

// searchSite reads "youtube for cats" and "for cats on youtube".
func (r *Router) searchSite(q *request, rest string) (answer, bool) {
	lower := strings.ToLower(rest)
	for i := 0; i < len(lower); i++ {
		if !strings.HasPrefix(lower[i:], " for ") || len(lower) != len(rest) {
			continue
		}
		name := trimLead(rest[:i], "on")
		if s := r.words.Sites[utterance.Key(name)]; s != nil && s.Search != "" {
			return r.searchAt(s.Search, s.Name, query(rest[i+len(" for "):])), true
		}
		break
	}
	if i := strings.LastIndex(lower, " on "); i > 0 && len(lower) == len(rest) {
		if s := r.words.Sites[r.words.Language.TrimArticles(utterance.Key(rest[i+len(" on "):]))]; s != nil && s.Search != "" {
			return r.searchAt(s.Search, s.Name, query(rest[:i])), true
		}
	}
	return answer{}, false
}

// searchApp reads "cats in this app", "cats here" and "cats in firefox". Words
// behind "in" that name no application that can be searched are part of the
// query.
func (r *Router) searchApp(q *request, rest string) (answer, bool) {
	key := utterance.Key(rest)
	for _, end := range []string{" in this app", " in this application", " in here", " here"} {
		if !strings.HasSuffix(key, end) || q.app == nil && end == " here" {
			continue
		}
		if q.app == nil {
			return refuse(plan.NotFound, "no application that is known has the focus"), true
		}
		if q.app.SearchURL == "" {
			return refuse(plan.NotSupported, "%s has no search address; it can be set in its profile", q.app.Name), true
		}
		return r.searchAt(q.app.SearchURL, q.app.Name, query(cutWords(rest, len(strings.Fields(end))))), true
	}
	i := strings.LastIndex(key, " in ")
	if i <= 0 {
		return answer{}, false
	}
	name := key[i+len(" in "):]
	p := r.resolve(q, name, true).One()
	if p == nil || p.SearchURL == "" {
		return answer{}, false
	}
	return r.searchAt(p.SearchURL, p.Name, query(cutWords(rest, 1+len(strings.Fields(name))))), true
}

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
