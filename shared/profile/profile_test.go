package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"utter/profiles"
	"utter/shared/desktopentry"
)

func decode(t *testing.T, layer Layer, text string) []Patch {
	t.Helper()
	patches, problems := Decode("f.yaml", layer, []byte(text))
	if len(problems) > 0 {
		t.Fatalf("%q: %v", text, problems)
	}
	return patches
}

func entry(id, name string) Patch {
	e := &desktopentry.Entry{ID: id, Name: name, LocalName: name, Exec: id, Path: id + ".desktop"}
	return Patch{ID: id, Name: &e.LocalName, Entry: e, Origin: Origin{Layer: Catalogue, File: e.Path}}
}

func here(*Profile) bool { return true }

func TestScalarsStayText(t *testing.T) {
	p := decode(t, User,
		"id: 007\naliases: [on, yes, no, y, null, 1.0, 0x1F, 12:30, ~]\nshortcuts: {on: ctrl+o, y: ctrl+y}\n")[0]
	want := []string{"on", "yes", "no", "y", "null", "1.0", "0x1F", "12:30", "~"}
	if p.ID != "007" || !slices.Equal(*p.Aliases, want) {
		t.Errorf("id %q, aliases %q", p.ID, *p.Aliases)
	}
	if p.Shortcuts["on"].String() != "ctrl+o" || p.Shortcuts["y"].String() != "ctrl+y" {
		t.Errorf("shortcuts %v", p.Shortcuts)
	}
}

func TestProblemsNameLineColumnAndRemedy(t *testing.T) {
	tests := []struct {
		in       string
		severity Severity
		want     string
	}{
		{"id: a\nalias: [b]\n", Warning, `f.yaml:2:1: "alias" is unknown and ignored; did you mean "aliases"?`},
		{"id: a\nname: b\nname: c\n", Broken, `f.yaml:3:1: "name" appears twice, first in line 2`},
		{"id: a\nshortcuts:\n  new: ctrl+retrun\n", Broken, `f.yaml:3:8: new: "retrun" is not a key; did you mean "return"?`},
		{"id: a\nshortcuts:\n  new: [ctrl+a, hyper+b]\n", Broken, `f.yaml:3:17: new: "hyper"`},
		{"id: a\nsearch_url: https://x/?q=\n", Broken, `f.yaml:2:13: search_url: write {q} where`},
		{"id: a\nsearch_url: x{q}\n", Broken, "begin with https://"},
		{"id: a\nkind: brwser\n", Broken, `"kind" is "brwser"; write one of browser, terminal`},
		{"id: a\nterminal: maybe\n", Broken, `f.yaml:2:11: "terminal" is "maybe"; write true or false`},
		{"name: a\n", Broken, `f.yaml:1:1: the id is missing`},
		{"id: a\n\tname: b\n", Broken, "f.yaml:2"},
		{"id: a\nlaunch: sh -c \"x\"\n", Broken, "write a list"},
		{"- a\n", Broken, "a profile is a list"},
		{"id: a\n---\nid: b\n", Broken, "a second document"},
		{"id: [a\n", Broken, "f.yaml:"},
		{"id: a\naliases: &x [b]\napp_ids: *x\n", Broken, "YAML alias"},
		{"id: \xff\n", Broken, "f.yaml:1:5: the file is not UTF-8"},
		{"profiles: [a]\n", Broken, `"profiles" maps ids`},
		{"profiles:\n  a:\n    id: b\n", Broken, `the id is "b" here but "a" above`},
		{"id: a\n" + strings.Repeat("# x\n", 300_000), Broken, "larger than 1 MiB"},
	}
	for _, tt := range tests {
		patches, problems := Decode("f.yaml", User, []byte(tt.in))
		if len(problems) == 0 || problems[0].Severity != tt.severity || !strings.Contains(problems[0].Error(), tt.want) {
			t.Errorf("%.40q: %v, want %s %q", tt.in, problems, tt.severity, tt.want)
		}
		if tt.severity == Broken && patches != nil {
			t.Errorf("%.40q: a broken file gave %v", tt.in, patches)
		}
	}
}

func TestEmptyFilesAndWindowsLineEndsAreFine(t *testing.T) {
	for _, in := range []string{"", "# nothing yet\n", "\ufeffid: a\r\nname: b\r\n", "---\n"} {
		if _, problems := Decode("f.yaml", User, []byte(in)); len(problems) > 0 {
			t.Errorf("%q: %v", in, problems)
		}
	}
}

func TestMergeLayers(t *testing.T) {
	defaults, err := LoadDefaults(profiles.FS)
	if err != nil {
		t.Fatal(err)
	}
	patches := slices.Concat(
		[]Patch{entry("firefox-esr", "Firefox ESR"), entry("foot", "Foot")},
		decode(t, Curated,
			"id: firefox\nname: Firefox\naliases: [ff]\nkind: browser\nlaunch: [firefox]\napp_ids: [firefox, firefox-esr]\n"+
				"shortcuts: {history: ctrl+h}\n"),
		decode(t, User,
			"id: firefox-esr\naliases: [surfer]\nsearch_url: \"\"\n"+
				"shortcuts: {new_tab: \"\", history: ctrl+shift+h, mine: [ctrl+k, ctrl+m]}\n"),
	)
	merged := Merge(patches, defaults)
	if len(merged) != 2 {
		t.Fatalf("merged %d profiles, want firefox and foot", len(merged))
	}
	p := merged[0]
	if p.ID != "firefox" || p.Name != "Firefox" || p.Kind != Browser || p.Layer != User || p.Entry == nil {
		t.Errorf("profile %+v", p)
	}
	if !slices.Equal(p.Aliases, []string{"surfer"}) || p.SearchURL != "" {
		t.Errorf("aliases %q, search address %q", p.Aliases, p.SearchURL)
	}
	if _, ok := p.Shortcuts["new_tab"]; ok || p.Shortcuts["history"].String() != "ctrl+shift+h" ||
		p.Shortcuts["mine"].String() != "ctrl+k ctrl+m" || p.Shortcuts["reload"].String() != "ctrl+r" {
		t.Errorf("shortcuts %v", p.Shortcuts)
	}
	argv := p.Command(func(program string) bool { return program == "firefox-esr" })
	if !slices.Equal(argv, []string{"firefox-esr"}) {
		t.Errorf("Command = %q: a curated program that is not here must not win", argv)
	}
}

func TestResolve(t *testing.T) {
	patches := slices.Concat(
		[]Patch{entry("org.gnome.TextEditor", "Text Editor"), entry("code-blocks", "Code Blocks"),
			entry("chromium", "Chromium"),
			entry("a.player", "Alpha Player"), entry("b.player", "Beta Player")},
		decode(t, Curated, "id: google-chrome\nname: Google Chrome\naliases: [chrome, chromium]\n"),
		decode(t, Curated, "id: generic-editor\nname: Text Editor\naliases: [editor]\nkind: editor\n"),
		decode(t, User, "id: signal\nname: Signal\naliases: [chat, chrome]\n"),
		decode(t, User, "id: element\nname: Element\naliases: [chat]\n"),
	)
	x := NewIndex(Merge(patches, nil))
	tests := []struct {
		in   string
		want string // ids, joined by spaces
		pass Pass
	}{
		{"Text Editor", "org.gnome.TextEditor", ByName},
		{"editor", "generic-editor", ByName},
		{"chromium", "chromium", ByID},
		{"chrome", "signal", ByAlias},
		{"chat", "signal element", ByAlias},
		{"code", "code-blocks", BySubset},
		{"alpha", "a.player", BySubset},
		{"player", "a.player b.player", BySubset},
		{"bl", "", ByID},
		{"nothing of the kind", "", ByID},
		{"", "", ByID},
	}
	for _, tt := range tests {
		m := x.Resolve(tt.in, here)
		var ids []string
		for _, p := range m.Profiles {
			ids = append(ids, p.ID)
		}
		if strings.Join(ids, " ") != tt.want || tt.want != "" && m.Pass != tt.pass {
			t.Errorf("Resolve(%q) = %v by %v, want %q by %v", tt.in, ids, m.Pass, tt.want, tt.pass)
		}
	}
	gone := func(p *Profile) bool { return p.ID != "org.gnome.TextEditor" }
	if m := x.Resolve("text editor", gone); !m.Role {
		t.Errorf("without GNOME Text Editor the role is meant, not %v", m.Profiles)
	}
}

func TestForWindow(t *testing.T) {
	x := NewIndex(Merge(slices.Concat(
		decode(t, Curated, "id: code\nname: Code\napp_ids: [Code, code-oss]\n"),
		[]Patch{entry("md.obsidian.Obsidian", "Obsidian")},
	), nil))
	for appID, want := range map[string]string{
		"Code": "code", "CODE-OSS": "code", "md.obsidian.obsidian": "md.obsidian.Obsidian", "codex": "", "": "",
	} {
		got := ""
		if p := x.ForWindow(appID); p != nil {
			got = p.ID
		}
		if got != want {
			t.Errorf("ForWindow(%q) = %q, want %q", appID, got, want)
		}
	}
}

func TestCuratedProfilesAreSound(t *testing.T) {
	patches, problems := LoadFS(profiles.FS, "built-in", Curated)
	if len(problems) > 0 || len(patches) < 9 {
		t.Errorf("%d profiles, problems %v", len(patches), problems)
	}
}

func TestLoadDirReportsReservedNamesAndOddFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"_defaults.yaml": "x", "a.yaml": "id: a\n",
		"b.yaml": "nonsense", "c.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	patches, problems := LoadDir(dir, User)
	if len(patches) != 1 || patches[0].ID != "a" || len(problems) != 3 {
		t.Errorf("patches %v, problems %v", patches, problems)
	}
	if patches, problems := LoadDir(filepath.Join(dir, "missing"), User); patches != nil || problems != nil {
		t.Errorf("a missing folder: %v, %v", patches, problems)
	}
}

func none(string) bool { return false }

func FuzzDecode(f *testing.F) {
	f.Add([]byte("id: a\nname: b\naliases: [c, d]\nlaunch: x y\nshortcuts:\n  new tab: [ctrl+t, f5]\nkind: browser\n"))
	f.Add([]byte("profiles:\n  a: {id: b}\n  ? [x]\n  : y\n"))
	f.Add([]byte("profiles:\n  everywhere: {commands: {a b: new tab, c: {action: b}}}\n" +
		"  generic-game: {shortcuts: {new_tab: f5, b: \"\"}}\n"))
	f.Add([]byte("a: &a [*a]\n<<: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		patches, _ := Decode("f.yaml", User, data)
		for _, p := range patches {
			if p.ID == "" {
				t.Errorf("a patch without an id from %q", data)
			}
		}
		x := NewIndex(Merge(patches, nil))
		x.Resolve("a b", here)
		LintCommands(x, patches)
		LintFiles(x, patches, none, none)
		for _, p := range patches {
			if a := Explain(patches, nil, p.ID); a.Profile == nil {
				t.Errorf("nothing is known of %q from %q", p.ID, data)
			}
		}
	})
}
