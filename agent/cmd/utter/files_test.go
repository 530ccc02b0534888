package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/shared/profile"
)

// A desk is the home of a user who has no agent.
type desk struct {
	t    *testing.T
	root string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t, t.TempDir()}
	for name, value := range map[string]string{
		"HOME": d.root, "XDG_CONFIG_HOME": d.path("config"), "XDG_DATA_HOME": d.path("data"),
		"XDG_CACHE_HOME": d.path("cache"),
		"XDG_STATE_HOME": d.path("state"), "XDG_RUNTIME_DIR": d.path("run"),
		"XDG_DATA_DIRS": d.path("system"), "XDG_CURRENT_DESKTOP": "",
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + d.path("run/bus"), "LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": "",
	} {
		t.Setenv(name, value)
	}
	return d
}

func (d *desk) path(name string) string { return filepath.Join(d.root, name) }

func (d *desk) write(name, text string) string {
	d.t.Helper()
	path := d.path(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) profile(name, text string) string { return d.write("config/utter/profiles/"+name, text) }

func (d *desk) app(id, lines string) {
	d.write("data/applications/"+id+".desktop", "[Desktop Entry]\nType=Application\n"+lines)
}

func (d *desk) read(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// utter runs the command line and checks how it ends.
func (d *desk) utter(status int, args ...string) (stdout, stderr string) {
	d.t.Helper()
	var out, errs strings.Builder
	if got := run(d.t.Context(), args, strings.NewReader(""), &out, &errs); got != status {
		d.t.Errorf("utter %s ends with %d, want %d\n%s%s", strings.Join(args, " "), got, status, &out, &errs)
	}
	return out.String(), errs.String()
}

// data is the data of an answer in JSON.
func (d *desk) data(status int, args ...string) map[string]any {
	d.t.Helper()
	out, errs := d.utter(status, append(args, "--json")...)
	var e struct {
		Schema string
		Data   map[string]any
	}
	if err := json.Unmarshal([]byte(out), &e); err != nil || e.Schema != schema || errs != "" {
		d.t.Errorf("utter %s: %v\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return e.Data
}

func TestProfilesListNamesTheFiles(t *testing.T) {
	d := newDesk(t)
	if out, _ := d.utter(exitDone, "profiles", "list"); out != "" {
		t.Errorf("an empty home: %s", out)
	}
	one := d.profile("a.yaml", "id: t-a\nname: Aye\n")
	two := d.profile("b.yaml", "profiles:\n  t-b: {name: Bee}\n  t-c: {name: Cee}\n")
	bad := d.profile("c.yaml", "id: t-d\nkind: dance\n")
	out, _ := d.utter(exitDone, "profiles", "list")
	for _, want := range []string{"t-a\t" + one, "t-b\t" + two, "t-c\t" + two, "error: " + bad + ":2:7: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	data := d.data(exitDone, "profiles", "list")
	if len(data["profiles"].([]any)) != 3 || len(data["problems"].([]any)) != 1 {
		t.Errorf("%v", data)
	}
}

func TestProfilesValidateFailsOnABrokenFile(t *testing.T) {
	d := newDesk(t)
	d.profile("a.yaml", "id: t-a\nalias: [x]\n")
	if out, _ := d.utter(exitDone, "profiles", "validate"); !strings.Contains(out, "1 profiles") ||
		!strings.Contains(out, `did you mean "aliases"?`) {
		t.Errorf("a warning: %s", out)
	}
	d.profile("b.yaml", "id: [t-b\n")
	if out, _ := d.utter(exitFailed, "profiles", "validate"); !strings.Contains(out, "1 profiles") ||
		!strings.Contains(out, "b.yaml:") {
		t.Errorf("a broken file: %s", out)
	}
	if data := d.data(exitFailed, "profiles", "validate"); len(data["problems"].([]any)) != 2 {
		t.Errorf("%v", data)
	}
}

// TestProfilesShowCanBeAFile: what is shown is read again as the same.
func TestProfilesShowCanBeAFile(t *testing.T) {
	d := newDesk(t)
	d.profile("f.yaml",
		"id: firefox\naliases: [on, \"007\", surfer]\nshortcuts: {y: ctrl+y, jump: [ctrl+k, ctrl+m]}\n"+
			"commands: {go mad: ctrl+plus}\n")
	for _, name := range []string{"firefox", "Surfer", "007"} {
		out, _ := d.utter(exitDone, "profiles", "show", name)
		patches, problems := profile.Decode("f.yaml", profile.User, []byte(out))
		if len(problems) > 0 || len(patches) != 1 {
			t.Fatalf("%s: %v\n%s", name, problems, out)
		}
		p := patches[0]
		if p.ID != "firefox" || p.Shortcuts["jump"].String() != "ctrl+k ctrl+m" || p.Shortcuts["y"].String() != "ctrl+y" ||
			p.Shortcuts["new_tab"].String() != "ctrl+t" || strings.Join(*p.Aliases, ",") != "on,007,surfer" {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	if data := d.data(exitDone, "profiles", "show", "firefox"); data["id"] != "firefox" ||
		!strings.Contains(data["origin"].(string), "f.yaml") {
		t.Errorf("%v", data)
	}
	if _, errs := d.utter(exitUnknown, "profiles", "show", "no", "such"); !strings.Contains(errs, `"no such"`) {
		t.Errorf("%s", errs)
	}
}

func TestProfilesDiffShowsWhatYourFilesChange(t *testing.T) {
	d := newDesk(t)
	if out, _ := d.utter(exitDone, "profiles", "diff", "firefox"); out != "" {
		t.Errorf("without files: %s", out)
	}
	// Another action has ctrl+shift+t already.
	d.profile("f.yaml", "id: firefox\nshortcuts: {new_tab: ctrl+shift+t, bookmark: \"\"}\n")
	out, _ := d.utter(exitDone, "profiles", "diff", "firefox")
	if want := "-  bookmark: ctrl+d\n-  new_tab: ctrl+t\n+  new_tab: ctrl+shift+t\n"; out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
	if lines := d.data(exitDone, "profiles", "diff", "firefox")["lines"].([]any); len(lines) != 3 {
		t.Errorf("%v", lines)
	}
	d.profile("mine.yaml", "id: t-mine\nname: My Own\nlaunch: [t-mine]\n")
	if out, _ := d.utter(exitDone, "profiles", "diff", "my", "own"); !strings.Contains(out, "+id: t-mine\n") ||
		strings.Contains(out, "\n-") {
		t.Errorf("an application of your own: %s", out)
	}
	d.utter(exitUnknown, "profiles", "diff", "no such")
}

func TestProfilesRestoreMovesTheFileAside(t *testing.T) {
	d := newDesk(t)
	text := "id: firefox\nshortcuts: {new_tab: ctrl+shift+t}\n"
	file := d.profile("f.yaml", text)
	if out, _ := d.utter(exitDone, "profiles", "restore", "firefox"); out != "the backup is "+file+"~\n" {
		t.Errorf("%s", out)
	}
	if d.read("config/utter/profiles/f.yaml~") != text {
		t.Error("the text is another")
	}
	if out, _ := d.utter(exitDone, "profiles", "diff", "firefox"); out != "" {
		t.Errorf("it still counts: %s", out)
	}
	if _, errs := d.utter(exitUnknown, "profiles", "restore", "firefox"); !strings.Contains(errs, "you have no file") {
		t.Errorf("again: %s", errs)
	}
	both := d.profile("both.yaml", "profiles:\n  firefox: {name: Fox}\n  t-b: {name: Bee}\n")
	if out, _ := d.utter(exitDone, "profiles", "restore", "firefox"); out != "the backup is "+both+"~\n" {
		t.Errorf("a file of two: %s", out)
	}
	if got := d.read("config/utter/profiles/both.yaml"); got != "profiles:\n  t-b: {name: Bee}\n" {
		t.Errorf("the other profile: %s", got)
	}
}

func TestCatalogWritesOnceUntilSomethingChanges(t *testing.T) {
	d := newDesk(t)
	d.app("org.t.View", "Name=Tee View\nExec=t-view %U\nCategories=Utility;\n")
	out, _ := d.utter(exitDone, "catalog", "--dry-run")
	if !strings.Contains(out, "would write "+d.path("data/utter/apps.json")) {
		t.Errorf("dry run: %s", out)
	}
	if _, err := os.Stat(d.path("data/utter")); err == nil {
		t.Error("a dry run writes")
	}
	if out, _ = d.utter(exitDone, "catalog"); !strings.Contains(out,
		"; wrote "+d.path("data/utter/apps.json")+" and "+d.path("data/utter/generated.yaml")) {
		t.Errorf("%s", out)
	}
	if !strings.Contains(d.read("data/utter/apps.json"), `"org.t.View"`) ||
		!strings.Contains(d.read("data/utter/generated.yaml"), "org.t.View:") {
		t.Error("the files lack the application")
	}
	if out, _ = d.utter(exitDone, "catalog"); !strings.Contains(out, "nothing has changed") {
		t.Errorf("again: %s", out)
	}
	before := d.data(exitDone, "catalog")
	d.app("org.t.More", "Name=Tee More\nExec=t-more\n")
	d.app("org.t.Broken", "Exec=\n")
	_, errs := d.utter(exitDone, "catalog")
	if !strings.Contains(errs, "org.t.Broken") {
		t.Errorf("a broken entry: %s", errs)
	}
	after := d.data(exitDone, "catalog")
	if before["changed"] != false || after["apps"].(float64) != before["apps"].(float64)+1 {
		t.Errorf("%v, then %v", before, after)
	}
	d.write("extra/org.t.Extra.desktop", "[Desktop Entry]\nType=Application\nName=Tee Extra\nExec=t-extra\n")
	d.utter(exitDone, "catalog", "--dir", d.path("extra"))
	if !strings.Contains(d.read("data/utter/apps.json"), `"org.t.Extra"`) {
		t.Error("the extra folder is not read")
	}
}

// TestOfflinePlansUseYourFiles: profiles and data files.
func TestOfflinePlansUseYourFiles(t *testing.T) {
	d := newDesk(t)
	d.write("config/utter/data/media.yaml", "shut up: pause\n")
	if out, _ := d.utter(exitDone, "plan", "--offline", "shut up"); !strings.Contains(out, `{"command":"pause"}`) {
		t.Errorf("%s", out)
	}
	d.utter(exitUnknown, "plan", "--offline", "zzz zzz")
}
