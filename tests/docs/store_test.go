package docs

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tool runs a program in the top folder; without it the test is skipped.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed here; run this by ./scripts/dev test", name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// settingsApp is the application id of the settings app.
const settingsApp = "org.utter.Settings"

// installed makes a file of data as meson installs it: translated, and with the
// folder of the programs in it.
func installed(t *testing.T, kind, flag string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, settingsApp+kind)
	template := file + ".in" // msgfmt knows the kind of an XML file by its name
	source, err := os.ReadFile(filepath.Join(root, "data", settingsApp+kind+".in"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, template, strings.ReplaceAll(string(source), "@bindir@", "/usr/bin"))
	tool(t, "msgfmt", flag, "--template="+template, "-d", "data/po", "-o", file)
	return file
}

// TestDesktopEntry has the settings app's entry validated, translated.
func TestDesktopEntry(t *testing.T) {
	file := installed(t, ".desktop", "--desktop")
	if out := tool(t, "desktop-file-validate", file); out != "" {
		t.Error(out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Icon=" + settingsApp, "DBusActivatable=true", "Exec=/usr/bin/utter-settings"} {
		if !slices.Contains(strings.Split(string(text), "\n"), line) {
			t.Errorf("the entry has no line %s", line)
		}
	}
	if !strings.Contains(string(text), "\nComment[de]=") {
		t.Error("the comment is not translated")
	}
}

// TestMetainfo has the settings app's page in a software store validated, and
// looks at what validation does not ask for.
func TestMetainfo(t *testing.T) {
	file := installed(t, ".metainfo.xml", "--xml")
	tool(t, "appstreamcli", "validate", "--strict", "--no-net", file)
	var page struct {
		ID        string `xml:"id"`
		Developer string `xml:"developer>name"`
		Colours   []struct {
			Scheme string `xml:"scheme_preference,attr"`
		} `xml:"branding>color"`
		Length   string   `xml:"requires>display_length"`
		Controls []string `xml:"supports>control"`
		Rating   struct {
			Type string `xml:"type,attr"`
		} `xml:"content_rating"`
		Releases []struct {
			Version string   `xml:"version,attr"`
			Notes   []string `xml:"description>p"`
		} `xml:"releases>release"`
		Summaries []string `xml:"summary"`
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	if page.ID != settingsApp || page.Developer == "" || page.Rating.Type != "oars-1.1" || len(page.Colours) != 2 {
		t.Errorf("%+v", page)
	}
	if page.Length != "360" || !slices.Equal(page.Controls, []string{"keyboard", "pointing"}) {
		t.Errorf("it wants a display of %s and is used by %v", page.Length, page.Controls)
	}
	if len(page.Releases) == 0 || len(page.Releases[0].Notes) == 0 || page.Releases[0].Version != version(t) {
		t.Errorf("releases %+v, meson.build says %s", page.Releases, version(t))
	}
	if len(page.Summaries) < 2 {
		t.Error("the summary is not translated")
	}
}

// version is what meson.build says.
func version(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "meson.build"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "version: '")
	version, _, _ := strings.Cut(rest, "'")
	return version
}

// TestIcons has the icons drawn at the sizes that desktops use.
func TestIcons(t *testing.T) {
	for _, icon := range []string{"scalable/apps/" + settingsApp + ".svg",
		"symbolic/apps/" + settingsApp + "-symbolic.svg"} {
		for _, size := range []string{"16", "32", "128"} {
			tool(t, "gdk-pixbuf-thumbnailer", "-s", size, filepath.Join("data/icons/hicolor", icon),
				filepath.Join(t.TempDir(), "icon.png"))
		}
	}
}

// TestManPagesAreWellFormed has every page formatted without a complaint.
func TestManPagesAreWellFormed(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "data/man/*.[1-9]"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("%v, %v", pages, err)
	}
	for _, page := range pages {
		complaints := tool(t, "sh", "-c", `man --warnings -E UTF-8 -Tutf8 -l "$1" 2>&1 >/dev/null`, "man",
			"data/man/"+filepath.Base(page))
		if complaints != "" {
			t.Errorf("%s:\n%s", page, complaints)
		}
	}
}
