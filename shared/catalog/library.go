package catalog

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"utter/profiles"
	"utter/shared/desktopentry"
	"utter/shared/profile"
	"utter/shared/watch"
	"utter/shared/xdg"
)

// A Source says where a Library reads from.
type Source struct {
	Dirs    xdg.Dirs
	Locale  desktopentry.Locale
	Desktop []string // XDG_CURRENT_DESKTOP, split at colons
	// Taken holds words that are no aliases, such as the names of CLI agents.
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
	for _, name := range PreferenceFiles(k.source.Desktop) {
		files = append(files, filepath.Join(k.source.Dirs.Config, name))
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
	if stamp := fmt.Sprint(info.Size(), info.ModTime().UnixNano()); stamp != k.generatedStamp {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, []profile.Problem{{
				Origin: profile.Origin{File: path}, Severity: profile.Warning,
				Message: err.Error(), Code: profile.CodeUnreadable, Args: []string{err.Error()},
			}}
		}
		patches, problems := profile.DecodeGenerated(path, data)
		k.generated, k.generatedStamp, k.library = patches, stamp, nil
		k.generatedFault = problems[:min(1, len(problems))]
	}
	installed := map[string]bool{}
	for _, e := range entries {
		installed[e.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(k.generated), func(p profile.Patch) bool { return !installed[p.ID] }), k.generatedFault
}

// stampLists tells by size and time whether a list of preferences has changed.
func (k *Keeper) stampLists() string {
	var b strings.Builder
	for _, dir := range mimeDirs(k.source.Dirs) {
		for _, name := range PreferenceFiles(k.source.Desktop) {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
				fmt.Fprintf(&b, "%s/%s %d %d\n", dir, name, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

// PreferenceFiles are the names of the lists that say what the user prefers.
func PreferenceFiles(desktops []string) []string {
	names := []string{"mimeapps.list", "xdg-terminals.list"}
	for _, d := range desktops {
		d = strings.ToLower(d)
		names = append(names, d+"-mimeapps.list", d+"-xdg-terminals.list")
	}
	return names
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

// New returns a Library of these profiles, which must be in Merge's order. found
// says whether a program can be run, startable whether a profile can.
func New(merged []*profile.Profile, found func(string) bool, startable func(*profile.Profile) bool) *Library {
	return &Library{Index: profile.NewIndex(merged), found: found, startable: startable, preferred: map[profile.Kind][]string{}}
}

func fileOf(err error) string {
	if e, ok := err.(*desktopentry.SyntaxError); ok {
		return e.Path
	}
	return "applications"
}

func mimeDirs(d xdg.Dirs) []string {
	dirs := []string{d.Config, filepath.Join(d.Data, "applications")}
	for _, data := range d.DataDirs {
		dirs = append(dirs, filepath.Join(data, "applications"))
	}
	return dirs
}

// preferred finds the user's default applications.
func preferred(mime desktopentry.Defaults, s Source) map[profile.Kind][]string {
	return map[profile.Kind][]string{
		profile.Browser:     slices.Concat(mime.For("x-scheme-handler/https"), mime.For("x-scheme-handler/http"), mime.For("text/html")),
		profile.FileManager: mime.For("inode/directory"),
		profile.Editor:      mime.For("text/plain"),
		profile.Terminal:    terminals(s),
	}
}

// terminals reads the preference of xdg-terminal-exec.
func terminals(s Source) []string {
	var names []string
	for _, d := range s.Desktop {
		names = append(names, strings.ToLower(d)+"-xdg-terminals.list")
	}
	names = append(names, "xdg-terminals.list")
	var ids []string
	for _, name := range names {
		f, err := os.Open(filepath.Join(s.Dirs.Config, name))
		if err != nil {
			continue // no preference
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			id, _, _ := strings.Cut(strings.TrimSpace(lines.Text()), ":")
			if id != "" && id[0] != '#' && id[0] != '/' && id[0] != '-' {
				ids = append(ids, strings.TrimSuffix(strings.TrimPrefix(id, "+"), ".desktop"))
			}
		}
		f.Close()
	}
	return ids
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

// Explain tells where each value of an application comes from. id may be that of
// a kind or profile.Everywhere. It takes as long as a load of what is in memory.
func (l *Library) Explain(id string) profile.Account {
	return profile.Explain(l.patches, l.defaults, id)
}

// LastGood returns the last versions of the user's files that said something and
// had no mistake, by their paths. The caller must not change them.
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

// FoundInPath says whether a program can be run, by the PATH of the process. It
// looks again after two seconds: programs come and go.
func FoundInPath(program string) bool { return inPath.found(program, time.Now()) }

// A finder remembers for a while which programs can be run. Its size is bounded
// by forgetting everything.
type finder struct {
	mu    sync.Mutex
	known map[string]finding
}

type finding struct {
	there bool
	at    time.Time
}

var inPath = &finder{known: map[string]finding{}}

func (f *finder) found(program string, now time.Time) bool {
	const fresh, most = 2 * time.Second, 1000
	f.mu.Lock()
	defer f.mu.Unlock()
	if k, ok := f.known[program]; ok && now.Sub(k.at) < fresh && !now.Before(k.at) {
		return k.there
	}
	if len(f.known) >= most {
		clear(f.known)
	}
	_, err := exec.LookPath(xdg.ExpandHome(program, os.Getenv("HOME")))
	f.known[program] = finding{err == nil, now}
	return err == nil
}
