package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"utter/profiles"
	"utter/shared/desktopentry"
	"utter/shared/filestamp"
	"utter/shared/profile"
	"utter/shared/watch"
)

// A Keeper loads again and again and reads only what has changed. It must not be
// used by two goroutines at a time.
type Keeper struct {
	source   Source
	entries  desktopentry.Cache
	user     profile.Cache
	defaults profile.Defaults
	curated  []profile.Patch

	generated      []profile.Patch // of the file of that name
	generatedStamp string
	generatedFault []profile.Problem

	library *Library // the last one
	lists   string   // what its lists of preferences were like
}

// NewKeeper returns a Keeper that has read nothing yet.
func NewKeeper(s Source) *Keeper { return &Keeper{source: s} }

// Unsettled reports whether a file seems to be written just now: Load should be
// called again soon.
func (k *Keeper) Unsettled() bool { return k.user.Unsettled }

// Seen reports whether the last Load saw these files as they are now: then there
// is nothing to load. It knows that of the user's profiles only, by their paths.
func (k *Keeper) Seen(paths []string) bool {
	other := func(path string) bool { return !k.user.Seen(path) }
	return k.library != nil && len(paths) > 0 && !slices.ContainsFunc(paths, other)
}

// Watched is what Load reads.
func (k *Keeper) Watched() watch.Set {
	_, generated := Generated(k.source.Dirs)
	files := []string{generated}
	for _, dir := range append([]string{k.source.Dirs.Config}, k.source.Dirs.ConfigDirs...) {
		for _, name := range PreferenceFiles(k.source.Desktop) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return watch.Set{
		Folders: append([]string{k.source.Dirs.Profiles()}, k.source.Dirs.Applications()...), Depth: 2,
		Files: files, Ends: []string{".yaml", ".desktop", ".list"},
	}
}

// Load reads what has changed and returns all that is known now; where nothing
// has changed that is the Library of the last call.
func (k *Keeper) Load() (*Library, error) {
	if err := k.builtIn(); err != nil {
		return nil, err
	}
	s := k.source
	entries, broken := k.entries.Scan(s.Dirs.Applications(), s.Locale)
	for i, e := range entries {
		entries[i].NoDisplay = !e.ListedIn(s.Desktop)
	}
	user, problems := k.user.LoadDir(s.Dirs.Profiles(), profile.User)
	for _, err := range broken {
		problems = append(problems, profile.Problem{
			Origin: profile.Origin{Layer: profile.Catalogue, File: fileOf(err)}, Severity: profile.Warning,
			Message: err.Error(), Code: profile.CodeDesktopFile, Args: []string{err.Error()},
		})
	}
	generated, fresh := k.readGenerated(entries)
	problems = append(problems, fresh...)
	lists := k.stampLists()
	if k.library != nil && !k.entries.Changed() && !k.user.Changed() && lists == k.lists {
		return k.library, nil
	}
	patches := slices.Concat(generated, Patches(entries, s.Taken), k.curated, user)
	l := New(profile.Merge(patches, k.defaults), s.Found, func(p *profile.Profile) bool { return p.Startable(s.Found) })
	l.patches, l.defaults, l.lastGood = patches, k.defaults, k.user.LastGood()
	l.Problems = append(problems, profile.LintCommands(l.Index, user)...)
	l.mime = desktopentry.LoadDefaults(mimeDirs(s.Dirs), s.Desktop)
	l.preferred = preferred(l.mime, s)
	k.library, k.lists = l, lists
	return l, nil
}

// readGenerated reads the catalogue that "utter catalog" wrote. It counts only
// for desktop files that are still there, and below them.
func (k *Keeper) readGenerated(entries []desktopentry.Entry) ([]profile.Patch, []profile.Problem) {
	_, path := Generated(k.source.Dirs)
	info, err := os.Stat(path)
	if err != nil {
		if k.generatedStamp != "" {
			k.generated, k.generatedFault, k.generatedStamp, k.library = nil, nil, "", nil // it was there before
		}
		return nil, nil
	}
	if stamp := fmt.Sprint(filestamp.Of(info)); stamp != k.generatedStamp {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, []profile.Problem{{
				Origin: profile.Origin{File: path}, Severity: profile.Warning,
				Message: err.Error(), Code: profile.CodeUnreadable, Args: []string{err.Error()},
			}}
		}
		patches, problems := profile.DecodeGenerated(path, data)
		for i := range patches {
			patches[i].AppIDs = nil // the desktop file itself says which are known and which are guesses
		}
		k.generated, k.generatedStamp, k.library = patches, stamp, nil
		k.generatedFault = problems[:min(1, len(problems))]
	}
	installed := map[string]bool{}
	for _, e := range entries {
		installed[e.ID] = true
	}
	gone := func(p profile.Patch) bool { return !installed[p.ID] }
	return slices.DeleteFunc(slices.Clone(k.generated), gone), k.generatedFault
}

// builtIn reads the files that are built in, once.
func (k *Keeper) builtIn() error {
	if k.defaults != nil {
		return nil
	}
	defaults, err := profile.LoadDefaults(profiles.FS)
	if err != nil {
		return err
	}
	curated, bad := profile.LoadFS(profiles.FS, "built-in", profile.Curated)
	if len(bad) > 0 {
		return fmt.Errorf("built-in profiles: %w", bad[0])
	}
	k.defaults, k.curated = defaults, curated
	return nil
}

func fileOf(err error) string {
	if e, ok := err.(*desktopentry.SyntaxError); ok {
		return e.Path
	}
	return "applications"
}
