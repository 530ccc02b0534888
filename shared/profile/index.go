package profile

import (
	"slices"
	"strings"

	"utter/shared/utterance"
)

// A Pass says how a name fitted.
type Pass int

// The passes, the strongest first.
const (
	ByID     Pass = iota // the id
	ByName               // the name, localised or not
	ByAlias              // an alias
	BySubset             // every word is a word of the name or an alias
	ByHint               // the generic name or a keyword
)

func (p Pass) String() string {
	return [...]string{"id", "name", "alias", "part of a name", "keyword"}[p]
}

// A Match is what a name means. Of several Profiles none is better than the
// others; none means that the name is unknown.
type Match struct {
	Profiles []*Profile
	Pass     Pass
	Layer    Layer // whose name it is, where Pass is at most ByAlias
	Role     bool  // the name of a role, such as "terminal"
}

// One returns the only profile of m, or nil.
func (m Match) One() *Profile {
	if len(m.Profiles) == 1 {
		return m.Profiles[0]
	}
	return nil
}

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

// A posting says that a word stands in one of a profile's names.
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

// Resolve returns what name means. here says whether a profile can be used:
// started, or found among the open windows; others count only where none such
// fits. The order is decisions §5: the user's own names, then id, name and
// alias; then roles; then parts of names; then keywords.
func (x *Index) Resolve(name string, here func(*Profile) bool) Match {
	return x.resolve(name, here, func(key string) Match {
		if m := x.subset(key, here); len(m.Profiles) > 0 {
			return m
		}
		return Match{Profiles: only(x.hints[key], here), Pass: ByHint}
	})
}

// ResolveExact is Resolve by id, name, alias or role only.
func (x *Index) ResolveExact(name string, here func(*Profile) bool) Match {
	return x.resolve(name, here, func(string) Match { return Match{} })
}

// resolve looks for whole names, and where there are none for what loosely finds.
func (x *Index) resolve(name string, here func(*Profile) bool, loosely func(key string) Match) Match {
	key := utterance.Key(name)
	if key == "" {
		return Match{}
	}
	if m := best(x.exact[key], here); len(m.Profiles) > 0 {
		return m
	}
	if role := x.roles[key]; role != nil {
		return Match{Profiles: []*Profile{role}, Pass: ByName, Role: true}
	}
	if m := loosely(key); len(m.Profiles) > 0 {
		return m
	}
	return best(x.exact[key], func(*Profile) bool { return true })
}

// claims returns all claims to a name in normal form, the strongest first.
func (x *Index) claims(key string) []claim {
	stronger := func(a, b claim) int { return b.strength() - a.strength() }
	return slices.SortedStableFunc(slices.Values(x.exact[key]), stronger)
}

// best returns the strongest claims of profiles that are here.
func best(claims []claim, here func(*Profile) bool) Match {
	m := Match{}
	top := 0
	for _, c := range claims {
		if !here(c.profile) {
			continue
		}
		switch s := c.strength(); {
		case s > top:
			top = s
			m = Match{Profiles: append(m.Profiles[:0], c.profile), Pass: c.pass, Layer: c.layer}
		case s == top && !slices.Contains(m.Profiles, c.profile):
			m.Profiles = append(m.Profiles, c.profile)
		}
	}
	return m
}

// strength orders claims: the user's own beat all others; then the pass counts
// and within it the layer.
func (c claim) strength() int {
	s := 100 - 10*int(c.pass) + int(c.layer)
	if c.layer == User {
		s += 1000
	}
	return s
}

const (
	// maxTies bounds the candidates of an unclear name.
	maxTies = 12
	// maxLooked bounds the names that are looked at for a word, the shortest
	// first: a word of more names than that tells none of them.
	maxLooked = 200
)

// subset finds the profiles in one of whose names every word of key stands. The
// fewest further words win, then listed layers above the catalogue.
func (x *Index) subset(key string, here func(*Profile) bool) Match {
	words := strings.Fields(key)
	if !slices.ContainsFunc(words, func(w string) bool { return len([]rune(w)) >= 3 }) {
		return Match{}
	}
	rarest := slices.MinFunc(words, func(a, b string) int { return len(x.words[a]) - len(x.words[b]) })
	m := Match{Pass: BySubset}
	size, layer := 0, Catalogue
	for _, p := range first(x.words[rarest], maxLooked) {
		if size > 0 && p.words > size || len(m.Profiles) == maxTies {
			break
		}
		if !hasWords(p.name, words) || !here(p.profile) || slices.Contains(m.Profiles, p.profile) {
			continue
		}
		if size == 0 || p.profile.Layer > layer && layer == Catalogue {
			size, layer = p.words, p.profile.Layer
			m.Profiles = m.Profiles[:0]
		} else if p.profile.Layer == Catalogue && layer > Catalogue {
			continue
		}
		m.Profiles = append(m.Profiles, p.profile)
	}
	return m
}

func hasWords(name string, words []string) bool {
	for _, w := range words {
		if !hasWord(name, w) {
			return false
		}
	}
	return true
}

func hasWord(text, word string) bool {
	for w := range strings.FieldsSeq(text) {
		if w == word {
			return true
		}
	}
	return false
}

func first[T any](list []T, n int) []T { return list[:min(len(list), n)] }

func only(profiles []*Profile, here func(*Profile) bool) []*Profile {
	var some []*Profile
	for _, p := range first(profiles, maxLooked) {
		if len(some) < maxTies && here(p) {
			some = append(some, p)
		}
	}
	return some
}
