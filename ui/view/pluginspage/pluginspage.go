// Package pluginspage says how plugins come to be: there is no runner yet that
// could have any.
package pluginspage

import (
	"github.com/diamondburned/gotk4-adwaita/pkg/adw"

	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// New returns the page.
func New() *gtkx.Page {
	status := adw.NewStatusPage()
	status.SetIconName("application-x-addon-symbolic")
	status.SetTitle(tr.T("No plugins"))
	status.SetDescription(tr.T("Plugins add phrases and actions of their own. The part of Utter that runs them is not installed; when it is, plugins are folders in ~/.local/share/utter/plugins and are listed here."))
	return gtkx.NewPage("plugins", tr.T("Plugins"), status)
}
