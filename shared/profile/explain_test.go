package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// accounted writes where values come from.
func accounted(a Account) string {
	var all []string
	for _, field := range slices.Sorted(maps.Keys(a.From)) {
		all = append(all, fmt.Sprintf("%s: %v", field, a.From[field]))
	}
	return strings.Join(all, ", ")
}

func TestExplain(t *testing.T) {
	fox := entry("fox-esr", "Fox ESR")
	kind := Browser
	fox.Kind = &kind
	patches := slices.Concat(
		[]Patch{fox, entry("plain", "Plain")},
		decode(t, Curated, "id: fox\nname: Fox\napp_ids: [fox-esr]\nkind: browser\nshortcuts: {reload: ctrl+3}\n"),
		decode(t, User, "id: everywhere\nshortcuts: {undo: ctrl+0}\ncommands: {hey: undo, ho: ctrl+0}\n"),
		decode(t, User, "id: generic-browser\nshortcuts: {find: ctrl+2}\nsearch_url: \"https://u.org/{q}\"\n"),
		decode(t, User, "id: fox-esr\naliases: [a]\nshortcuts: {new_tab: ''}\ncommands: {Ho!: find}\n"),
		decode(t, User, "id: fox\naliases: []\nenabled: false\n"),
		decode(t, User, "id: mine\nlaunch: [mine]\n"),
	)
	for id, want := range map[string]string{
		"fox": "aliases: yours, app_ids: built-in, commands.Ho!: yours, commands.hey: yours everywhere, enabled: yours, kind: built-in, " +
			"launch: found on this machine, name: built-in, search_url: yours for the kind, shortcuts.back: kind defaults, " +
			"shortcuts.find: yours for the kind, shortcuts.new_tab: yours, shortcuts.reload: built-in, shortcuts.undo: " +
			"yours everywhere",
		"plain": "commands.hey: yours everywhere, commands.ho: yours everywhere, launch: found on this machine, " +
			"name: found on this machine, shortcuts.undo: yours everywhere",
		"mine": "commands.hey: yours everywhere, commands.ho: yours everywhere, launch: yours, shortcuts.undo: yours everywhere",
		"generic-browser": "commands.hey: yours everywhere, commands.ho: yours everywhere, kind: built-in, search_url: yours, " +
			"shortcuts.back: kind defaults, shortcuts.find: yours, shortcuts.new_tab: kind defaults, shortcuts.reload: " +
			"kind defaults, " +
			"shortcuts.undo: yours everywhere",
		"generic-game": "commands.hey: yours everywhere, commands.ho: yours everywhere, kind: built-in, shortcuts.undo: yours everywhere",
		"everywhere":   "commands.hey: yours, commands.ho: yours, shortcuts.undo: yours",
		"nothing":      "",
	} {
		if got := accounted(Explain(patches, browserDefaults(t), id)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", id, got, want)
		}
	}
}

func TestExplainTellsWhatItWouldBeWithoutTheUsersFiles(t *testing.T) {
	patches := slices.Concat(
		decode(t, Curated, "id: fox\nname: Fox\nkind: browser\naliases: [red]\n"),
		decode(t, User, "id: generic-browser\nshortcuts: {find: ctrl+2}\n"),
		decode(t, User, "id: FOX\naliases: [blue]\nshortcuts: {find: ctrl+3}\n"),
		decode(t, User, "id: fox\nname: Reynard\n"),
		decode(t, User, "id: mine\nname: Mine\n"),
	)
	a := Explain(patches, browserDefaults(t), "Fox")
	if p := a.Profile; p == nil || p.Name != "Reynard" || p.Aliases[0] != "blue" ||
		p.Shortcuts["find"].String() != "ctrl+3" {
		t.Errorf("in force: %+v", p)
	}
	// What the user says of all browsers stays.
	if p := a.BuiltIn; p == nil || p.Name != "Fox" || p.Aliases[0] != "red" ||
		p.Shortcuts["find"].String() != "ctrl+2" || p.Layer != Curated {
		t.Errorf("built-in: %+v", p)
	}
	if len(a.Files) != 2 || a.Files[0].ID != "FOX" || a.Files[1].Name == nil {
		t.Errorf("files %+v", a.Files)
	}
	if a := Explain(patches, nil, "mine"); a.Profile == nil || a.BuiltIn != nil || len(a.Files) != 1 {
		t.Errorf("an application of the user's own: %+v", a)
	}
	a = Explain(patches, browserDefaults(t), "generic-browser")
	if a.Profile.Shortcuts["find"].String() != "ctrl+2" ||
		a.BuiltIn.Shortcuts["find"].String() != "ctrl+1" || len(a.Files) != 1 {
		t.Errorf("a kind: %+v", a)
	}
	if a := Explain(patches, nil, "everywhere"); a.Profile == nil || a.BuiltIn != nil || len(a.Files) != 0 {
		t.Errorf("everywhere: %+v", a)
	}
	if a := Explain(patches, nil, "zebra"); a.Profile != nil || a.BuiltIn != nil || len(a.Files) != 0 {
		t.Errorf("an unknown id: %+v", a)
	}
}

// TestExplainAgreesWithMerge: both tell the same of every application.
func TestExplainAgreesWithMerge(t *testing.T) {
	patches := slices.Concat(
		[]Patch{entry("plain", "Plain"), entry("fox", "Fox")},
		decode(t, Curated, "id: fox\nkind: browser\nshortcuts: {reload: ctrl+3}\n"),
		decode(t, User, "id: everywhere\ncommands: {hey: reload}\n"),
		decode(t, User, "id: generic-browser\nshortcuts: {find: ctrl+2, back: ''}\n"),
		decode(t, User, "id: plain\nkind: browser\nshortcuts: {reload: ''}\n"),
	)
	for _, p := range Merge(patches, browserDefaults(t)) {
		a := Explain(patches, browserDefaults(t), p.ID)
		if write(a.Profile.Shortcuts) != write(p.Shortcuts) || commands(a.Profile) != commands(p) ||
			a.Profile.SearchURL != p.SearchURL {
			t.Errorf("%s is %+v and %+v", p.ID, a.Profile, p)
		}
		for name := range p.Shortcuts {
			if a.From["shortcuts."+name] == Nowhere {
				t.Errorf("%s: %s comes from nowhere", p.ID, name)
			}
		}
	}
}
