package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
)

// commands writes what phrases do: "phrase=keys" or "phrase->action=keys".
func commands(p *Profile) string {
	var all []string
	for phrase, seq := range p.Commands {
		if p.Says[phrase] == "" {
			all = append(all, fmt.Sprintf("%s=%s", phrase, seq))
		}
	}
	for phrase, action := range p.Says {
		all = append(all, fmt.Sprintf("%s->%s=%s", phrase, action, p.Commands[phrase]))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func byID(t *testing.T, profiles []*Profile, id string) *Profile {
	t.Helper()
	for _, p := range profiles {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("no profile %s", id)
	return nil
}

func TestACommandIsKeysOrAnAction(t *testing.T) {
	for value, want := range map[string]string{
		"ctrl+t":              "go=ctrl+t",
		"[ctrl+k, f5]":        "go=ctrl+k f5",
		"new_tab":             "go->new_tab=",
		"New  tab":            "go->new_tab=",
		"nächster_tab 2":      "go->nächster_tab_2=",
		"delete":              "go=delete", // a key as well
		"{action: delete}":    "go->delete=",
		"{action: Page down}": "go->page_down=",
		"page down":           "go=page_down",
		"\"\"":                "go=",
		"[]":                  "go=",
		"~":                   "go=",
	} {
		patch := decode(t, User, "id: a\ncommands: {go: "+value+"}\n")[0]
		if got := commands(&Profile{Commands: patch.Commands, Says: patch.Says}); got != want {
			t.Errorf("%s is %q, want %q", value, got, want)
		}
	}
}

func TestActionName(t *testing.T) {
	for in, want := range map[string]string{
		"new_tab": "new_tab", "New Tab": "new_tab", " new  tab ": "new_tab", "größer": "größer", "tab2": "tab2",
		"": "", "_": "", "ctrl+t": "", "new-tab": "", "a.b": "", "new tab!": "",
	} {
		if got, ok := ActionName(in); got != want || ok != (want != "") {
			t.Errorf("ActionName(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

// browserDefaults are those of the tests about layers.
func browserDefaults(t *testing.T) Defaults {
	return Defaults{Browser: decode(t, Curated, "id: browser\nsearch_url: \"https://k.org/{q}\"\n"+
		"shortcuts: {new_tab: ctrl+1, find: ctrl+1, reload: ctrl+1, back: ctrl+1}\n")[0]}
}

// TestTheOrderOfTheLayers: everywhere < kind < the user's kind < curated < the
// user's own; an empty value takes away what is below.
func TestTheOrderOfTheLayers(t *testing.T) {
	patches := slices.Concat(
		[]Patch{entry("plain", "Plain")},
		decode(t, Curated,
			"id: fox\nname: Fox\nkind: browser\nsearch_url: \"https://c.org/{q}\"\n"+
				"shortcuts: {reload: ctrl+3, own: ctrl+3}\ncommands: {hey: ctrl+3}\n"),
		decode(t, Curated, "id: crow\nname: Crow\nkind: browser\n"),
		decode(t, Curated, "id: owl\nname: Owl\nkind: browser\n"),
		decode(t, User,
			"id: everywhere\nshortcuts: {new_tab: ctrl+0, undo: ctrl+0, gone: ctrl+0}\n"+
				"commands: {hey: ctrl+0, ho: ctrl+0, fresh tab: new_tab, Shut up!: ctrl+0}\n"),
		decode(t, User,
			"id: generic-browser\nsearch_url: \"https://u.org/{q}\"\n"+
				"shortcuts: {find: ctrl+2, back: '', gone: '', reload: ctrl+2}\ncommands: {ho: ctrl+2}\n"),
		decode(t, User,
			"id: crow\nsearch_url: ''\nshortcuts: {find: '', undo: ctrl+4}\n"+
				"commands: {ho: '', hey: {action: find}, shut up: {action: find}}\n"),
	)
	merged := Merge(patches, browserDefaults(t))
	for id, want := range map[string][4]string{
		"fox": {"find=ctrl+2 new_tab=ctrl+1 own=ctrl+3 reload=ctrl+3 undo=ctrl+0",
			"Shut up!=ctrl+0, fresh tab->new_tab=ctrl+1, hey=ctrl+3, ho=ctrl+2", "https://c.org/{q}", "find undo"},
		"crow": {"new_tab=ctrl+1 reload=ctrl+2 undo=ctrl+4",
			"fresh tab->new_tab=ctrl+1, hey->find=, shut up->find=", "", "reload undo"},
		"owl": {"find=ctrl+2 new_tab=ctrl+1 reload=ctrl+2 undo=ctrl+0",
			"Shut up!=ctrl+0, fresh tab->new_tab=ctrl+1, hey=ctrl+0, ho=ctrl+2", "https://u.org/{q}", "find reload undo"},
		"plain": {"gone=ctrl+0 new_tab=ctrl+0 undo=ctrl+0",
			"Shut up!=ctrl+0, fresh tab->new_tab=ctrl+0, hey=ctrl+0, ho=ctrl+0", "", "gone new_tab undo"},
		"generic-browser": {"find=ctrl+2 new_tab=ctrl+1 reload=ctrl+2 undo=ctrl+0",
			"Shut up!=ctrl+0, fresh tab->new_tab=ctrl+1, hey=ctrl+0, ho=ctrl+2", "https://u.org/{q}", "find reload undo"},
	} {
		p := byID(t, merged, id)
		own := strings.Join(slices.Sorted(maps.Keys(p.Own)), " ")
		if got := [4]string{write(p.Shortcuts), commands(p), p.SearchURL, own}; got != want {
			t.Errorf("%s:\n got %q\nwant %q", id, got, want)
		}
	}
}

func write(shortcuts map[string]chord.Sequence) string {
	var all []string
	for name, seq := range shortcuts {
		all = append(all, name+"="+seq.String())
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestWhatCountsEverywhereIsNoApplication, and a kind is one only by its name.
func TestWhatCountsEverywhereIsNoApplication(t *testing.T) {
	x := NewIndex(Merge(slices.Concat(
		decode(t, User, "id: Everywhere\ncommands: {hey: ctrl+0}\n"),
		decode(t, User,
			"id: Generic-Media\nname: Players\naliases: [tunes]\napp_ids: [mpv]\nlaunch: [mpv]\nshortcuts: {next: f1}\n"),
		decode(t, User, "id: mpv\nkind: media\n"),
	), nil))
	for _, p := range x.All() {
		if p.ID == Everywhere {
			t.Error("everywhere is listed")
		}
	}
	if x.ByID(Everywhere) != nil || len(x.Resolve(Everywhere, here).Profiles) > 0 || x.ForWindow(Everywhere) != nil {
		t.Error("everywhere is found like an application")
	}
	if p := x.Everywhere(); p == nil || commands(p) != "hey=ctrl+0" {
		t.Errorf("everywhere is %+v", p)
	}
	if p := x.ForWindow("mpv"); p == nil || p.ID != "mpv" || p.Shortcuts["next"].String() != "f1" {
		t.Errorf("the window of mpv belongs to %+v", p)
	}
	if x.ForWindow("generic-media") != nil {
		t.Error("a window belongs to a kind")
	}
	if m := x.Resolve("tunes", here); !m.Role || m.One().Kind != MediaPlayer {
		t.Errorf("tunes is %+v", m)
	}
	if NewIndex(Merge(decode(t, User, "id: a\n"), nil)).Everywhere() != nil {
		t.Error("nothing was taught of everywhere, and yet it is there")
	}
}

// TestApplicationsOfAKindShareWhatTheyInherit: memory and time do not grow with
// what is taught everywhere.
func TestApplicationsOfAKindShareWhatTheyInherit(t *testing.T) {
	const many = 1000
	var patches []Patch
	for i := range many {
		patches = append(patches, entry(fmt.Sprintf("org.x.App%d", i), "App"))
	}
	text := "id: everywhere\ncommands:\n"
	for i := range 200 {
		text += fmt.Sprintf("  phrase %d: ctrl+t\n", i)
	}
	plain := testing.AllocsPerRun(1, func() { Merge(patches, nil) })
	patches = append(patches, decode(t, User, text)...)
	taught := testing.AllocsPerRun(1, func() { Merge(patches, nil) })
	if taught > plain+5*many {
		t.Errorf("%v allocations with, %v without 200 phrases everywhere", taught, plain)
	}
}

func TestTaughtFindsWhatIsSaid(t *testing.T) {
	p := Merge(decode(t, User, "id: a\nnew_window: [a, -n]\n"+
		"shortcuts: {new_tab: ctrl+t, \"Side-Bar\": f9, find: ''}\n"+
		"commands: {Fresh Tab!: new_tab, side bar: ctrl+s, another: new_window, never: gone, new tab: gone, bar: "+
		"side_bar}\n"), nil)[0]
	for said, want := range map[string]string{
		"fresh tab": "Fresh Tab! ctrl+t new_tab",
		"side bar":  "side bar ctrl+s ",
		"bar":       "bar f9 side_bar",
		"another":   "another  new_window",
		"never":     "never  gone",
		"new tab":   "new tab ctrl+t new_tab", // the command can do nothing, the action can
		"find":      "",
		"":          "",
	} {
		got := ""
		if s, ok := p.Taught(said); ok {
			got = fmt.Sprintf("%s %s %s", s.Words, s.Keys, s.Action)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
	if _, ok := p.Commands["never"]; ok || p.Says["never"] != "gone" {
		t.Errorf("commands %v, says %v", p.Commands, p.Says)
	}
}
