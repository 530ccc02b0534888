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
	loose    map[string][]string // names in exact by their loose form, where that is another
	roles    map[string]*Profile
	hints    map[string][]*Profile
	words    map[string][]posting
	windows  map[string]*Profile // by app id; nil: of several
	folded   map[string]*Profile // by app id in lower case
	guessed  map[string]bool     // the app ids, in either form, that are only guesses
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
		profiles:   profiles, exact: map[string][]claim{}, loose: map[string][]string{}, roles: map[string]*Profile{},
		hints: map[string][]*Profile{}, words: map[string][]posting{},
		windows: map[string]*Profile{}, guessed: map[string]bool{}, folded: map[string]*Profile{}, byID: map[string]*Profile{},
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
		if len(x.exact[key]) == 0 {
			x.addLoose(key)
		}
		if !slices.ContainsFunc(x.exact[key], better) {
			x.exact[key] = append(x.exact[key], claim{p, pass, layer})
		}
		if pass == ByID || p.Unlisted() {
			return
		}
		for _, form := range slices.Compact([]string{key, utterance.Plain(key)}) {
			x.addWords(p, form)
		}
	}
	add(p.ID, ByID, p.Layer)
	for _, id := range p.desktopIDs {
		add(id, ByID, Catalogue)
	}
	for _, id := range p.userIDs {
		add(id, ByID, User)
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

// addLoose notes the loose form of a name.
func (x *Index) addLoose(key string) {
	if loose := utterance.Loose(key); loose != key && loose != "" {
		x.loose[loose] = append(x.loose[loose], key)
	}
}

// addWords notes the words of a name of p.
func (x *Index) addWords(p *Profile, name string) {
	fields := strings.Fields(name)
	for i, w := range fields {
		if !slices.Contains(fields[:i], w) {
			x.words[w] = append(x.words[w], posting{p, name, len(fields)})
		}
	}
}

func (x *Index) addHints(p *Profile) {
	for _, h := range append([]string{p.Entry.GenericName, p.Entry.LocalGeneric}, p.Entry.Keywords...) {
		if key := utterance.Key(h); key != "" && !slices.Contains(x.hints[key], p) {
			x.hints[key] = append(x.hints[key], p)
		}
	}
}

// addAllWindows notes the app ids of every profile's windows, in the order of
// what they prove: what a person wrote, the user first, then the ids of desktop
// files, their classes, what packages and command lines settle, and last guesses.
func (x *Index) addAllWindows() {
	passes := []func(*Profile) []string{
		func(p *Profile) []string { return p.stated[User] },
		func(p *Profile) []string { return p.stated[Curated] },
		func(p *Profile) []string { return append([]string{p.ID}, p.desktopIDs...) },
		func(p *Profile) []string {
			return p.ofEntry(func(p *Profile) []string { return []string{p.Entry.StartupWMClass} })
		},
		func(p *Profile) []string {
			return p.ofEntry(func(p *Profile) []string {
				return append(p.Entry.WindowIDs(), p.Entry.FlatpakID, p.Entry.SnapName, p.Entry.Start().AppID)
			})
		},
		func(p *Profile) []string { return p.AppIDs },
	}
	for i, ids := range passes {
		pass := pass{claims: map[string]*Profile{}, folded: map[string]*Profile{}}
		for _, p := range x.profiles {
			if !p.Role() {
				pass.add(p, ids(p), i < 3)
			}
		}
		x.take(pass, i == len(passes)-1)
	}
}

// ofEntry returns ids of p's desktop file, of which there may be none.
func (p *Profile) ofEntry(ids func(*Profile) []string) []string {
	if p.Entry == nil {
		return nil
	}
	return ids(p)
}

// A pass is the claims to app ids of one kind of evidence.
type pass struct {
	claims, folded map[string]*Profile // nil: of several
}

// add notes p's claims. Of several the first counts where they are said by a
// person or a file's name; else none does, but one that menus show before one
// that they do not.
func (s pass) add(p *Profile, ids []string, firstCounts bool) {
	note := func(claims map[string]*Profile, id string) {
		other, claimed := claims[id]
		switch {
		case !claimed || other != nil && other.Unlisted() && !p.Unlisted():
			claims[id] = p
		case other != p && !firstCounts && (other == nil || other.Unlisted() == p.Unlisted()):
			claims[id] = nil
		}
	}
	for _, id := range ids {
		if id != "" {
			note(s.claims, id)
			note(s.folded, strings.ToLower(id))
		}
	}
}

// take lays the claims of a pass below those that are there.
func (x *Index) take(s pass, guesses bool) {
	lay := func(over, claims map[string]*Profile) {
		for id, p := range claims {
			if _, taken := over[id]; !taken {
				over[id] = p
				if guesses {
					x.guessed[id] = true
				}
			}
		}
	}
	lay(x.windows, s.claims)
	lay(x.folded, s.folded)
}

// ForWindow returns the application whose windows have this app id, or nil, also
// where several claim it alike.
func (x *Index) ForWindow(appID string) *Profile {
	p, _ := x.Owner(appID)
	return p
}

// Owner is ForWindow that also says whether this is only a guess, from the name of
// the program that a desktop file starts.
func (x *Index) Owner(appID string) (p *Profile, guess bool) {
	if appID == "" {
		return nil, false
	}
	if p, known := x.windows[appID]; known {
		return p, x.guessed[appID]
	}
	lower := strings.ToLower(appID)
	return x.folded[lower], x.guessed[lower]
}
