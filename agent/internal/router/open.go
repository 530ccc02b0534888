package router

import (
	"slices"
	"strings"

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
	if a := r.openAddress(q, name, in, !apps); a.given() && !app {
		return a
	}
	steps := ensure
	if in == newWindow {
		steps = openNewWindow
	}
	if s := r.siteCalled(name); s.Site != nil && (s.sure || !app || in == newTab) {
		return r.showSite(s, in)
	}
	if _, isAction := r.words.Actions[q.t]; in == newTab && !isAction {
		return r.inNewTab(q, name)
	}
	if r.notApp(name, exact) {
		return refuse(plan.NoPlan, "no application, site or address is called %q", name)
	}
	if a := r.forApp(q, name, exact, steps); a.given() {
		return a
	}
	if further, ok := cutFront(r.words.Language.TrimArticles(name), r.words.Words.New); ok {
		if a := r.forApp(q, further, r.resolve(q, further, true), openNewWindow); a.given() {
			return a // "a new terminal"
		}
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
	if at, ok := address.Parse(name, true); ok {
		const why = "%q may be a file; write %s if you mean the page"
		return refuse(plan.NoPlan, why, name, at.URL)
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
	for _, cut := range [...]func(string, []string) (string, bool){cutBack, cutFront} { // "the website youtube"
		if web, ok := cut(name, r.words.Words.Site); ok && r.site(web) != nil {
			return calledSite{r.site(web), web, true}
		}
	}
	s := r.site(name)
	if s != nil && r.words.Sites[name] == nil {
		name = s.Name
	}
	return calledSite{s, name, false}
}

// site returns the site of a name, or of the same name but for its blanks; nil where
// there is none.
func (r *Router) site(name string) *phrases.Site {
	if s := r.words.Sites[name]; s != nil {
		return s
	}
	var buf [64]byte
	return r.loose.sites[string(utterance.AppendLoose(buf[:0], name))]
}

// appWins says whether an application goes before a site of the same name: its
// id or name is that or the user called it so, and it is here.
func (r *Router) appWins(q *request, m profile.Match) bool {
	return len(m.Profiles) > 0 && (m.Pass <= profile.ByName || m.IsOwn()) && !m.Role && r.here(q)(m.Profiles[0])
}

// openAddress opens a web address. sure says that what is named is a page, as
// after "go to".
func (r *Router) openAddress(q *request, name string, in where, sure bool) answer {
	name = r.dotted(name)
	if strings.Contains(name, " ") {
		return answer{}
	}
	raw := rawWord(q, name)
	at, ok := address.Parse(raw, sure)
	if !ok {
		return answer{}
	}
	if in == newWindow && at.Web {
		return r.inNewWindow(at.URL)
	}
	if in != anywhere || !at.Web {
		return mine(plan.Step{Args: op.OpenURL{URL: at.URL, NewTab: in == newTab}, Description: "open " + at.URL})
	}
	return mine(plan.Step{
		Args: op.EnsureURL{URL: at.URL, Site: at.Site}, Description: "show " + at.URL,
	})
}

// dotted writes "example dot com slash news" as it is written.
func (r *Router) dotted(name string) string {
	said := func(w string) bool { return strings.Contains(name, w) }
	if !slices.ContainsFunc(r.words.Words.Dot, said) || !hasWord(name, r.words.Words.Dot) {
		return name
	}
	words := strings.Fields(name)
	for i, w := range words[:len(words)-1] {
		switch {
		case i > 0 && slices.Contains(r.words.Words.Dot, w):
			words[i] = "\x00."
		case i > 0 && slices.Contains(r.words.Words.Slash, w):
			words[i] = "\x00/"
		}
	}
	written := strings.ReplaceAll(strings.Join(words, " "), " \x00", "")
	return strings.NewReplacer(". ", ".", "/ ", "/").Replace(written)
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

// showSite shows a site from the table.
func (r *Router) showSite(s calledSite, in where) answer {
	switch in {
	case newWindow:
		return r.inNewWindow(s.URL)
	case newTab:
		return mine(plan.Step{Args: op.OpenURL{URL: s.URL, NewTab: true}, Description: "open " + s.Name + " in a new tab"})
	}
	return mine(plan.Step{Args: ensureSite(s), Description: "show " + s.Name})
}

// inNewTab brings an application up and opens a tab in it.
func (r *Router) inNewTab(q *request, name string) answer {
	m := r.resolve(q, name, false)
	if t := m.One(); t != nil && !t.Role() && len(r.action(t, newTabAction)) == 0 {
		return refuse(plan.NotSupported, "%s has no shortcut for a new tab, and no website is called %q", t.Name, name)
	}
	a := r.forApp(q, name, m, func(t target) []plan.Step {
		steps := ensure(t)
		if t.profile != nil {
			steps = append(steps, keySteps(r.action(t.profile, newTabAction), "open a new tab")...)
		}
		return steps
	})
	switch {
	case len(a.steps) == 1:
		return refuse(plan.NotSupported, "%q has no shortcut for a new tab", name)
	case !a.given():
		return refuse(plan.NoPlan, "no application, site or address is called %q", name)
	}
	return a
}

func ensureSite(s calledSite) op.EnsureURL { return op.EnsureURL{URL: s.URL, Site: s.said} }

// inNewWindow opens an address in a new window of the default browser.
func (r *Router) inNewWindow(url string) answer {
	p := r.lib.Default(profile.Browser)
	switch {
	case p == nil:
		return refuse(plan.Missing, "no browser is installed that could open a new window")
	case len(p.NewWindow) == 0:
		return refuse(plan.NotSupported, "%s has no command for a new window; it can be set in its profile", p.Name)
	}
	argv := append(append([]string{}, p.NewWindow...), url)
	return mine(plan.Step{
		Args: op.LaunchApp{App: p.ID, Argv: argv}, Description: "open " + url + " in a new window",
	})
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

// sayOpen lists the applications, the sites, and that anything can be opened by
// its name or address.
func (r *Router) sayOpen() []phrase {
	const address = anything + ".org"
	verbs := &r.words.Verbs.Open
	all := append(followedBy(verbs.Page, example{address, address}), slotted(verbs.Any[0], "", example{address, address}))
	for name := range r.words.Sites {
		all = append(all, fixed(verbs.Any[0]+" "+name))
	}
	for _, p := range r.lib.Index.All() {
		if p.Disabled || p.Unlisted() {
			continue
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			one := fixed(verbs.Any[0] + " " + utterance.Key(name))
			one.app = p
			all = append(all, one)
		}
	}
	for _, e := range r.exampleApp() {
		for _, verbs := range [][]string{verbs.Any[1:], verbs.App, verbs.Program} {
			all = append(all, followedBy(verbs, e)...)
		}
	}
	return all
}

// exampleApp returns an application whose name is nothing else's, or none.
func (r *Router) exampleApp() []example {
	for _, p := range r.lib.Index.All() {
		name := utterance.Key(p.Name)
		taken := r.words.Sites[name] != nil || r.words.IsAgent(name) || strings.Contains(name, " ")
		if !taken && !p.Role() && r.lib.Startable(p) && r.lib.Index.ResolveExact(name, r.lib.Startable).One() == p {
			return []example{{name, p.ID}}
		}
	}
	return nil
}
