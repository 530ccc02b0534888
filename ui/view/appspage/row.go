package appspage

import (
	"strings"

	"github.com/diamondburned/gotk4/pkg/gtk/v4"
	"github.com/diamondburned/gotk4/pkg/pango"

	"utter/shared/profile"
	"utter/ui/model/apps"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// A row is the widget of one application.
type row struct {
	*gtk.Box
	item            *gtk.ListItem
	icon            *gtk.Image
	title, subtitle *gtk.Label
	edited, off     *gtk.Label
	data            apps.Row
}

func newRow(item *gtk.ListItem, open func(id string)) *row {
	r := &row{Box: gtk.NewBox(gtk.OrientationHorizontal, 12), item: item, icon: gtkx.NewIcon("", 32)}
	r.AddCSSClass("app-row")
	r.icon.SetSizeRequest(32, 32)
	text := gtk.NewBox(gtk.OrientationVertical, 2)
	text.SetHExpand(true)
	text.SetVAlign(gtk.AlignCenter)
	r.title, r.subtitle = newLabel(), newLabel("dim-label", "caption")
	text.Append(r.title)
	text.Append(r.subtitle)
	r.edited, r.off = newLabel("caption", "pill-mark"), newLabel("caption", "dim-label")
	// Translators: marks an application whose profile the user has changed.
	r.edited.SetText(tr.T("Edited"))
	// Translators: marks an application that does not respond to its name.
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
	if data.ID != r.data.ID || data.Icon != r.data.Icon {
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
	r.item.SetAccessibleLabel(r.label())
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
