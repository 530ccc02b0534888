// Package desktopentry reads .desktop files according to the Desktop Entry
// Specification. It starts nothing and runs no shell; it returns argument lists.
package desktopentry

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// An Entry is one application.
type Entry struct {
	ID   string // the desktop file id without ".desktop"
	Path string // the file

	Name           string // not localised
	LocalName      string // Name where there is no better one
	GenericName    string
	LocalGeneric   string
	Keywords       []string // localised and not, without repeats
	Icon           string
	Exec           string // unquoted by Argv
	TryExec        string
	WorkDir        string // the key Path
	Terminal       bool
	Hidden         bool // the entry counts as deleted
	NoDisplay      bool
	OnlyShowIn     []string
	NotShowIn      []string
	Activatable    bool // DBusActivatable
	StartupWMClass string
	MimeTypes      []string
	Categories     []string
	FlatpakID      string
	SnapName       string
	Actions        []Action
	// Warnings are what is wrong with keys that the application can do without. With a
	// bad Exec it has its name, and cannot be started.
	Warnings []error

	start     Start // what Exec starts
	windowIDs []string
}

// An Action is a further way to start an application.
type Action struct {
	ID, Name, Exec string
}

// A SyntaxError says what is wrong with a file and where.
type SyntaxError struct {
	Path   string
	Line   int // from 1; 0 for the file as a whole
	Key    string
	Reason string
}

func (e *SyntaxError) Error() string {
	where := e.Path
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	if e.Key != "" {
		where += ": " + e.Key
	}
	return where + ": " + e.Reason
}

const (
	mainGroup    = "Desktop Entry"
	actionPrefix = "Desktop Action "
	// maxSize bounds a file: the largest known one has 60 kB.
	maxSize = 1 << 20
)

// Parse reads the file at path, whose content is data and whose id is id.
func Parse(id, path string, data []byte, l Locale) (Entry, error) {
	if len(data) > maxSize {
		return Entry{}, &SyntaxError{path, 0, "", "is larger than 1 MiB"}
	}
	groups, err := parseGroups(path, data, l)
	if err != nil {
		return Entry{}, err
	}
	main, ok := groups[mainGroup]
	if !ok {
		return Entry{}, &SyntaxError{path, 0, "", "has no group [Desktop Entry]"}
	}
	e := Entry{ID: id, Path: path}
	if err := e.fill(main); err != nil {
		return Entry{}, err
	}
	for _, name := range main.list("Actions") {
		if g, ok := groups[actionPrefix+name]; ok {
			e.Actions = append(e.Actions, Action{name, g.localised("Name"), g.text("Exec")})
		}
	}
	if argv, err := e.Argv(); err == nil {
		e.start = StartOf(argv)
		e.windowIDs = e.start.windowIDs()
	}
	return e, nil
}

// fill takes the keys of the main group.
func (e *Entry) fill(g group) error {
	if t := g.text("Type"); t != "" && t != "Application" {
		return &SyntaxError{e.Path, g.line("Type"), "Type", fmt.Sprintf("is %q, not Application", t)}
	}
	e.Name, e.LocalName = g.text("Name"), g.localised("Name")
	if e.Name == "" {
		e.Name = e.ID
	}
	if e.LocalName == "" {
		e.LocalName = e.Name
	}
	e.GenericName, e.LocalGeneric = g.text("GenericName"), g.localised("GenericName")
	e.Keywords = union(splitList(g.best("Keywords").value), g.list("Keywords"))
	e.Icon, e.Exec, e.WorkDir = g.localised("Icon"), g.text("Exec"), g.text("Path")
	e.TryExec = unquoteWhole(g.text("TryExec"))
	e.OnlyShowIn, e.NotShowIn = g.list("OnlyShowIn"), g.list("NotShowIn")
	e.MimeTypes, e.Categories = g.list("MimeType"), g.list("Categories")
	e.StartupWMClass, e.FlatpakID, e.SnapName = g.text("StartupWMClass"), g.text("X-Flatpak"), g.text("X-SnapInstanceName")
	for _, b := range []struct {
		key string
		to  *bool
	}{
		{"Terminal", &e.Terminal}, {"Hidden", &e.Hidden},
		{"NoDisplay", &e.NoDisplay}, {"DBusActivatable", &e.Activatable},
	} {
		v, err := g.boolean(b.key)
		if err != nil {
			e.Warnings = append(e.Warnings, &SyntaxError{e.Path, g.line(b.key), b.key, err.Error()})
		}
		*b.to = v
	}
	if e.Hidden {
		return nil // deleted: the rest does not matter
	}
	if e.Exec == "" && !e.Activatable {
		return &SyntaxError{e.Path, 0, "Exec", "is missing"}
	}
	if e.Exec != "" {
		if _, err := e.Argv(); err != nil {
			e.Warnings = append(e.Warnings, &SyntaxError{e.Path, g.line("Exec"), "Exec", err.Error()})
		}
	}
	return nil
}

// ListedIn reports whether menus of the desktop environments named in current
// (XDG_CURRENT_DESKTOP, split at colons) show e.
func (e Entry) ListedIn(current []string) bool {
	if e.NoDisplay || e.Hidden {
		return false
	}
	for _, d := range current {
		if contains(e.OnlyShowIn, d) {
			return true
		}
		if contains(e.NotShowIn, d) {
			return false
		}
	}
	return len(e.OnlyShowIn) == 0
}

// BusName returns the name to activate e by, or "" where e is not activatable
// or its id is not a valid bus name.
func (e Entry) BusName() string {
	if !e.Activatable || len(e.ID) > 255 || !strings.Contains(e.ID, ".") {
		return ""
	}
	for part := range strings.SplitSeq(e.ID, ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' || strings.Trim(part, busNameLetters) != "" {
			return ""
		}
	}
	return e.ID
}

const busNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// A group is the keys of one group. Localised values that do not fit the locale
// are dropped while reading.
type group map[string]entry

type entry struct {
	value string // raw, escapes included
	line  int
	// best is the localised value that fits best, and how well: 0 is best.
	best     string
	bestRank int
}

func (g group) line(key string) int { return g[key].line }

func (g group) text(key string) string { return unescape(g[key].value) }

func (g group) best(key string) entry {
	e := g[key]
	if e.best != "" {
		e.value = e.best
	}
	return e
}

func (g group) localised(key string) string { return unescape(g.best(key).value) }

func (g group) list(key string) []string { return splitList(g[key].value) }

func (g group) boolean(key string) (bool, error) {
	v := g[key].value
	switch strings.ToLower(v) {
	case "true", "1", "yes", "on":
		return true, nil
	case "", "false", "0", "no", "off":
		return false, nil
	default:
		return false, fmt.Errorf("is %q, which counts as false; write true or false", v)
	}
}

// parseGroups reads all groups. The first of equal keys in a group wins.
func parseGroups(path string, data []byte, l Locale) (map[string]group, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	groups := map[string]group{}
	var g group
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			name, after, ok := strings.Cut(line[1:], "]")
			if !ok || after != "" {
				return nil, &SyntaxError{path, n, "", "unterminated group header"}
			}
			if groups[name] == nil {
				groups[name] = group{}
			}
			g = groups[name]
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, &SyntaxError{path, n, "", "is neither a comment, a [group] nor key=value"}
		}
		if g == nil {
			return nil, &SyntaxError{path, n, "", "is before the first group"}
		}
		g.add(strings.TrimSpace(key), strings.TrimSpace(value), n, l)
	}
	return groups, nil
}

// add notes key=value, where key may have a locale in brackets.
func (g group) add(key, value string, line int, l Locale) {
	name, locale, localised := strings.Cut(strings.TrimSuffix(key, "]"), "[")
	e, known := g[name]
	if !localised {
		if known && e.line > 0 {
			return
		}
		e.value, e.line = value, line
		g[name] = e
		return
	}
	rank := l.rank(locale)
	if rank < 0 || e.best != "" && e.bestRank <= rank {
		return
	}
	e.best, e.bestRank = value, rank
	g[name] = e
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

func union(a, b []string) []string {
	var all []string
	for _, list := range [][]string{a, b} {
		for _, s := range list {
			if !contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}
