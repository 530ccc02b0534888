package catalog

import (
	"slices"
	"strings"
	"testing"

	"utter/shared/desktopentry"
	"utter/shared/profile"
)

func none(string) bool { return false }

// parse reads a desktop file whose main group has these lines.
func parse(t *testing.T, id, lines string) desktopentry.Entry {
	t.Helper()
	if !strings.Contains(lines, "Name=") {
		lines = "Name=" + id + "\n" + lines
	}
	e, err := desktopentry.Parse(id, "/a/"+id+".desktop", []byte("[Desktop Entry]\n"+lines), desktopentry.Locale{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestKindOf(t *testing.T) {
	for categories, want := range map[string]profile.Kind{
		"GNOME;WebBrowser;Network":       profile.Browser,
		"System;TerminalEmulator":        profile.Terminal,
		"Utility;Core;FileManager":       profile.FileManager,
		"Development;IDE":                profile.Editor,
		"Utility;TextEditor":             profile.Editor,
		"Development;Debugger":           profile.Other, // no editor
		"AudioVideo;Player":              profile.MediaPlayer,
		"Game;Utility":                   profile.Game,
		"Office;Calendar":                profile.Office,
		"Utility":                        profile.Utility,
		"Network;Email":                  profile.Other,
		"WebBrowsers;terminalemulator;X": profile.Other,
		"":                               profile.Other,
	} {
		if got := KindOf(strings.Split(categories, ";")); got != want {
			t.Errorf("%q is %s, want %s", categories, got, want)
		}
	}
}

func TestProgramLooksBehindWrappersOnlyWhereItCan(t *testing.T) {
	for exec, want := range map[string]string{
		"nautilus --new-window %U":                      "nautilus",
		"/usr/bin/foot":                                 "foot",
		`"/opt/My App/app" %f`:                          "app",
		"env GTK_THEME=x LANG=C gimp %U":                "gimp",
		"/usr/bin/env -i A=b emacs":                     "emacs",
		"env A=b":                                       "",
		"sh -c x":                                       "",
		"flatpak run org.x.Y":                           "",
		"python3 /opt/x.py":                             "",
		"/snap/bin/code":                                "code",
		"wine C:\\\\\\\\windows\\\\\\\\notepad.exe":     "",
		"/usr/bin/flatpak run --branch=stable org.gimp": "",
	} {
		if got := parse(t, "x", "Exec="+exec).Start().Program; got != want {
			t.Errorf("%s: program %q, want %q", exec, got, want)
		}
	}
	if got := parse(t, "org.x.Y", "DBusActivatable=true").Start().Program; got != "" {
		t.Errorf("without a command line: %q", got)
	}
}

func TestPatchesKnowAnAppByItsProgramAndIDs(t *testing.T) {
	e := parse(t, "org.gnome.Nautilus",
		"Name=Files\nExec=nautilus --new-window %U\nStartupWMClass=Nautilus Files\nX-Flatpak=org.gnome.Nautilus.Devel\n"+
			"Categories=FileManager;\nMimeType=inode/directory;\nActions=new-window;\n[Desktop Action new-window]\n"+
			"Name=New\nExec=nautilus -w\n")
	p := Patches([]desktopentry.Entry{e}, none)[0]
	if p.ID != "org.gnome.Nautilus" || *p.Name != "Files" || *p.Kind != profile.FileManager || p.Entry == nil {
		t.Errorf("patch %+v", p)
	}
	if p.Origin.Layer != profile.Catalogue || p.Origin.File != "/a/org.gnome.Nautilus.desktop" {
		t.Errorf("origin %v", p.Origin)
	}
	if want := []string{"org.gnome.Nautilus", "Nautilus Files", "org.gnome.Nautilus.Devel",
		"nautilus"}; !slices.Equal(*p.AppIDs, want) {
		t.Errorf("app ids %q, want %q", *p.AppIDs, want)
	}
	if want := []string{"nautilus"}; !slices.Equal(*p.Aliases, want) {
		t.Errorf("aliases %q, want %q", *p.Aliases, want)
	}
	if p.NewWindow == nil || !slices.Equal(*p.NewWindow, []string{"nautilus", "-w"}) {
		t.Errorf("new window %v", p.NewWindow)
	}
	if !slices.Equal(*p.MimeTypes, []string{"inode/directory"}) {
		t.Errorf("MIME types %q", *p.MimeTypes)
	}
}

func TestNewWindowActions(t *testing.T) {
	for action, want := range map[string]bool{"new-window": true, "NewWindow": true, "New-Window": true,
		"new-private-window": false, "window": false} {
		e := parse(t, "x", "Exec=x\nActions="+action+";\n[Desktop Action "+action+"]\nName=New\nExec=x --new\n")
		if got := Patches([]desktopentry.Entry{e}, none)[0].NewWindow != nil; got != want {
			t.Errorf("the action %q opens a window: %v", action, got)
		}
	}
	e := parse(t, "x", "Exec=x\nActions=new-window;\n[Desktop Action new-window]\nName=New\nExec=x %q\n")
	if p := Patches([]desktopentry.Entry{e}, none)[0]; p.NewWindow != nil {
		t.Errorf("an action that cannot be run: %q", *p.NewWindow)
	}
}

func TestPatchesLeaveNoiseOut(t *testing.T) {
	entries := []desktopentry.Entry{
		parse(t, "org.a.Settings", "Exec=launcher a"), parse(t, "org.b.Settings", "Exec=launcher b"),
		parse(t, "org.c.Settings", "Exec=launcher c"),
		parse(t, "org.d.Codex", "Exec=codex"), parse(t, "org.e.X", "Exec=x"), parse(t, "org.f.Pair", "Exec=one"),
		parse(t, "org.g.Pair", "Exec=two"),
	}
	var got []string
	for _, p := range Patches(entries, func(alias string) bool { return alias == "codex" }) {
		got = append(got, strings.Join(*p.Aliases, ","))
	}
	// What three have says nothing, an agent's name is the agent's, one letter is not a name.
	if want := []string{"", "", "", "", "", "pair,one", "pair,two"}; !slices.Equal(got, want) {
		t.Errorf("aliases %q, want %q", got, want)
	}
}

func TestKeywordsAndGenericNamesAreNoAliases(t *testing.T) {
	e := parse(t, "org.gnome.Totem", "Name=Videos\nGenericName=Movie Player\nKeywords=clip;film;\nExec=totem %U\n")
	if p := Patches([]desktopentry.Entry{e}, none)[0]; !slices.Equal(*p.Aliases, []string{"totem"}) {
		t.Errorf("aliases %q", *p.Aliases)
	}
	index := profile.NewIndex(profile.Merge(Patches([]desktopentry.Entry{e}, none), nil))
	always := func(*profile.Profile) bool { return true }
	for said, want := range map[string]profile.Pass{
		"videos": profile.ByName, "totem": profile.ByAlias, "movie player": profile.ByHint, "film": profile.ByHint,
	} {
		if m := index.Resolve(said, always); m.One() == nil || m.Pass != want {
			t.Errorf("%q: %v by %v, want by %v", said, m.Profiles, m.Pass, want)
		}
	}
	if m := index.ResolveExact("film", always); len(m.Profiles) > 0 {
		t.Errorf("a keyword is an exact name of %v", m.Profiles)
	}
}
