package desktopentry

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, text string, locale string) (Entry, error) {
	t.Helper()
	return Parse("app", "/a/app.desktop", []byte(text), parseLocale(locale))
}

func TestArgv(t *testing.T) {
	base := Entry{Path: "/a/app.desktop", LocalName: "Mein Name", Icon: "pic"}
	tests := []struct {
		exec    string
		targets []string
		want    []string // nil: must be refused
	}{
		{"env G=NORMAL:%%COMPAT firefox %u", nil, []string{"env", "G=NORMAL:%COMPAT", "firefox"}},
		{"firefox %%u %%%% 100%%", nil, []string{"firefox", "%u", "%%", "100%"}},
		{`"/home/u/My Apps/clion.sh" %f`, nil, []string{"/home/u/My Apps/clion.sh"}},
		{"systemsettings -caption %c %i", nil, []string{"systemsettings", "-caption", "Mein Name", "--icon", "pic"}},
		{"app --desktop %k", nil, []string{"app", "--desktop", "/a/app.desktop"}},
		{"app --option=%f", nil, []string{"app", "--option="}},
		{"app --option=%f", []string{"/x y"}, []string{"app", "--option=/x y"}},
		{"app %U", []string{"a", "b"}, []string{"app", "a", "b"}},
		{"app %u", []string{"a", "b"}, []string{"app", "a"}},
		{"app %d %D %n %N %v %m end", nil, []string{"app", "end"}},
		{"app %q", nil, nil},
		{"app %", nil, nil},
		{`app "open`, nil, nil},
		{"a && b; c", nil, []string{"a", "&&", "b;", "c"}},
		{"chrome --app='https://x'", nil, []string{"chrome", "--app='https://x'"}},
		{`sh -c "echo \"\$HOME\" \\\\"`, nil, []string{"sh", "-c", `echo "$HOME" \\`}},
		{`app "" x`, nil, []string{"app", "", "x"}},
		{"flatpak run --file-forwarding org.x @@u %U @@", nil, []string{"flatpak", "run", "--file-forwarding", "org.x"}},
		{"flatpak run --file-forwarding org.x @@u %U @@", []string{"h"},
			[]string{"flatpak", "run", "--file-forwarding", "org.x", "@@u", "h", "@@"}},
		{"%f", nil, nil},
	}
	for _, tt := range tests {
		e := base
		e.Exec = tt.exec
		got, err := e.Argv(tt.targets...)
		if tt.want == nil {
			if err == nil {
				t.Errorf("Argv of %q = %q, want an error", tt.exec, got)
			}
			continue
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Argv of %q = %q, %v; want %q", tt.exec, got, err, tt.want)
		}
	}
	if e := (Entry{Exec: "app %i end"}); true {
		if got, err := e.Argv(); err != nil || !slices.Equal(got, []string{"app", "end"}) {
			t.Errorf("%%i without an icon: %q, %v", got, err)
		}
	}
}

func TestParseReadsEscapesListsAndSpaces(t *testing.T) {
	e, err := parse(t,
		"# comment\n\n[Desktop Entry]\nType = Application\nName =  A\\sB\nExec = a\\\\b\nCategories=X\\;Y;Z;\n"+
			"Terminal=true\n"+
			"Name=second\nStartupWMClass=podman desktop\nActions=new;gone;\n[Desktop Action new]\nName=New\nExec=a --new\n"+
			"NoDisplay=true\n", "")
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != "A B" || e.Exec != `a\b` || !slices.Equal(e.Categories, []string{"X;Y", "Z"}) || !e.Terminal {
		t.Errorf("entry = %+v", e)
	}
	if e.NoDisplay || len(e.Actions) != 1 || e.Actions[0] != (Action{"new", "New", "a --new"}) {
		t.Errorf("actions = %+v, NoDisplay %v", e.Actions, e.NoDisplay)
	}
}

func TestParseChoosesTheLocale(t *testing.T) {
	const text = "[Desktop Entry]\nName=Files\nName[de]=Dateien\nName[de_DE]=Dateien DE\nName[de_DE@euro]=Dateien Euro\n" +
		"Name[sr]=Датотеке\nName[sr@latin]=Datoteke\nName[zh_CN]=文件\nKeywords[de]=Ordner;\nKeywords=folder;\n" +
		"Exec=nautilus\n"
	for locale, want := range map[string]string{
		"de_DE.UTF-8@euro": "Dateien Euro", "de_DE.UTF-8": "Dateien DE", "de_AT": "Dateien", "de": "Dateien",
		"sr_RS@latin": "Datoteke", "sr_RS": "Датотеке", "zh_CN.UTF-8": "文件",
		"zh_TW": "Files", "C": "Files", "": "Files",
	} {
		e, err := parse(t, text, locale)
		if err != nil || e.LocalName != want || e.Name != "Files" {
			t.Errorf("%s: name %q, %q, %v; want %q", locale, e.LocalName, e.Name, err, want)
		}
	}
	if e, _ := parse(t, text, "de"); !slices.Equal(e.Keywords, []string{"Ordner", "folder"}) {
		t.Errorf("keywords = %q", e.Keywords)
	}
}

func TestLocaleVariablesInOrder(t *testing.T) {
	env := map[string]string{"LANG": "fr_FR", "LC_MESSAGES": "de_DE"}
	l := NewLocale(func(n string) string { return env[n] })
	if l.rank("de") < 0 || l.rank("fr") >= 0 {
		t.Errorf("LC_MESSAGES does not beat LANG: %v", l)
	}
	env["LC_ALL"] = "ru_RU"
	if l := NewLocale(func(n string) string { return env[n] }); l.rank("ru") < 0 {
		t.Errorf("LC_ALL does not beat LC_MESSAGES: %v", l)
	}
}

// A key that is not needed never removes an application.
func TestParseWarns(t *testing.T) {
	for text, want := range map[string]string{
		"Exec=a %q": `/a/app.desktop:3: Exec: has the unknown field code "%q"`, "Exec=\"a": "double quote",
		"Exec=a\nTerminal=maybe": `:4: Terminal: is "maybe", which counts as false; write true or false`,
		"Exec=a\nTerminal=False": "", "Exec=a\nHidden=NO": "", "Exec=a\nDBusActivatable=0": "",
	} {
		e, err := parse(t, "[Desktop Entry]\nName=A\n"+text, "")
		if err != nil || e.Name != "A" || e.Terminal || e.Hidden {
			t.Errorf("%s: %+v, %v", text, e, err)
		}
		if got := fmt.Sprint(e.Warnings); !strings.Contains(got, want) || want == "" && len(e.Warnings) > 0 {
			t.Errorf("%s: %s, want %q in it", text, got, want)
		}
	}
	for _, yes := range []string{"True", "YES", "1", "on"} {
		if e, err := parse(t, "[Desktop Entry]\nExec=a\nTerminal="+yes, ""); err != nil || !e.Terminal {
			t.Errorf("Terminal=%s: %+v, %v", yes, e, err)
		}
	}
}

func TestLanguageIsReadAsGettextDoes(t *testing.T) {
	for _, tt := range []struct{ lang, language, de, fr string }{
		{"en_US.UTF-8", "de", "0", "-1"}, {"en_US", "fr_CA:de", "2", "1"}, {"C", "de", "-1", "-1"}, {"", "de", "-1", "-1"},
		{"de_DE", "", "1", "-1"},
	} {
		l := NewLocale(func(n string) string { return map[string]string{"LANG": tt.lang, "LANGUAGE": tt.language}[n] })
		if de, fr := fmt.Sprint(l.rank("de")), fmt.Sprint(l.rank("fr")); de != tt.de || fr != tt.fr {
			t.Errorf("%+v: de %s, fr %s", tt, de, fr)
		}
	}
}

func TestParseNamesFileLineAndKey(t *testing.T) {
	tests := []struct{ text, want string }{
		{"[Desktop Entry]\nType=Link\nName=A\n", "/a/app.desktop:2: Type: is \"Link\", not Application"},
		{"[Desktop Entry]\nName=A\n", "Exec: is missing"},
		{"[Desktop Entry]\njunk\n", ":2: is neither"},
		{"Name=A\n", ":1: is before the first group"},
		{"[Desktop Entry\n", ":1: unterminated group header"},
		{"", "has no group [Desktop Entry]"},
		{"\xff\xfe[\x00", ":1:"},
	}
	for _, tt := range tests {
		_, err := parse(t, tt.text, "")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q in it", tt.text, err, tt.want)
		}
	}
}

func TestBusName(t *testing.T) {
	for id, want := range map[string]string{
		"org.gnome.Nautilus": "org.gnome.Nautilus", "nautilus": "", "org.7zip.App": "", "a..b": "", "org.x.A b": "",
	} {
		if got := (Entry{ID: id, Activatable: true}).BusName(); got != want {
			t.Errorf("BusName of %q = %q, want %q", id, got, want)
		}
	}
}

func TestScanLetsTheFirstFolderWin(t *testing.T) {
	home, system := t.TempDir(), t.TempDir()
	write := func(dir, name, body string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("[Desktop Entry]\n"+body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(home, "same.desktop", "Name=Mine\nExec=a\n")
	write(system, "same.desktop", "Name=Theirs\nExec=b\n")
	write(home, "gone.desktop", "Hidden=true\n")
	write(system, "gone.desktop", "Name=Gone\nExec=b\n")
	write(home, "broken.desktop", "nonsense\n")
	write(system, "broken.desktop", "Name=Whole\nExec=b\n")
	write(system, "foo/bar.desktop", "Name=Deep\nExec=b\n")
	if err := os.Symlink(system, filepath.Join(system, "circle")); err != nil {
		t.Fatal(err)
	}
	entries, problems := Scan([]string{home, system, filepath.Join(home, "missing")}, Locale{})
	names := map[string]string{}
	for _, e := range entries {
		if !strings.HasPrefix(e.ID, "circle-") {
			names[e.ID] = e.Name
		}
	}
	if len(names) != 3 || names["same"] != "Mine" || names["broken"] != "Whole" || names["foo-bar"] != "Deep" {
		t.Errorf("entries = %v", names)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "broken.desktop:2") {
		t.Errorf("problems = %v", problems)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[Desktop Entry]\nName=A\nName[de]=B\nExec=a %u \"b c\" --x=%f\nKeywords=a\\;b;c\n"))
	f.Add([]byte("[Desktop Entry]\nName[=A\n]=\n[=\nExec=%"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse("id", "p", data, parseLocale("de_DE@x"))
		if err != nil || e.Exec == "" || e.Hidden {
			return
		}
		if argv, err := e.Argv("a", "b"); err == nil && len(argv) == 0 {
			t.Errorf("Exec %q gives no words and no error", e.Exec)
		}
	})
}
