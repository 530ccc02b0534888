package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/shared/profile"
)

func TestFieldBug6TryExecIsLookedAtWhenItIsNeeded(t *testing.T) {
	m := newMachine(t)
	m.app("t-plain", "Name=Plain\nExec=t-plain\nTryExec=t-plain\n")
	m.app("t-missing", "Name=Missing\nExec=t-missing\nTryExec=other-missing\n")
	m.app("t-empty", "Name=Empty\nExec=t-empty\nTryExec=\n")
	m.app("t-quoted", "Name=Quoted\nExec=t-quoted\nTryExec=\"/opt/My Apps/t-quoted\"\n")
	m.app("t-later", "Name=Later\nExec=t-later\nTryExec=t-later\n")
	m.gone["t-later"] = true
	l := m.load()
	for id, want := range map[string]bool{"t-plain": true, "t-missing": false, "t-empty": true,
		"t-quoted": true, "t-later": false} {
		p := l.Index.ByID(id)
		if p == nil {
			t.Fatalf("no application %s", id)
		}
		if got := l.Startable(p); got != want {
			t.Errorf("%s can be started: %v, want %v", id, got, want)
		}
		if argv := l.Command(p); (argv != nil) != want {
			t.Errorf("%s: command %q", id, argv)
		}
	}
	delete(m.gone, "t-later") // it is installed; nothing is read again
	if p := l.Index.ByID("t-later"); !l.Startable(p) || len(l.Command(p)) == 0 {
		t.Error("a program that appears later is not found")
	}
}

func TestFieldBug6AProgramThatAppearsInPathIsFoundSoon(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	f, now := &finder{known: map[string]finding{}}, time.Now()
	if f.found("t-tool", now) {
		t.Fatal("t-tool is found before it is there")
	}
	if err := os.WriteFile(filepath.Join(dir, "t-tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if f.found("t-tool", now.Add(time.Second)) {
		t.Error("PATH is searched for each utterance")
	}
	if !f.found("t-tool", now.Add(3*time.Second)) {
		t.Error("t-tool is not found three seconds later")
	}
	if err := os.Chmod(filepath.Join(dir, "t-tool"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f.found("t-tool", now.Add(6*time.Second)) || f.found(filepath.Join(dir, "t-tool"), now) {
		t.Error("what cannot be run is found")
	}
	for i := range 3000 {
		f.found(fmt.Sprint("t-", i), now)
	}
	if len(f.known) > 1000 {
		t.Errorf("%d programs are remembered", len(f.known))
	}
}

func TestFieldBug10OneIDIsOneApplication(t *testing.T) {
	m := newMachine(t)
	m.app("t-same", "Name=Theirs\nIcon=old\nExec=t-theirs\n")
	m.mine("t-same", "Name = Mine \nIcon\t=\tnew\nExec = t-mine\n")
	m.app("t-deleted", "Name=Deleted One\nExec=t-deleted\n")
	m.mine("t-deleted", "Hidden=true\n")
	m.app("foo/bar", "Name=Foobar\nExec=t-foobar\n")
	m.app("t-quiet", "Name=Quiet Tool\nExec=t-quiet\nNoDisplay=true\n")
	m.app("t-action",
		"Name=Acting\nExec=t-action\nActions=a;\n[Desktop Action a]\nName=A\nExec=t-action a\nNoDisplay=true\nHidden=true\n")
	m.mine("t-hide-me", "Name=Hide Me\nExec=t-hide\nNoDisplay=true\n")
	m.app("t-hide-me", "Name=Shown Me\nExec=t-shown\n")
	l := m.load()
	if p := l.Index.ByID("t-same"); p == nil || p.Name != "Mine" || p.Entry.Icon != "new" ||
		strings.Join(l.Command(p), " ") != "t-mine" {
		t.Errorf("t-same: %+v", p)
	}
	for name, want := range map[string]string{
		"mine": "t-same", "theirs": "", "deleted one": "", "foobar": "foo-bar", "foo-bar": "foo-bar",
		"acting": "t-action", "hide me": "t-hide-me", "shown me": "",
		"quiet tool": "t-quiet", "t-quiet": "t-quiet", "quiet": "", // NoDisplay: its whole names only
	} {
		if got := ids(l, name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if l.Index.ByID("t-deleted") != nil {
		t.Error("an entry that the user deleted is an application")
	}
}

// totem is a desktop file as distributions ship it, with its name in 90 languages.
func totem() string {
	var b strings.Builder
	for i := range 90 {
		fmt.Fprintf(&b, "Name[x%c%c]=Name %d\nKeywords[x%c%c]=word%d;\n", 'a'+i/26, 'a'+i%26, i, 'a'+i/26, 'a'+i%26, i)
		if i == 40 {
			b.WriteString("Name[de]=Dateien\nName=Files\nName[de_AT]=Ordnerl\nName[sr]=Датотеке\n" +
				"Name[sr@latin]=Datoteke\nName[zh_CN]=文件\nName[de_DE@euro]=Dateien €\n" +
				"GenericName=File Browser\nGenericName[de]=Dateiverwaltung\nKeywords=folder;\nKeywords[de]=Verzeichnis;\n")
		}
	}
	return b.String() + "Exec=t-nautilus %U\nCategories=FileManager;\n"
}

func TestFieldBug26NamesOfTheUsersLanguageAndTheOriginal(t *testing.T) {
	tests := []struct {
		env   map[string]string
		names string // all of them mean the application
	}{
		{map[string]string{"LANG": "de_DE.UTF-8"}, "files dateien t-nautilus"},
		{map[string]string{"LANG": "de_DE.UTF-8@euro"}, "files dateien_€"},
		{map[string]string{"LANG": "de_AT.UTF-8"}, "files ordnerl"},
		{map[string]string{"LANG": "sr_RS@latin"}, "files datoteke"},
		{map[string]string{"LANG": "sr_RS"}, "files датотеке"},
		{map[string]string{"LANG": "zh_CN"}, "files 文件"},
		{map[string]string{"LANG": "C"}, "files"},
		{map[string]string{}, "files"},
		{map[string]string{"LANG": "zh_CN", "LC_MESSAGES": "sr_RS"}, "files датотеке"},
		{map[string]string{"LANG": "zh_CN", "LC_MESSAGES": "sr_RS", "LC_ALL": "de_DE"}, "files dateien"},
	}
	for _, tt := range tests {
		m := newMachine(t)
		m.env = tt.env
		m.app("org.t.Totem", totem())
		l := m.load()
		for name := range strings.FieldsSeq(tt.names) {
			name = strings.ReplaceAll(name, "_", " ")
			if got := ids(l, name); got != "org.t.Totem" {
				t.Errorf("%v: %q is %q", tt.env, name, got)
			}
		}
		if got := ids(l, "name 40"); got != "" {
			t.Errorf("%v: a name of another language means %q", tt.env, got)
		}
	}
}

func TestFieldBug26KeywordsOnlyWeighWhereNothingElseFits(t *testing.T) {
	m := newMachine(t)
	m.env["LANG"] = "de_DE.UTF-8"
	m.app("org.t.Totem", totem())
	l := m.load()
	for _, name := range []string{"verzeichnis", "dateiverwaltung", "folder"} {
		match := l.Index.Resolve(name, l.Startable)
		// "folder" is the file manager's role too, and a role goes before a keyword.
		if name == "folder" && !match.Role || name != "folder" && (match.One() == nil || match.Pass != profile.ByHint) {
			t.Errorf("%q: %v by %v", name, match.Profiles, match.Pass)
		}
	}
	m.app("t-other", "Name=Verzeichnis\nExec=t-other\n")
	if got := ids(m.load(), "verzeichnis"); got != "t-other" {
		t.Errorf("a name does not beat a keyword: %q", got)
	}
	m.app("t-other", "Name=Das Verzeichnis\nExec=t-other\n")
	if got := ids(m.load(), "verzeichnis"); got != "t-other" {
		t.Errorf("a part of a name does not beat a keyword: %q", got)
	}
}
