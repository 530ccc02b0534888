package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"utter/shared/desktopentry"
	"utter/shared/profile"
	"utter/shared/xdg"
)

// A machine is a home and a system folder with nothing in them yet. The
// machine that runs the tests has applications too, which go before those of the
// system folder; only programs that begin with "t-" are found here.
type machine struct {
	t       testing.TB
	dirs    xdg.Dirs
	env     map[string]string
	desktop []string
	gone    map[string]bool // programs that are not there any more
}

func newMachine(t testing.TB) *machine {
	root := t.TempDir()
	return &machine{t: t, env: map[string]string{}, gone: map[string]bool{}, dirs: xdg.New(func(name string) string {
		return map[string]string{"HOME": filepath.Join(root, "home"), "XDG_DATA_DIRS": filepath.Join(root, "system")}[name]
	}, 1000)}
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// app installs a desktop file for everyone, mine one for the user alone.
func (m *machine) app(id, lines string) { m.entry(m.dirs.DataDirs[0], id, lines) }

func (m *machine) mine(id, lines string) { m.entry(m.dirs.Data, id, lines) }

func (m *machine) entry(data, id, lines string) {
	m.write(filepath.Join(data, "applications", id+".desktop"), "[Desktop Entry]\nType=Application\n"+lines)
}

func (m *machine) profile(name, text string) { m.write(filepath.Join(m.dirs.Profiles(), name), text) }

func (m *machine) config(name, text string) { m.write(filepath.Join(m.dirs.Config, name), text) }

func (m *machine) found(program string) bool {
	program = filepath.Base(program)
	return strings.HasPrefix(program, "t-") && !m.gone[program]
}

func (m *machine) load() *Library {
	m.t.Helper()
	l, err := Load(Source{
		Dirs: m.dirs, Locale: desktopentry.NewLocale(func(name string) string { return m.env[name] }),
		Desktop: m.desktop, Taken: none, Found: m.found,
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return l
}

// ids resolves a name among what can be started.
func ids(l *Library, name string) string {
	var all []string
	for _, p := range l.Index.Resolve(name, l.Startable).Profiles {
		if l.Startable(p) {
			all = append(all, p.ID)
		}
	}
	return strings.Join(all, " ")
}

func TestLoadLaysTheLayersOverEachOther(t *testing.T) {
	m := newMachine(t)
	m.app("t-viewer", "Name=Viewer\nExec=t-viewer %U\nCategories=Utility;\n")
	m.mine("firefox-esr", "Name=Firefox ESR\nExec=t-firefox-esr %u\nCategories=WebBrowser;\n")
	m.profile("viewer.yaml", "id: t-viewer\naliases: [peephole]\nshortcuts: {zoom: ctrl+plus}\n")
	m.profile("broken.yaml", "id: [t\n")
	m.app("t-broken", "Exec=t-broken %q\nName=B\n")
	l := m.load()

	viewer := l.Index.ByID("t-viewer")
	if viewer == nil || viewer.Layer != profile.User || viewer.Name != "Viewer" ||
		viewer.Shortcuts["zoom"].String() != "ctrl+plus" || viewer.Entry == nil {
		t.Fatalf("viewer: %+v", viewer)
	}
	if got := l.Command(viewer, "a b", "c"); !slices.Equal(got, []string{"t-viewer", "a b", "c"}) {
		t.Errorf("command %q", got)
	}
	if got := ids(l, "peephole"); got != "t-viewer" {
		t.Errorf("peephole: %q", got)
	}
	// A curated profile and its desktop file of another id are one application.
	if fox := l.ByDesktopID("firefox-esr"); fox == nil || fox.ID != "firefox" ||
		fox.Kind != profile.Browser || !l.Startable(fox) {
		t.Errorf("firefox-esr: %+v", fox)
	}
	if l.Index.ByID("firefox-esr") != nil {
		t.Error("firefox-esr is an application of its own")
	}
	if p := l.Index.ByID("t-broken"); p == nil || l.Startable(p) || !strings.Contains(p.WhyNot(), "unknown field code") {
		t.Errorf("an application with a bad Exec: %+v", p)
	}
	var mine []string
	for _, p := range l.Problems {
		if strings.HasPrefix(p.Origin.File, filepath.Dir(m.dirs.Home)) {
			mine = append(mine, fmt.Sprintf("%s %s %v", filepath.Base(p.Origin.File), p.Severity, p.Origin.Layer))
		}
	}
	if want := []string{"broken.yaml error user", "t-broken.desktop warning catalogue"}; !slices.Equal(mine, want) {
		t.Errorf("problems %q, want %q", mine, want)
	}
}

func TestEntriesJoinByIDClassAndFlatpak(t *testing.T) {
	curated, problems := profile.Decode("chat.yaml", profile.Curated,
		[]byte("id: t-chat\nname: Chat\napp_ids: [org.t.Chat, T-Chat-Classic]\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	entries := []desktopentry.Entry{
		parse(t, "ORG.t.chat", "Name=Chat One\nExec=t-one"), // by its id, in any case
		parse(t, "other", "Name=Chat Two\nExec=t-two\nStartupWMClass=t-chat-classic"),
		parse(t, "third", "Name=Chat Three\nExec=t-three\nX-Flatpak=org.t.chat"),
		parse(t, "fourth", "Name=Fourth\nExec=t-chat\nStartupWMClass=t-fourth-window"), // what it starts joins nothing
	}
	index := profile.NewIndex(profile.Merge(slices.Concat(Patches(entries, none), curated), nil))
	chat, fourth := index.ByID("t-chat"), index.ByID("fourth")
	if len(index.All()) != 2 || chat == nil || fourth == nil {
		t.Fatalf("applications %v", index.All())
	}
	for appID, want := range map[string]*profile.Profile{
		"t-chat": chat, "org.t.Chat": chat, "Org.T.CHAT": chat, "t-chat-classic": chat, "third": chat,
		"T-Fourth-Window": fourth, "t-four": nil,
	} {
		if got := index.ForWindow(appID); got != want {
			t.Errorf("a window %q belongs to %v, not %v", appID, got, want)
		}
	}
}

func TestDefaultsFollowMimeapps(t *testing.T) {
	m := newMachine(t)
	for _, id := range []string{"t-web-a", "t-web-b", "t-web-c"} {
		m.app(id, "Name="+id+"\nExec="+id+" %u\nCategories=WebBrowser;\n")
	}
	m.app("t-edit", "Name=Edit\nExec=t-edit\nCategories=TextEditor;\n")
	m.app("t-files", "Name=Tfiles\nExec=t-files\nCategories=FileManager;\n")
	m.app("t-mail", "Name=Tmail\nExec=t-mail %u\n")
	is := func(l *Library, kind profile.Kind, want string) {
		t.Helper()
		got := ""
		if p := l.Default(kind); p != nil {
			got = p.ID
		}
		if got != want {
			t.Errorf("default %s is %q, want %q", kind, got, want)
		}
	}
	is(m.load(), profile.Browser, "t-web-a") // none is preferred: the first
	is(m.load(), profile.Game, "")

	m.config("mimeapps.list",
		"[Default Applications]\nx-scheme-handler/https=gone.desktop;t-web-b.desktop;\ntext/plain=t-edit.desktop\n"+
			"inode/directory=t-files.desktop\nx-scheme-handler/mailto=t-mail.desktop\n[Added Associations]\n"+
			"x-scheme-handler/https=t-web-c.desktop;\n")
	l := m.load()
	is(l, profile.Browser, "t-web-b")
	is(l, profile.Editor, "t-edit")
	is(l, profile.FileManager, "t-files")
	if p := l.Opener("x-scheme-handler/mailto"); p == nil || p.ID != "t-mail" {
		t.Errorf("mail is opened by %v", p)
	}
	if p := l.Opener("x-scheme-handler/gopher"); p != nil {
		t.Errorf("gopher is opened by %v", p)
	}
	m.gone["t-web-b"] = true // a preference for what is gone does not count
	is(l, profile.Browser, "t-web-a")
	delete(m.gone, "t-web-b")

	// The desktop's own list goes before the plain one, the user's before the system's.
	m.desktop = []string{"Sway", "GNOME"}
	m.config("sway-mimeapps.list", "[Default Applications]\nx-scheme-handler/https=t-web-c.desktop\n")
	is(m.load(), profile.Browser, "t-web-c")
	m.desktop = nil
	is(m.load(), profile.Browser, "t-web-b")
	m.config("mimeapps.list", "nonsense\n")
	m.write(filepath.Join(m.dirs.DataDirs[0], "applications/mimeapps.list"),
		"[Default Applications]\ntext/html=t-web-c.desktop\n")
	is(m.load(), profile.Browser, "t-web-c")
}

func TestTheDefaultTerminalIsThatOfXdgTerminalExec(t *testing.T) {
	m := newMachine(t)
	for _, id := range []string{"t-term-a", "t-term-b", "t-term-c"} {
		m.app(id, "Name="+id+"\nExec="+id+"\nCategories=TerminalEmulator;\n")
	}
	is := func(want string) {
		t.Helper()
		if p := m.load().Default(profile.Terminal); p == nil || p.ID != want {
			t.Errorf("default terminal is %v, want %s", p, want)
		}
	}
	is("t-term-a")
	m.config("xdg-terminals.list",
		"# mine\n\n/execarg_default\n-t-term-a.desktop\ngone.desktop\n t-term-b.desktop:new-window \nt-term-c.desktop\n")
	is("t-term-b")
	m.desktop = []string{"Sway"}
	m.config("sway-xdg-terminals.list", "+t-term-c.desktop\n")
	is("t-term-c")
}

func TestUnlistedAndDisabledAreNoDefaults(t *testing.T) {
	m := newMachine(t)
	m.app("t-a", "Name=Taa\nExec=t-a\nCategories=TerminalEmulator;\nNoDisplay=true\n")
	m.app("t-b", "Name=Tbb\nExec=t-b\nCategories=TerminalEmulator;\nOnlyShowIn=KDE;\n")
	m.app("t-c", "Name=Tcc\nExec=t-c\nCategories=TerminalEmulator;\n")
	m.app("t-d", "Name=Tdd\nExec=t-d\nCategories=TerminalEmulator;\n")
	m.profile("c.yaml", "id: t-c\nenabled: false\n")
	m.desktop = []string{"sway"}
	l := m.load()
	if p := l.Default(profile.Terminal); p == nil || p.ID != "t-d" {
		t.Errorf("default terminal %v, want t-d", p)
	}
	if ids(l, "tcc") != "" || ids(l, "taa") != "t-a" || ids(l, "tbb") != "t-b" {
		t.Errorf("disabled %q, NoDisplay %q, OnlyShowIn %q", ids(l, "tcc"), ids(l, "taa"), ids(l, "tbb"))
	}
}

func TestExplainTellsWhereValuesComeFrom(t *testing.T) {
	m := newMachine(t)
	m.app("t-fox", "Name=T Fox\nExec=t-fox %u\nCategories=WebBrowser;\n")
	m.profile("browser_t-fox.yaml", "id: t-fox\naliases: [vixen]\n")
	m.profile("generic.yaml", "id: generic-browser\nshortcuts: {find: f3}\n")
	l := m.load()
	a := l.Explain("t-fox")
	if a.Profile == nil || a.Profile.Shortcuts["find"].String() != "f3" || a.BuiltIn == nil ||
		slices.Contains(a.BuiltIn.Aliases, "vixen") ||
		len(a.Files) != 1 || filepath.Base(a.Files[0].Origin.File) != "browser_t-fox.yaml" {
		t.Errorf("account %+v", a)
	}
	for field, want := range map[string]profile.Source{
		"aliases": profile.Yours, "name": profile.Found, "launch": profile.Found, "kind": profile.Found,
		"mime_types": profile.Found,
		"search_url": profile.KindDefaults, "shortcuts.find": profile.YoursForKind,
		"shortcuts.new_tab": profile.KindDefaults, "enabled": profile.Nowhere,
	} {
		if got := a.From[field]; got != want {
			t.Errorf("%s comes from %v, want %v", field, got, want)
		}
	}
	if a := l.Explain("generic-browser"); a.Profile == nil || len(a.Files) != 1 ||
		a.From["shortcuts.find"] != profile.Yours {
		t.Errorf("the kind: %+v", a)
	}
}

func TestActionNames(t *testing.T) {
	l := newMachine(t).load()
	browser, all := l.ActionNames(profile.Browser), l.ActionNames("")
	if !slices.Contains(browser, "new_tab") || slices.Contains(browser, "go_to_line") || !slices.IsSorted(browser) {
		t.Errorf("of browsers: %q", browser)
	}
	if !slices.Contains(all, "new_tab") || !slices.Contains(all, "go_to_line") || len(l.ActionNames("fruit")) > 0 {
		t.Errorf("of all kinds: %q", all)
	}
}

func TestACommandForNoActionIsAProblem(t *testing.T) {
	m := newMachine(t)
	m.profile("a.yaml", "id: firefox\ncommands:\n  fresh tab: new_tab\n  old tab: banana\n")
	var found []profile.Problem
	for _, p := range m.load().Problems {
		if p.Code == profile.CodeUnknownAction {
			found = append(found, p)
		}
	}
	if len(found) != 1 || found[0].Origin.Line != 4 || filepath.Base(found[0].Origin.File) != "a.yaml" {
		t.Errorf("problems %v", found)
	}
}
