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

// IsOwn reports whether m is by a name that the user gave.
func (m Match) IsOwn() bool {
	return len(m.Profiles) > 0 && m.Pass <= ByAlias && m.Layer == User && !m.Role
}

// A Claim is one application's right to a name.
type Claim struct {
	Profile *Profile
	Pass    Pass
	Layer   Layer
	Role    bool
}

// Claims returns all that a name could mean, the strongest first: what Resolve
// chose, and what lost to it.
func (x *Index) Claims(name string) []Claim {
	key := utterance.Key(name)
	var all []Claim
	add := func(c Claim) { // each application once, by its strongest claim
		if !slices.ContainsFunc(all, func(other Claim) bool { return other.Profile == c.Profile }) {
			all = append(all, c)
		}
	}
	for _, c := range x.claims(key) {
		add(Claim{c.profile, c.pass, c.layer, false})
	}
	if role := x.roles[key]; role != nil {
		add(Claim{role, ByName, role.Layer, true})
	}
	for _, p := range x.subset(key, func(*Profile) bool { return true }).Profiles {
		add(Claim{p, BySubset, p.Layer, false})
	}
	for _, p := range first(x.hints[key], maxTies) {
		add(Claim{p, ByHint, p.Layer, false})
	}
	return all
}

// Resolve returns what name means. here says whether a profile can be used:
// started, or found among the open windows; others count only where none such
// fits. The order is decisions §5: the user's own names, then id, name and
// alias, unless a desktop file is only guessed to be called so; then roles; then the same in a loose form; then parts of names; then keywords.
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
	role := x.roles[key]
	m := best(x.exact[key], here)
	guessed := m.Pass == ByAlias && m.Layer == Catalogue // what a desktop file is called says nothing of a role
	if len(m.Profiles) > 0 && !(guessed && role != nil) {
		return m
	}
	if role != nil {
		return Match{Profiles: []*Profile{role}, Pass: ByName, Role: true}
	}
	alike := x.alike(key)
	if m := best(alike, here); len(m.Profiles) > 0 {
		return m
	}
	if m := loosely(key); len(m.Profiles) > 0 {
		return m
	}
	all := func(*Profile) bool { return true }
	if m := best(x.exact[key], all); len(m.Profiles) > 0 {
		return m
	}
	return best(alike, all)
}

// alike returns the claims to names of the same loose form: blanks, signs and accents
// do not count.
func (x *Index) alike(key string) []claim {
	var buf [64]byte
	loose := utterance.AppendLoose(buf[:0], key)
	claims := x.exact[string(loose)]
	for _, name := range x.loose[string(loose)] {
		if name != key {
			claims = append(slices.Clip(claims), x.exact[name]...)
		}
	}
	return claims
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
