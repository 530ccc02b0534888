// Package appspage shows the list of applications.
package appspage

import (
	_ "embed"
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	coreglib "github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
	"github.com/diamondburned/gotk4/pkg/pango"

	"utter/shared/profile"
	"utter/ui/model/apps"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

//go:embed appspage.ui
var ui string

// narrow is the width below which the filters are a drop-down, in sp: the toggle
// group needs up to 491 px, in German.
const narrow = "max-width: 550sp"

// A Page shows the list and opens what is chosen.
type Page struct {
	*gtkx.Page

	content *gtk.Box         `ui:"content"`
	search  *gtk.SearchEntry `ui:"search"`
	toggles *adw.ToggleGroup `ui:"toggles"`
	filters *adw.ComboRow    `ui:"filters"`
	narrow  *gtk.ListBox     `ui:"narrow"`
	count   *gtk.Label       `ui:"count"`
	stack   *gtk.Stack       `ui:"stack"`
	list    *gtk.ListView    `ui:"list"`
	clear   *gtk.Button      `ui:"clear"`
	fresh   *gtk.Button

	model   *apps.Model
	session *session.Session
	ids     *gtk.StringList
	shown   []string
	bound   map[string]*row // rows on the screen, by id
	open    func(id string)
	filter  func(apps.Filter)
	syncing bool
}

// New returns the page. open is called with the id of a chosen application, fresh
// for "New app…", filter when another filter is chosen.
func New(s *session.Session, f apps.Filter, open func(id string), fresh func(), filter func(apps.Filter)) *Page {
	p := &Page{model: apps.New(f), session: s, bound: map[string]*row{}, open: open, filter: filter}
	gtkx.Bind(p, ui)
	bin := adw.NewBreakpointBin()
	bin.SetChild(p.content)
	bin.SetSizeRequest(300, 200)
	p.Page = gtkx.NewPage("apps", tr.T("App actions"), bin)
	p.fresh = gtkx.NewIconButton("list-add-symbolic", tr.T("New app…"), fresh)
	p.Header.PackStart(p.fresh)
	p.fillFilters()
	p.foldFilters(bin)
	p.fillList()
	p.search.ConnectSearchChanged(func() { p.model.Search(p.search.Text()); p.show() })
	p.clear.ConnectClicked(func() { p.search.SetText("") })
	s.Subscribe(p.follow)
	p.follow()
	return p
}

// FocusSearch puts the cursor into the search.
func (p *Page) FocusSearch() { p.search.GrabFocus() }

func (p *Page) fillFilters() {
	labels := []string{}
	for _, f := range apps.Filters {
		t := adw.NewToggle()
		t.SetName(string(f))
		t.SetLabel(f.Label())
		p.toggles.Add(t)
		labels = append(labels, f.Label())
	}
	gtkx.Combo(p.filters).SetModel(gtk.NewStringList(labels))
	p.showFilter()
	p.toggles.NotifyProperty("active-name", func() { p.setFilter(apps.Filter(p.toggles.ActiveName())) })
	p.filters.NotifyProperty("selected", func() {
		if i := int(p.filters.Selected()); i < len(apps.Filters) {
			p.setFilter(apps.Filters[i])
		}
	})
}

// showFilter makes both ways to choose a filter show the one in force.
func (p *Page) showFilter() {
	p.syncing = true
	p.toggles.SetActiveName(string(p.model.Filter()))
	for i, f := range apps.Filters {
		if f == p.model.Filter() {
			p.filters.SetSelected(uint(i))
		}
	}
	p.syncing = false
}

func (p *Page) setFilter(f apps.Filter) {
	if p.syncing || f == p.model.Filter() {
		return
	}
	p.model.SetFilter(f)
	p.showFilter()
	p.filter(f)
	p.show()
}

func (p *Page) foldFilters(bin *adw.BreakpointBin) {
	b := adw.NewBreakpoint(adw.BreakpointConditionParse(narrow))
	b.ConnectApply(func() { p.toggles.SetVisible(false); p.narrow.SetVisible(true) })
	b.ConnectUnapply(func() { p.toggles.SetVisible(true); p.narrow.SetVisible(false) })
	bin.AddBreakpoint(b)
}

func (p *Page) fillList() {
	p.ids = gtk.NewStringList(nil)
	selection := gtk.NewNoSelection(p.ids)
	factory := gtk.NewSignalListItemFactory()
	rows := map[uintptr]*row{}
	factory.ConnectSetup(func(o *coreglib.Object) {
		item := o.Cast().(*gtk.ListItem)
		r := newRow(func(id string) { p.open(id) })
		rows[o.Native()] = r
		item.SetChild(r)
	})
	factory.ConnectBind(func(o *coreglib.Object) {
		item := o.Cast().(*gtk.ListItem)
		r := rows[o.Native()]
		id := item.Item().Cast().(*gtk.StringObject).String()
		r.show(p.model.Row(id))
		item.SetAccessibleLabel(r.label())
		r.relabel = item.SetAccessibleLabel
		p.bound[id] = r
	})
	factory.ConnectUnbind(func(o *coreglib.Object) {
		if r := rows[o.Native()]; p.bound[r.data.ID] == r {
			delete(p.bound, r.data.ID)
		}
	})
	factory.ConnectTeardown(func(o *coreglib.Object) { delete(rows, o.Native()) })
	p.list.SetModel(selection)
	p.list.SetFactory(&factory.ListItemFactory)
	p.list.ConnectActivate(func(position uint) { p.open(p.ids.String(position)) })
}

// follow takes what the session knows now.
func (p *Page) follow() {
	if lib := p.session.Library(); lib != nil {
		p.model.SetLibrary(lib)
		p.show()
		for id, r := range p.bound {
			r.show(p.model.Row(id))
		}
	} else {
		p.stack.SetVisibleChildName("loading")
	}
}

func (p *Page) show() {
	if s, changed := apps.Diff(p.shown, p.model.Shown()); changed {
		p.shown = p.model.Shown()
		p.ids.Splice(uint(s.At), uint(s.Remove), s.Add)
	}
	p.count.SetText(p.model.Header())
	if len(p.shown) == 0 {
		p.stack.SetVisibleChildName("nothing")
	} else {
		p.stack.SetVisibleChildName("list")
	}
}

// A row is the widget of one application.
type row struct {
	*gtk.Box
	icon            *gtk.Image
	title, subtitle *gtk.Label
	edited, off     *gtk.Label
	data            apps.Row
	relabel         func(string)
}

func newRow(open func(id string)) *row {
	r := &row{Box: gtk.NewBox(gtk.OrientationHorizontal, 12), icon: gtkx.NewIcon("", 32), relabel: func(string) {}}
	r.AddCSSClass("app-row")
	r.icon.SetSizeRequest(32, 32)
	text := gtk.NewBox(gtk.OrientationVertical, 2)
	text.SetHExpand(true)
	text.SetVAlign(gtk.AlignCenter)
	r.title, r.subtitle = newLabel(), newLabel("dim-label", "caption")
	text.Append(r.title)
	text.Append(r.subtitle)
	r.edited, r.off = newLabel("caption", "pill-mark"), newLabel("caption", "dim-label")
	// Translators: a mark at an application whose profile the user has changed.
	r.edited.SetText(tr.T("Edited"))
	// Translators: a mark at an application that cannot be named.
	r.off.SetText(tr.T("Off"))
	next := gtk.NewImageFromIconName("go-next-symbolic")
	gtkx.SetRole(next, gtk.AccessibleRolePresentation)
	next.AddCSSClass("dim-label")
	for _, w := range []gtk.Widgetter{r.icon, text, r.off, r.edited, next} {
		r.Append(w)
	}
	gtkx.OnActivate(r, func() { open(r.data.ID) })
	return r
}

func newLabel(classes ...string) *gtk.Label {
	l := gtk.NewLabel("")
	l.SetXAlign(0)
	l.SetEllipsize(pango.EllipsizeEnd)
	for _, c := range classes {
		l.AddCSSClass(c)
	}
	return l
}

func (r *row) show(data apps.Row) {
	if data == r.data || data.ID == "" {
		return
	}
	if data.Icon != r.data.Icon || r.data.ID == "" {
		r.showIcon(data)
	}
	r.data = data
	r.title.SetText(data.Name)
	r.subtitle.SetText(data.Subtitle)
	r.edited.SetVisible(data.Edited)
	r.off.SetVisible(data.Off)
	if data.Off {
		r.AddCSSClass("off")
	} else {
		r.RemoveCSSClass("off")
	}
	gtkx.Name(r, r.label())
	r.relabel(r.label())
}

// symbols are the pictures of the roles.
var symbols = map[string]string{
	profile.Everywhere: "view-app-grid-symbolic", "generic-browser": "web-browser-symbolic",
	"generic-terminal": "utilities-terminal-symbolic", "generic-filemanager": "folder-symbolic",
	"generic-editor": "document-edit-symbolic", "generic-media": "multimedia-player-symbolic",
	"generic-office": "x-office-document-symbolic", "generic-game": "applications-games-symbolic",
	"generic-utility": "applications-utilities-symbolic",
}

// showIcon shows the picture of an application, or the smaller symbol of a role.
func (r *row) showIcon(data apps.Row) {
	if data.Role {
		gtkx.SetIcon(r.icon, symbols[data.ID])
		r.icon.SetPixelSize(20)
		return
	}
	gtkx.SetIcon(r.icon, data.Icon)
	r.icon.SetPixelSize(32)
}

// label is the row in words.
func (r *row) label() string {
	parts := []string{r.data.Name, r.data.Subtitle}
	if r.data.Edited {
		parts = append(parts, tr.T("Edited"))
	}
	if r.data.Off {
		parts = append(parts, tr.T("Off"))
	}
	return strings.Join(parts, ", ")
}
