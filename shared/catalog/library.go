package catalog

import (
	"bufio"
	"fmt"
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
	found    func(string) bool
	// startable says whether a profile can be started here.
	startable func(*profile.Profile) bool
	// preferred are the ids of the user's default applications by kind.
	preferred map[profile.Kind][]string
	mime      desktopentry.Defaults
}

// Load reads everything. Only a fault of the built-in files is an error; what is
// wrong with the user's or the system's files is among the Problems.
func Load(s Source) (*Library, error) {
	defaults, err := profile.LoadDefaults(profiles.FS)
	if err != nil {
		return nil, err
	}
	entries, broken := desktopentry.Scan(s.Dirs.Applications(), s.Locale)
	for i, e := range entries {
		entries[i].NoDisplay = !e.ListedIn(s.Desktop)
	}
	curated, bad := profile.LoadFS(profiles.FS, "built-in", profile.Curated)
	if len(bad) > 0 {
		return nil, fmt.Errorf("built-in profiles: %w", bad[0])
	}
	user, problems := profile.LoadDir(s.Dirs.Profiles(), profile.User)
	for _, err := range broken {
		problems = append(problems, profile.Problem{
			Origin: profile.Origin{Layer: profile.Catalogue, File: fileOf(err)}, Severity: profile.Warning, Message: err.Error()})
	}
	merged := profile.Merge(slices.Concat(Patches(entries, s.Taken), curated, user), defaults)
	l := New(merged, s.Found, func(p *profile.Profile) bool { return p.Startable(s.Found) })
	l.Problems = problems
	l.mime = desktopentry.LoadDefaults(mimeDirs(s.Dirs), s.Desktop)
	l.preferred = preferred(l.mime, s)
	return l, nil
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

// Opener returns the application that the user prefers for an address, or nil.
func (l *Library) Opener(mime string) *profile.Profile {
	for _, id := range l.mime.For(mime) {
		if p := l.ByDesktopID(id); p != nil && l.Startable(p) {
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
	if k, ok := f.known[program]; ok && now.Sub(k.at) < fresh {
		return k.there
	}
	if len(f.known) >= most {
		clear(f.known)
	}
	_, err := exec.LookPath(program)
	f.known[program] = finding{err == nil, now}
	return err == nil
}
