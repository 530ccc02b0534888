package apps_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/shared/profile"
	"utter/ui/model/apps"
	"utter/ui/model/session/sessiontest"
)

// desk is a computer with Firefox, which is curated, and a few others; of Signal
// there is no program.
func desk(t testing.TB) *sessiontest.Desk {
	return sessiontest.New(t, func(d *sessiontest.Desk) {
		d.Install("firefox", "Firefox", "Categories=WebBrowser;", "Icon=ff")
		d.Install("note", "Zettel", "Name[en]=Zettel", "Categories=Utility;")
		d.Install("aerger", "Ärger", "Categories=Game;")
		d.Install("beta", "Beta", "Categories=Game;")
		d.Install("hidden", "Hidden", "NoDisplay=true")
		d.Profile("x.yaml",
			"profiles:\n  note: {name: My Note, aliases: [pad, jotter], enabled: false, shortcuts: {new_line: "+
				"ctrl+shift+j}, commands: {save and close: [ctrl+s, ctrl+w]}}\n"+
				"  signal: {name: Signal}\n  spotify: {aliases: [songs]}\n  hidden: {aliases: [h]}\n")
	})
}

func list(t testing.TB, d *sessiontest.Desk, f apps.Filter) *apps.Model {
	t.Helper()
	m := apps.New(f)
	m.SetLibrary(d.Session.Library())
	return m
}

func TestFilters(t *testing.T) {
	d := desk(t)
	tests := []struct {
		filter apps.Filter
		want   string
		count  int
		label  string
	}{
		{apps.All, "everywhere generic-browser generic-game generic-utility aerger beta firefox hidden note signal spotify",
			7, "All Installed"},
		{apps.Edited, "hidden note signal spotify", 4, "Edited"},
		{apps.Main, "everywhere generic-browser generic-game generic-utility firefox", 1, "Main Apps"},
	}
	for _, tt := range tests {
		m := list(t, d, tt.filter)
		got := strings.Join(m.Shown(), " ")
		if got != tt.want || m.Filter() != tt.filter || tt.filter.Label() != tt.label {
			t.Errorf("%s: %s, want %s", tt.filter, got, tt.want)
		}
		for _, other := range tests {
			if n := m.Count(other.filter); n != other.count {
				t.Errorf("%s: Count(%s) = %d, want %d", tt.filter, other.filter, n, other.count)
			}
		}
	}
	m := list(t, d, "nonsense")
	if m.Filter() != apps.Main || m.Header() != "1 application" {
		t.Errorf("an unknown filter is %s; %s", m.Filter(), m.Header())
	}
	m.SetFilter("nonsense")
	m.SetFilter(apps.All)
	if m.Header() != "7 applications" {
		t.Errorf("Header = %q", m.Header())
	}
}

func TestRows(t *testing.T) {
	m := list(t, desk(t), apps.All)
	tests := []struct {
		id, name, subtitle, icon string
		edited, off, role        bool
	}{
		{"note", "My Note", "3 names · 2 actions", "", true, true, false},
		{"firefox", "Firefox", "3 names · 18 actions", "ff", false, false, false},
		{"beta", "Beta", "2 names · 0 actions", "", false, false, false},
		{profile.Everywhere, "Everywhere", "0 actions", "", false, false, true},
		{"generic-browser", "All Browsers", "16 actions", "", false, false, true},
		{"nonsense", "", "", "", false, false, false},
	}
	for _, tt := range tests {
		r := m.Row(tt.id)
		if r.Name != tt.name || r.Subtitle != tt.subtitle || r.Icon != tt.icon || r.Edited != tt.edited ||
			r.Off != tt.off || r.Role != tt.role {
			t.Errorf("%s: %+v, want %+v", tt.id, r, tt)
		}
	}
}

func TestSearch(t *testing.T) {
	m := list(t, desk(t), apps.All)
	tests := []struct{ query, want string }{
		{"my no", "note"},
		{"zettel", "note"}, // its original name
		{"ZETT", "note"},
		{"jotter", "note"},                        // an alias
		{"new line", "note"},                      // an action
		{"line new", "note"},                      // its words in any order
		{"ctrl+shift+j", "note"},                  // keys
		{"pad ctrl+shift", "note"},                // a word of one, a word of another
		{"save and close", "note"},                // a phrase
		{"and ctrl+s ctrl+w", "note"},             // a phrase and its keys
		{"new linectrl", ""},                      // never across two
		{"arger", "aerger"},                       // without accents
		{"ärger", "aerger"},                       // and with them
		{"org.example", ""},                       //
		{"reopen tab", "generic-browser firefox"}, // what the kind has
		{"all browsers", "generic-browser"},
		{"songs", "spotify"},
		{"zyxwv", ""},
	}
	for _, tt := range tests {
		m.Search(tt.query)
		if got := strings.Join(m.Shown(), " "); got != tt.want || m.Query() != tt.query {
			t.Errorf("%q: %q, want %q", tt.query, got, tt.want)
		}
	}
	m.Search("game")
	m.SetFilter(apps.Edited)
	if len(m.Shown()) != 0 || m.Count(apps.Edited) != 4 {
		t.Errorf("a search within a filter: %q, counts %d", m.Shown(), m.Count(apps.Edited))
	}
	m.Search("  ")
	if len(m.Shown()) != 4 {
		t.Errorf("an empty search shows %q", m.Shown())
	}
}

// TestRolesNeedSomeoneWhoHasThem, or a file of the user's.
func TestRolesNeedSomeoneWhoHasThem(t *testing.T) {
	roles := func(d *sessiontest.Desk) string {
		d.Session.Reload()
		var names []string
		m := list(t, d, apps.All)
		for _, id := range m.Shown() {
			if r := m.Row(id); r.Role {
				mark := ""
				if r.Edited {
					mark = "*"
				}
				names = append(names, r.Name+mark)
			}
		}
		return strings.Join(names, ", ")
	}
	d := sessiontest.New(t, nil)
	if got := roles(d); got != "Everywhere" {
		t.Errorf("an empty machine: %s", got)
	}
	d.Profile("x.yaml", "id: mine\nkind: office\n") // not installed
	if got := roles(d); got != "Everywhere" {
		t.Errorf("an application that is not there: %s", got)
	}
	d.Install("game", "Game", "Categories=Game;")
	d.Profile("y.yaml", "profiles: {generic-media: {shortcuts: {x: f2}}, everywhere: {shortcuts: {y: f3}}}\n")
	if got := roles(d); got != "Everywhere*, All Media Players*, All Games" {
		t.Errorf("a game and two files: %s", got)
	}
	for _, id := range []string{"firefox", "generic-other", ""} {
		if apps.RoleName(id) != "" {
			t.Errorf("%s is a role", id)
		}
	}
	for _, k := range profile.Kinds {
		if (apps.RoleName(profile.KindID(k)) != "") != (k != profile.Other) {
			t.Errorf("the kind %s is called %q", k, apps.RoleName(profile.KindID(k)))
		}
	}
}

// TestTheListFollows what is installed and edited.
func TestTheListFollows(t *testing.T) {
	d := desk(t)
	m := list(t, d, apps.All)
	before := m.Shown()
	d.Install("gamma", "Gamma")
	d.Session.Reload()
	m.SetLibrary(d.Session.Library())
	s, changed := apps.Diff(before, m.Shown())
	if !changed || s.Remove != 0 || !slices.Equal(s.Add, []string{"gamma"}) {
		t.Errorf("splice %+v", s)
	}
	row, shown := m.Row("gamma"), m.Shown()
	m.SetLibrary(d.Session.Library())
	if m.Row("gamma") != row || &m.Shown()[0] != &shown[0] {
		t.Error("the list was made anew though nothing has changed")
	}
	d.Profile("z.yaml", "id: gamma\naliases: [g, h, i]\n")
	d.Session.Reload()
	m.SetLibrary(d.Session.Library())
	if m.Row("gamma") == row || !m.Row("gamma").Edited {
		t.Errorf("an edited row is %+v", m.Row("gamma"))
	}
}

// splice applies s to old.
func splice(old []string, s apps.Splice) []string {
	return slices.Concat(old[:s.At], s.Add, old[s.At+s.Remove:])
}

func FuzzDiff(f *testing.F) {
	for _, pair := range [][2]string{{"", ""}, {"abc", "abc"}, {"abc", "axc"}, {"abc", "bc"}, {"aa", "aaa"},
		{"aba", "a"}, {"abab", "ab"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		old, new := strings.Split(a, ""), strings.Split(b, "")
		s, changed := apps.Diff(old, new)
		if got := splice(old, s); !slices.Equal(got, new) || changed == slices.Equal(old, new) {
			t.Errorf("Diff(%q, %q) = %+v, %v, which gives %q", old, new, s, changed, got)
		}
		if s.Remove > 0 && len(s.Add) > 0 && (old[s.At] == s.Add[0] || old[s.At+s.Remove-1] == s.Add[len(s.Add)-1]) {
			t.Errorf("Diff(%q, %q) = %+v replaces a row by itself", old, new, s)
		}
	})
}

// thousand is a machine with 1,000 applications, each with actions.
func thousand(t testing.TB) *apps.Model {
	d := sessiontest.New(t, func(d *sessiontest.Desk) {
		for i := range 1000 {
			kind := []string{"WebBrowser", "Game", "TextEditor", "TerminalEmulator"}[i%4]
			d.Install(fmt.Sprintf("org.example.App%04d", i), fmt.Sprintf("Example number %d", i), "Categories="+kind+";")
		}
	})
	return list(t, d, apps.All)
}

func BenchmarkSearch(b *testing.B) {
	m := thousand(b)
	queries := []string{"e", "ex", "example", "example 99", "ctrl+shift+t", "new tab", "zyxwv", ""}
	b.ReportAllocs()
	for b.Loop() {
		for _, q := range queries {
			m.Search(q)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(queries)), "ns/key")
}

func BenchmarkSetLibrary(b *testing.B) {
	d := sessiontest.New(b, func(d *sessiontest.Desk) {
		for i := range 1000 {
			d.Install(fmt.Sprintf("org.example.App%04d", i), fmt.Sprintf("Example number %d", i), "Categories=WebBrowser;")
		}
	})
	for b.Loop() {
		list(b, d, apps.All)
	}
}

// TestAKeystrokeIsQuick leaves the frame's 16 ms to the view.
func TestAKeystrokeIsQuick(t *testing.T) {
	m := thousand(t)
	const limit = 16 * time.Millisecond // even with the race detector
	best := time.Hour
	for range 5 {
		began := time.Now()
		m.Search("example")
		best = min(best, time.Since(began))
	}
	if best > limit {
		t.Errorf("a keystroke takes %v among 1,000 applications, want at most %v", best, limit)
	}
}
