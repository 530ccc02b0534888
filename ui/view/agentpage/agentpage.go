// Package agentpage shows the state of the agent and the desktop.
package agentpage

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/session"
	"utter/ui/model/status"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
	"utter/ui/view/gtkx"
)

// A Page shows the agent's state.
type Page struct {
	*gtkx.Page
	model *status.Model

	state    *adw.ActionRow
	details  *gtkx.Details
	start    *gtk.Button
	version  *adw.ActionRow
	desktop  *adw.ActionRow
	login    *adw.SwitchRow
	parts    *gtkx.List[*adw.ActionRow]
	checks   *adw.PreferencesGroup
	problems *gtkx.List[*adw.ActionRow]
	wrong    *adw.PreferencesGroup
	syncing  bool
}

// New returns the page. review shows a problem and what to do about it.
func New(s *session.Session, agent status.Agent, login status.Login, review func(status.Problem)) *Page {
	p := &Page{}
	p.model = status.New(s, agent, login, gtkx.Async, func(st status.State) { p.show(st, review) })
	content := adw.NewPreferencesPage()
	p.Page = gtkx.NewPage(content)
	content.Add(p.about())
	p.wrong = adw.NewPreferencesGroup()
	p.wrong.SetTitle(tr.T("Problems"))
	p.problems = gtkx.NewList[*adw.ActionRow](tr.T("Problems"))
	p.wrong.Add(p.problems)
	content.Add(p.wrong)
	p.checks = adw.NewPreferencesGroup()
	p.checks.SetTitle(tr.T("What Works Here"))
	p.checks.SetHeaderSuffix(gtkx.NewIconButton("view-refresh-symbolic", tr.T("Check Again"), p.model.Refresh))
	p.parts = gtkx.NewList[*adw.ActionRow](tr.T("What Works Here"))
	p.checks.Add(p.parts)
	content.Add(p.checks)
	p.show(p.model.State(), review)
	return p
}

// Refresh looks at the desktop again.
func (p *Page) Refresh() { p.model.Refresh() }

// Start starts the agent.
func (p *Page) Start() { p.model.Start() }

func (p *Page) about() *adw.PreferencesGroup {
	g := adw.NewPreferencesGroup()
	p.state = gtkx.NewRow("", "")
	p.start = gtk.NewButtonWithLabel(tr.T("Start"))
	p.start.SetVAlign(gtk.AlignCenter)
	p.start.AddCSSClass("suggested-action")
	p.start.ConnectClicked(p.model.Start)
	gtkx.Name(p.start, tr.T("Start Agent"))
	p.state.AddSuffix(p.start)
	p.details = gtkx.NewDetails()
	p.version = gtkx.NewRow(tr.T("Version"), "")
	p.desktop = gtkx.NewRow(tr.T("Compositor"), "")
	for _, row := range []*adw.ActionRow{p.version, p.desktop} {
		row.AddCSSClass("property")
	}
	p.login = adw.NewSwitchRow()
	p.login.SetTitle(tr.T("Start at login"))
	p.login.SetSubtitle(tr.T("If off, the agent starts when it is first used"))
	p.login.NotifyProperty("active", func() {
		if !p.syncing {
			p.model.SetLogin(p.login.Active())
		}
	})
	for _, row := range []gtk.Widgetter{p.state, p.details, p.version, p.desktop, p.login} {
		g.Add(row)
	}
	return g
}

func (p *Page) show(s status.State, review func(status.Problem)) {
	if p.parts == nil {
		return // still being built
	}
	p.syncing = true
	defer func() { p.syncing = false }()
	p.showState(s)
	p.login.SetVisible(s.CanLogin)
	p.login.SetActive(s.Login)
	p.showParts(s.Parts)
	p.showProblems(s.Problems, review)
}

func (p *Page) showState(s status.State) {
	switch {
	case s.Running:
		p.state.SetTitle(tr.T("The agent is running"))
	case s.Starting:
		p.state.SetTitle(tr.T("The agent is starting…"))
	default:
		p.state.SetTitle(tr.T("The agent is not running"))
	}
	if s.Error != "" && s.Error != p.state.Subtitle() {
		gtkx.Announce(p.state, s.Error)
	}
	p.state.SetSubtitle(s.Error)
	p.details.Show(s.Detail)
	p.start.SetVisible(!s.Running)
	p.start.SetSensitive(!s.Starting)
	p.version.SetVisible(s.Running)
	p.version.SetSubtitle(s.Version)
	p.desktop.SetVisible(s.Running)
	p.desktop.SetSubtitle(s.Compositor)
	if s.Compositor == "" {
		p.desktop.SetSubtitle(tr.T("None supported"))
	}
}

func (p *Page) showParts(all []status.Part) {
	byName := map[string]status.Part{}
	var names []string
	for _, part := range all {
		byName[part.Name] = part
		names = append(names, part.Name)
	}
	p.parts.Sync(names, func(name string) *adw.ActionRow { return newPart(byName[name]) })
	for name, part := range byName {
		if row, ok := p.parts.Row(name); ok {
			row.SetSubtitle(subtitle(part))
		}
	}
	p.checks.SetVisible(len(names) > 0)
}

// subtitle is the state of a part, in words: a symbol alone says nothing to those
// who do not see it.
func subtitle(part status.Part) string {
	more := part.Detail // a name or a version, where it works
	if part.State != "ok" {
		more = wording.PartFix(part.Name)
	}
	if more == "" {
		return part.Status
	}
	// Translators: %[1]s is the state of a part of the desktop, %[2]s a remark about it.
	return tr.T("%[1]s: %[2]s", part.Status, more)
}

func newPart(part status.Part) *adw.ActionRow {
	row := gtkx.NewRow(part.Title, "")
	icon := map[string]string{"ok": "object-select-symbolic", "absent": "dialog-information-symbolic",
		"broken": "dialog-error-symbolic"}[part.State]
	image := gtk.NewImageFromIconName(icon)
	gtkx.SetRole(image, gtk.AccessibleRolePresentation)
	row.AddPrefix(image)
	return row
}

func (p *Page) showProblems(all []status.Problem, review func(status.Problem)) {
	byKey := map[string]status.Problem{}
	var keys []string
	for _, problem := range all {
		if _, twice := byKey[problem.Detail]; !twice {
			keys = append(keys, problem.Detail)
			byKey[problem.Detail] = problem
		}
	}
	p.problems.Sync(keys, func(key string) *adw.ActionRow {
		problem := byKey[key]
		row := gtkx.NewRow(problem.Title, problem.Where)
		gtkx.Activatable(row, func() { review(problem) })
		next := gtk.NewImageFromIconName("go-next-symbolic")
		gtkx.SetRole(next, gtk.AccessibleRolePresentation)
		row.AddSuffix(next)
		return row
	})
	p.wrong.SetVisible(len(keys) > 0)
}
