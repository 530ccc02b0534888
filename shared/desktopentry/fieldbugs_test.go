package desktopentry

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The rows of the public field bugs that are about desktop files, with the input
// of each and what is right.

// argvOf parses a whole file with this Exec line and expands it.
func argvOf(t *testing.T, exec, more string, targets ...string) ([]string, error) {
	t.Helper()
	e, err := parse(t, "[Desktop Entry]\nName=Settings\nName[de]=Einstellungen\nExec="+exec+"\n"+more, "de_DE.UTF-8")
	if err != nil {
		return nil, err
	}
	return e.Argv(targets...)
}

func checkArgv(t *testing.T, exec, more string, targets []string, want ...string) {
	t.Helper()
	got, err := argvOf(t, exec, more, targets...)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Exec=%s for %q: %q, %v; want %q", exec, targets, got, err, want)
	}
}

func TestFieldBug1PercentPercentIsExpandedOnce(t *testing.T) {
	checkArgv(t, "env G=NORMAL:%%COMPAT firefox %u", "", nil, "env", "G=NORMAL:%COMPAT", "firefox")
	checkArgv(t, "env G=NORMAL:%%COMPAT firefox %u", "", []string{"https://e.org/%41%%u"}, "env", "G=NORMAL:%COMPAT",
		"firefox", "https://e.org/%41%%u")
	checkArgv(t, "firefox %%u %%%% 100%%", "", []string{"x"}, "firefox", "%u", "%%", "100%")
	checkArgv(t, "a %%", "", nil, "a", "%")
}

func TestFieldBug2AQuotedProgramKeepsItsSpaces(t *testing.T) {
	checkArgv(t, `"/home/u/My Apps/clion.sh" %f`, "", nil, "/home/u/My Apps/clion.sh")
	checkArgv(t, `"/home/u/My Apps/clion.sh" %f`, "", []string{"/tmp/a b.c"}, "/home/u/My Apps/clion.sh", "/tmp/a b.c")
	checkArgv(t, `"/home/u/My\\sApps/x"`, "", nil, `/home/u/My\sApps/x`)
	checkArgv(t, `"/opt/a"b "c d"e`, "", nil, "/opt/ab", "c de")
}

func TestFieldBug4FieldCodes(t *testing.T) {
	const icon = "Icon=preferences\n"
	checkArgv(t, "systemsettings -caption %c %i", icon, nil, "systemsettings", "-caption",
		"Einstellungen", "--icon", "preferences")
	checkArgv(t, "systemsettings -caption %c %i", "", nil, "systemsettings", "-caption", "Einstellungen")
	checkArgv(t, "app --desktop %k", "", nil, "app", "--desktop", "/a/app.desktop")
	checkArgv(t, "app --option=%f", "", []string{"/tmp/x"}, "app", "--option=/tmp/x")
	checkArgv(t, "app --option=%f", "", nil, "app", "--option=")
	checkArgv(t, "app --name=%c-%k", "", nil, "app", "--name=Einstellungen-/a/app.desktop")
	checkArgv(t, "app %d %D %n %N %v %m --x=%v end", "", nil, "app", "--x=", "end")
	checkArgv(t, "app %F", "", []string{"a", "b c"}, "app", "a", "b c")
	checkArgv(t, "app %f", "", []string{"a", "b c"}, "app", "a")
	// A name with spaces and quotes in it is still one argument.
	got, err := (Entry{Exec: "app %c", LocalName: `A "B" 'C' $D`}).Argv()
	if err != nil || !slices.Equal(got, []string{"app", `A "B" 'C' $D`}) {
		t.Errorf("%%c: %q, %v", got, err)
	}
	for _, exec := range []string{"app %q", "app --x=%q", "app %", "app %ä", "%q"} {
		if argv, err := argvOf(t, exec, ""); err == nil {
			t.Errorf("Exec=%s is started as %q", exec, argv)
		}
	}
}

func TestFieldBug5NoShellReadsExec(t *testing.T) {
	checkArgv(t, "a && b; c", "", nil, "a", "&&", "b;", "c")
	checkArgv(t, "chromium --app='https://x'", "", nil, "chromium", "--app='https://x'")
	checkArgv(t, "a | b > c $HOME `d` $(e) ~/f *.g", "", nil, "a", "|", "b", ">", "c", "$HOME",
		"`d`", "$(e)", "~/f", "*.g")
	for exec, want := range map[string]bool{
		"chromium --app='https://x'": true, "a && b; c": true, "a > b": true, "firefox %u": false, `"a b" "c;d"`: true,
	} {
		e, err := parse(t, "[Desktop Entry]\nName=A\nExec="+exec+"\n", "")
		if err != nil {
			t.Fatal(err)
		}
		if hints := e.Hints(); (len(hints) > 0) != want {
			t.Errorf("Exec=%s: hints %q", exec, hints)
		}
	}
	e, _ := parse(t, "[Desktop Entry]\nName=A\nExec=chromium --app='https://x'\n", "")
	if hints := e.Hints(); len(hints) != 1 || !strings.Contains(hints[0], "not portable") {
		t.Errorf("single quotes: hints %q, want that it is not portable", hints)
	}
}

func TestFieldBug6TryExecIsReadAsItIs(t *testing.T) {
	for line, want := range map[string]string{
		"TryExec=foot": "foot", "TryExec=": "", "": "", `TryExec="/opt/My Apps/x"`: "/opt/My Apps/x",
		"TryExec = foot ": "foot", `TryExec=/a\sb`: "/a b",
	} {
		e, err := parse(t, "[Desktop Entry]\nName=A\nExec=a\n"+line+"\n", "")
		if err != nil || e.TryExec != want {
			t.Errorf("%q: %q, %v; want %q", line, e.TryExec, err, want)
		}
	}
}

func TestFieldBug10KeysOfAGroupCountInThatGroup(t *testing.T) {
	e, err := parse(t, "[Desktop Entry]\nName = Spaced\nExec\t=\ta\nNoDisplay = false\nActions=x;y;\n"+
		"[Desktop Action x]\nName=X\nExec=a x\nNoDisplay=true\nHidden=true\n[X-Other]\nNoDisplay=true\nName=Wrong\n", "")
	if err != nil || e.Name != "Spaced" || e.Exec != "a" || e.NoDisplay || e.Hidden || len(e.Actions) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestFieldBug10TheFirstFolderWins(t *testing.T) {
	home, system := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, "same.desktop"):       "Name=Mine\nIcon=mine\nExec=a",
		filepath.Join(system, "same.desktop"):     "Name=Theirs\nIcon=theirs\nExec=b",
		filepath.Join(home, "deleted.desktop"):    "Name=X\nHidden=true",
		filepath.Join(system, "deleted.desktop"):  "Name=X\nExec=b",
		filepath.Join(home, "quiet.desktop"):      "Name=Quiet\nExec=a\nNoDisplay=true",
		filepath.Join(system, "quiet.desktop"):    "Name=Loud\nExec=b",
		filepath.Join(system, "foo/bar.desktop"):  "Name=Nested\nExec=b",
		filepath.Join(system, "foo-bar.desktop"):  "Name=Flat\nExec=b",
		filepath.Join(system, "a/b/c.desktop"):    "Name=Deep\nExec=b",
		filepath.Join(system, "not-desktop.conf"): "Name=No\nExec=b",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("[Desktop Entry]\n"+text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, problems := Scan([]string{home, system}, Locale{})
	got := map[string]string{}
	for _, e := range entries {
		if _, twice := got[e.ID]; twice {
			t.Errorf("%s is declared twice", e.ID)
		}
		got[e.ID] = fmt.Sprint(e.Name, " ", e.NoDisplay)
	}
	want := map[string]string{"same": "Mine false", "quiet": "Quiet true", "a-b-c": "Deep false"}
	for id, what := range want {
		if got[id] != what {
			t.Errorf("%s: %q, want %q", id, got[id], what)
		}
	}
	// foo/bar.desktop and foo-bar.desktop claim one id: one of them counts.
	if len(got) != len(want)+1 || got["foo-bar"] == "" || len(problems) > 0 {
		t.Errorf("entries %v, problems %v", got, problems)
	}
}

func TestFieldBug26TheBestFittingNameCounts(t *testing.T) {
	var b strings.Builder
	b.WriteString("[Desktop Entry]\n")
	for i := range 90 {
		fmt.Fprintf(&b, "Name[x%c%c]=Name %d\n", 'a'+i/26, 'a'+i%26, i)
	}
	// Not in the order in which they count.
	b.WriteString(
		"Name[de]=Dateien\nName[de@euro]=Dateien Euro\nName[de_DE]=Dateien DE\nName[de_DE@euro]=Dateien DE Euro\n" +
			"Name=Files\n" +
			"Name[sr]=Датотеке\nName[sr@latin]=Datoteke\nName[zh_CN]=文件\nName[pt_BR]=Arquivos\nExec=nautilus\n")
	for locale, want := range map[string]string{
		"de_DE.UTF-8@euro": "Dateien DE Euro", "de_DE.UTF-8": "Dateien DE", "de_CH@euro": "Dateien Euro", "de_CH": "Dateien",
		"sr_RS@latin": "Datoteke", "sr_RS": "Датотеке", "sr_RS.UTF-8@ijekavian": "Датотеке",
		"zh_CN": "文件", "zh_TW": "Files",
		"pt_PT": "Files", "pt": "Files", "pt_BR.ISO-8859-1": "Arquivos", "C.UTF-8": "Files", "POSIX": "Files",
	} {
		e, err := parse(t, b.String(), locale)
		if err != nil || e.LocalName != want || e.Name != "Files" {
			t.Errorf("%s: %q (%q), %v; want %q", locale, e.LocalName, e.Name, err, want)
		}
	}
}
