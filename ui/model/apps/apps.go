// Package apps is the list of applications: which ones are shown, and the text of
// their rows.
package apps

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"utter/shared/catalog"
	"utter/shared/profile"
	"utter/shared/utterance"
	"utter/ui/model/tr"
)

// A Filter selects applications.
type Filter string

// The filters.
const (
	All    Filter = "all"    // installed, and those that the user made
	Edited Filter = "edited" // of which a file of the user's says something
	Main   Filter = "main"   // curated ones that are installed
)

// Filters are all filters, in the order shown.
var Filters = []Filter{All, Edited, Main}

// Label is what the filter is called.
func (f Filter) Label() string {
	switch f {
	case Edited:
		// Translators: a filter of the list of applications.
		return tr.T("Edited")
	case Main:
		// Translators: a filter of the list of applications: the well-known ones.
		return tr.T("Main Apps")
	}
	// Translators: a filter of the list of applications.
	return tr.T("All Installed")
}

// A Row is one application in the list. Rows are compared by value.
type Row struct {
	ID       string
	Name     string
	Subtitle string
	Icon     string // a theme's name or a path, or ""
	Edited   bool
	Off      bool // not to be found by name
	Role     bool // "All Browsers", "Everywhere"

	main    bool   // curated and installed
	hay     string // what the search looks in, in normal form
	sortKey string
}

// A Model holds the list.
type Model struct {
	lib    *catalog.Library
	filter Filter
	query  string
	all    []Row
	byID   map[string]int // in all
	shown  []string
	counts map[Filter]int
}

// New returns an empty list.
func New(f Filter) *Model {
	if !slices.Contains(Filters, f) {
		f = Main
	}
	return &Model{filter: f, byID: map[string]int{}, counts: map[Filter]int{}}
}

// Filter returns the active filter.
func (m *Model) Filter() Filter { return m.filter }

// Query returns what is searched for.
func (m *Model) Query() string { return m.query }

// Shown returns the ids of the rows to show, in order. The caller must not change
// the list.
func (m *Model) Shown() []string { return m.shown }

// Row returns a row; its ID is "" where there is none.
func (m *Model) Row(id string) Row {
	if i, ok := m.byID[id]; ok {
		return m.all[i]
	}
	return Row{}
}

// Count returns how many applications a filter lets through, without the search.
func (m *Model) Count(f Filter) int { return m.counts[f] }

// Header is the line above the list.
func (m *Model) Header() string {
	n := 0
	for _, id := range m.shown {
		if !m.Row(id).Role {
			n++
		}
	}
	return tr.N("%d application", "%d applications", n, n)
}

// SetFilter changes the filter. One that there is not is ignored.
func (m *Model) SetFilter(f Filter) {
	if slices.Contains(Filters, f) {
		m.filter = f
		m.refilter()
	}
}

// Search changes what is searched for.
func (m *Model) Search(query string) {
	m.query = query
	m.refilter()
}

// SetLibrary takes what is known of the applications now.
func (m *Model) SetLibrary(lib *catalog.Library) {
	if lib == m.lib {
		return
	}
	m.lib = lib
	var apps []Row
	here := map[string]bool{profile.Everywhere: true} // the roles that someone here has
	for _, p := range lib.Index.All() {
		installed := lib.Startable(p)
		if p.Role() || p.Unlisted() || p.Layer != profile.User && !installed {
			continue
		}
		apps = append(apps, rowOf(p, installed))
		here[profile.KindID(p.Kind)] = here[profile.KindID(p.Kind)] || installed
	}
	slices.SortFunc(apps, func(a, b Row) int { return strings.Compare(a.sortKey, b.sortKey) })
	m.all = m.all[:0:0]
	for _, id := range roles {
		if r := roleRow(lib, id); r.Edited || here[id] {
			m.all = append(m.all, r)
		}
	}
	m.all = append(m.all, apps...)
	m.count()
	m.refilter()
}

// count notes where each row is, and how many a filter lets through.
func (m *Model) count() {
	clear(m.byID)
	clear(m.counts)
	for i, r := range m.all {
		m.byID[r.ID] = i
		for _, f := range Filters {
			if !r.Role && r.passes(f) {
				m.counts[f]++
			}
		}
	}
}

// roles are above the applications: what is said there counts for many.
var roles = []string{
	profile.Everywhere, "generic-browser", "generic-terminal", "generic-filemanager", "generic-editor", "generic-media",
	"generic-office", "generic-game", "generic-utility",
}

// RoleName returns what a role is called in the list, or "" for an application.
func RoleName(id string) string {
	switch id {
	case profile.Everywhere:
		return tr.T("Everywhere")
	case "generic-browser":
		return tr.T("All Browsers")
	case "generic-terminal":
		return tr.T("All Terminals")
	case "generic-filemanager":
		return tr.T("All File Managers")
	case "generic-editor":
		return tr.T("All Editors")
	case "generic-media":
		return tr.T("All Media Players")
	case "generic-office":
		return tr.T("All Office Applications")
	case "generic-game":
		return tr.T("All Games")
	case "generic-utility":
		return tr.T("All Utilities")
	}
	return ""
}

func roleRow(lib *catalog.Library, id string) Row {
	p := lib.Index.ByID(id)
	if id == profile.Everywhere {
		p = lib.Index.Everywhere()
	}
	if p == nil { // nobody wrote a profile of it
		p = lib.Explain(id).Profile
	}
	n := len(p.Shortcuts) + len(p.Commands)
	r := Row{
		ID: id, Name: RoleName(id), Role: true, main: true, Edited: p.Layer == profile.User && p.Origin.File != "",
		Subtitle: tr.N("%d action", "%d actions", n, n),
	}
	r.hay = haystack(append(words(p), r.Name))
	return r
}

func rowOf(p *profile.Profile, installed bool) Row {
	keys := len(p.Shortcuts) + len(p.Commands)
	names := len(p.Aliases) + 1
	r := Row{
		ID: p.ID, Name: p.Name, Off: p.Disabled, Edited: p.Layer == profile.User, main: p.Curated() && installed,
		// Translators: "3 names · 12 actions", the line below an application's name.
		Subtitle: tr.T("%s · %s", tr.N("%d name", "%d names", names, names), tr.N("%d action", "%d actions", keys, keys)),
		hay:      haystack(words(p)), sortKey: fold(utterance.Key(p.Name)) + "\x00" + p.ID,
	}
	if p.Entry != nil {
		r.Icon = p.Entry.Icon
	}
	return r
}

// words are what a search may find an application by.
func words(p *profile.Profile) []string {
	all := append([]string{p.Name, p.ID}, p.Aliases...)
	if p.Entry != nil {
		all = append(all, p.Entry.Name, p.Entry.LocalName)
	}
	for name, keys := range p.Shortcuts {
		all = append(all, profile.Spoken(name), keys.String())
	}
	for phrase, keys := range p.Commands {
		all = append(all, phrase, keys.String())
	}
	return all
}

// haystack joins words so that no search matches across two of them.
func haystack(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteByte('\n')
		b.WriteString(fold(w))
	}
	return b.String()
}

// fold brings texts to one form: case and accents do not count.
func fold(s string) string {
	s = strings.ToLower(s)
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}

func (r Row) passes(f Filter) bool {
	switch f {
	case Edited:
		return r.Edited
	case Main:
		return r.main
	}
	return true
}

// matches reports whether every word of the search is somewhere in the row.
func (r Row) matches(words []string) bool {
	for _, w := range words {
		if !strings.Contains(r.hay, w) {
			return false
		}
	}
	return true
}

func (m *Model) refilter() {
	words := strings.Fields(fold(m.query))
	m.shown = make([]string, 0, len(m.all))
	for _, r := range m.all {
		if r.passes(m.filter) && r.matches(words) {
			m.shown = append(m.shown, r.ID)
		}
	}
}

// A Splice replaces a run of rows: what turns one list into another.
type Splice struct {
	At, Remove int
	Add        []string
}

// Diff returns the splice that turns the list old into new; changed is false
// where they are one. Rows at both ends that stay are not touched, so that
// selection and scroll stay as well.
func Diff(old, new []string) (s Splice, changed bool) {
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		start++
	}
	end := 0
	for end < len(old)-start && end < len(new)-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	s = Splice{start, len(old) - start - end, new[start : len(new)-end]}
	return s, s.Remove > 0 || len(s.Add) > 0
}
