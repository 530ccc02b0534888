package profile

import (
	"slices"

	"utter/shared/utterance"
)

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
	claims := slices.Clone(x.exact[key])
	slices.SortStableFunc(claims, func(a, b claim) int { return b.strength() - a.strength() })
	var all []Claim
	for _, c := range claims {
		all = append(all, Claim{c.profile, c.pass, c.layer, false})
	}
	if role := x.roles[key]; role != nil {
		all = append(all, Claim{role, ByName, role.Layer, true})
	}
	for _, p := range x.subset(key, func(*Profile) bool { return true }).Profiles {
		all = append(all, Claim{p, BySubset, p.Layer, false})
	}
	for _, p := range x.hints[key] {
		all = append(all, Claim{p, ByHint, p.Layer, false})
	}
	return all
}
