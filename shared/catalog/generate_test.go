package catalog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/shared/profile"
)

// generate runs Generate and reads what it wrote.
func (m *machine) generate() (Summary, []App) {
	m.t.Helper()
	sum, err := Generate(m.keeper().source, nil, false)
	if err != nil {
		m.t.Fatal(err)
	}
	var file struct {
		Format string
		Count  int
		Apps   []App
	}
	apps, _ := Generated(m.dirs)
	text, err := os.ReadFile(apps)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &file); err != nil || file.Format != appsFormat || file.Count != sum.Apps ||
		len(file.Apps) != sum.Apps {
		m.t.Fatalf("apps.json: %v, format %q, %d of %d applications", err, file.Format, len(file.Apps), sum.Apps)
	}
	return sum, file.Apps
}

// appCalled returns an application of apps.json.
func appCalled(t *testing.T, apps []App, id string) App {
	t.Helper()
	for _, a := range apps {
		if a.ID == id {
			return a
		}
	}
	t.Fatalf("apps.json has no %s", id)
	return App{}
}

func TestTheCatalogueIsSortedAndComplete(t *testing.T) {
	m := newMachine(t)
	m.env["LANG"] = "de_DE.UTF-8"
	m.app("zz-t", "Name=Zed\nName[de]=Zett\nExec=t-zed %F\nTerminal=true\nX-Flatpak=org.t.Zed\nCategories=Game;\n")
	m.app("aa-t", "Name=Aye\nExec=t-aye --url=%u\n")
	m.mine("aa-t", "Name=My Aye\nExec=t-mine\n") // the user's own goes before
	m.app("sub-t", "Name=Hidden here\nExec=t-sub\n")
	m.mine("sub-t", "Name=x\nExec=t-x\nHidden=true\n") // and takes away
	m.write(filepath.Join(m.dirs.DataDirs[0], "applications/kde/t-deep.desktop"),
		"[Desktop Entry]\nType=Application\nName=Deep\nExec=t-deep\n")
	m.app("gcr-prompter", "Name=Prompter\nExec=t-gcr\n")
	sum, apps := m.generate()
	if !slices.IsSortedFunc(apps, func(a, b App) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("apps.json is not sorted")
	}
	zed := appCalled(t, apps, "zz-t")
	if !zed.Terminal || !zed.AcceptsFiles || zed.AcceptsURLs || zed.Name != "Zed" ||
		zed.LocalName != "Zett" || zed.Kind != "game" ||
		!slices.Equal(zed.Argv, []string{"t-zed"}) || !slices.Equal(zed.AppIDs, []string{"zz-t", "org.t.Zed"}) {
		t.Errorf("%+v", zed)
	}
	if aye := appCalled(t, apps, "aa-t"); aye.Name != "My Aye" || !strings.HasPrefix(aye.Path, m.dirs.Data) {
		t.Errorf("%+v", aye)
	}
	appCalled(t, apps, "kde-t-deep")
	if slices.ContainsFunc(apps, func(a App) bool { return a.ID == "sub-t" }) {
		t.Error("what the user has hidden is listed")
	}
	if !appCalled(t, apps, "gcr-prompter").Helper || sum.Helpers < 1 || zed.Helper {
		t.Errorf("helpers: %+v", sum)
	}
	// A profile of the generated file says the same.
	_, file := Generated(m.dirs)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	patches, problems := profile.DecodeGenerated(file, text)
	if len(problems) > 0 || len(patches) != len(apps) {
		t.Fatalf("%d profiles, %v", len(patches), problems)
	}
	for _, p := range patches {
		if p.ID == "zz-t" &&
			(*p.Name != "Zett" || !*p.Terminal || *p.Kind != profile.Game || !slices.Equal(*p.AppIDs, zed.AppIDs)) {
			t.Errorf("generated.yaml: %+v", p)
		}
	}
}

// TestTheSecondRunReadsNothing where nothing has changed. Another file of the same
// size and time is a change.
func TestTheSecondRunReadsNothing(t *testing.T) {
	m := newMachine(t)
	m.app("t-a", "Name=Aye\nExec=t-a\n")
	_, apps := m.generate()
	if appCalled(t, apps, "t-a").Name != "Aye" {
		t.Fatal(apps)
	}
	if sum, _ := m.generate(); sum.Changed {
		t.Errorf("it was read again: %+v", sum)
	}
	path := filepath.Join(m.dirs.DataDirs[0], "applications/t-a.desktop")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	m.app("t-a", "Name=Bee\nExec=t-a\n")
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	sum, apps := m.generate()
	if !sum.Changed || appCalled(t, apps, "t-a").Name != "Bee" {
		t.Errorf("the swap is not seen: %+v", sum)
	}
	m.env["LANG"] = "fr_FR.UTF-8"
	if sum, apps = m.generate(); !sum.Changed || appCalled(t, apps, "t-a").Name != "Bee" {
		t.Errorf("in another language: %+v", sum)
	}
}

// TestLinkedFoldersOfApplicationsAreFollowed, as stow and Nix make them.
func TestLinkedFoldersOfApplicationsAreFollowed(t *testing.T) {
	m := newMachine(t)
	elsewhere := t.TempDir()
	m.write(filepath.Join(elsewhere, "t-a.desktop"), "[Desktop Entry]\nType=Application\nName=Aye\nExec=t-a\n")
	if err := os.MkdirAll(m.dirs.Data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(m.dirs.Data, "applications")); err != nil {
		t.Fatal(err)
	}
	before, apps := m.generate()
	appCalled(t, apps, "t-a")
	m.write(filepath.Join(elsewhere, "t-b.desktop"), "[Desktop Entry]\nType=Application\nName=Bee\nExec=t-b\n")
	if after, apps := m.generate(); after.Apps != before.Apps+1 {
		t.Errorf("%d applications, then %d", before.Apps, after.Apps)
	} else {
		appCalled(t, apps, "t-b")
	}
}

// TestACatalogueThatCannotBeWrittenLeavesTheOldOne and no temporary files.
func TestACatalogueThatCannotBeWrittenLeavesTheOldOne(t *testing.T) {
	m := newMachine(t)
	m.app("t-a", "Name=Aye\nExec=t-a\n")
	m.write(filepath.Join(m.dirs.Data, "utter"), "a file in place of the folder")
	if _, err := Generate(m.keeper().source, nil, false); err == nil {
		t.Error("it is written nowhere")
	}
	remove(t, filepath.Join(m.dirs.Data, "utter"))
	m.generate()
	apps, profiles := Generated(m.dirs)
	old, err := os.ReadFile(apps)
	if err != nil {
		t.Fatal(err)
	}
	// The profiles cannot be replaced: a folder is in the way.
	remove(t, profiles)
	m.write(filepath.Join(profiles, "x"), "")
	m.app("t-b", "Name=Bee\nExec=t-b\n")
	if _, err := Generate(m.keeper().source, nil, false); err == nil {
		t.Error("the profiles are written over a folder")
	}
	if now, err := os.ReadFile(apps); err != nil || string(now) != string(old) {
		t.Errorf("apps.json is new although generated.yaml is not: %v", err)
	}
	items, err := os.ReadDir(filepath.Dir(apps))
	if err != nil || len(items) != 2 {
		t.Errorf("%v, %v", items, err)
	}
}

func TestAForeignAppsFileIsWrittenAnew(t *testing.T) {
	for _, text := range []string{"", "{}", "[", `{"format": "other/1", "stamp": "x"}`, strings.Repeat("x", 2000)} {
		m := newMachine(t)
		m.app("t-a", "Name=Aye\nExec=t-a\n")
		apps, profiles := Generated(m.dirs)
		m.write(apps, text)
		m.write(profiles, "")
		if sum, _ := m.generate(); !sum.Changed {
			t.Errorf("%.20q is taken for the catalogue", text)
		}
	}
}

// TestOfABrokenProfileTheLastGoodVersionCounts until it is fixed.
func TestOfABrokenProfileTheLastGoodVersionCounts(t *testing.T) {
	m := newMachine(t)
	m.app("t-a", "Name=Aye\nExec=t-a\n")
	m.profile("a.yaml", "id: t-a\naliases: [bee]\n")
	m.profile("b.yaml", "id: t-a\nshortcuts: {zoom: ctrl+plus}\n")
	k := m.keeper()
	keep(t, k)
	for i, broken := range []string{"id: [t-a\n", "id: t-a\nkind: dance\n", "id: t-a\naliases: [x]\naliases: [y]\n",
		"\xff\xfe", "id: t-a\n\tname: x\n"} {
		m.profile("a.yaml", broken)
		stamp := time.Now().Add(time.Duration(i-100) * time.Second)
		if err := os.Chtimes(filepath.Join(m.dirs.Profiles(), "a.yaml"), stamp, stamp); err != nil {
			t.Fatal(err)
		}
		l := keep(t, k)
		if ids(l, "bee") != "t-a" || !complains(l, "a.yaml", "its last good version stays active") ||
			l.Index.ByID("t-a").Shortcuts["zoom"].String() != "ctrl+plus" {
			t.Errorf("%q: bee is %q, problems %v", broken, ids(l, "bee"), l.Problems)
		}
	}
	m.profile("a.yaml", "id: t-a\naliases: [cee]\n")
	if l := keep(t, k); ids(l, "bee") != "" || ids(l, "cee") != "t-a" || complains(l, "a.yaml", "") {
		t.Errorf("mended: bee is %q, cee %q, problems %v", ids(l, "bee"), ids(l, "cee"), l.Problems)
	}
	remove(t, filepath.Join(m.dirs.Profiles(), "a.yaml"))
	if l := keep(t, k); ids(l, "cee") != "" || complains(l, "a.yaml", "") {
		t.Errorf("removed: cee is %q, problems %v", ids(l, "cee"), l.Problems)
	}
	// At the start there is no good version.
	m.profile("a.yaml", "id: [t-a\n")
	if l := m.load(); ids(l, "aye") != "t-a" || !complains(l, "a.yaml", "") || complains(l, "a.yaml", "last good") {
		t.Errorf("at the start: %v", l.Problems)
	}
}

// BenchmarkKeeper loads again where nothing, or one of the user's files, has
// changed since.
func BenchmarkKeeper(b *testing.B) {
	for _, n := range []int{500, 5000} {
		m := newMachine(b)
		for i := range n {
			m.app(fmt.Sprintf("org.t.App%d", i),
				fmt.Sprintf("Name=Application %d\nExec=t-app%d %%U\nCategories=Utility;\n", i, i))
			m.profile(fmt.Sprintf("p%d.yaml", i), fmt.Sprintf("id: org.t.App%d\naliases: [number %d]\n", i, i))
		}
		k := m.keeper()
		load := func(b *testing.B) *Library {
			l, err := k.Load()
			if err != nil {
				b.Fatal(err)
			}
			return l
		}
		b.Run(fmt.Sprintf("cold/entries=%d", n), func(b *testing.B) {
			for b.Loop() {
				k = m.keeper()
				load(b)
			}
		})
		b.Run(fmt.Sprintf("unchanged/entries=%d", n), func(b *testing.B) {
			l := load(b)
			for b.Loop() {
				if load(b) != l {
					b.Fatal("another Library")
				}
			}
		})
		b.Run(fmt.Sprintf("one_file/entries=%d", n), func(b *testing.B) {
			l, i := load(b), 0
			for b.Loop() {
				i++
				m.profile("p1.yaml", fmt.Sprintf("id: org.t.App1\naliases: [number one, %s]\n", strings.Repeat("x", i%1000+1)))
				if l == load(b) {
					b.Fatal("the change is not seen")
				}
			}
		})
	}
}
