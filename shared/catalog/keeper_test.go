package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/shared/desktopentry"
	"utter/shared/profile"
)

// keeper follows m's files.
func (m *machine) keeper() *Keeper {
	return NewKeeper(Source{
		Dirs: m.dirs, Locale: desktopentry.NewLocale(func(name string) string { return m.env[name] }),
		Taken: none, Found: m.found,
	})
}

func keep(t *testing.T, k *Keeper) *Library {
	t.Helper()
	l, err := k.Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// later makes a file look older than it is, so that the next change of it shows
// in its time as well.
func later(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestAKeeperSeesEveryChange, and where there is none gives the same Library.
func TestAKeeperSeesEveryChange(t *testing.T) {
	m := newMachine(t)
	m.app("t-a", "Name=Taa\nExec=t-a\nCategories=WebBrowser;\n")
	m.app("t-b", "Name=Tbb\nExec=t-b\nCategories=WebBrowser;\n")
	k := m.keeper()
	last := keep(t, k)
	if keep(t, k) != last {
		t.Error("another Library without a change")
	}
	a := filepath.Join(m.dirs.DataDirs[0], "applications/t-a.desktop")
	steps := []struct {
		what  string
		do    func()
		shown func(l *Library) bool
	}{
		{"a new application", func() { m.app("t-c", "Name=Tcc\nExec=t-c\n") },
			func(l *Library) bool { return ids(l, "tcc") == "t-c" }},
		{"a new name", func() { m.app("t-a", "Name=Changed\nExec=t-a\nCategories=WebBrowser;\n") },
			func(l *Library) bool { return ids(l, "changed") == "t-a" && ids(l, "taa") == "" }},
		{"a new time only", func() { later(t, a) }, func(l *Library) bool { return ids(l, "changed") == "t-a" }},
		{"an application that is gone", func() { remove(t, filepath.Join(m.dirs.DataDirs[0], "applications/t-c.desktop")) },
			func(l *Library) bool { return ids(l, "tcc") == "" }},
		{"one that the user hides", func() { m.mine("t-b", "Hidden=true\n") },
			func(l *Library) bool { return ids(l, "tbb") == "" }},
		{"and shows again", func() { remove(t, filepath.Join(m.dirs.Data, "applications/t-b.desktop")) },
			func(l *Library) bool { return ids(l, "tbb") == "t-b" }},
		{"a profile", func() { m.profile("b.yaml", "id: t-b\naliases: [bee]\n") },
			func(l *Library) bool { return ids(l, "bee") == "t-b" }},
		{"a profile that breaks keeps its last good version", func() { m.profile("b.yaml", "id: [t-b, and more\n") },
			func(l *Library) bool { return ids(l, "bee") == "t-b" && complains(l, "b.yaml", "last good version") }},
		{"a profile that is mended", func() { m.profile("b.yaml", "id: t-b\naliases: [wasp, hornet]\n") },
			func(l *Library) bool {
				return ids(l, "wasp") == "t-b" && ids(l, "bee") == "" && !complains(l, "b.yaml", "")
			}},
		{"a profile that is gone", func() { remove(t, filepath.Join(m.dirs.Profiles(), "b.yaml")) },
			func(l *Library) bool { return ids(l, "wasp") == "" }},
		{"a preference", func() { m.config("mimeapps.list", "[Default Applications]\ntext/html=t-b.desktop\n") },
			func(l *Library) bool { return l.Default(profile.Browser).ID == "t-b" }},
		{"a broken desktop file", func() { m.app("t-d", "nonsense\n") },
			func(l *Library) bool { return complains(l, "t-d.desktop", "neither") }},
	}
	for _, s := range steps {
		s.do()
		l := keep(t, k)
		if l == last || !s.shown(l) {
			t.Errorf("%s is not seen; problems %v", s.what, l.Problems)
		}
		if keep(t, k) != l {
			t.Errorf("%s: another Library without a change", s.what)
		}
		last = l
	}
}

// complains reports whether a problem of this file has text in it.
func complains(l *Library, file, text string) bool {
	for _, p := range l.Problems {
		if filepath.Base(p.Origin.File) == file && strings.Contains(p.Message, text) {
			return true
		}
	}
	return false
}

// TestAnEmptyFileIsBeingWritten: editors truncate a file before they fill it.
func TestAnEmptyFileIsBeingWritten(t *testing.T) {
	m := newMachine(t)
	m.app("t-a", "Name=Taa\nExec=t-a\n")
	m.profile("a.yaml", "id: t-a\naliases: [bee]\n")
	k := m.keeper()
	keep(t, k)
	m.profile("a.yaml", "")
	if l := keep(t, k); ids(l, "bee") != "t-a" || !k.Unsettled() {
		t.Errorf("just emptied: bee is %q, unsettled %v", ids(l, "bee"), k.Unsettled())
	}
	later(t, filepath.Join(m.dirs.Profiles(), "a.yaml"))
	if l := keep(t, k); ids(l, "bee") != "" || k.Unsettled() {
		t.Errorf("empty for long: bee is %q, unsettled %v", ids(l, "bee"), k.Unsettled())
	}
}

func TestGenerateWritesWhatLoadReads(t *testing.T) {
	m := newMachine(t)
	m.env["LANG"] = "de_DE.UTF-8"
	m.app("org.t.Viewer",
		"Name=Viewer\nName[de]=Betrachter\nGenericName=Image Viewer\nKeywords=photo;\nExec=t-viewer --x=%% %U\n"+
			"Categories=Graphics;Utility;\nMimeType=image/png;\nStartupWMClass=Viewer\n")
	m.app("t-quiet", "Name=Quiet\nExec=t-quiet\nNoDisplay=true\n")
	m.app("t-x-url-handler", "Name=Handler\nExec=t-handler %u\n")
	m.app("t-broken", "Exec=\n")
	s := m.keeper().source
	apps, profiles := Generated(m.dirs)

	dry, err := Generate(s, nil, true)
	if err != nil || !dry.Changed || dry.Apps < 2 || dry.Helpers < 1 || len(dry.Problems) == 0 {
		t.Fatalf("dry run: %+v, %v", dry, err)
	}
	if exists(apps) || exists(profiles) {
		t.Fatal("a dry run writes files")
	}
	wet, err := Generate(s, nil, false)
	if err != nil || !wet.Changed || wet.Apps != dry.Apps || wet.Helpers != dry.Helpers {
		t.Fatalf("%+v, %v", wet, err)
	}
	list, err := os.ReadFile(apps)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id": "org.t.Viewer"`, `"local_name": "Betrachter"`, `"accepts_urls": true`,
		`"kind": "utility"`, `"--x=%"`, `"helper": true`} {
		if !strings.Contains(string(list), want) {
			t.Errorf("apps.json has no %s", want)
		}
	}
	if strings.Contains(string(list), "t-quiet") || strings.Contains(string(list), "t-broken") {
		t.Error("apps.json lists what menus do not show")
	}
	text, err := os.ReadFile(profiles)
	if err != nil {
		t.Fatal(err)
	}
	patches, problems := profile.DecodeGenerated(profiles, text)
	if len(problems) > 0 || len(patches) != wet.Apps || patches[0].Origin.Layer != profile.Catalogue {
		t.Errorf("generated.yaml: %d profiles, problems %v", len(patches), problems)
	}

	if again, err := Generate(s, nil, false); err != nil || again.Changed || again.Apps != wet.Apps {
		t.Errorf("without a change: %+v, %v", again, err)
	}
	m.app("t-new", "Name=New\nExec=t-new\n")
	if more, err := Generate(s, nil, false); err != nil || !more.Changed || more.Apps != wet.Apps+1 {
		t.Errorf("with one more: %+v, %v", more, err)
	}
	remove(t, profiles)
	if again, err := Generate(s, nil, false); err != nil || !again.Changed || !exists(profiles) {
		t.Errorf("with one file gone: %+v, %v", again, err)
	}
	extra := t.TempDir()
	m.write(filepath.Join(extra, "t-extra.desktop"), "[Desktop Entry]\nName=Extra\nExec=t-extra\n")
	if more, err := Generate(s, []string{extra}, false); err != nil || more.Apps != wet.Apps+2 {
		t.Errorf("with an extra folder: %+v, %v", more, err)
	}
}

// TestTheGeneratedCatalogueCountsForWhatIsInstalled, and below everything else.
func TestTheGeneratedCatalogueCountsForWhatIsInstalled(t *testing.T) {
	m := newMachine(t)
	m.app("t-a", "Name=Taa\nExec=t-a\n")
	_, file := Generated(m.dirs)
	m.write(file,
		"profiles:\n  t-a: {name: Old Name, aliases: [from catalogue], kind: game}\n"+
			"  t-gone: {name: Gone One, launch: [t-gone]}\n")
	k := m.keeper()
	l := keep(t, k)
	if p := l.Index.ByID("t-a"); p == nil || p.Name != "Taa" || p.Layer != profile.Catalogue {
		t.Errorf("t-a: %+v", p)
	}
	if l.Index.ByID("t-gone") != nil {
		t.Error("an application that is gone is still one")
	}
	m.write(file, "profiles: [broken\n")
	if l := keep(t, k); l.Index.ByID("t-a") == nil || !complains(l, "generated.yaml", "") || keep(t, k) != l {
		t.Errorf("a broken generated file: problems %v", l.Problems)
	}
	remove(t, file)
	if l := keep(t, k); l.Index.ByID("t-a") == nil || complains(l, "generated.yaml", "") {
		t.Errorf("without the generated file: problems %v", l.Problems)
	}
}
