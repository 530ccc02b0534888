// Package window is the main window: the pages, the banner above them, and the toasts
// with Undo.
package window

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gdk/v4"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/glib/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
	"github.com/diamondburned/gotk4/pkg/pango"

	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

//go:embed window.ui
var ui string

// Narrow is the width at which sidebar and page share the window.
const Narrow = "max-width: 680sp"

// A Section is a page of the sidebar.
type Section struct {
	Tag, Title, Icon string
	Page             *gtkx.Page

	// The rest is nil where a page has nothing of the kind.
	Search    func()          // focuses the search
	Shown     func()          // after the page has come to the front
	Left      func()          // before another page comes; saves what is valid
	Running   func(on bool)   // whether there is an agent
	TakesUndo func() bool     // takes back the last change of a text that is not a setting
	Invalid   func() []string // names the fields whose drafts cannot be saved
	Revert    func() bool     // discards invalid drafts, and reports whether there were any
}

// A Window is the one main window.
type Window struct {
	*adw.ApplicationWindow

	split      *adw.NavigationSplitView `ui:"split"`
	pages      *gtk.ListBox             `ui:"pages"`
	content    *adw.NavigationPage      `ui:"content"`
	navigation *adw.NavigationView      `ui:"navigation"`

	session  *session.Session
	sections []Section
	current  int
	toasts   *adw.ToastOverlay
	toast    *adw.Toast // the one on the screen, or nil
	banners  []*adw.Banner
	told     string // the banner that was announced last
	undo     *gio.SimpleAction
	redo     *gio.SimpleAction
	review   func()
	// Closing is asked before the window closes; false keeps it open.
	Closing func() bool
}

// Acts are what the window's menu does.
type Acts struct {
	Undo      func()
	Review    func() // what the banner is about
	Shortcuts func()
	Help      func()
	About     func()
}

// New returns a window without pages.
func New(app *adw.Application, s *session.Session, acts Acts) *Window {
	w := &Window{ApplicationWindow: adw.NewApplicationWindow(&app.Application), session: s,
		review: acts.Review, current: -1}
	gtkx.Bind(w, ui)
	w.SetTitle(tr.T("Utter"))
	w.SetSizeRequest(360, 294)
	w.toasts = adw.NewToastOverlay()
	w.toasts.SetChild(w.split)
	w.SetContent(w.toasts)
	narrow := adw.NewBreakpoint(adw.BreakpointConditionParse(Narrow))
	narrow.ConnectApply(func() { w.split.SetCollapsed(true) })
	narrow.ConnectUnapply(func() { w.split.SetCollapsed(false) })
	w.AddBreakpoint(narrow)
	w.pages.ConnectRowActivated(func(row *gtk.ListBoxRow) { w.Show(w.sections[row.Index()].Tag) })
	w.pages.ConnectRowSelected(func(row *gtk.ListBoxRow) {
		if row != nil && w.current >= 0 && row.Index() != w.current && !w.split.Collapsed() {
			w.show(row.Index()) // the arrows move through the pages
		}
	})
	w.undo = w.action("undo", acts.Undo)
	w.redo = w.action("redo", s.Redo)
	w.action("shortcuts", acts.Shortcuts)
	w.action("help", acts.Help)
	w.action("about", acts.About)
	w.action("search", w.search)
	w.AddController(w.escape())
	s.Toasted = w.showToast
	s.Subscribe(w.follow)
	w.ConnectCloseRequest(func() bool { return w.Closing != nil && !w.Closing() })
	return w
}

// escape goes back wherever the focus is, unless the key means something there.
func (w *Window) escape() *gtk.EventControllerKey {
	keys := gtk.NewEventControllerKey()
	keys.ConnectKeyPressed(func(keyval, _ uint, state gdk.ModifierType) bool {
		return keyval == gdk.KEY_Escape && state&gdk.ModifierType(gtk.AcceleratorGetDefaultModMask()) == 0 &&
			w.navigation.Pop()
	})
	return keys
}

func (w *Window) action(name string, f func()) *gio.SimpleAction {
	a := gio.NewSimpleAction(name, nil)
	a.ConnectActivate(func(*glib.Variant) { f() })
	w.AddAction(a)
	return a
}

// Add adds a page to the sidebar.
func (w *Window) Add(app *adw.Application, s Section) {
	s.Page.SetTitle(s.Title)
	icon := gtk.NewImageFromIconName(s.Icon)
	gtkx.SetRole(icon, gtk.AccessibleRolePresentation)
	label := gtk.NewLabel(s.Title)
	label.SetXAlign(0)
	box := gtk.NewBox(gtk.OrientationHorizontal, 12)
	box.Append(icon)
	box.Append(label)
	row := gtk.NewListBoxRow()
	row.SetChild(box)
	gtkx.Name(row, s.Title)
	gtkx.OnActivate(row, func() { w.Show(s.Tag) })
	w.pages.Append(row)
	w.sections = append(w.sections, s)
	w.adopt(s.Page)
	name := fmt.Sprint("page-", len(w.sections))
	w.action(name, func() { w.Show(s.Tag) })
	app.SetAccelsForAction("win."+name, []string{fmt.Sprint("<Alt>", len(w.sections))})
}

// adopt gives a page the window's banner.
func (w *Window) adopt(p *gtkx.Page) {
	p.Banner.ConnectButtonClicked(w.review)
	p.Banner.SetUseMarkup(false)
	w.banners = append(w.banners, p.Banner)
	w.showBanner()
}

// Show brings the page of this tag to the front, if there is one.
func (w *Window) Show(tag string) {
	if i := slices.IndexFunc(w.sections, func(s Section) bool { return s.Tag == tag }); i >= 0 {
		w.show(i)
		w.ShowContent()
	}
}

// ShowContent brings the page to the front where it shares the window with the
// sidebar.
func (w *Window) ShowContent() { w.split.SetShowContent(true) }

// Start chooses the page that the window opens with. Where sidebar and page share
// the window, the page is in front only if the user has been there.
func (w *Window) Start(tag string, remembered bool) {
	w.show(0)
	for i, s := range w.sections {
		if s.Tag == tag {
			w.show(i)
		}
	}
	w.split.SetShowContent(remembered)
	w.pages.RowAtIndex(w.current).GrabFocus()
}

func (w *Window) show(i int) {
	s := w.sections[i]
	if i == w.current {
		w.navigation.PopToPage(s.Page.NavigationPage)
		return
	}
	if w.current >= 0 && w.sections[w.current].Left != nil {
		w.sections[w.current].Left()
	}
	w.current = i
	w.pages.SelectRow(w.pages.RowAtIndex(i))
	w.navigation.Replace([]*adw.NavigationPage{s.Page.NavigationPage})
	w.content.SetTitle(s.Title)
	if s.Shown != nil {
		s.Shown()
	}
}

// Current is the tag of the page in front.
func (w *Window) Current() string { return w.sections[w.current].Tag }

// Push lays a new page over the one in front until it is left; left is called
// then, each time.
func (w *Window) Push(p *gtkx.Page, left func()) {
	w.adopt(p)
	p.ConnectHidden(func() {
		w.banners = slices.DeleteFunc(w.banners, func(b *adw.Banner) bool { return b == p.Banner })
		left()
	})
	w.navigation.Push(p.NavigationPage)
}

// Return brings a page back that Push has laid there and the user has left.
func (w *Window) Return(p *gtkx.Page) {
	w.banners = append(w.banners, p.Banner)
	w.showBanner()
	w.navigation.Push(p.NavigationPage)
}

func (w *Window) search() {
	if s := w.sections[w.current]; s.Search != nil {
		w.navigation.PopToPage(s.Page.NavigationPage)
		s.Search()
	}
}

func (w *Window) follow() {
	busy := w.session.Busy() // what is being written can be undone next
	w.undo.SetEnabled(busy || w.session.CanUndo() != "")
	w.redo.SetEnabled(busy || w.session.CanRedo() != "")
	w.showBanner()
}

func (w *Window) showBanner() {
	b := w.session.Banner()
	for _, banner := range w.banners {
		if b.Kind == session.NoBanner {
			banner.SetRevealed(false)
			banner.SetTitle("") // a hidden banner still has a name for a screen reader
			continue
		}
		banner.SetTitle(b.Title)
		banner.SetButtonLabel(b.Button)
		banner.SetRevealed(true)
	}
	if b.Title != w.told && b.Title != "" {
		gtkx.Announce(w, b.Title) // a banner announces nothing by itself
	}
	w.told = b.Title
}

// showToast shows a message that stays until it is closed or the next one comes.
func (w *Window) showToast(t session.Toast) {
	if w.toast != nil {
		w.toast.Dismiss()
	}
	toast := adw.NewToast(t.Text)
	toast.SetUseMarkup(false)
	toast.SetTimeout(0)
	if utf8.RuneCountInString(t.Text) > longToast {
		toast.SetCustomTitle(wrapped(t.Text))
		gtkx.Announce(w, t.Text)
	}
	if t.CanUndo {
		toast.SetButtonLabel(tr.T("Undo"))
		toast.SetActionName("win.undo")
	}
	toast.ConnectDismissed(func() {
		if w.toast == toast {
			w.toast = nil
		}
	})
	w.toast = toast
	w.toasts.AddToast(toast)
}

// longToast is the length from which a toast would cut its title off.
const longToast = 40

func wrapped(text string) *gtk.Label {
	l := gtk.NewLabel(text)
	gtkx.Wrap(l)
	l.SetXAlign(0)
	l.SetWidthChars(12)
	l.SetMaxWidthChars(48)
	l.SetLines(4)
	l.SetEllipsize(pango.EllipsizeEnd)
	l.AddCSSClass("heading")
	return l
}

// AskInvalid tells which fields are not saved because they are invalid. discard
// is called where the user gives them up, stay otherwise.
func (w *Window) AskInvalid(fields []string, discard, stay func()) {
	gtkx.Ask(w, tr.T("Not Saved"), tr.T("These values cannot be saved: %s", strings.Join(fields, ", ")), nil,
		func(id string) {
			if id == "discard" {
				discard()
			} else {
				stay()
			}
		}, [2]string{"discard", tr.T("Discard")}, [2]string{"stay", tr.T("Keep Editing")})
}
