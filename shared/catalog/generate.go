package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"utter/shared/atomicfile"
	"utter/shared/desktopentry"
	"utter/shared/filestamp"
	"utter/shared/xdg"
)

// An App is one application in apps.json: its desktop file, read.
type App struct {
	ID           string   `json:"id"`
	Path         string   `json:"path"`
	Name         string   `json:"name"`
	LocalName    string   `json:"local_name,omitempty"`
	GenericName  string   `json:"generic_name,omitempty"`
	Keywords     []string `json:"keywords,omitempty"`
	Categories   []string `json:"categories,omitempty"`
	Exec         string   `json:"exec,omitempty"`
	Argv         []string `json:"argv,omitempty"`
	Terminal     bool     `json:"terminal,omitempty"`
	AcceptsURLs  bool     `json:"accepts_urls,omitempty"`
	AcceptsFiles bool     `json:"accepts_files,omitempty"`
	MimeTypes    []string `json:"mime_types,omitempty"`
	Kind         string   `json:"kind"`
	AppIDs       []string `json:"app_ids"`
	Aliases      []string `json:"aliases,omitempty"`
	// Helper says that people do not start it by name.
	Helper bool `json:"helper,omitempty"`
}

// A Summary says what Generate found and did.
type Summary struct {
	Apps     int      `json:"apps"`
	Helpers  int      `json:"helpers"`
	Problems []string `json:"problems"`
	// Changed says that the files were written, or would be.
	Changed bool     `json:"changed"`
	Files   []string `json:"files"`
}

// Generated are the paths of the two files of a user.
func Generated(d xdg.Dirs) (apps, profiles string) {
	return filepath.Join(d.Data, "utter", "apps.json"), filepath.Join(d.Data, "utter", "generated.yaml")
}

// Generate writes apps.json and generated.yaml from the .desktop files in extra
// and in s's folders, both whole or not at all. Where no desktop file has changed
// since they were written it reads none. With dryRun it writes nothing.
func Generate(s Source, extra []string, dryRun bool) (Summary, error) {
	appsFile, profilesFile := Generated(s.Dirs)
	sum := Summary{Files: []string{appsFile, profilesFile}, Problems: []string{}}
	dirs := slices.Concat(extra, s.Dirs.Applications())
	stamp := stampOf(dirs, fmt.Sprint(s.Locale))
	if old, ok := readHead(appsFile); ok && old.Stamp == stamp && exists(profilesFile) {
		sum.Apps, sum.Helpers = old.Apps, old.Helpers
		return sum, nil
	}
	entries, broken := desktopentry.Scan(dirs, s.Locale)
	for _, err := range broken {
		sum.Problems = append(sum.Problems, err.Error())
	}
	entries = slices.DeleteFunc(entries, func(e desktopentry.Entry) bool { return e.NoDisplay })
	slices.SortFunc(entries, func(a, b desktopentry.Entry) int { return strings.Compare(a.ID, b.ID) })
	apps := describe(entries, s.Taken)
	for _, a := range apps {
		if a.Helper {
			sum.Helpers++
		}
	}
	sum.Apps, sum.Changed = len(apps), true
	if dryRun {
		return sum, nil
	}
	return sum, write(appsFile, profilesFile, head{Stamp: stamp, Apps: sum.Apps, Helpers: sum.Helpers}, apps)
}

// describe makes the apps of entries.
func describe(entries []desktopentry.Entry, taken func(string) bool) []App {
	patches := Patches(entries, taken)
	apps := make([]App, len(entries))
	for i, e := range entries {
		argv, err := e.Argv()
		if err != nil {
			argv = nil // started by D-Bus alone
		}
		apps[i] = App{
			ID: e.ID, Path: e.Path, Name: e.Name, GenericName: e.GenericName, Keywords: e.Keywords, Categories: e.Categories,
			Exec: e.Exec, Argv: argv, Terminal: e.Terminal, MimeTypes: e.MimeTypes,
			AcceptsURLs: e.TakesURLs(), AcceptsFiles: strings.Contains(e.Exec, "%f") || strings.Contains(e.Exec, "%F"),
			Kind: string(*patches[i].Kind), AppIDs: *patches[i].AppIDs, Aliases: *patches[i].Aliases, Helper: isHelper(e.ID),
		}
		if e.LocalName != e.Name {
			apps[i].LocalName = e.LocalName
		}
	}
	return apps
}

// helpers are applications that only other programs start, by id or a part of
// it.
var helpers = struct{ ids, parts, prefixes []string }{
	[]string{"avahi-discover", "bssh", "bvnc", "cmake-gui", "gcr-prompter", "gcr-viewer"},
	[]string{"-url-handler", "-uri-handler", "-geo-handler", "-plugin-"},
	[]string{"wine-extension-"},
}

func isHelper(id string) bool {
	has := func(test func(string, string) bool) func(string) bool {
		return func(s string) bool { return test(id, s) }
	}
	return slices.Contains(helpers.ids, id) || slices.ContainsFunc(helpers.parts, has(strings.Contains)) ||
		slices.ContainsFunc(helpers.prefixes, has(strings.HasPrefix))
}

// A head is at the front of apps.json.
type head struct {
	Format  string `json:"format"`
	Stamp   string `json:"stamp"` // of the desktop files that it was made from
	Apps    int    `json:"count"`
	Helpers int    `json:"helpers"`
}

const appsFormat = "utter-apps/1"

// readHead reads the head of an apps.json without the rest.
func readHead(path string) (head, bool) {
	f, err := os.Open(path)
	if err != nil {
		return head{}, false
	}
	defer f.Close()
	b := make([]byte, 512)
	n, err := f.Read(b)
	if err != nil {
		return head{}, false
	}
	text, _, ok := strings.Cut(string(b[:n]), ",\n  \"apps\":")
	var h head
	if !ok || json.Unmarshal([]byte(text+"}"), &h) != nil || h.Format != appsFormat {
		return head{}, false
	}
	return h, true
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// stampOf sums up the names and stamps of all desktop files.
func stampOf(dirs []string, locale string) string {
	h := fnv.New128a()
	fmt.Fprintln(h, locale)
	for _, dir := range dirs {
		fmt.Fprintln(h, dir)
		desktopentry.Walk(dir, func(_, path string) {
			if info, err := os.Stat(path); err == nil { // else it is a link that leads nowhere
				fmt.Fprintln(h, path, filestamp.Of(info))
			}
		})
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func write(appsFile, profilesFile string, h head, apps []App) error {
	h.Format = appsFormat
	list, err := json.MarshalIndent(apps, "  ", "  ")
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	top, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	top = bytes.TrimSuffix(top, []byte("\n}"))
	profiles, err := profilesYAML(apps)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := atomicfile.Write(profilesFile, profiles, 0o644); err != nil {
		return err
	}
	// Last, for it says that both are whole.
	return atomicfile.Write(appsFile, fmt.Appendf(top, ",\n  \"apps\": %s\n}\n", list), 0o644)
}

// profilesYAML writes the minimal profiles, keyed by id.
func profilesYAML(apps []App) ([]byte, error) {
	type entry struct {
		Name      string   `yaml:"name"`
		Aliases   []string `yaml:"aliases,flow,omitempty"`
		Launch    []string `yaml:"launch,flow,omitempty"`
		Terminal  bool     `yaml:"terminal,omitempty"`
		AppIDs    []string `yaml:"app_ids,flow,omitempty"`
		MimeTypes []string `yaml:"mime_types,flow,omitempty"`
		Kind      string   `yaml:"kind"`
	}
	all := map[string]entry{}
	for _, a := range apps {
		name := a.Name
		if a.LocalName != "" {
			name = a.LocalName
		}
		all[a.ID] = entry{name, a.Aliases, a.Argv, a.Terminal, a.AppIDs, a.MimeTypes, a.Kind}
	}
	text, err := yaml.Marshal(map[string]any{"profiles": all})
	return append([]byte("# Made by \"utter catalog\" from the .desktop files; edits are lost.\n"), text...), err
}
