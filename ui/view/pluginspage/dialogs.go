package pluginspage

import (
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	coreglib "github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/plugins"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// newDialog returns a dialog around content.
func newDialog(title string, content gtk.Widgetter) *adw.Dialog {
	dialog := adw.NewDialog()
	dialog.SetTitle(title)
	dialog.SetContentWidth(600)
	dialog.SetContentHeight(480)
	view := adw.NewToolbarView()
	view.AddTopBar(adw.NewHeaderBar())
	view.SetContent(content)
	dialog.SetChild(view)
	return dialog
}

// showLog shows what a plugin said last.
func (p *Page) showLog(item plugins.Item) {
	p.model.Log(item.ID, func(lines []string, trouble string) {
		title := tr.T("Log of %s", item.Title)
		if len(lines) == 0 {
			status := adw.NewStatusPage()
			status.SetTitle(tr.T("No Log Entries"))
			if trouble != "" {
				status.SetTitle(trouble)
			}
			newDialog(title, status).Present(p)
			return
		}
		newDialog(title, newLog(title, lines)).Present(p)
	})
}

// newLog returns lines that can be read, marked and copied; the last are in sight.
func newLog(name string, lines []string) *gtk.ScrolledWindow {
	text := gtk.NewTextView()
	text.SetEditable(false)
	text.SetAcceptsTab(false)
	text.SetMonospace(true)
	text.SetWrapMode(gtk.WrapWordChar)
	text.SetLeftMargin(12)
	text.SetRightMargin(12)
	text.SetTopMargin(12)
	text.SetBottomMargin(12)
	gtkx.Name(text, name)
	buffer := text.Buffer()
	buffer.SetText(strings.Join(lines, "\n"))
	buffer.PlaceCursor(buffer.EndIter())
	text.ConnectMap(func() {
		coreglib.IdleAdd(func() { text.ScrollMarkOnscreen(buffer.GetInsert()) }) // it has a size by then
	})
	scrolled := gtk.NewScrolledWindow()
	scrolled.SetChild(text)
	return scrolled
}

// showFindings shows what was found in the configuration.
func (p *Page) showFindings(found plugins.Findings) {
	title := tr.T("Configuration")
	if len(found.Mistakes)+len(found.Warnings) == 0 {
		status := adw.NewStatusPage()
		status.SetIconName("object-select-symbolic")
		status.SetTitle(tr.T("Configuration Is Valid"))
		newDialog(title, status).Present(p)
		return
	}
	page := adw.NewPreferencesPage()
	heading := tr.T("Errors")
	description := tr.T(
		"The runner ignores invalid entries. If it cannot read the whole file, it keeps the previous configuration.")
	if len(found.Mistakes) == 0 {
		heading, description = tr.T("Configuration Is Valid"), ""
	}
	page.Add(findings(heading, description, found.Mistakes))
	if len(found.Warnings) > 0 {
		page.Add(findings(tr.T("Warnings"), tr.T("These settings are valid, but may not be what you intended."),
			found.Warnings))
	}
	dialog := newDialog(title, page)
	group := adw.NewPreferencesGroup()
	group.Add(gtkx.NewButtonRow(tr.T("Open File"), func() {
		dialog.Close()
		p.open(p.model.State().File)
	}))
	page.Add(group)
	dialog.Present(p)
}

func findings(title, description string, all []plugins.Finding) *adw.PreferencesGroup {
	group := adw.NewPreferencesGroup()
	group.SetTitle(title)
	group.SetDescription(description)
	for _, f := range all {
		r := gtkx.NewRow(f.Where, f.Text)
		r.SetSubtitleSelectable(true)
		group.Add(r)
	}
	return group
}
