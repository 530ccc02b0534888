package knowledge

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/router"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/xdg"
)

// A home is a user's folder with nothing in it yet, and what is known of it.
type home struct {
	t    *testing.T
	dirs xdg.Dirs
	*Knowledge
}

func newHome(t *testing.T) *home {
	t.Helper()
	root := t.TempDir()
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("LC_ALL", "")
	t.Setenv("XDG_CURRENT_DESKTOP", "")
	dirs := xdg.New(func(name string) string {
		return map[string]string{"HOME": root, "XDG_DATA_DIRS": filepath.Join(root, "system")}[name]
	}, os.Getuid())
	return &home{t, dirs, newKnowledge(t, dirs)}
}

func newKnowledge(t *testing.T, dirs xdg.Dirs) *Knowledge {
	t.Helper()
	k, err := New(dirs.ConfigFile(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var clock = time.Now().Add(-time.Hour)

// write writes a file that is older than now and newer than all before.
func (h *home) write(path, text string) {
	h.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		h.t.Fatal(err)
	}
	clock = clock.Add(time.Second)
	if err := os.Chtimes(path, clock, clock); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) config(text string) { h.write(h.configFile, text) }

func (h *home) data(name, text string) { h.write(filepath.Join(h.dirs.Phrases(), name), text) }

func (h *home) profile(name, text string) { h.write(filepath.Join(h.dirs.Profiles(), name), text) }

func (h *home) app(id, lines string) {
	h.write(filepath.Join(h.dirs.Data, "applications", id+".desktop"), "[Desktop Entry]\nType=Application\n"+lines)
}

// read loads and returns the router and the problems of the user's own files.
func (h *home) read() (*router.Router, []profile.Problem) {
	h.t.Helper()
	if _, err := h.Load(); err != nil {
		h.t.Fatal(err)
	}
	own := slices.DeleteFunc(slices.Clone(h.Now().Problems),
		func(p profile.Problem) bool { return !strings.HasPrefix(p.Origin.File, h.dirs.Home) })
	return h.Now().Router, own
}

// says routes an utterance where nothing is open, and writes the first step.
func says(r *router.Router, utterance string) string {
	d := r.Route(utterance, router.Context{})
	if d.Plan == nil {
		return string(d.Reason)
	}
	return d.Plan.Steps[0].String()
}

func TestWithoutFilesTheDefaultsCount(t *testing.T) {
	h := newHome(t)
	if r, problems := h.read(); len(problems) > 0 || says(r, "pause") == "" {
		t.Errorf("problems %v", problems)
	}
	if err := h.Check(plan.Step{Args: op.Terminal{Command: "ls"}, Provenance: plan.FromUser}); err == nil {
		t.Error("the terminal may be used")
	}
}

// TestABrokenConfigurationLeavesTheLastOneInForce: a typo must not end voice
// control.
func TestABrokenConfigurationLeavesTheLastOneInForce(t *testing.T) {
	h := newHome(t)
	h.config("[search]\nengine = \"wikipedia\"\n[policy]\nenabled_ops = [\"terminal\"]\n")
	r, problems := h.read()
	if len(problems) > 0 {
		t.Fatalf("problems %v", problems)
	}
	before := says(r, "search for cats")
	if !slices.Contains(h.Now().Policy.Enabled, "terminal") {
		t.Fatalf("policy %+v", h.Now().Policy)
	}
	for _, broken := range []string{"[search\n", "[search]\nengin = \"google\"\n", "[policy]\nconfirm_ops = [\"dance\"]\n",
		"[search]\nengine = \"nowhere\"\n[policy]\nenabled_ops = [\"terminal\"]\n"} {
		h.config(broken)
		r, problems := h.read()
		if len(problems) != 1 || problems[0].Severity != profile.Broken || problems[0].Origin.File != h.configFile {
			t.Errorf("%q: problems %v", broken, problems)
		}
		if strings.Contains(problems[0].Message, h.configFile) || problems[0].Origin.Line == 0 &&
			!strings.HasPrefix(broken, "[policy]") && !strings.Contains(broken, "nowhere") {
			t.Errorf("%q: %+v", broken, problems[0])
		}
		if got := says(r, "search for cats"); got != before || !slices.Contains(h.Now().Policy.Enabled, "terminal") {
			t.Errorf("%q: %s, policy %+v", broken, got, h.Now().Policy)
		}
		if _, again := h.read(); len(again) != 1 {
			t.Errorf("%q, read again: problems %v", broken, again)
		}
	}
	h.config("[search]\nengine = \"google\"\n")
	if r, problems := h.read(); len(problems) > 0 || says(r, "search for cats") == before ||
		len(h.Now().Policy.Enabled) > 0 {
		t.Errorf("mended: problems %v, policy %+v", problems, h.Now().Policy)
	}
}

func TestEveryMistakeOfTheConfigurationIsAProblem(t *testing.T) {
	h := newHome(t)
	h.config("[policy]\nenable_ops = [\"dance\"]\nconfirm_ops = [\"sing\"]\n")
	if _, problems := h.read(); len(problems) != 2 || !strings.Contains(problems[0].Message, "dance") ||
		!strings.Contains(problems[1].Message, "sing") {
		t.Errorf("%v", problems)
	}
}

// TestABrokenConfigurationAtTheStart leaves every dangerous operation off.
func TestABrokenConfigurationAtTheStart(t *testing.T) {
	h := newHome(t)
	h.config("[policy]\nenabled_ops = [\"terminal\"]\ntypo = 1\n")
	r, problems := h.read()
	if len(problems) != 1 || len(h.Now().Policy.Enabled) > 0 || says(r, "pause") == "" {
		t.Errorf("problems %v, policy %+v", problems, h.Now().Policy)
	}
}

func TestNothingIsMadeAnewWithoutAChange(t *testing.T) {
	h := newHome(t)
	h.config("")
	h.profile("a.yaml", "id: t-a\nname: Aye\nalias: [x]\n")
	h.data("media.yaml", "shut up: pause\nx: dance\n")
	r, problems := h.read()
	if len(problems) != 2 {
		t.Fatalf("problems %v", problems)
	}
	for range 3 {
		again, same := h.read()
		if again != r || len(same) != 2 {
			t.Errorf("another router %v, problems %v", again != r, same)
		}
	}
	before := h.Now()
	h.config("[agent]\ntype_with = \"clipboard\"\n")
	if changed, err := h.Load(); changed || err != nil {
		t.Errorf("settings alone: changed %t, %v", changed, err)
	}
	if before.TypeWith() == h.Now().TypeWith() {
		t.Error("what was handed out has changed")
	}
	h.profile("a.yaml", "id: t-a\nname: Aye\nalias: [x]\nlias: [y]\n")
	if changed, err := h.Load(); !changed || err != nil {
		t.Errorf("a profile: changed %t, %v", changed, err)
	}
	r, _ = h.read()
	if again, _ := h.read(); again != r || h.Now().TypeWith() != "clipboard" {
		t.Errorf("another way to type: another router %v, way %q", again != r, h.Now().TypeWith())
	}
}

// TestProblemsThatWereHandedOutStay: who has them may still read them while the
// next ones are found.
func TestProblemsThatWereHandedOutStay(t *testing.T) {
	h := newHome(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} { // so that the list has room to grow
		h.profile(id+".yaml", "id: t-"+id+"\nunknown: x\n")
	}
	h.data("media.yaml", "x: dance\n")
	h.read()
	first := h.Now().Problems
	was := slices.Clone(first)
	h.config("[broken\n")
	h.read()
	if !slices.EqualFunc(first, was, profile.Problem.Equal) {
		t.Errorf("%v\nwas %v", first, was)
	}
}

func TestDataFilesAreReadAgainWhenTheyChange(t *testing.T) {
	h := newHome(t)
	r, _ := h.read()
	if got := says(r, "shut up"); strings.Contains(got, "media") {
		t.Fatalf("before: %s", got)
	}
	h.data("media.yaml", "shut up: pause\n")
	if r, problems := h.read(); !strings.Contains(says(r, "shut up"), "pause") || len(problems) > 0 {
		t.Errorf("made: %s, %v", says(r, "shut up"), problems)
	}
	h.data("media.yaml", "shut up: stop\nother: dance\n")
	if r, problems := h.read(); !strings.Contains(says(r, "shut up"), "stop") || len(problems) != 1 ||
		problems[0].Origin.Line != 2 {
		t.Errorf("changed: %s, %v", says(r, "shut up"), problems)
	}
	if err := os.Remove(filepath.Join(h.dirs.Phrases(), "media.yaml")); err != nil {
		t.Fatal(err)
	}
	if r, problems := h.read(); strings.Contains(says(r, "shut up"), "media") || len(problems) > 0 {
		t.Errorf("removed: %s, %v", says(r, "shut up"), problems)
	}
}

func TestApplicationsComeAndGoWhileTheAgentRuns(t *testing.T) {
	h := newHome(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	h.write(filepath.Join(bin, "t-view"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(bin, "t-view"), 0o700); err != nil {
		t.Fatal(err)
	}
	if r, _ := h.read(); says(r, "open tee view") != string(plan.NoPlan) {
		t.Errorf("before: %s", says(r, "open tee view"))
	}
	h.app("org.t.View", "Name=Tee View\nExec=t-view\n")
	if r, _ := h.read(); !strings.Contains(says(r, "open tee view"), "org.t.View") {
		t.Errorf("installed: %s", says(r, "open tee view"))
	}
	h.profile("view.yaml", "id: org.t.View\naliases: [peephole]\n")
	if r, _ := h.read(); !strings.Contains(says(r, "open peephole"), "org.t.View") {
		t.Errorf("with a profile: %s", says(r, "open peephole"))
	}
	h.profile("view.yaml", "id: [org.t.View\n")
	if r, problems := h.read(); !strings.Contains(says(r, "open peephole"), "org.t.View") || len(problems) != 1 ||
		!strings.Contains(problems[0].Message, "last good version") {
		t.Errorf("broken: %s, %v", says(r, "open peephole"), problems)
	}
	if names := h.Now().PlayerNames("org.t.View"); !slices.Contains(names, "org.t.View") ||
		!slices.Contains(names, "Tee View") {
		t.Errorf("its player is called %q", names)
	}
	if h.Now().PlayerNames("") != nil {
		t.Error("no application has players")
	}
	if err := os.Remove(filepath.Join(h.dirs.Data, "applications/org.t.View.desktop")); err != nil {
		t.Fatal(err)
	}
	if r, _ := h.read(); says(r, "open tee view") != string(plan.NoPlan) {
		t.Errorf("removed: %s", says(r, "open tee view"))
	}
}

// TestAllThatIsReadIsWatched: a file that is read and not watched is never in
// force.
func TestAllThatIsReadIsWatched(t *testing.T) {
	h := newHome(t)
	t.Setenv("XDG_CURRENT_DESKTOP", "Sway:GNOME")
	w := newKnowledge(t, h.dirs).watched()
	for _, folder := range append([]string{h.dirs.Profiles(), h.dirs.Phrases()}, h.dirs.Applications()...) {
		if !slices.Contains(w.Folders, folder) {
			t.Errorf("%s is not watched", folder)
		}
	}
	for _, file := range []string{h.configFile, filepath.Join(h.dirs.Config, "mimeapps.list"),
		filepath.Join(h.dirs.Config, "xdg-terminals.list"),
		filepath.Join(h.dirs.Config, "sway-mimeapps.list"), filepath.Join(h.dirs.Config, "gnome-xdg-terminals.list"),
		filepath.Join(h.dirs.Data, "utter/generated.yaml")} {
		if !slices.Contains(w.Files, file) {
			t.Errorf("%s is not watched", file)
		}
	}
}

// TestOneSaveIsLoadedOnce though the settings app asks for it and the files are
// watched.
func TestOneSaveIsLoadedOnce(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dirs.Profiles(), "a.yaml")
	h.profile("a.yaml", "id: a\n")
	if h.catalogue.Seen([]string{file}) {
		t.Error("nothing has been loaded yet")
	}
	h.read()
	before := h.Now().Library()
	h.profile("a.yaml", "id: a\naliases: [b]\n")
	if h.catalogue.Seen([]string{file}) {
		t.Error("the change has not been loaded yet")
	}
	h.read()
	after := h.Now().Library()
	if !h.catalogue.Seen([]string{file}) || before == after {
		t.Error("the change has been loaded")
	}
	if h.read(); h.Now().Library() != after {
		t.Error("it is loaded twice")
	}
	h.data("aliases.yaml", "x: y\n")
	if h.catalogue.Seen([]string{file, filepath.Join(h.dirs.Phrases(), "aliases.yaml")}) || h.catalogue.Seen(nil) {
		t.Error("other files may be new")
	}
}
