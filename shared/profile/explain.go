package profile

import (
	"cmp"
	"strings"

	"utter/shared/utterance"
)

// A Source says where a value comes from.
type Source int

// The sources.
const (
	Nowhere         Source = iota
	Yours                  // the user's own file about the application
	BuiltIn                // the curated profile
	KindDefaults           // the built-in defaults of the kind
	YoursForKind           // the user's own file about the kind
	YoursEverywhere        // the user's own file about every application
	Found                  // the desktop file
)

func (s Source) String() string {
	return [...]string{
		"nowhere", "yours", "built-in", "kind defaults", "yours for the kind", "yours everywhere", "found on this machine",
	}[s]
}

// An Account says of one application where each value comes from, and what it
// would be without the user's own files about it.
type Account struct {
	Profile *Profile // active; nil if nothing is known of the id
	BuiltIn *Profile // without the user's own files about it; nil where there is none
	Files   []Patch  // the user's own about it, the one that wins last
	// From tells the source of "name", "aliases", "launch", "terminal",
	// "new_window", "search_url", "app_ids", "mime_types", "kind", "enabled",
	// "shortcuts.<name>" and "commands.<phrase>". An action or phrase that
	// Profile lacks was taken away there. What it does not have is Nowhere.
	From map[string]Source
}

// Explain gives the account of an application. id may be Everywhere or that of a
// kind, which have one always.
func Explain(patches []Patch, defaults Defaults, id string) Account {
	l := layOut(patches, defaults)
	if isEverywhere(id) {
		return l.explainEverywhere()
	}
	a := l.byID[strings.ToLower(id)]
	kind, isKind := kindOf(id)
	if a == nil && isKind {
		a = &app{id: KindID(kind)}
	}
	if a == nil {
		return Account{From: map[string]Source{}}
	}
	account := Account{Profile: l.merge(a)} // which sorts a's patches
	rest := &app{id: a.id}
	for _, p := range a.patches {
		if p.Origin.Layer == User {
			account.Files = append(account.Files, p)
		} else {
			rest.patches = append(rest.patches, p)
		}
	}
	account.From = l.sources(a, account.Profile)
	if isKind {
		delete(l.kinds, kind)
		delete(l.grounds, kind)
	}
	if isKind || len(rest.patches) > 0 {
		account.BuiltIn = l.merge(rest)
	}
	return account
}

func (l *layout) explainEverywhere() Account {
	a := Account{Profile: l.mergeEverywhere(), Files: l.everywhere, From: map[string]Source{}}
	for _, p := range l.everywhere {
		note(a.From, p, Yours)
	}
	return a
}

// sources tells where the values of p, which is a's, come from.
func (l *layout) sources(a *app, p *Profile) map[string]Source {
	from := map[string]Source{}
	under := func(source Source, patches ...Patch) {
		for _, patch := range patches {
			noteTaught(from, patch, source)
			if patch.SearchURL != nil && source != YoursEverywhere {
				from["search_url"] = source
			}
		}
	}
	under(YoursEverywhere, l.everywhere...)
	under(KindDefaults, l.defaults[p.Kind])
	under(YoursForKind, l.kinds[p.Kind]...)
	if _, isKind := kindOf(a.id); isKind {
		from["kind"] = BuiltIn
	}
	for _, patch := range a.patches {
		note(from, patch, map[Layer]Source{User: Yours, Curated: BuiltIn, Catalogue: Found}[patch.Origin.Layer])
	}
	if p.Entry != nil {
		from["launch"] = cmp.Or(from["launch"], Found)
	}
	return from
}

// note writes down that what a patch says comes from source.
func note(from map[string]Source, p Patch, source Source) {
	for _, field := range Fields {
		if p.Value(field) != nil {
			from[field] = source
		}
	}
	noteTaught(from, p, source)
}

// noteTaught is note of actions and phrases. Of a phrase that is written in two
// ways the upper one counts.
func noteTaught(from map[string]Source, p Patch, source Source) {
	for name := range p.Shortcuts {
		from["shortcuts."+name] = source
	}
	said := phrases(p)
	for key := range from {
		if phrase, ok := strings.CutPrefix(key, "commands."); ok && said[utterance.Key(phrase)] {
			delete(from, key)
		}
	}
	for phrase := range p.Commands {
		from["commands."+phrase] = source
	}
	for phrase := range p.Says {
		from["commands."+phrase] = source
	}
}
