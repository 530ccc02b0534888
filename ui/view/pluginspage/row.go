package pluginspage

import (
	"slices"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/plugins"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// icons are beside the words that say the same.
var icons = map[plugins.Health]string{
	plugins.Well: "object-select-symbolic", plugins.Limited: "dialog-warning-symbolic",
	plugins.Ill: "dialog-error-symbolic", plugins.Resting: "media-playback-pause-symbolic",
}

// A row is one plugin; it unfolds.
type row struct {
	*adw.ExpanderRow
	icon        *gtk.Image
	on          *gtk.Switch
	ops         *adw.ActionRow
	permissions []*adw.ActionRow
	shown       []plugins.Permission // in permissions
	buttons     []*adw.ButtonRow
	health      plugins.Health
	known       bool // health says something
	syncing     bool
}

func (p *Page) newRow(item plugins.Item) *row {
	r := &row{ExpanderRow: adw.NewExpanderRow(), icon: gtk.NewImage(), on: gtk.NewSwitch()}
	r.SetUseMarkup(false)
	r.SetTitle(item.Title)
	gtkx.Name(r, item.Title)
	gtkx.OnActivate(r, func() { r.SetExpanded(!r.Expanded()) })
	gtkx.SetRole(r.icon, gtk.AccessibleRolePresentation)
	r.AddPrefix(r.icon)
	r.on.SetVAlign(gtk.AlignCenter)
	gtkx.Name(r.on, tr.T("Enable %s", item.Title))
	r.on.NotifyProperty("active", func() {
		if !r.syncing {
			p.model.Switch(item.ID, r.on.Active())
		}
	})
	r.AddSuffix(r.on)
	r.ops = gtkx.NewRow(tr.T("Operations"), "")
	r.AddRow(r.ops)
	restart := gtkx.NewButtonRow(tr.T("Restart"), func() { p.model.Restart(item.ID) })
	gtkx.Name(restart, tr.T("Restart %s", item.Title))
	log := gtkx.NewButtonRow(tr.T("Show Log"), func() { p.showLog(item) })
	gtkx.Name(log, tr.T("Show Log of %s", item.Title))
	r.buttons = []*adw.ButtonRow{restart, log}
	for _, b := range r.buttons {
		r.AddRow(b)
	}
	return r
}

func (r *row) show(item plugins.Item) {
	r.syncing = true
	defer func() { r.syncing = false }()
	if item.Health == plugins.Ill && r.known && r.health != plugins.Ill {
		gtkx.Announce(r, item.Title+": "+item.Subtitle)
	}
	r.health, r.known = item.Health, true
	r.SetSubtitle(item.Subtitle)
	gtkx.Describe(r, item.Subtitle)
	r.icon.SetFromIconName(icons[item.Health])
	r.on.SetActive(item.Enabled)
	r.on.SetSensitive(item.CanSwitch)
	switch {
	case item.Ops != "":
		r.ops.SetSubtitle(item.Ops)
	case item.Health == plugins.Well || item.Health == plugins.Limited:
		r.ops.SetSubtitle(tr.T("No operations"))
	default:
		r.ops.SetSubtitle(tr.T("Shown when it is running"))
	}
	r.showPermissions(item.Permissions)
	for _, b := range r.buttons {
		b.SetVisible(item.There)
	}
}

// showPermissions puts the permissions above the buttons.
func (r *row) showPermissions(all []plugins.Permission) {
	if slices.Equal(all, r.shown) {
		return
	}
	for _, old := range r.permissions {
		r.Remove(old)
	}
	var focused *adw.ButtonRow
	for _, b := range r.buttons {
		if b.HasFocus() {
			focused = b
		}
		r.Remove(b)
	}
	r.permissions, r.shown = nil, all
	for _, permission := range all {
		added := gtkx.NewRow(permission.Title, permission.Text)
		r.permissions = append(r.permissions, added)
		r.AddRow(added)
	}
	for _, b := range r.buttons {
		r.AddRow(b)
	}
	if focused != nil {
		focused.GrabFocus()
	}
}
