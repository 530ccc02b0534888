package gtkx

import (
	"slices"
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/tr"
)

// AskText asks for a line of text; answered is called unless the user cancels or
// writes nothing.
func AskText(parent gtk.Widgetter, title, label, text, button string, answered func(text string)) {
	dialog := adw.NewAlertDialog(title, "")
	row := adw.NewEntryRow()
	row.SetTitle(label)
	row.SetText(text)
	row.SetActivatesDefault(true)
	list := gtk.NewListBox()
	list.SetSelectionMode(gtk.SelectionNone)
	list.AddCSSClass("boxed-list")
	list.Append(row)
	dialog.SetExtraChild(list)
	dialog.AddResponse("cancel", tr.T("Cancel"))
	dialog.AddResponse("ok", button)
	dialog.SetResponseAppearance("ok", adw.ResponseSuggested)
	dialog.SetDefaultResponse("ok")
	dialog.SetCloseResponse("cancel")
	check := func() { dialog.SetResponseEnabled("ok", strings.TrimSpace(row.Text()) != "") }
	row.ConnectChanged(check)
	check()
	dialog.ConnectResponse(func(response string) {
		if response == "ok" {
			answered(row.Text())
		}
	})
	dialog.Present(parent)
	row.GrabFocus()
}

// NoMnemonic keeps underscores in the label of a menu item or an answer: there
// they mark a letter.
func NoMnemonic(label string) string { return strings.ReplaceAll(label, "_", "__") }

// Ask asks to choose one of answers, id and label by turns; the last one is what
// closing the dialog means.
func Ask(parent gtk.Widgetter, title, body string, extra gtk.Widgetter,
	answered func(id string), answers ...[2]string) {
	dialog := adw.NewAlertDialog(title, body)
	dialog.SetHeadingUseMarkup(false)
	dialog.SetBodyUseMarkup(false)
	if extra != nil {
		dialog.SetExtraChild(extra)
	}
	for _, a := range slices.Backward(answers) { // what closes the dialog stands first, as everywhere
		dialog.AddResponse(a[0], NoMnemonic(a[1]))
	}
	dialog.SetCloseResponse(answers[len(answers)-1][0])
	dialog.ConnectResponse(answered)
	dialog.Present(parent)
}
