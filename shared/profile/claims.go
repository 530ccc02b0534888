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
