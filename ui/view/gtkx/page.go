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

// NewPage returns a page. Its title comes from whoever shows it.
func NewPage(content gtk.Widgetter) *Page {
	view := adw.NewToolbarView()
	header, banner := adw.NewHeaderBar(), adw.NewBanner("")
	view.AddTopBar(header)
	view.AddTopBar(banner)
	view.SetContent(content)
	return &Page{adw.NewNavigationPage(view, ""), header, banner, view}
}

// AddTopBar puts a bar below the header.
func (p *Page) AddTopBar(bar gtk.Widgetter) { p.view.AddTopBar(bar) }
