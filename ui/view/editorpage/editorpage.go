// Package editorpage shows the editor of one application.
package editorpage

import (
	_ "embed"
	"slices"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/glib/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/profile"
	"utter/ui/model/editor"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
	"utter/ui/view/gtkx"
)

//go:embed editorpage.ui
var ui string

// Doings are what the page asks of others.
type Doings struct {
	// PickWindow lets the user choose an open window and gives its application
	// id.
	PickWindow func(picked func(appID string))
	// Try opens "Try It" with a phrase for an application.
	Try func(phrase, app string)
}

// A Page edits one application.
type Page struct {
	*gtkx.Page

	content  *adw.PreferencesPage  `ui:"content"`
	enabled  *adw.SwitchRow        `ui:"enabled"`
	aliases  *adw.EntryRow         `ui:"aliases"`
	names    *adw.PreferencesGroup `ui:"names_group"`
	acts     *adw.PreferencesGroup `ui:"actions_group"`
	phrasing *adw.PreferencesGroup `ui:"phrases_group"`
	search   *adw.PreferencesGroup `ui:"search_group"`
	address  *adw.EntryRow         `ui:"search_url"`
	opening  *adw.PreferencesGroup `ui:"launch_group"`
	launch   *adw.EntryRow         `ui:"launch"`
	window   *adw.EntryRow         `ui:"new_window"`
	windows  *adw.PreferencesGroup `ui:"windows_group"`
	appIDs   *adw.EntryRow         `ui:"app_ids"`
	kind     *adw.ComboRow         `ui:"kind"`
	advanced *adw.PreferencesGroup `ui:"advanced_group"`
	terminal *adw.SwitchRow        `ui:"terminal"`
	types    *adw.EntryRow         `ui:"mime_types"`
	try      *adw.EntryRow         `ui:"try"`
	tried    *gtk.Label            `ui:"tried"`
	restore  *adw.PreferencesGroup `ui:"restore_group"`

	model   *editor.Model
	doings  Doings
	fields  map[string]*field
	resets  map[string]*gtk.Button // of what is not an entry row
	actions *gtkx.List[*actionRow]
	phrases *gtkx.List[*phraseRow]
	removed *gtkx.List[*adw.ActionRow]
	undo    *adw.ButtonRow // takes the user's own back
	syncing bool
}

// New returns a page about an application.
func New(id string, parts editor.Parts, d Doings) *Page {
	p := &Page{doings: d, fields: map[string]*field{}, resets: map[string]*gtk.Button{}}
	gtkx.Bind(p, ui)
	p.Page = gtkx.NewPage(p.content)
	p.model = editor.New(id, parts, p.show)
	p.addFields()
	p.addLists()
	p.addKinds()
	p.undo = gtkx.NewButtonRow("", p.model.Restore)
	p.undo.AddCSSClass("destructive-action")
	p.restore.Add(p.undo)
	p.hideForRoles(p.model.State())
	p.show(p.model.State())
	p.connect()
	return p
}

// Leave saves what is valid and returns the names of fields that are not.
func (p *Page) Leave() (invalid []string) { return p.model.Flush() }

// Revert takes back what is written but cannot be saved, and reports whether
// there was any.
func (p *Page) Revert() bool { return p.model.Revert() }

// Close ends the page.
func (p *Page) Close() { p.model.Close() }

// ID is the id of the application.
func (p *Page) ID() string { return p.model.ID() }

// hideForRoles leaves out what one application has and a kind has not.
func (p *Page) hideForRoles(s editor.State) {
	if !s.Role {
		return
	}
	for _, g := range []*adw.PreferencesGroup{p.names, p.opening, p.windows, p.advanced} {
		g.SetVisible(false)
	}
	p.enabled.SetVisible(false)
	p.search.SetVisible(s.ID != profile.Everywhere)
}

func (p *Page) addFields() {
	for name, row := range map[string]*adw.EntryRow{
		"aliases": p.aliases, "search_url": p.address, "launch": p.launch, "new_window": p.window,
		"app_ids": p.appIDs, "mime_types": p.types,
	} {
		p.fields[name] = newField(name, row, p.model)
	}
	groups := map[string]*adw.PreferencesGroup{
		"aliases": p.names, "search_url": p.search, "launch": p.opening, "new_window": p.opening,
		"app_ids": p.windows, "mime_types": p.advanced,
	}
	for name, f := range p.fields {
		groups[name].Add(f.notes)
	}
	for name, row := range map[string]*adw.ActionRow{"enabled": &p.enabled.ActionRow, "kind": &p.kind.ActionRow,
		"terminal": &p.terminal.ActionRow} {
		reset := newReset(name, p.model)
		row.AddSuffix(reset)
		p.resets[name] = reset
	}
	p.windows.Add(gtkx.NewButtonRow(tr.T("Pick from Open Windows…"),
		func() { p.doings.PickWindow(p.model.AddWindowID) }))
}

// joined is two facts in a line, or the one that there is.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	// Translators: two facts about an application in one line.
	return tr.T("%[1]s · %[2]s", a, b)
}

func (p *Page) addKinds() {
	var names []string
	for _, k := range profile.Kinds {
		names = append(names, wording.Kind(k))
	}
	gtkx.Combo(p.kind).SetModel(gtk.NewStringList(names))
}

// connect comes after the first show: filling a row is not an edit.
func (p *Page) connect() {
	for _, f := range p.fields {
		f.connect()
	}
	p.enabled.NotifyProperty("active", func() {
		if !p.syncing {
			p.model.SetEnabled(p.enabled.Active())
		}
	})
	p.terminal.NotifyProperty("active", func() {
		if !p.syncing {
			p.model.SetTerminal(p.terminal.Active())
		}
	})
	p.kind.NotifyProperty("selected", func() {
		if i := int(p.kind.Selected()); !p.syncing && i < len(profile.Kinds) {
			p.model.SetKind(profile.Kinds[i])
		}
	})
	p.try.ConnectChanged(func() {
		p.model.TryPhrase(p.try.Text(), func(line string) {
			p.tried.SetText(line)
			p.tried.SetVisible(line != "")
		})
	})
}

func (p *Page) show(s editor.State) {
	if p.undo == nil {
		return // still being built
	}
	p.syncing = true
	defer func() { p.syncing = false }()
	p.SetTitle(s.Name)
	p.enabled.SetTitle(tr.T("Respond to its name"))
	p.enabled.SetSubtitle(joined(s.Subtitle, s.Fields["enabled"].Source))
	p.kind.SetSubtitle(s.Fields["kind"].Source)
	p.terminal.SetSubtitle(s.Fields["terminal"].Source)
	for name, reset := range p.resets {
		reset.SetVisible(s.Fields[name].CanReset)
	}
	p.enabled.SetActive(s.Enabled)
	p.terminal.SetActive(s.Terminal)
	p.kind.SetSelected(uint(max(0, slices.Index(profile.Kinds, s.Kind))))
	for name, f := range p.fields {
		f.show(s.Fields[name])
	}
	p.fields["search_url"].extra(s.Preview)
	p.showActions(s.Actions)
	p.showRemoved(s.Removed)
	p.showPhrases(s.Phrases)
	p.undo.SetTitle(s.Restore)
	p.restore.SetVisible(s.Restore != "")
	if s.Restore != "" {
		// A group's description is markup.
		p.restore.SetDescription(glib.MarkupEscapeText(tr.T("Your changes: %[1]s. Stored in %[2]s.",
			s.Lost, gtkx.Breakable(s.File))))
	}
}
