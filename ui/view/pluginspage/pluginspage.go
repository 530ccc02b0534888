// Package pluginspage shows the plugins of the runner and what the user can do with
// them.
package pluginspage

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/config"
	"utter/ui/model/plugins"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// A Page shows the plugins.
type Page struct {
	*gtkx.Page
	model *plugins.Model
	open  func(file string)

	stack  *gtk.Stack
	status *adw.StatusPage // in place of a list
	start  *gtk.Button
	why    *gtkx.Details

	fault     *adw.PreferencesGroup
	mistake   *adw.ActionRow
	details   *gtkx.Details
	list      *gtkx.List[*row]
	mapped    bool
	suspended bool
}

// New returns the page. open opens a file in an editor.
func New(s *session.Session, runner plugins.Runner, file string, read func() (config.Config, error),
	open func(file string)) *Page {
	p := &Page{stack: gtk.NewStack(), open: open}
	p.model = plugins.New(s, runner, file, read, gtkx.Async, session.Later(gtkx.Later), p.show)
	p.stack.AddNamed(adw.NewBin(), "asking")
	p.stack.AddNamed(p.statusPage(), "status")
	p.stack.AddNamed(p.listPage(file), "list")
	p.Page = gtkx.NewPage(p.stack)
	p.show(p.model.State())
	p.stack.ConnectMap(func() { p.mapped = true; p.follow() })
	p.stack.ConnectUnmap(func() { p.mapped = false; p.follow() })
	return p
}

// SetWindow says whether the window has the focus, and whether it is where nobody
// can see it.
func (p *Page) SetWindow(active, suspended bool) {
	p.model.SetActive(active)
	if p.suspended != suspended {
		p.suspended = suspended
		p.follow()
	}
}

// follow tells the model whether the page may be seen.
func (p *Page) follow() {
	if p.mapped && !p.suspended {
		p.model.Show()
	} else {
		p.model.Hide()
	}
}

func (p *Page) statusPage() *adw.StatusPage {
	p.status = adw.NewStatusPage()
	p.status.SetIconName("application-x-addon-symbolic")
	p.start = pill(tr.T("Start"), p.model.Start)
	p.start.AddCSSClass("suggested-action")
	p.why = gtkx.NewDetails()
	box := gtk.NewBox(gtk.OrientationVertical, 12)
	box.Append(p.start)
	box.Append(pill(tr.T("Check Configuration"), p.check))
	box.Append(p.why.Boxed())
	p.status.SetChild(box)
	return p.status
}

func pill(label string, f func()) *gtk.Button {
	b := gtk.NewButtonWithLabel(label)
	b.AddCSSClass("pill")
	b.SetHAlign(gtk.AlignCenter)
	b.ConnectClicked(f)
	return b
}

func (p *Page) listPage(file string) *adw.PreferencesPage {
	page := adw.NewPreferencesPage()
	p.fault = adw.NewPreferencesGroup()
	p.mistake = gtkx.NewRow(tr.T("The configuration file has an error. Fix it before you change anything here."), "")
	p.fault.Add(p.mistake)
	p.details = gtkx.NewDetails()
	p.fault.Add(p.details)
	p.fault.Add(gtkx.NewButtonRow(tr.T("Open File"), func() { p.open(file) }))
	page.Add(p.fault)

	group := adw.NewPreferencesGroup()
	p.list = gtkx.NewList[*row](tr.T("Plugins"))
	group.Add(p.list)
	page.Add(group)

	group = adw.NewPreferencesGroup()
	group.SetDescription(tr.T("To add a plugin, run “utter runner install FOLDER” in a terminal."))
	group.Add(gtkx.NewButtonRow(tr.T("Check Configuration"), p.check))
	page.Add(group)
	return page
}

func (p *Page) show(s plugins.State) {
	if p.list == nil {
		return // still being built
	}
	switch s.Phase {
	case plugins.Asking:
		p.stack.SetVisibleChildName("asking")
	case plugins.Listed:
		p.stack.SetVisibleChildName("list")
	default:
		p.showStatus(s)
		p.stack.SetVisibleChildName("status")
	}
	p.fault.SetVisible(s.ReadOnly)
	p.mistake.SetSubtitle(s.Fault)
	p.details.Show(s.Mistake)
	items := map[string]plugins.Item{}
	var ids []string
	for _, item := range s.Items {
		ids = append(ids, item.ID)
		items[item.ID] = item
	}
	p.list.Sync(ids, func(id string) *row { return p.newRow(items[id]) })
	for _, id := range ids {
		if r, ok := p.list.Row(id); ok {
			r.show(items[id])
		}
	}
}

// showStatus shows what there is to say where there is no list.
func (p *Page) showStatus(s plugins.State) {
	what := tr.T("Plugins add phrases and actions. To add one, run “utter runner install FOLDER” in a terminal.")
	title := tr.T("No Plugins")
	switch {
	case s.Phase == plugins.Failed:
		title, what = s.Trouble, tr.T("The plugin runner is running, but does not list its plugins.")
	case s.Phase == plugins.NoRunner && s.Starting:
		title = tr.T("Plugin Runner Starting…")
	case s.Phase == plugins.NoRunner:
		title = tr.T("Plugin Runner Not Running")
	}
	if s.Phase == plugins.NoRunner {
		what = tr.T("The plugin runner runs the plugins, which add phrases and actions. " +
			"Start it with “systemctl --user start utter-runner”.")
		if s.Trouble != "" {
			what = s.Trouble
		}
	}
	if what != p.status.Description() && s.Trouble != "" {
		gtkx.Announce(p.status, s.Trouble)
	}
	p.status.SetTitle(title)
	p.status.SetDescription(what)
	p.start.SetVisible(s.Phase == plugins.NoRunner && s.CanStart)
	p.start.SetSensitive(!s.Starting)
	p.why.Show(s.Detail)
}

// check looks at the configuration and shows what is found.
func (p *Page) check() { p.model.Check(p.showFindings) }
