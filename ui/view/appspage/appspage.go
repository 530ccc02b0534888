// Package appspage shows the list of applications.
package appspage

import (
	_ "embed"
	"math"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	coreglib "github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gdk/v4"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

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
	all     *gtk.Button      `ui:"all"`
	scroll  *gtk.Adjustment
	fresh   *gtk.Button

	model   *apps.Model
	session *session.Session
	places  *gtk.StringList // as many as there are rows
	shown   []string        // the ids at the places
	limit   int             // how many rows there are at most
	bound   map[*row]bool   // those that GTK has at a place
	open    func(id string)
	filter  func(apps.Filter)
	syncing bool
	growing bool
}

// New returns the page. open is called with the id of a chosen application, fresh
// for "New App…", filter when another filter is chosen.
func New(s *session.Session, f apps.Filter, open func(id string), fresh func(), filter func(apps.Filter)) *Page {
	p := &Page{model: apps.New(f), session: s, bound: map[*row]bool{}, open: open, filter: filter}
	gtkx.Bind(p, ui)
	bin := adw.NewBreakpointBin()
	bin.SetChild(p.content)
	bin.SetSizeRequest(300, 200)
	p.Page = gtkx.NewPage(bin)
	p.fresh = gtkx.NewIconButton("list-add-symbolic", tr.T("New App…"), fresh)
	p.Header.PackStart(p.fresh)
	p.fillFilters()
	p.foldFilters(bin)
	p.fillList()
	p.search.ConnectSearchChanged(func() { p.model.Search(p.search.Text()); p.fromTop() })
	p.clear.ConnectClicked(func() { p.search.SetText("") })
	p.all.ConnectClicked(func() { p.setFilter(apps.All) })
	p.search.ConnectActivate(func() {
		if len(p.shown) > 0 {
			p.open(p.shown[0])
		}
	})
	s.Subscribe(p.follow)
	p.follow()
	return p
}

// TakesUndo has the search take its own last change back, if it has the focus.
func (p *Page) TakesUndo() bool { return gtkx.UndoText(p.search) }

// Find searches all applications for text.
func (p *Page) Find(text string) {
	p.setFilter(apps.All)
	p.search.SetText(text)
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

// showFilter makes both ways to choose a filter show the active one.
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
	p.fromTop()
}

func (p *Page) foldFilters(bin *adw.BreakpointBin) {
	b := adw.NewBreakpoint(adw.BreakpointConditionParse(narrow))
	b.ConnectApply(func() { p.toggles.SetVisible(false); p.narrow.SetVisible(true) })
	b.ConnectUnapply(func() { p.toggles.SetVisible(true); p.narrow.SetVisible(false) })
	bin.AddBreakpoint(b)
}

func (p *Page) fillList() {
	p.places = gtk.NewStringList(nil)
	selection := gtk.NewNoSelection(p.places)
	factory := gtk.NewSignalListItemFactory()
	rows := map[uintptr]*row{}
	factory.ConnectSetup(func(o *coreglib.Object) {
		r := newRow(o.Cast().(*gtk.ListItem), func(id string) { p.open(id) })
		r.item.SetChild(r)
		rows[o.Native()] = r
	})
	factory.ConnectBind(func(o *coreglib.Object) {
		r := rows[o.Native()]
		p.bound[r] = true
		p.showRow(r)
	})
	factory.ConnectUnbind(func(o *coreglib.Object) { delete(p.bound, rows[o.Native()]) })
	factory.ConnectTeardown(func(o *coreglib.Object) { delete(rows, o.Native()) })
	p.list.SetModel(selection)
	p.list.SetFactory(&factory.ListItemFactory)
	p.list.ConnectActivate(func(position uint) { p.open(p.shown[position]) })
	p.limitRows()
}

// limitRows has the list begin with one screen of rows and grow when somebody
// looks further. A list view makes 200 rows however few are seen, which takes as
// long as five frames of the display: too long for a key of the search.
func (p *Page) limitRows() {
	p.scroll = p.list.VAdjustment()
	p.limit = p.screen()
	p.scroll.ConnectChanged(func() {
		if screen := p.screen(); p.limit < screen {
			p.limit = screen
			coreglib.IdleAdd(p.extend) // the list is being laid out
		}
	})
	p.scroll.ConnectValueChanged(func() {
		if p.scroll.Value() > 0 {
			p.grow()
		}
	})
	focus := gtk.NewEventControllerFocus()
	focus.ConnectEnter(p.grow)
	p.list.AddController(focus)
}

// screen is how many rows surely fill the list's height.
func (p *Page) screen() int {
	const atFirst, lowest, more = 20, 48, 2
	if p.scroll.PageSize() == 0 {
		return atFirst // it has not been on the screen
	}
	return int(p.scroll.PageSize())/lowest + more
}

// fromTop shows what another filter or search lets through. The rows stay where
// they are and show other applications: GTK takes a frame's time to make others.
func (p *Page) fromTop() {
	p.limit, p.growing = p.screen(), false
	p.scroll.SetValue(0)
	shown := p.within()
	n := min(len(p.shown), len(shown))
	p.show(shown, apps.Splice{At: n, Remove: len(p.shown) - n, Add: shown[n:]})
}

// grow adds some rows in each frame until all are there.
func (p *Page) grow() {
	const perFrame, enough = 10, 250
	if p.growing || len(p.shown) == len(p.model.Shown()) {
		return
	}
	p.growing = true
	p.list.AddTickCallback(func(gtk.Widgetter, gdk.FrameClocker) bool {
		if !p.growing {
			return false
		}
		if p.limit += perFrame; p.limit > enough {
			p.limit = math.MaxInt // those that are far away cost nothing
		}
		p.extend()
		p.growing = len(p.shown) < len(p.model.Shown())
		return p.growing
	})
}

// follow takes what the session knows now.
func (p *Page) follow() {
	if lib := p.session.Library(); lib != nil {
		p.model.SetLibrary(lib)
		p.extend()
	} else {
		p.stack.SetVisibleChildName("loading")
	}
}

// extend shows rows that have come between those that stay, which keep their
// place on the screen.
func (p *Page) extend() {
	shown := p.within()
	s, _ := apps.Diff(p.shown, shown)
	p.show(shown, s)
}

// within returns the ids to show within the limit.
func (p *Page) within() []string {
	shown := p.model.Shown()
	return shown[:min(len(shown), p.limit)]
}

// show shows these ids; s is where rows come and go.
func (p *Page) show(shown []string, s apps.Splice) {
	p.shown = shown
	if s.Remove > 0 || len(s.Add) > 0 {
		p.places.Splice(uint(s.At), uint(s.Remove), make([]string, len(s.Add)))
	}
	for r := range p.bound {
		p.showRow(r)
	}
	p.count.SetText(p.model.Header())
	if len(p.shown) == 0 {
		p.all.SetVisible(p.model.Filter() != apps.All)
		p.stack.SetVisibleChildName("nothing")
	} else {
		p.stack.SetVisibleChildName("list")
	}
}

// showRow shows the application of the place that a row is at.
func (p *Page) showRow(r *row) {
	if i := r.item.Position(); i < uint(len(p.shown)) {
		r.show(p.model.Row(p.shown[i]))
	}
}
