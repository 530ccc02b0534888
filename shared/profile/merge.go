package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
)

// Defaults are what applications of a kind inherit: shortcuts fill up what a
// profile has, the search address counts where a profile has none.
type Defaults map[Kind]Patch

// Merge lays the patches over each other, lower layers first and files of a
// layer in the order given, and returns one profile an application: the user's
// first, then curated ones, then the catalogue's by id, roles last. Entries of
// one application join by id, desktop id, StartupWMClass or app_ids.
func Merge(patches []Patch, defaults Defaults) []*Profile {
	patches = slices.Clone(patches)
	// Curated patches come first, for they know under which other ids an
	// application is found; applying them keeps the layers' order all the same.
	slices.SortStableFunc(patches, func(a, b Patch) int { return cmp.Compare(joinOrder(a), joinOrder(b)) })
	j := joiner{byID: map[string]*app{}}
	for _, p := range patches {
		j.add(p)
	}
	profiles := make([]*Profile, 0, len(j.apps))
	for _, a := range j.apps {
		profiles = append(profiles, a.merge(defaults))
	}
	slices.SortStableFunc(profiles, func(a, b *Profile) int {
		return cmp.Or(cmp.Compare(resultOrder(a), resultOrder(b)), byIDWithin(a, b))
	})
	return profiles
}

func joinOrder(p Patch) int {
	return map[Layer]int{Curated: 0, Catalogue: 1, User: 2}[p.Origin.Layer]
}

func resultOrder(p *Profile) int {
	if p.Role() {
		return 3
	}
	return int(User - p.Layer)
}

func byIDWithin(a, b *Profile) int {
	if a.Layer == Catalogue {
		return cmp.Compare(a.ID, b.ID)
	}
	return 0
}

// An app is the patches of one application.
type app struct {
	id      string
	patches []Patch
}

type joiner struct {
	apps []*app
	byID map[string]*app // every id an application is known by, folded
}

func (j *joiner) add(p Patch) {
	a := j.find(p)
	if a == nil {
		a = &app{id: p.ID}
		j.apps = append(j.apps, a)
	}
	a.patches = append(a.patches, p)
	for _, id := range knownIDs(p) {
		if j.byID[id] == nil {
			j.byID[id] = a
		}
	}
}

// find returns the application that p speaks of, or nil for a new one.
func (j *joiner) find(p Patch) *app {
	if a := j.byID[strings.ToLower(p.ID)]; a != nil || p.Origin.Layer != Catalogue {
		return a
	}
	if p.Entry != nil {
		if a := j.byID[strings.ToLower(p.Entry.StartupWMClass)]; a != nil {
			return a
		}
		return j.byID[strings.ToLower(p.Entry.FlatpakID)]
	}
	return nil
}

// knownIDs are the ids under which p's application may be found by later
// patches. What a desktop file merely guesses does not count.
func knownIDs(p Patch) []string {
	ids := []string{strings.ToLower(p.ID)}
	if p.AppIDs != nil && p.Origin.Layer != Catalogue {
		for _, id := range *p.AppIDs {
			ids = append(ids, strings.ToLower(id))
		}
	}
	return ids
}

// merge applies the patches of a, lowest layer first.
func (a *app) merge(defaults Defaults) *Profile {
	slices.SortStableFunc(a.patches, func(x, y Patch) int { return cmp.Compare(x.Origin.Layer, y.Origin.Layer) })
	p := &Profile{ID: a.id, Kind: Other, Shortcuts: map[string]chord.Sequence{}, Commands: map[string]chord.Sequence{}, Own: map[string]bool{}}
	removedSearch := false
	for _, patch := range a.patches {
		p.apply(patch)
		if patch.SearchURL != nil {
			removedSearch = *patch.SearchURL == ""
		}
	}
	if p.Name == "" {
		p.Name = p.ID
	}
	if p.Entry != nil {
		if argv, err := p.Entry.Argv(); err == nil {
			p.program = argv[0]
		}
	}
	d := defaults[p.Kind]
	for name, seq := range d.Shortcuts {
		if _, ok := p.Shortcuts[name]; !ok {
			p.Shortcuts[name] = seq
		}
	}
	if p.SearchURL == "" && !removedSearch && d.SearchURL != nil {
		p.SearchURL = *d.SearchURL
	}
	dropEmpty(p.Shortcuts)
	dropEmpty(p.Commands)
	return p
}

// dropEmpty takes the removed actions away once nothing can bring them back.
func dropEmpty(m map[string]chord.Sequence) {
	maps.DeleteFunc(m, func(_ string, s chord.Sequence) bool { return len(s) == 0 })
}

func (p *Profile) apply(patch Patch) {
	p.Layer, p.Origin = patch.Origin.Layer, patch.Origin
	if patch.Name != nil {
		p.Name, p.nameLayer = *patch.Name, p.Layer
	}
	if patch.Aliases != nil {
		p.Aliases, p.aliasLayer = *patch.Aliases, p.Layer
	}
	if patch.Launch != nil {
		p.Launch, p.launchLayer = *patch.Launch, p.Layer
	}
	if patch.NewWindow != nil {
		p.NewWindow = *patch.NewWindow
	}
	if patch.SearchURL != nil {
		p.SearchURL = *patch.SearchURL
	}
	if patch.MimeTypes != nil {
		p.MimeTypes, p.mimeLayer = *patch.MimeTypes, p.Layer
	}
	if patch.Terminal != nil {
		p.Terminal = *patch.Terminal
	}
	if patch.Kind != nil {
		p.Kind = *patch.Kind
	}
	if patch.Enabled != nil {
		p.Disabled = !*patch.Enabled
	}
	if patch.AppIDs != nil {
		p.applyAppIDs(patch)
	}
	if patch.Entry != nil {
		p.desktopIDs = append(p.desktopIDs, patch.Entry.ID)
		if p.Entry == nil || better(p, patch) {
			p.Entry = patch.Entry
		}
	}
	if p.Layer == User {
		for name := range patch.Shortcuts {
			p.Own[name] = true
		}
	}
	maps.Copy(p.Shortcuts, patch.Shortcuts)
	maps.Copy(p.Commands, patch.Commands)
}

// applyAppIDs lays a list over what the desktop file guesses, which stays behind
// it: windows may still come under those ids.
func (p *Profile) applyAppIDs(patch Patch) {
	if len(*patch.AppIDs) == 0 {
		p.AppIDs = nil
		return
	}
	ids := slices.Clone(*patch.AppIDs)
	for _, id := range p.AppIDs {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	p.AppIDs = ids
}

// better reports whether patch has the desktop file that fits p more: one that
// menus show, then the one with p's own id.
func better(p *Profile, patch Patch) bool {
	if p.Entry.NoDisplay != patch.Entry.NoDisplay {
		return p.Entry.NoDisplay
	}
	return strings.EqualFold(patch.Entry.ID, p.ID)
}
