package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
)

// Defaults are what applications of a kind inherit: shortcuts and commands fill
// up what a profile has, the search address counts where a profile has none.
type Defaults map[Kind]Patch

// Merge lays the patches over each other, lower layers first and files of a
// layer in the order given, and returns one profile an application: the user's
// first, then curated ones, then the catalogue's by id, then roles; last what
// counts everywhere, if the user says anything of that. Entries of one
// application join by id, desktop id, StartupWMClass or app_ids.
//
// Actions and phrases of an application are, the lowest first: the user's of
// everywhere, the defaults of its kind, the user's of that kind, those of its
// curated profile, and those of the user's own.
func Merge(patches []Patch, defaults Defaults) []*Profile {
	l := layOut(patches, defaults)
	profiles := make([]*Profile, 0, len(l.apps)+1)
	for _, a := range l.apps {
		profiles = append(profiles, l.merge(a))
	}
	slices.SortStableFunc(profiles, func(a, b *Profile) int {
		return cmp.Or(cmp.Compare(resultOrder(a), resultOrder(b)), byIDWithin(a, b))
	})
	if len(l.everywhere) > 0 {
		profiles = append(profiles, l.mergeEverywhere())
	}
	return profiles
}

// A layout is the patches of all applications, and what lies under them.
type layout struct {
	joiner
	everywhere []Patch          // the user's
	kinds      map[Kind][]Patch // the user's of each kind
	defaults   Defaults
	grounds    map[Kind]*Profile // what an application of a kind starts with, once it is asked for
}

func layOut(patches []Patch, defaults Defaults) *layout {
	l := &layout{
		joiner: joiner{byID: map[string]*app{}, byClass: map[string]*app{}}, kinds: map[Kind][]Patch{}, defaults: defaults, grounds: map[Kind]*Profile{},
	}
	patches = slices.Clone(patches)
	// Curated patches come first, for they know under which other ids an
	// application is found; applying them keeps the layers' order all the same.
	slices.SortStableFunc(patches, func(a, b Patch) int { return cmp.Compare(joinOrder(a), joinOrder(b)) })
	for _, p := range patches {
		if p.Origin.Layer == User && isEverywhere(p.ID) {
			l.everywhere = append(l.everywhere, p)
			continue
		}
		if k, ok := kindOf(p.ID); ok && p.Origin.Layer == User {
			l.kinds[k] = append(l.kinds[k], p)
		}
		l.add(p)
	}
	return l
}

// ground returns what an application of a kind starts with. It is shared by all
// that add nothing to it.
func (l *layout) ground(k Kind) *Profile {
	if g := l.grounds[k]; g != nil {
		return g
	}
	g := newProfile("")
	for _, p := range slices.Concat(l.everywhere, []Patch{l.defaults[k]}, l.kinds[k]) {
		g.teach(p)
	}
	for _, p := range append([]Patch{l.defaults[k]}, l.kinds[k]...) {
		if p.SearchURL != nil {
			g.SearchURL = *p.SearchURL
		}
	}
	g.resolve()
	l.grounds[k] = g
	return g
}

func newProfile(id string) *Profile {
	return &Profile{
		ID: id, Kind: Other, Shortcuts: map[string]chord.Sequence{}, Commands: map[string]chord.Sequence{},
		Says: map[string]string{}, Own: map[string]bool{},
	}
}

// mergeEverywhere returns what counts in every application.
func (l *layout) mergeEverywhere() *Profile {
	p := newProfile(Everywhere)
	p.Name, p.Layer, p.scope = Everywhere, User, true
	for _, patch := range l.everywhere {
		p.Origin = patch.Origin
		p.teach(patch)
	}
	p.resolve()
	return p
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
	// byClass are the window classes and package ids of desktop files, folded; nil: of
	// several applications.
	byClass map[string]*app
}

func (j *joiner) add(p Patch) {
	a := j.find(p)
	if a == nil {
		a = &app{id: p.ID}
		if k, ok := kindOf(p.ID); ok {
			a.id = KindID(k)
		}
		j.apps = append(j.apps, a)
	}
	a.patches = append(a.patches, p)
	for _, id := range knownIDs(p) {
		if j.byID[id] == nil {
			j.byID[id] = a
		}
	}
	if p.Entry == nil || p.Entry.NoDisplay {
		return
	}
	for _, id := range []string{p.Entry.StartupWMClass, p.Entry.FlatpakID, p.Entry.SnapName} {
		id = strings.ToLower(id)
		if other, known := j.byClass[id]; known && other != a {
			j.byClass[id] = nil
		} else {
			j.byClass[id] = a
		}
	}
}

// find returns the application that p speaks of, or nil for a new one.
func (j *joiner) find(p Patch) *app {
	if a := j.byID[strings.ToLower(p.ID)]; a != nil {
		return a
	}
	if p.Origin.Layer == User && !hasRolePrefix(p.ID) {
		return j.described(p)
	}
	if p.Origin.Layer != Catalogue {
		return nil
	}
	if p.Entry != nil {
		if a := j.byID[strings.ToLower(p.Entry.StartupWMClass)]; a != nil {
			return a
		}
		return j.byID[strings.ToLower(p.Entry.FlatpakID)]
	}
	return nil
}

// described returns the application whose windows have the id or one of the app_ids of
// a file of the user's, or nil. One with a command of its own is an application of its
// own, unless its id is such a window's.
func (j *joiner) described(p Patch) *app {
	ids := []string{p.ID}
	if p.AppIDs != nil && p.Launch == nil {
		ids = append(ids, *p.AppIDs...)
	}
	for i, id := range ids {
		id = strings.ToLower(id)
		if a := j.byClass[id]; id != "" && a != nil {
			return a
		}
		if a := j.byID[id]; i > 0 && a != nil {
			return a
		}
	}
	return nil
}

// knownIDs are the ids under which p's application may be found by later
// patches. What a desktop file merely guesses does not count.
func knownIDs(p Patch) []string {
	ids := []string{strings.ToLower(p.ID)}
	if p.AppIDs != nil && p.Origin.Layer != Catalogue && !hasRolePrefix(ids[0]) {
		for _, id := range *p.AppIDs {
			ids = append(ids, strings.ToLower(id))
		}
	}
	return ids
}

// merge applies the patches of a, lowest layer first, to what lies under them.
func (l *layout) merge(a *app) *Profile {
	slices.SortStableFunc(a.patches, func(x, y Patch) int { return cmp.Compare(x.Origin.Layer, y.Origin.Layer) })
	kind := a.kind()
	p := *l.ground(kind)
	p.ID, p.Kind = a.id, kind
	shared := true
	for _, patch := range a.patches {
		if patch.Origin.Layer == User && patch.ID != p.ID && !p.Role() {
			p.userIDs = append(p.userIDs, patch.ID)
		}
		p.apply(patch)
		if !patch.teaches() {
			continue
		}
		if shared {
			p.Shortcuts, p.Commands = maps.Clone(p.Shortcuts), maps.Clone(p.Commands)
			p.Says, p.Own = maps.Clone(p.Says), maps.Clone(p.Own)
			shared = false
		}
		p.teach(patch)
	}
	if p.Name == "" {
		p.Name = p.ID
	}
	if p.Entry != nil {
		if argv, err := p.Entry.Argv(); err == nil {
			p.program = argv[0]
		}
	}
	if !shared {
		p.resolve()
	}
	return &p
}

// kind is that of the highest patch that says one. A role's is in its id.
func (a *app) kind() Kind {
	if k, ok := kindOf(a.id); ok {
		return k
	}
	kind := Other
	for _, p := range a.patches {
		if p.Kind != nil {
			kind = *p.Kind
		}
	}
	return kind
}

func (p *Profile) apply(patch Patch) {
	p.Layer, p.Origin = patch.Origin.Layer, patch.Origin
	p.curated = p.curated || p.Layer == Curated
	over(&p.Name, patch.Name, &p.nameLayer, p.Layer)
	over(&p.Aliases, patch.Aliases, &p.aliasLayer, p.Layer)
	over(&p.Launch, patch.Launch, &p.launchLayer, p.Layer)
	over(&p.MimeTypes, patch.MimeTypes, &p.mimeLayer, p.Layer)
	var anyLayer Layer // nobody asks whose the others are
	over(&p.NewWindow, patch.NewWindow, &anyLayer, p.Layer)
	over(&p.SearchURL, patch.SearchURL, &anyLayer, p.Layer)
	over(&p.Terminal, patch.Terminal, &anyLayer, p.Layer)
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
}

// over lays a value that a patch of layer says, if it does, over another, and
// notes whose it is.
func over[T any](value, said *T, whose *Layer, layer Layer) {
	if said != nil {
		*value, *whose = *said, layer
	}
}

// applyAppIDs lays a list over what the desktop file guesses, which stays behind
// it: windows may still come under those ids.
func (p *Profile) applyAppIDs(patch Patch) {
	if len(*patch.AppIDs) == 0 {
		p.AppIDs, p.stated = nil, [User + 1][]string{}
		return
	}
	if layer := patch.Origin.Layer; layer > Catalogue {
		p.stated[layer] = append(p.stated[layer][:len(p.stated[layer]):len(p.stated[layer])], *patch.AppIDs...)
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
