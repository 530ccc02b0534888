package gtkx

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
)

// A Page is a page of the window: a header bar, the banner and what it is about.
type Page struct {
	*adw.NavigationPage
	Header *adw.HeaderBar
	Banner *adw.Banner
	view   *adw.ToolbarView
}

// NewPage returns a page with a title.
func NewPage(tag, title string, content gtk.Widgetter) *Page {
	view := adw.NewToolbarView()
	header, banner := adw.NewHeaderBar(), adw.NewBanner("")
	view.AddTopBar(header)
	view.AddTopBar(banner)
	view.SetContent(content)
	nav := adw.NewNavigationPage(view, title)
	nav.SetTag(tag)
	return &Page{nav, header, banner, view}
}

// AddTopBar puts a bar below the header.
func (p *Page) AddTopBar(bar gtk.Widgetter) { p.view.AddTopBar(bar) }
