package desktopentry

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestListedIn(t *testing.T) {
	for _, tt := range []struct {
		e       Entry
		current []string
		want    bool
	}{
		{Entry{}, nil, true},
		{Entry{NoDisplay: true}, nil, false},
		{Entry{Hidden: true}, nil, false},
		{Entry{OnlyShowIn: []string{"KDE"}}, []string{"sway"}, false},
		{Entry{OnlyShowIn: []string{"KDE", "sway"}}, []string{"sway"}, true},
		{Entry{OnlyShowIn: []string{"KDE"}}, nil, false},
		{Entry{NotShowIn: []string{"sway"}}, []string{"sway"}, false},
		{Entry{NotShowIn: []string{"GNOME"}}, []string{"sway"}, true},
		{Entry{OnlyShowIn: []string{"GNOME"}, NotShowIn: []string{"sway"}}, []string{"sway", "GNOME"},
			false}, // the first that is named decides
		{Entry{OnlyShowIn: []string{"GNOME"}, NoDisplay: true}, []string{"GNOME"}, false},
	} {
		if got := tt.e.ListedIn(tt.current); got != tt.want {
			t.Errorf("%+v in %q: %v", tt.e, tt.current, got)
		}
	}
}

func TestDefaultsOfTheMoreImportantFolderComeFirst(t *testing.T) {
	config, system := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(config, "mimeapps.list"): "[Default Applications]\ntext/html = b.desktop;c.desktop;\n" +
			"[Removed Associations]\ntext/html=a.desktop\n",
		filepath.Join(config, "sway-mimeapps.list"):  "[Default Applications]\ntext/html=a.desktop\n",
		filepath.Join(system, "mimeapps.list"):       "[Default Applications]\ntext/html=d.desktop\ntext/plain=e.desktop\n",
		filepath.Join(system, "gnome-mimeapps.list"): "nonsense\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := LoadDefaults([]string{config, filepath.Join(config, "missing"), system}, []string{"Sway", "GNOME"})
	if got := d.For("text/html"); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("text/html: %q", got)
	}
	if got := d.For("text/plain"); !slices.Equal(got, []string{"e"}) || d.For("image/png") != nil {
		t.Errorf("text/plain: %q, image/png: %q", got, d.For("image/png"))
	}
	if got := (Defaults{}).For("text/html"); got != nil {
		t.Errorf("the zero Defaults prefer %q", got)
	}
}

func TestACacheReadsOnlyWhatHasChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.desktop")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("[Desktop Entry]\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Name=One\nExec=a\n")
	var c Cache
	look := func(name string, changed bool) {
		t.Helper()
		entries, _ := c.Scan([]string{dir}, Locale{})
		got := ""
		if len(entries) > 0 {
			got = entries[0].Name
		}
		if got != name || c.Changed() != changed {
			t.Errorf("%q, changed %v; want %q, %v", got, c.Changed(), name, changed)
		}
	}
	look("One", true)
	look("One", false)
	write("Name=Second\nExec=a\n")
	look("Second", true)
	write("broken\n")
	look("", true)
	if _, problems := c.Scan([]string{dir}, Locale{}); len(problems) != 1 || c.Changed() {
		t.Errorf("what is still broken is a change, or no problem: %v", problems)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	look("", true)
	look("", false)
}
