// Package safetypage shows what the agent may do.
package safetypage

import (
	"slices"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/config"
	"utter/shared/typing"
	"utter/ui/model/safety"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// A Page shows the configuration.
type Page struct {
	*gtkx.Page
	model *safety.Model

	fault    *adw.PreferencesGroup
	mistake  *adw.ActionRow
	details  *gtkx.Details
	switches map[string]*adw.SwitchRow // by "allow " or "ask " and the operation
	words    *adw.EntryRow
	engine   *adw.EntryRow
	problem  *gtk.Label
	typing   *adw.ComboRow
	syncing  bool
}

// New returns the page. site reports whether a site of a name can be searched;
// open opens a file in an editor.
func New(s *session.Session, file string, read func() (config.Config, error), site func(name string) bool,
	open func(file string)) *Page {
	p := &Page{switches: map[string]*adw.SwitchRow{}}
	p.model = safety.New(s, file, read, site, session.Later(gtkx.Later), p.show)
	content := adw.NewPreferencesPage()
	p.Page = gtkx.NewPage(content)
	p.fault = adw.NewPreferencesGroup()
	p.mistake = gtkx.NewRow("", "")
	p.fault.Add(p.mistake)
	p.details = gtkx.NewDetails()
	p.fault.Add(p.details)
	p.fault.Add(gtkx.NewButtonRow(tr.T("Open File"), func() { open(file) }))
	content.Add(p.fault)
	for _, g := range []*adw.PreferencesGroup{p.allowed(), p.asked(), p.confirmed(), p.texts(), p.searching()} {
		content.Add(g)
	}
	p.show(p.model.State())
	p.connect()
	return p
}

// Leave saves what is valid.
func (p *Page) Leave() { p.model.Flush() }

// Invalid names the fields whose drafts cannot be saved.
func (p *Page) Invalid() []string { return p.model.Invalid() }

// Revert takes back what is written but cannot be saved, and reports whether
// there was any.
func (p *Page) Revert() bool { return p.model.Revert() }

func newGroup(title, description string) *adw.PreferencesGroup {
	g := adw.NewPreferencesGroup()
	g.SetTitle(title)
	g.SetDescription(description)
	return g
}

func (p *Page) addSwitch(g *adw.PreferencesGroup, key string, o safety.Operation, set func(safety.Operation, bool)) {
	row := adw.NewSwitchRow()
	row.SetUseMarkup(false)
	row.SetTitle(o.Title)
	row.SetSubtitle(o.Subtitle)
	row.NotifyProperty("active", func() {
		if !p.syncing {
			set(o, row.Active())
		}
	})
	p.switches[key+o.Op] = row
	g.Add(row)
}

func (p *Page) allowed() *adw.PreferencesGroup {
	g := newGroup(tr.T("Dangerous Operations"), tr.T("Off by default. They need your confirmation each time."))
	for _, o := range safety.Dangerous() {
		p.addSwitch(g, "allow ", o, p.model.Allow)
	}
	return g
}

func (p *Page) asked() *adw.PreferencesGroup {
	g := newGroup(tr.T("Confirmation"), "")
	for _, o := range safety.Asked() {
		p.addSwitch(g, "ask ", o, p.model.Ask)
	}
	return g
}

func (p *Page) confirmed() *adw.PreferencesGroup {
	g := newGroup(tr.T("Words That Need Confirmation"),
		tr.T("Clicking an element whose name contains one of these words needs your confirmation."))
	p.words = adw.NewEntryRow()
	p.words.SetTitle(tr.T("Words, separated by commas"))
	g.Add(p.words)
	return g
}

func (p *Page) texts() *adw.PreferencesGroup {
	g := newGroup(tr.T("Typing"), "")
	p.typing = gtkx.Combo(adw.NewComboRow())
	p.typing.SetTitle(tr.T("Typing method"))
	p.typing.SetModel(gtk.NewStringList(safety.TypingLabels()))
	g.Add(p.typing)
	return g
}

func (p *Page) searching() *adw.PreferencesGroup {
	g := newGroup(tr.T("Search"), "")
	p.engine = adw.NewEntryRow()
	p.engine.SetTitle(tr.T("Search engine: a site, or an address with {q}"))
	p.problem = gtk.NewLabel("")
	p.problem.SetXAlign(0)
	gtkx.Wrap(p.problem)
	p.problem.AddCSSClass("error")
	g.Add(p.engine)
	g.Add(p.problem)
	return g
}

func (p *Page) connect() {
	for name, row := range map[string]*adw.EntryRow{"words": p.words, "engine": p.engine} {
		row.ConnectChanged(func() {
			if !p.syncing {
				p.model.Edit(name, row.Text())
			}
		})
		row.ConnectEntryActivated(func() { p.model.Commit(name) })
	}
	p.typing.NotifyProperty("selected", func() {
		ways := typing.Ways()
		if i := int(p.typing.Selected()); !p.syncing && i < len(ways) {
			p.model.SetTypeWith(ways[i])
		}
	})
}

// rows are all that can be changed.
func (p *Page) rows() []*gtk.Widget {
	rows := []*gtk.Widget{gtk.BaseWidget(p.words), gtk.BaseWidget(p.engine), gtk.BaseWidget(p.typing)}
	for _, row := range p.switches {
		rows = append(rows, gtk.BaseWidget(row))
	}
	return rows
}

func (p *Page) show(s safety.State) {
	if p.engine == nil {
		return // still being built
	}
	p.syncing = true
	defer func() { p.syncing = false }()
	p.fault.SetVisible(s.ReadOnly)
	p.mistake.SetTitle(tr.T("The configuration file has an error. Fix it before you change anything here."))
	p.mistake.SetSubtitle(s.Fault)
	p.details.Show(s.Detail)
	for _, row := range p.rows() {
		row.SetSensitive(!s.ReadOnly) // each one: of a group's state assistive programs hear nothing
	}
	for _, o := range safety.Dangerous() {
		p.switches["allow "+o.Op].SetActive(s.Allowed[o.Op])
	}
	for _, o := range safety.Asked() {
		p.switches["ask "+o.Op].SetActive(s.Asks[o.Op])
	}
	gtkx.SetText(p.words, s.Words)
	gtkx.SetText(p.engine, s.Engine)
	gtkx.Invalid(p.engine, s.Error != "")
	if s.Error != "" && s.Error != p.problem.Text() {
		gtkx.Announce(p.engine, s.Error)
	}
	p.problem.SetText(s.Error)
	gtkx.Describe(p.engine, s.Error)
	p.problem.SetVisible(s.Error != "")
	p.typing.SetSelected(uint(max(0, slices.Index(typing.Ways(), s.TypeWith))))
}
