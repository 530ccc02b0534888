package router

import (
	"slices"
	"strings"
	"unicode/utf8"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// switchTo: what is open already, brought up if it is not.
func (r *Router) switchTo(q *request) answer {
	name, ok := cutFront(q.t, r.words.Verbs.Switch)
	if first, _, _ := strings.Cut(name, " "); !ok || slices.Contains(r.words.Words.Me, first) {
		return answer{}
	}
	exact := r.resolve(q, name, true)
	if s := r.siteCalled(name); s.Site != nil && (s.sure || !r.appWins(q, exact)) {
		return r.showSite(s, anywhere)
	}
	if r.notApp(name, exact) {
		return answer{}
	}
	if len(exact.Profiles) > 0 {
		return r.forApp(q, name, exact, ensure)
	}
	if a := r.byTitle(q, name); a.given() {
		return a
	}
	return r.forApp(q, name, r.resolve(q, name, false), ensure)
}

// notApp reports whether name is a part of the desktop, such as "desktop", which only
// an application of exactly that name takes. m is what it means exactly.
func (r *Router) notApp(name string, m profile.Match) bool {
	named := len(m.Profiles) > 0 && (m.Pass <= profile.ByName || m.IsOwn())
	return !named && slices.Contains(r.words.Words.NotApps, r.words.Language.TrimArticles(name))
}

// byTitle focuses the only window in whose title all words stand. The title
// selects; the step has the window's id and nothing of the title.
func (r *Router) byTitle(q *request, name string) answer {
	words := strings.Fields(r.words.Language.TrimArticles(name))
	if len(strings.Join(words, "")) < 3 {
		return answer{}
	}
	var found []Window
	for _, w := range q.ctx.Windows {
		if w.ID != 0 && mayHave(w.Title, words[0]) && hasAllWords(utterance.Key(w.Title), words) {
			found = append(found, w)
		}
	}
	if len(found) != 1 {
		return answer{}
	}
	return mine(compositorStep(focusWindow, []any{"--id", int(found[0].ID)}, "focus the window that is called so"))
}

// mayHave is a quick look whether a word can be in a title at all.
func mayHave(title, word string) bool {
	for i := range len(title) {
		if title[i] >= utf8.RuneSelf {
			return true // folding is needed to tell
		}
	}
	return strings.Contains(strings.ToLower(title), word)
}

func hasAllWords(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(" "+text+" ", " "+w+" ") {
			return false
		}
	}
	return true
}

// close: tabs, sites and applications. A window is closed by the desktop's
// phrases only.
func (r *Router) close(q *request) answer {
	name, ok := cutFront(q.t, r.words.Verbs.Close)
	if !ok {
		return answer{}
	}
	if slices.Contains(r.words.Words.Tab, r.withoutPointers(name)) {
		if p := r.taught(q); p != nil && len(p.Shortcuts[closeTabAction]) > 0 {
			return mine(keySteps(p.Shortcuts[closeTabAction], "close the tab")...)
		}
		return refuse(plan.NoPlan, "the focused application has no shortcut for closing a tab")
	}
	exact := r.resolve(q, name, true)
	if s := r.siteCalled(name); s.Site != nil && (s.sure || !r.closesApp(q, exact)) {
		show := ensureSite(s)
		show.MustExist = true
		return mine(plan.Step{Args: show, Description: "show " + s.Name}, compositorStep(closeWindow, nil, "close it"))
	}
	if r.notApp(name, exact) {
		return answer{}
	}
	// "close music": too common a word to close something by, unless it is its
	// name or the user called it so.
	common := r.words.Generic[r.words.Language.TrimArticles(name)]
	if common && exact.Pass == profile.ByAlias && exact.Layer != profile.User {
		return answer{}
	}
	if len(exact.Profiles) == 0 {
		exact = r.resolve(q, name, false)
		if exact.Pass != profile.BySubset || common {
			return answer{} // keywords do not close applications
		}
	}
	return r.forApp(q, name, exact, func(t target) []plan.Step {
		label := t.id
		if t.profile != nil {
			label = t.profile.Name
		}
		return []plan.Step{{Args: op.CloseApp{App: t.id}, Description: "close " + label}}
	})
}

// closesApp says whether "close X" means the application rather than the site:
// it has that id or name, and a window.
func (r *Router) closesApp(q *request, m profile.Match) bool {
	return r.appWins(q, m) && (len(q.ctx.Windows) == 0 || r.running(q, m.Profiles[0]))
}

// saySwitch lists the applications with a window.
func (r *Router) saySwitch(q *request) (all []phrase) {
	for p := range r.allRunning(q) {
		all = append(all, named(r.words.Verbs.Switch, utterance.Key(p.Name))...)
	}
	return all
}

// sayClose lists what can be closed: the applications with a window, and the tab.
func (r *Router) sayClose(q *request) (all []phrase) {
	for p := range r.allRunning(q) {
		all = append(all, named(r.words.Verbs.Close, utterance.Key(p.Name))...)
	}
	if p := r.taught(q); p == nil || q.ctx.Focused == nil {
		return all
	} else if len(p.Shortcuts[closeTabAction]) > 0 {
		for _, tab := range r.words.Words.Tab {
			all = append(all, tabs(named(r.words.Verbs.Close, tab), p)...)
		}
		for text, name := range r.words.Actions {
			if name == closeTabAction {
				all = append(all, tabs([]phrase{fixed(text)}, p)...)
			}
		}
	}
	return all
}

// tabs marks phrases that close a tab, where the user set the keys for it.
func tabs(all []phrase, p *profile.Profile) []phrase {
	for i := range all {
		all[i].own = p.Own[closeTabAction]
	}
	return all
}
