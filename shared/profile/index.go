package profile

import (
	"slices"
	"strings"

	"utter/shared/utterance"
)

// An Index finds profiles by what people and compositors call them. It never
// changes and is safe for concurrent use. Look-ups cost the same for known and
// unknown names, however many profiles there are.
type Index struct {
	profiles []*Profile
	exact    map[string][]claim
	roles    map[string]*Profile
	hints    map[string][]*Profile
	words    map[string][]posting
	windows  map[string]*Profile // by app id
	folded   map[string]*Profile // by app id in lower case
	byID     map[string]*Profile

	everywhere *Profile // nil: the user teaches nothing of that
}

// A claim is one profile's right to a name.
type claim struct {
	profile *Profile
	pass    Pass
	layer   Layer
}

// A posting says that a word is in one of a profile's names.
type posting struct {
	profile *Profile
	name    string // in normal form: all words must be of one name
	words   int    // how many words that name has
}

// NewIndex builds the index of profiles, which must be in Merge's order.
func NewIndex(profiles []*Profile) *Index {
	var everywhere *Profile
	if n := len(profiles); n > 0 && profiles[n-1].scope {
		profiles, everywhere = profiles[:n-1], profiles[n-1]
	}
	x := &Index{
		everywhere: everywhere,
		profiles:   profiles, exact: map[string][]claim{}, roles: map[string]*Profile{},
		hints: map[string][]*Profile{}, words: map[string][]posting{},
		windows: map[string]*Profile{}, folded: map[string]*Profile{}, byID: map[string]*Profile{},
	}
	for _, p := range profiles {
		x.byID[p.ID] = p
		if p.Role() {
			x.addRole(p)
			continue
		}
		if !p.Disabled {
			x.addNames(p)
		}
	}
	x.addAllWindows()
	for _, list := range x.words {
		slices.SortStableFunc(list, func(a, b posting) int { return a.words - b.words })
	}
	return x
}

// Everywhere returns what the user taught for all applications, or nil. It is
// no application: nothing else of an Index leads to it.
func (x *Index) Everywhere() *Profile { return x.everywhere }

// All returns every profile. The caller must not change the list.
func (x *Index) All() []*Profile { return x.profiles }

// ByID returns the profile with exactly this id, or nil.
func (x *Index) ByID(id string) *Profile { return x.byID[id] }

func (x *Index) addRole(p *Profile) {
	for _, n := range append([]string{p.ID, p.Name}, p.Aliases...) {
		if key := utterance.Key(n); key != "" && x.roles[key] == nil {
			x.roles[key] = p
		}
	}
}

func (x *Index) addNames(p *Profile) {
	add := func(text string, pass Pass, layer Layer) {
		key := utterance.Key(text)
		if key == "" {
			return
		}
		better := func(c claim) bool { return c.profile == p && c.layer >= layer && c.pass <= pass }
		if !slices.ContainsFunc(x.exact[key], better) {
			x.exact[key] = append(x.exact[key], claim{p, pass, layer})
		}
		if pass == ByID || p.Unlisted() {
			return
		}
		fields := strings.Fields(key)
		for i, w := range fields {
			if !slices.Contains(fields[:i], w) {
				x.words[w] = append(x.words[w], posting{p, key, len(fields)})
			}
		}
	}
	add(p.ID, ByID, p.Layer)
	for _, id := range p.desktopIDs {
		add(id, ByID, Catalogue)
	}
	add(p.Name, ByName, p.nameLayer)
	if p.Entry != nil {
		add(p.Entry.Name, ByName, Catalogue)
		add(p.Entry.LocalName, ByName, Catalogue)
	}
	for _, a := range p.Aliases {
		add(a, ByAlias, p.aliasLayer)
	}
	if p.Entry != nil && !p.Unlisted() {
		x.addHints(p)
	}
}

func (x *Index) addHints(p *Profile) {
	for _, h := range append([]string{p.Entry.GenericName, p.Entry.LocalGeneric}, p.Entry.Keywords...) {
		if key := utterance.Key(h); key != "" && !slices.Contains(x.hints[key], p) {
			x.hints[key] = append(x.hints[key], p)
		}
	}
}

// addWindows notes that windows of these app ids are p's, where they are not
// another profile's already.
func (x *Index) addWindows(p *Profile, ids ...string) {
	for _, id := range ids {
		if id == "" {
			continue
		}
		if x.windows[id] == nil {
			x.windows[id] = p
		}
		if lower := strings.ToLower(id); x.folded[lower] == nil {
			x.folded[lower] = p
		}
	}
}

// addAllWindows notes the app ids of every profile's windows: what a person
// wrote and what desktop files are called and say first, then guesses. A web
// app starts the browser, and a game the terminal; their windows are not its.
func (x *Index) addAllWindows() {
	for _, p := range x.profiles {
		if p.Role() {
			continue
		}
		if p.Layer > Catalogue {
			x.addWindows(p, p.AppIDs...)
		}
		x.addWindows(p, p.ID)
		x.addWindows(p, p.desktopIDs...)
		if p.Entry != nil {
			x.addWindows(p, p.Entry.StartupWMClass, p.Entry.FlatpakID)
		}
	}
	for _, p := range x.profiles {
		if !p.Role() {
			x.addWindows(p, p.AppIDs...)
		}
	}
}

// ForWindow returns the application whose windows have this app id, or nil.
func (x *Index) ForWindow(appID string) *Profile {
	if appID == "" {
		return nil
	}
	if p := x.windows[appID]; p != nil {
		return p
	}
	return x.folded[strings.ToLower(appID)]
}
