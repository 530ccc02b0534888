// Package pluginspage says how plugins come to be. It does not ask the runner for
// those that it has.
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
	status.SetTitle(tr.T("Not listed here yet"))
	status.SetDescription(tr.T("Plugins add phrases and actions of their own. “utter runner install FOLDER” adds one, “utter runner status” lists those that there are."))
	return gtkx.NewPage("plugins", tr.T("Plugins"), status)
}
