package catalog

import (
	"maps"
	"slices"

	"utter/shared/desktopentry"
	"utter/shared/profile"
	"utter/shared/terminal"
	"utter/shared/xdg"
)

// A Source says where a Library reads from.
type Source struct {
	Dirs    xdg.Dirs
	Locale  desktopentry.Locale
	Desktop []string // XDG_CURRENT_DESKTOP, split at colons
	// Taken holds words that are not aliases, such as generic words and the names of
	// CLI agents.
	Taken func(alias string) bool
	// Found says whether a program can be run.
	Found func(program string) bool
}

// A Library is all that is known of applications at one moment. It never
// changes and is safe for concurrent use.
type Library struct {
	Index    *profile.Index
	Problems []profile.Problem
	patches  []profile.Patch // what Index was made of
	defaults profile.Defaults
	found    func(string) bool
	// startable says whether a profile can be started here.
	startable func(*profile.Profile) bool
	// preferred are the ids of the user's default applications by kind.
	preferred map[profile.Kind][]string
	mime      desktopentry.Defaults
	lastGood  map[string][]byte
}

// Load reads everything. Only a fault of the built-in files is an error; what is
// wrong with the user's or the system's files is among the Problems.
func Load(s Source) (*Library, error) { return NewKeeper(s).Load() }

// New returns a Library of these profiles, which must be in Merge's order. found
// says whether a program can be run, startable whether a profile can.
func New(merged []*profile.Profile, found func(string) bool, startable func(*profile.Profile) bool) *Library {
	return &Library{
		Index: profile.NewIndex(merged), found: found, startable: startable, preferred: map[profile.Kind][]string{},
	}
}

// Startable reports whether p can be started here.
func (l *Library) Startable(p *profile.Profile) bool { return l.startable(p) }

// Command returns the argument list that starts p for targets, or nil.
func (l *Library) Command(p *profile.Profile, targets ...string) []string {
	return p.Command(l.found, targets...)
}

// Default returns the application that stands for a kind: the user's default,
// else the first that can be started. It is nil where there is none.
func (l *Library) Default(kind profile.Kind) *profile.Profile {
	for _, id := range l.preferred[kind] {
		if p := l.ByDesktopID(id); p != nil && l.Startable(p) {
			return p
		}
	}
	for _, p := range l.Index.All() {
		if p.Kind == kind && !p.Role() && !p.Disabled && !p.Unlisted() && l.Startable(p) {
			return p
		}
	}
	return nil
}

// Opener returns the application that opens a type of content or address: one
// whose profile the user made to claim it, else the user's default, else any that
// claims it. It is nil where there is none.
func (l *Library) Opener(mime string) *profile.Profile {
	claims := func(p *profile.Profile) bool {
		return slices.Contains(p.MimeTypes, mime) && !p.Role() && !p.Disabled && l.Startable(p)
	}
	for _, p := range l.Index.All() {
		if p.Layer == profile.User && p.Claims(mime) && claims(p) {
			return p
		}
	}
	for _, id := range l.mime.For(mime) {
		if p := l.ByDesktopID(id); p != nil && l.Startable(p) {
			return p
		}
	}
	for _, p := range l.Index.All() {
		if claims(p) {
			return p
		}
	}
	return nil
}

// ByDesktopID returns the application of a desktop file, or nil.
func (l *Library) ByDesktopID(id string) *profile.Profile {
	if p := l.Index.ByID(id); p != nil {
		return p
	}
	return l.Index.ForWindow(id)
}

// IsTerminal reports whether windows of this app id are terminals: by the kind of
// their profile, or by the id if the profile has none.
func (l *Library) IsTerminal(appID string) bool {
	if p := l.Index.ForWindow(appID); p != nil && p.Kind != profile.Other {
		return p.Kind == profile.Terminal
	}
	return terminal.Is(appID)
}

// Explain tells where each value of an application comes from. id may be that of
// a kind or profile.Everywhere. It takes as long as a load of what is in memory.
func (l *Library) Explain(id string) profile.Account {
	return profile.Explain(l.patches, l.defaults, id)
}

// LastGood returns the last versions of the user's files that said something and
// had no error, by their paths. The caller must not change them.
func (l *Library) LastGood() map[string][]byte { return l.lastGood }

// ActionNames returns the names of the actions that applications of a kind
// usually have, sorted; those of every kind where kind is empty.
func (l *Library) ActionNames(kind profile.Kind) []string {
	names := map[string]bool{}
	for k, d := range l.defaults {
		for name := range d.Shortcuts {
			if kind == "" || k == kind {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
