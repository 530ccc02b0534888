package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func resolved(m Match) string {
	var ids []string
	for _, p := range m.Profiles {
		ids = append(ids, p.ID)
	}
	return strings.Join(ids, " ")
}

func TestTheUsersNamesBeatEveryOther(t *testing.T) {
	x := NewIndex(Merge(slices.Concat(
		[]Patch{entry("thunderbird", "Thunderbird"), entry("music", "Music"), entry("org.x.Radio", "Radio")},
		decode(t, Curated, "id: spotify\nname: Spotify\naliases: [radio, songs]\n"),
		decode(t, User, "id: evolution\nname: Evolution\naliases: [thunderbird, radio]\n"),
		decode(t, User, "id: music\naliases: [songs]\n"),
		decode(t, User, "id: post\nname: Thunderbird\n"),
	), nil))
	tests := []struct {
		name, want string
		pass       Pass
		layer      Layer
	}{
		{"thunderbird", "post", ByName, User}, // within the user's layer a name beats an alias
		{"radio", "evolution", ByAlias, User}, // an alias of the user's beats a name below
		{"songs", "music", ByAlias, User},     // whose application is the catalogue's
		{"music", "music", ByID, User},
		{"spotify", "spotify", ByID, Curated},
		{"org.x.radio", "org.x.Radio", ByID, Catalogue},
	}
	for _, tt := range tests {
		m := x.Resolve(tt.name, here)
		if resolved(m) != tt.want || m.Pass != tt.pass || m.Layer != tt.layer {
			t.Errorf("%q is %q by %v of %v; want %q by %v of %v", tt.name, resolved(m), m.Pass, m.Layer,
				tt.want, tt.pass, tt.layer)
		}
	}
}

func TestARoleNeverTiesWithAnApplication(t *testing.T) {
	x := NewIndex(Merge(slices.Concat(
		[]Patch{entry("org.x.Edit", "Text Editor")},
		decode(t, Curated, "id: generic-editor\nname: Text Editor\naliases: [editor]\nkind: editor\n"),
		decode(t, Curated, "id: code\nname: Code\naliases: [editor]\nkind: editor\n"),
	), nil))
	is := func(name, want string, here func(*Profile) bool, role bool) {
		t.Helper()
		if m := x.Resolve(name, here); resolved(m) != want || m.Role != role {
			t.Errorf("%q is %q, a role: %v; want %q", name, resolved(m), m.Role, want)
		}
	}
	nothing := func(*Profile) bool { return false }
	is("text editor", "org.x.Edit", here, false)
	is("text editor", "generic-editor", nothing, true)
	is("editor", "code", here, false)
	is("editor", "generic-editor", nothing, true)
	if x.ForWindow("generic-editor") != nil {
		t.Error("a window belongs to a role")
	}
}

// TestFieldBug27NamesAndUtterancesHaveOneNormalForm: however an alias is written,
// what is said finds it; two of one alias are both named.
func TestFieldBug27NamesAndUtterancesHaveOneNormalForm(t *testing.T) {
	x := NewIndex(Merge(slices.Concat(
		decode(t, User,
			"id: a\naliases: [mail, \"Upstairs, hallway\", \"cafe\\u0301\", 🎵, \"Wi-Fi\", \"Rock ‘n’ Roll!\"]\n"),
		decode(t, User, "id: b\naliases: [Mail]\n"),
	), nil))
	for name, want := range map[string]string{
		"mail": "a b", "MAIL!": "a b", "upstairs hallway": "a", "Upstairs, Hallway.": "a", "café": "a",
		"CAFE\u0301": "a", "🎵": "a",
		"wi fi": "a", "wi-fi": "a", "rock 'n' roll": "a",
	} {
		if got := resolved(x.Resolve(name, here)); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for _, p := range x.Resolve("mail", here).Profiles {
		if p.Origin.File != "f.yaml" || p.Origin.Line != 1 {
			t.Errorf("%s comes from %v", p.ID, p.Origin)
		}
	}
}

// TestAMissLooksAtAsMuchAsAHit: the cost of a name does not grow with the number
// of applications, also where all of them have its words and none can be used.
func TestAMissLooksAtAsMuchAsAHit(t *testing.T) {
	var patches []Patch
	for i := range 5000 {
		p := entry(fmt.Sprintf("org.x.App%d", i), fmt.Sprintf("Studio Suite %d", i))
		p.Entry.GenericName = "Studio"
		patches = append(patches, p)
	}
	x := NewIndex(Merge(patches, nil))
	for _, name := range []string{"studio", "studio suite", "suite studio suite", "studio suite 4999",
		"studio of none", "none"} {
		asked := 0
		m := x.Resolve(name, func(*Profile) bool { asked++; return false })
		if asked > 1000 {
			t.Errorf("%q: %d applications were looked at for %q", name, asked, resolved(m))
		}
	}
	if got := resolved(x.Resolve("studio suite 4999", here)); got != "org.x.App4999" {
		t.Errorf("the rarest word does not lead to %q", got)
	}
	if m := x.Resolve("studio", here); len(m.Profiles) == 0 || len(m.Profiles) > maxTies {
		t.Errorf("studio has %d candidates", len(m.Profiles))
	}
}

func TestRemovedActionsAndFieldsStayRemoved(t *testing.T) {
	defaults := Defaults{Browser: decode(t, Curated,
		"id: browser\nsearch_url: \"https://e.org/{q}\"\nshortcuts: {new_tab: ctrl+t, find: ctrl+f}\n")[0]}
	p := Merge(slices.Concat(
		decode(t, Curated,
			"id: a\nname: Aye\nkind: browser\naliases: [x]\nlaunch: [a]\nshortcuts: {find: ctrl+g}\ncommands: {go: ctrl+1}\n"),
		decode(t, User,
			"id: a\naliases: []\nlaunch: []\nsearch_url: \"\"\nshortcuts: {new_tab: [], find: \"\"}\n"+
				"commands: {go: \"\", stay: ctrl+2}\n"),
	), defaults)[0]
	if len(p.Aliases)+len(p.Launch)+len(p.Shortcuts) > 0 || p.SearchURL != "" || p.Name != "Aye" {
		t.Errorf("%+v", p)
	}
	if len(p.Commands) != 1 || p.Commands["stay"].String() != "ctrl+2" {
		t.Errorf("commands %v", p.Commands)
	}
}

func TestClaimsListEachApplicationOnceTheStrongestFirst(t *testing.T) {
	mail := entry("org.x.Mail", "Mail")
	mail.Entry.Keywords = []string{"post"}
	x := NewIndex(Merge(slices.Concat(
		[]Patch{mail, entry("mail", "Mail Client")},
		decode(t, Curated, "id: generic-utility\nname: Mail\nkind: utility\n"),
		decode(t, User, "id: a\nname: Aye\naliases: [mail, post]\n"),
	), nil))
	write := func(name string) string {
		var all []string
		for _, c := range x.Claims(name) {
			all = append(all, fmt.Sprintf("%s by %v of %v", c.Profile.ID, c.Pass, c.Layer))
		}
		return strings.Join(all, ", ")
	}
	for name, want := range map[string]string{
		"mail":    "a by alias of user, mail by id of catalogue, org.x.Mail by name of catalogue, generic-utility by name of curated",
		"client":  "mail by part of a name of catalogue",
		"post":    "a by alias of user, org.x.Mail by keyword of catalogue",
		"nothing": "",
		"":        "",
	} {
		if got := write(name); got != want {
			t.Errorf("%q:\n got %s\nwant %s", name, got, want)
		}
		if m := x.Resolve(name, here); want != "" && x.Claims(name)[0].Profile != m.Profiles[0] {
			t.Errorf("%q: the first claim is not what Resolve chooses, %s", name, resolved(m))
		}
	}
}
