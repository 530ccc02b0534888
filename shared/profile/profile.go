// Package profile knows what Utter has been taught about applications: it reads
// profile files, merges the layers and finds the application that a name means. It starts nothing and does not know which windows are open.
package profile

import (
	"fmt"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/desktopentry"
)

// A Layer is where knowledge of an application comes from. Higher layers win.
type Layer int

// The layers, lowest first.
const (
	Catalogue Layer = iota // the .desktop files of this machine
	Curated                // the profiles that Utter ships
	User                   // the user's own files
)

func (l Layer) String() string { return [...]string{"catalogue", "curated", "user"}[l] }

// A Kind selects the defaults that an application inherits.
type Kind string

// The kinds.
const (
	Browser     Kind = "browser"
	Terminal    Kind = "terminal"
	FileManager Kind = "filemanager"
	Editor      Kind = "editor"
	MediaPlayer Kind = "media"
	Game        Kind = "game"
	Office      Kind = "office"
	Utility     Kind = "utility"
	Other       Kind = "other"
)

// Kinds are all kinds.
var Kinds = []Kind{Browser, Terminal, FileManager, Editor, MediaPlayer, Game, Office, Utility, Other}

// An Origin says where something was read.
type Origin struct {
	Layer  Layer
	File   string // a path, or the name of a built-in file
	Line   int    // from 1; 0 where it does not apply
	Column int
}

func (o Origin) String() string {
	if o.Line == 0 {
		return fmt.Sprintf("%s (%s)", o.File, o.Layer)
	}
	return fmt.Sprintf("%s:%d (%s)", o.File, o.Line, o.Layer)
}

// A Patch is what one file says about one application. A nil field says
// nothing; an empty one takes away what lower layers say.
type Patch struct {
	ID        string
	Origin    Origin
	Name      *string
	Aliases   *[]string
	Launch    *[]string
	Terminal  *bool
	NewWindow *[]string
	SearchURL *string
	AppIDs    *[]string
	MimeTypes *[]string
	Kind      *Kind
	Enabled   *bool
	// An empty sequence removes an inherited action or phrase.
	Shortcuts map[string]chord.Sequence
	Commands  map[string]chord.Sequence
	// Says holds the phrases that stand for an action, with its name; an empty
	// name removes an inherited phrase.
	Says map[string]string
	// Entry is the desktop file, in the catalogue's patches.
	Entry *desktopentry.Entry

	saysAt map[string]Origin // where each of Says is written
}

// sayAt returns where a phrase of p is written.
func (p Patch) sayAt(phrase string) Origin {
	if o, ok := p.saysAt[phrase]; ok {
		return o
	}
	return p.Origin
}

// A Profile is all that is known about one application. Profiles are shared and
// never change; a reload makes new ones.
type Profile struct {
	ID        string
	Name      string
	Aliases   []string
	Launch    []string // argv; empty: as Entry says
	Terminal  bool
	NewWindow []string
	SearchURL string // has {q} in it, or is ""
	AppIDs    []string
	MimeTypes []string
	Kind      Kind
	Disabled  bool // by the user: not to be found by name
	Shortcuts map[string]chord.Sequence
	// Commands are the phrases that press keys, those of an action as well.
	Commands map[string]chord.Sequence
	// Says holds the phrases that stand for an action, with its name. Where the
	// application has no such action, Commands lacks the phrase.
	Says map[string]string
	// Entry is the application's desktop file; nil where none is installed.
	Entry *desktopentry.Entry

	Layer  Layer // of the highest file that says something
	Origin Origin
	// Own holds the names of the actions that the user added or changed, here,
	// for the kind or everywhere.
	Own map[string]bool
	// nameLayer, aliasLayer and launchLayer tell whose these values are.
	nameLayer, aliasLayer, launchLayer, mimeLayer Layer

	curated    bool
	desktopIDs []string
	userIDs    []string           // of the user's files that joined it under another id
	stated     [User + 1][]string // the app ids that a person wrote, by layer
	program    string             // that Entry starts
	scope      bool               // of every application; not one itself
	taught     map[string]Saying
}

// Curated reports whether Utter ships a profile of p.
func (p *Profile) Curated() bool { return p.curated }

// Role reports whether p stands for whatever application of its kind is there.
func (p *Profile) Role() bool { return hasRolePrefix(p.ID) }

const rolePrefix = "generic-"

func hasRolePrefix(id string) bool { return strings.HasPrefix(id, rolePrefix) && id != rolePrefix }

// Claims reports whether the user's own file says that p opens this type.
func (p *Profile) Claims(mime string) bool {
	return p.mimeLayer == User && slices.Contains(p.MimeTypes, mime)
}

// Unlisted reports whether p answers to its exact names only.
func (p *Profile) Unlisted() bool { return p.Layer == Catalogue && p.Entry != nil && p.Entry.NoDisplay }

// Command returns the argument list that starts p: the user's own, else a
// curated one whose program is here, else the desktop file's for targets. found
// says whether a program can be run. It is empty where nothing starts p.
func (p *Profile) Command(found func(program string) bool, targets ...string) []string {
	if len(p.Launch) > 0 && (p.launchLayer == User || found(p.Launch[0])) {
		return append(p.Launch[:len(p.Launch):len(p.Launch)], targets...)
	}
	if p.Entry == nil || p.Entry.TryExec != "" && !found(p.Entry.TryExec) {
		return nil
	}
	argv, err := p.Entry.Argv(targets...)
	if err != nil || !found(argv[0]) {
		return nil
	}
	return argv
}

// WhyNot says why p cannot be started where nothing here starts it.
func (p *Profile) WhyNot() string {
	if p.Entry != nil && p.Entry.Exec != "" && len(p.Launch) == 0 {
		if _, err := p.Entry.Argv(); err != nil {
			return p.Name + " cannot be started: Exec in " + p.Entry.Path + " " + err.Error()
		}
	}
	return p.Name + " is not installed"
}

// Startable reports whether something here starts p.
func (p *Profile) Startable(found func(program string) bool) bool {
	switch {
	case len(p.Launch) > 0 && found(p.Launch[0]):
		return true
	case len(p.Launch) > 0 && p.launchLayer == User, p.Entry == nil:
		return false
	case p.Entry.Exec == "":
		return p.Entry.BusName() != ""
	}
	return p.program != "" && found(p.program) && (p.Entry.TryExec == "" || found(p.Entry.TryExec))
}
