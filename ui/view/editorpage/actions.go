package editorpage

import (
	"slices"
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/glib/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/chord"
	"utter/ui/model/editor"
	"utter/ui/model/tr"
	"utter/ui/view/capturedialog"
	"utter/ui/view/gtkx"
)

func (p *Page) addLists() {
	p.actions = gtkx.NewList[*actionRow](tr.T("Actions"))
	p.acts.Add(p.actions)
	addAction := addButton(tr.T("Add Action…"), p.addAction)
	p.acts.SetHeaderSuffix(addAction)
	p.actions.Otherwise = addAction
	p.removed = gtkx.NewList[*adw.ActionRow](tr.T("Removed Actions"))
	p.removed.SetMarginTop(12)
	p.acts.Add(p.removed)
	p.phrases = gtkx.NewList[*phraseRow](tr.T("Your Phrases"))
	p.phrasing.Add(p.phrases)
	addPhrase := addButton(tr.T("Add Phrase…"), p.addPhrase)
	p.phrasing.SetHeaderSuffix(addPhrase)
	p.phrases.Otherwise = addPhrase
}

func addButton(name string, f func()) *gtk.Button {
	return gtkx.NewIconButton("list-add-symbolic", name, f)
}

// A keysRow is a row with key caps. Below its title stands whose it is.
type keysRow struct {
	*adw.ActionRow
	caps *gtk.Box
	keys []string
}

func newKeysRow(title string) keysRow {
	r := keysRow{ActionRow: gtkx.NewRow(title, ""), caps: gtk.NewBox(gtk.OrientationHorizontal, 0)}
	r.AddSuffix(r.caps)
	return r
}

func (r *keysRow) show(keys []string) {
	if r.keys != nil && slices.Equal(r.keys, keys) {
		return
	}
	r.keys = keys
	if old := r.caps.FirstChild(); old != nil {
		r.caps.Remove(old)
	}
	r.caps.Append(gtkx.NewKeys(keys))
}

// An actionRow is a row of the actions.
type actionRow struct {
	keysRow
	data   editor.Action
	reset  *gio.SimpleAction
	forget *gio.Menu // an item for each further phrase
}

func (p *Page) showActions(all []editor.Action) {
	byName := map[string]editor.Action{}
	var names []string
	for _, a := range all {
		byName[a.Name] = a
		names = append(names, a.Name)
	}
	p.actions.Sync(names, func(name string) *actionRow { return p.newActionRow(byName[name]) })
	for _, a := range all {
		if row, ok := p.actions.Row(a.Name); ok {
			row.showAction(a)
		}
	}
}

func (p *Page) newActionRow(a editor.Action) *actionRow {
	r := &actionRow{keysRow: newKeysRow(a.Spoken)}
	gtkx.Activatable(r.ActionRow, func() { p.changeKeys(r.data) })
	menu := gio.NewMenu()
	group := gio.NewSimpleActionGroup()
	item := func(label, name string, f func()) *gio.SimpleAction {
		menu.Append(label, "action."+name)
		action := gio.NewSimpleAction(name, nil)
		action.ConnectActivate(func(*glib.Variant) { f() })
		group.AddAction(action)
		return action
	}
	item(tr.T("Change Keys…"), "keys", func() { p.changeKeys(r.data) })
	item(tr.T("Rename…"), "rename", func() { p.rename(r.data) })
	item(tr.T("Add Another Phrase…"), "also", func() { p.alsoSay(r.data) })
	item(tr.T("Try in %s", gtkx.NoMnemonic(p.Title())), "try", func() { p.doings.Try(r.data.Spoken, p.model.ID()) })
	r.reset = item(tr.T("Reset"), "reset", func() { p.model.ResetAction(r.data.Name) })
	r.forget = gio.NewMenu()
	menu.AppendSection("", r.forget)
	forget := gio.NewSimpleAction("forget", glib.NewVariantType("s"))
	forget.ConnectActivate(func(phrase *glib.Variant) { p.model.RemovePhrase(phrase.String()) })
	group.AddAction(forget)
	more := gtk.NewMenuButton()
	more.SetIconName("view-more-symbolic")
	more.AddCSSClass("flat")
	more.SetVAlign(gtk.AlignCenter)
	more.SetMenuModel(menu)
	name := tr.T("More Options for %s", a.Spoken)
	more.SetTooltipText(name)
	gtkx.Name(more, name)
	r.InsertActionGroup("action", group)
	r.AddSuffix(more)
	r.AddSuffix(gtkx.NewIconButton("user-trash-symbolic", tr.T("Remove %s", a.Spoken),
		func() { p.model.RemoveAction(r.data.Name) }))
	return r
}

func (r *actionRow) showAction(a editor.Action) {
	if !slices.Equal(r.data.AlsoSay, a.AlsoSay) {
		r.forget.RemoveAll()
		for _, phrase := range a.AlsoSay {
			item := gio.NewMenuItem(tr.T("Remove “%s”", gtkx.NoMnemonic(phrase)), "")
			item.SetActionAndTargetValue("action.forget", glib.NewVariantString(phrase))
			r.forget.AppendItem(item)
		}
	}
	r.data = a
	r.show(a.Keys)
	r.reset.SetEnabled(a.CanReset)
	below := []string{a.Source}
	if len(a.AlsoSay) > 0 {
		below = append(below, tr.T("Also: %s", strings.Join(a.AlsoSay, ", ")))
	}
	if a.Clash != "" {
		below = append(below, tr.T("Same keys as “%s”", a.Clash))
	}
	r.SetSubtitle(strings.Join(below, "\n"))
}

// showRemoved lists the inherited actions that the user has taken away.
func (p *Page) showRemoved(all []editor.Action) {
	byName := map[string]editor.Action{}
	var names []string
	for _, a := range all {
		byName[a.Name] = a
		names = append(names, a.Name)
	}
	p.removed.Sync(names, func(name string) *adw.ActionRow {
		a := byName[name]
		row := gtkx.NewRow(tr.T("Removed: %s", a.Spoken), "")
		row.AddSuffix(gtkx.NewIconButton("edit-undo-symbolic", tr.T("Restore %s", a.Spoken),
			func() { p.model.ResetAction(name) }))
		return row
	})
}

// A phraseRow is a row of the user's own phrases.
type phraseRow struct {
	keysRow
	data  editor.Phrase
	reset *gtk.Button
}

func (p *Page) showPhrases(all []editor.Phrase) {
	byText := map[string]editor.Phrase{}
	var texts []string
	for _, ph := range all {
		byText[ph.Text] = ph
		texts = append(texts, ph.Text)
	}
	p.phrases.Sync(texts, func(text string) *phraseRow {
		r := &phraseRow{keysRow: newKeysRow(text)}
		gtkx.Activatable(r.ActionRow, func() { p.changePhrase(r.data) })
		r.reset = gtkx.NewIconButton("edit-undo-symbolic", tr.T("Reset Phrase %s", text),
			func() { p.model.ResetPhrase(text) })
		r.AddSuffix(r.reset)
		r.AddSuffix(gtkx.NewIconButton("user-trash-symbolic", tr.T("Remove Phrase %s", text),
			func() { p.model.RemovePhrase(text) }))
		return r
	})
	for text, ph := range byText {
		if r, ok := p.phrases.Row(text); ok {
			r.data = ph
			r.show(ph.Keys)
			r.SetSubtitle(ph.Source)
			r.reset.SetVisible(ph.CanReset)
		}
	}
}

func (p *Page) changeKeys(a editor.Action) {
	capturedialog.Show(p, capturedialog.Question{
		Title: tr.T("Keys for %s", a.Spoken), Keys: a.Keys,
		Clash: func(_ string, seq chord.Sequence) string { return p.model.Clash(a.Spoken, seq) },
		Done:  func(_ string, seq chord.Sequence, takeOver bool) { p.model.SetKeys(a.Spoken, seq, takeOver) },
	})
}

func (p *Page) addAction() {
	capturedialog.Show(p, capturedialog.Question{
		Title: tr.T("Add Action"), Name: tr.T("Phrase"), Suggestions: p.model.Suggestions(),
		Clash: p.model.Clash, Done: p.model.SetKeys,
	})
}

func (p *Page) changePhrase(ph editor.Phrase) {
	capturedialog.Show(p, capturedialog.Question{
		Title: tr.T("Keys for %s", ph.Text), Keys: ph.Keys,
		Clash: func(string, chord.Sequence) string { return "" },
		Done:  func(_ string, seq chord.Sequence, _ bool) { p.model.SetPhrase(ph.Text, seq) },
	})
}

func (p *Page) addPhrase() {
	capturedialog.Show(p, capturedialog.Question{
		Title: tr.T("Add Phrase"), Name: tr.T("Phrase"),
		Clash: func(string, chord.Sequence) string { return "" },
		Done:  func(name string, seq chord.Sequence, _ bool) { p.model.SetPhrase(name, seq) },
	})
}

func (p *Page) rename(a editor.Action) {
	gtkx.AskText(p, tr.T("Rename %s", a.Spoken), tr.T("Phrase"), a.Spoken, tr.T("Rename"),
		func(text string) { p.model.Rename(a.Name, text) })
}

func (p *Page) alsoSay(a editor.Action) {
	gtkx.AskText(p, tr.T("Another Phrase for %s", a.Spoken), tr.T("Phrase"), "", tr.T("Add"),
		func(text string) { p.model.AlsoSay(a.Name, text) })
}
