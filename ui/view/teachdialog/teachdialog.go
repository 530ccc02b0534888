// Package teachdialog asks what a phrase means.
package teachdialog

import (
	"slices"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/chord"
	"utter/ui/model/editor"
	"utter/ui/model/teach"
	"utter/ui/model/tr"
	"utter/ui/view/capturedialog"
	"utter/ui/view/gtkx"
)

type dialog struct {
	*adw.Dialog
	model   *teach.Model
	phrase  *adw.EntryRow
	meaning *adw.ComboRow
	app     *adw.ComboRow
	action  *adw.ComboRow
	keys    *adw.ActionRow
	caps    *gtk.Box
	note    *gtk.Label
	teach   *gtk.Button

	actions []string
	shown   []string // key caps
	syncing bool
}

// Show asks about a phrase said while app had the focus, which may be "".
func Show(parent gtk.Widgetter, phrase, app string, parts editor.Parts) {
	d := &dialog{Dialog: adw.NewDialog()}
	d.SetTitle(tr.T("Teach “%s”", phrase))
	d.SetContentWidth(440)
	d.model = teach.New(phrase, app, parts, d.show)
	d.build()
	d.fill(d.model.State())
	d.show(d.model.State())
	d.connect()
	d.Present(parent)
	d.phrase.GrabFocus()
}

func (d *dialog) build() {
	cancel := gtk.NewButtonWithLabel(tr.T("Cancel"))
	cancel.ConnectClicked(func() { d.Close() })
	d.teach = gtk.NewButtonWithLabel(tr.T("Teach"))
	d.teach.AddCSSClass("suggested-action")
	d.teach.ConnectClicked(func() {
		d.model.Teach()
		d.Close()
	})
	header := adw.NewHeaderBar()
	header.SetShowEndTitleButtons(false)
	header.SetShowStartTitleButtons(false)
	header.PackStart(cancel)
	header.PackEnd(d.teach)
	view := adw.NewToolbarView()
	view.AddTopBar(header)
	view.SetContent(d.content())
	d.SetChild(view)
	d.SetDefaultWidget(d.teach)
}

func (d *dialog) content() gtk.Widgetter {
	d.phrase = adw.NewEntryRow()
	d.phrase.SetTitle(tr.T("Phrase"))
	d.phrase.SetActivatesDefault(true)
	d.meaning, d.app, d.action = newCombo(tr.T("Meaning")),
		gtkx.NewSearchCombo(tr.T("Application")), newCombo(tr.T("Action"))
	d.caps = gtk.NewBox(gtk.OrientationHorizontal, 0)
	d.keys = gtkx.NewRow(tr.T("Keys"), "")
	d.keys.AddSuffix(d.caps)
	d.note = gtk.NewLabel("")
	gtkx.Wrap(d.note)
	d.note.SetXAlign(0)
	d.note.SetMarginTop(12)
	group := adw.NewPreferencesGroup()
	for _, row := range []gtk.Widgetter{d.phrase, d.meaning, d.app, d.action, d.keys, d.note} {
		group.Add(row)
	}
	page := adw.NewPreferencesPage()
	page.Add(group)
	return page
}

func newCombo(title string) *adw.ComboRow {
	row := gtkx.Combo(adw.NewComboRow())
	row.SetTitle(title)
	return row
}

func (d *dialog) fill(s teach.State) {
	d.meaning.SetModel(gtk.NewStringList([]string{
		// Translators: what a phrase does: open an application.
		tr.T("Open an application"),
		// Translators: what a phrase does.
		tr.T("Perform an action"),
		// Translators: what a phrase does.
		tr.T("Press keys"),
	}))
	d.app.SetModel(gtk.NewStringList(labels(s.Apps)))
	d.meaning.SetSelected(uint(s.Meaning))
	d.app.SetSelected(uint(s.App))
}

func labels(choices []teach.Choice) []string {
	all := []string{}
	for _, c := range choices {
		all = append(all, c.Label)
	}
	return all
}

func (d *dialog) connect() {
	d.phrase.ConnectChanged(func() {
		if !d.syncing {
			d.model.SetPhrase(d.phrase.Text())
		}
	})
	d.meaning.NotifyProperty("selected", func() { d.model.SetMeaning(teach.Meaning(d.meaning.Selected())) })
	d.app.NotifyProperty("selected", func() { d.model.SetApp(int(d.app.Selected())) })
	d.action.NotifyProperty("selected", func() {
		if !d.syncing {
			d.model.SetAction(int(d.action.Selected()))
		}
	})
	gtkx.Activatable(d.keys, func() {
		capturedialog.Show(d, capturedialog.Question{
			Title: tr.T("Keys for %s", d.phrase.Text()), Keys: d.shown,
			Clash: func(string, chord.Sequence) string { return "" },
			Done:  func(_ string, seq chord.Sequence, _ bool) { d.model.SetKeys(seq) },
		})
	})
}

func (d *dialog) show(s teach.State) {
	if d.teach == nil {
		return // still being built
	}
	d.syncing = true
	defer func() { d.syncing = false }()
	if !d.phrase.HasFocus() && d.phrase.FocusChild() == nil {
		gtkx.SetText(d.phrase, s.Phrase)
	}
	if actions := labels(s.Actions); !slices.Equal(actions, d.actions) || d.actions == nil {
		d.actions = actions
		d.action.SetModel(gtk.NewStringList(actions))
	}
	if len(s.Actions) > 0 {
		d.action.SetSelected(uint(s.Action))
	}
	d.action.SetVisible(s.Meaning == teach.Acts)
	d.keys.SetVisible(s.Meaning == teach.Presses)
	if !slices.Equal(s.Keys, d.shown) {
		d.shown = s.Keys
		if old := d.caps.FirstChild(); old != nil {
			d.caps.Remove(old)
		}
		d.caps.Append(gtkx.NewKeys(s.Keys))
	}
	if s.Note != d.note.Text() {
		gtkx.Announce(d.phrase, s.Note)
	}
	d.note.SetText(s.Note)
	d.teach.SetSensitive(s.CanTeach)
}
