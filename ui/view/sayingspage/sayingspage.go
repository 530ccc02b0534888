// Package sayingspage shows what the user can say.
package sayingspage

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	coreglib "github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/sayings"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

//go:embed sayingspage.ui
var ui string

// A Page shows the list.
type Page struct {
	*gtkx.Page

	stack  *gtk.Stack       `ui:"stack"`
	start  *gtk.Button      `ui:"start"`
	search *gtk.SearchEntry `ui:"search"`
	target *adw.ComboRow    `ui:"target"`
	count  *gtk.Label       `ui:"count"`
	list   *gtk.ListView    `ui:"list"`

	Model   *sayings.Model
	lines   []line
	ids     *gtk.StringList
	labels  []string
	try     func(phrase string)
	running bool
	syncing bool
}

// A line is a heading or an item.
type line struct {
	heading bool
	text    string
	detail  string
	also    string // other wordings, or ""
}

// New returns the page. start starts the agent, try opens "Try It" with a phrase.
func New(agent sayings.Agent, start func(), try func(phrase string)) *Page {
	p := &Page{try: try}
	gtkx.Bind(p, ui)
	p.Page = gtkx.NewPage(p.stack)
	p.Model = sayings.New(agent, p.show)
	p.start.ConnectClicked(start)
	p.search.ConnectSearchChanged(func() { p.Model.Search(p.search.Text()) })
	gtkx.Combo(p.target).NotifyProperty("selected", func() {
		if !p.syncing {
			p.Model.SetTarget(int(p.target.Selected()))
		}
	})
	p.fillList()
	return p
}

// TakesUndo has the search take its own last change back, if it has the focus.
func (p *Page) TakesUndo() bool { return gtkx.UndoText(p.search) }

// FocusSearch puts the cursor into the search.
func (p *Page) FocusSearch() { p.search.GrabFocus() }

// SetRunning says whether there is an agent to ask.
func (p *Page) SetRunning(on bool) {
	p.running = on
	if !on {
		p.stack.SetVisibleChildName("down")
	}
}

func (p *Page) fillList() {
	p.ids = gtk.NewStringList(nil)
	rows := map[uintptr]*row{}
	factory := gtk.NewSignalListItemFactory()
	factory.ConnectSetup(func(o *coreglib.Object) {
		r := newRow(p.activate)
		rows[o.Native()] = r
		o.Cast().(*gtk.ListItem).SetChild(r)
	})
	factory.ConnectBind(func(o *coreglib.Object) {
		item := o.Cast().(*gtk.ListItem)
		l := p.lines[item.Position()]
		rows[o.Native()].show(l)
		item.SetActivatable(!l.heading)
		item.SetAccessibleLabel(l.label())
	})
	factory.ConnectTeardown(func(o *coreglib.Object) { delete(rows, o.Native()) })
	p.list.ConnectActivate(func(position uint) { p.activate(p.lines[position]) })
	p.list.SetModel(gtk.NewNoSelection(p.ids))
	p.list.SetFactory(&factory.ListItemFactory)
}

// activate tries a phrase, up to the place where words of the user's own come.
func (p *Page) activate(l line) {
	if !l.heading {
		said, _, _ := strings.Cut(l.text, "…")
		p.try(said)
	}
}

// about is what there is to say about a phrase: what it does, and other wordings.
func (l line) about() string {
	if l.detail == "" || l.also == "" {
		return l.detail + l.also
	}
	return l.detail + " · " + l.also
}

func (l line) label() string {
	if l.about() == "" {
		return l.text
	}
	return l.text + ", " + l.about()
}

func (p *Page) show(s sayings.State) {
	p.showTargets(s)
	switch {
	case !p.running || s.Error != "":
		p.stack.SetVisibleChildName("down")
		return
	case s.Loading:
		p.stack.SetVisibleChildName("loading")
		return
	}
	var lines []line
	var texts []string
	for _, g := range s.Groups {
		lines = append(lines, line{heading: true, text: g.Title})
		for _, i := range g.Items {
			lines = append(lines, line{text: i.Text, detail: i.Detail, also: i.Also})
		}
	}
	for _, l := range lines {
		texts = append(texts, l.label())
	}
	if !slices.Equal(lines, p.lines) {
		p.ids.Splice(0, p.ids.NItems(), nil) // before lines change: rows on the screen read them
		p.lines = lines
		p.ids.Splice(0, 0, texts)
	}
	p.count.SetText(tr.N("%d phrase", "%d phrases", s.Found, s.Found))
	p.stack.SetVisibleChildName("list")
}

func (p *Page) showTargets(s sayings.State) {
	p.syncing = true
	defer func() { p.syncing = false }()
	var labels []string
	for _, t := range s.Targets {
		labels = append(labels, t.Label)
	}
	if !slices.Equal(labels, p.labels) {
		p.labels = labels
		p.target.SetModel(gtk.NewStringList(labels))
	}
	if len(labels) > 0 {
		p.target.SetSelected(uint(s.Target))
	}
}

// A row is the widget of one line.
type row struct {
	*gtk.Box
	text, below *gtk.Label
	data        line
}

func newRow(activate func(line)) *row {
	r := &row{Box: gtk.NewBox(gtk.OrientationVertical, 2), text: gtk.NewLabel(""), below: gtk.NewLabel("")}
	r.AddCSSClass("app-row")
	gtkx.OnActivate(r, func() { activate(r.data) })
	for _, l := range []*gtk.Label{r.text, r.below} {
		l.SetXAlign(0)
		gtkx.Wrap(l) // what can be said is never cut
		r.Append(l)
	}
	r.below.AddCSSClass("dim-label")
	r.below.AddCSSClass("caption")
	return r
}

func (r *row) show(l line) {
	r.data = l
	r.text.SetText(l.text)
	r.below.SetText(l.about())
	r.below.SetVisible(l.about() != "")
	r.text.RemoveCSSClass("heading")
	if l.heading {
		r.text.AddCSSClass("heading")
	}
}
