package router

import (
	"slices"
	"strings"
	"unicode/utf8"

	"utter/shared/address"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// open: applications, sites and addresses.
func (r *Router) open(q *request) answer {
	verbs := &r.words.Verbs.Open
	if name, ok := cutFront(q.t, verbs.App); ok {
		return r.forApp(q, name, r.resolve(q, name, false), ensure)
	}
	if target, ok := cutFront(q.t, verbs.Any); ok {
		return r.openTarget(q, target, true)
	}
	if target, ok := cutFront(q.t, verbs.Page); ok {
		return r.openTarget(q, target, false)
	}
	if target, ok := cutFront(q.t, verbs.Program); ok && !q.terminal {
		if m := r.resolve(q, target, true); len(m.Profiles) > 0 {
			return r.forApp(q, target, m, ensure)
		}
	}
	return answer{}
}

// where says in what an address or application is to open.
type where int

const (
	anywhere where = iota
	newTab
	newWindow
)

func (r *Router) cutWhere(t string) (string, where) {
	if cut, ok := cutBack(t, r.words.Words.NewTab); ok {
		return cut, newTab
	}
	if cut, ok := cutBack(t, r.words.Words.NewWindow); ok {
		return cut, newWindow
	}
	return t, anywhere
}

// openTarget opens what is named. apps says whether it may be an application by
// a part of its name; after "go to" only what is exact counts.
func (r *Router) openTarget(q *request, said string, apps bool) answer {
	name, in := r.cutWhere(said)
	exact := r.resolve(q, name, true)
	app := r.appWins(q, exact)
	if a := r.openAddress(q, name, in, !apps); a.steps != nil && !app {
		return a
	}
	steps := ensure
	if in == newWindow {
		steps = openNewWindow
	}
	if s := r.siteCalled(name); s.Site != nil && (s.sure || !app) {
		return mine(r.siteStep(s, in))
	}
	if a := r.forApp(q, name, exact, steps); a.given() {
		return a
	}
	if !apps {
		return answer{}
	}
	if a := r.forApp(q, name, r.resolve(q, name, false), steps); a.given() {
		return a
	}
	if _, isAction := r.words.Actions[q.t]; isAction {
		return answer{} // "open new tab" is the focused application's
	}
	return refuse(plan.NoPlan, "no application, site or address is called %q", name)
}

// A calledSite is a site of the table under the name that was said.
type calledSite struct {
	*phrases.Site
	said string
	sure bool // it was called a website: no application is meant
}

// siteCalled returns the site that name means; its Site is nil where there is
// none.
func (r *Router) siteCalled(name string) calledSite {
	name = r.words.Language.TrimArticles(name)
	if web, ok := cutBack(name, r.words.Words.Site); ok && r.words.Sites[web] != nil {
		return calledSite{r.words.Sites[web], web, true}
	}
	return calledSite{r.words.Sites[name], name, false}
}

// appWins says whether an application goes before a site of the same name: its
// id or name is that, not only an alias, and it is here.
func (r *Router) appWins(q *request, m profile.Match) bool {
	return len(m.Profiles) > 0 && m.Pass <= profile.ByName && !m.Role && r.here(q)(m.Profiles[0])
}

// openAddress opens a web address. sure says that what is named is a page, as
// after "go to".
func (r *Router) openAddress(q *request, name string, in where, sure bool) answer {
	if strings.Contains(name, " ") {
		return answer{}
	}
	raw := rawWord(q, name)
	at, ok := address.Parse(raw, sure)
	if !ok {
		return answer{}
	}
	if in == newWindow && at.Web {
		if step, ok := r.inNewWindow(at.URL); ok {
			return mine(step)
		}
	}
	if in != anywhere || !at.Web {
		return mine(plan.Step{Args: op.OpenURL{URL: at.URL, NewTab: in == newTab}, Description: "open " + at.URL})
	}
	return mine(plan.Step{
		Args: op.EnsureURL{URL: at.URL, Site: at.Site}, Description: "show " + at.URL,
	})
}

// rawWord returns the word of the utterance as it was said whose normal form is
// word: addresses keep their case.
func rawWord(q *request, word string) string {
	for _, w := range q.Words {
		if w.Text == word {
			return q.Raw[w.Start:w.End]
		}
	}
	return word
}

// siteStep shows a site from the table.
func (r *Router) siteStep(s calledSite, in where) plan.Step {
	if in == newWindow {
		if step, ok := r.inNewWindow(s.URL); ok {
			return step
		}
	}
	if in == newTab {
		return plan.Step{Args: op.OpenURL{URL: s.URL, NewTab: true}, Description: "open " + s.Name + " in a new tab"}
	}
	return plan.Step{Args: ensureSite(s), Description: "show " + s.Name}
}

func ensureSite(s calledSite) op.EnsureURL { return op.EnsureURL{URL: s.URL, Site: s.said} }

// inNewWindow opens an address in a new window of the default browser. It is not
// ok where that has no such command.
func (r *Router) inNewWindow(url string) (plan.Step, bool) {
	p := r.lib.Default(profile.Browser)
	if p == nil || len(p.NewWindow) == 0 {
		return plan.Step{}, false
	}
	argv := append(append([]string{}, p.NewWindow...), url)
	return plan.Step{
		Args: op.LaunchApp{App: p.ID, Argv: argv}, Description: "open " + url + " in a new window",
	}, true
}

// openNewWindow starts a further window of an application.
func openNewWindow(t target) []plan.Step {
	args := op.LaunchApp{App: t.id}
	name := t.id
	if t.profile != nil {
		name = t.profile.Name
		if len(t.profile.NewWindow) > 0 {
			args.Argv = slices.Clone(t.profile.NewWindow)
		}
	}
	return []plan.Step{{Args: args, Description: "open a new window of " + name}}
}

// switchTo: what is open already, brought up if it is not.
func (r *Router) switchTo(q *request) answer {
	name, ok := cutFront(q.t, r.words.Verbs.Switch)
	if first, _, _ := strings.Cut(name, " "); !ok || slices.Contains(r.words.Words.Me, first) {
		return answer{}
	}
	exact := r.resolve(q, name, true)
	if s := r.siteCalled(name); s.Site != nil && (s.sure || !r.appWins(q, exact)) {
		return mine(r.siteStep(s, anywhere))
	}
	if len(exact.Profiles) > 0 {
		return r.forApp(q, name, exact, ensure)
	}
	if a := r.byTitle(q, name); a.given() {
		return a
	}
	return r.forApp(q, name, r.resolve(q, name, false), ensure)
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
	return mine(compositorStep("focus-window", []any{"--id", int(found[0].ID)}, "focus the window that is called so"))
}

// mayHave is a quick look whether a word can stand in a title at all.
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
		if p := r.taught(q); p != nil && len(p.Shortcuts["close_tab"]) > 0 {
			return mine(keySteps(p.Shortcuts["close_tab"], "close the tab")...)
		}
		return refuse(plan.NoPlan, "the focused application has no key for closing a tab")
	}
	exact := r.resolve(q, name, true)
	if s := r.siteCalled(name); s.Site != nil && (s.sure || !r.closesApp(q, exact)) {
		show := ensureSite(s)
		show.MustExist = true
		return mine(plan.Step{Args: show, Description: "show " + s.Name}, compositorStep("close-window", nil, "close it"))
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
