package sayings

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"utter/shared/bus"
)

// A teller is an agent that answers when the test says so.
type teller struct {
	apps    []string
	answers []func([]bus.Suggestion, error)
}

func (a *teller) SuggestFor(app string, answer func([]bus.Suggestion, error)) {
	a.apps, a.answers = append(a.apps, app), append(a.answers, answer)
}

func (a *teller) last(items ...bus.Suggestion) { a.answers[len(a.answers)-1](items, nil) }

type page struct {
	teller
	*Model
	shown State
}

func newPage() *page {
	p := &page{}
	p.Model = New(&p.teller, func(s State) { p.shown = s })
	return p
}

// lines writes what is shown: headings with a colon, items as
// "text [detail] (also)".
func (p *page) lines() string {
	var b strings.Builder
	for _, g := range p.shown.Groups {
		fmt.Fprintf(&b, "%s:\n", g.Title)
		for _, i := range g.Items {
			line := i.Text
			if i.Detail != "" {
				line += " [" + i.Detail + "]"
			}
			if i.Also != "" {
				line += " (" + i.Also + ")"
			}
			fmt.Fprintln(&b, line)
		}
	}
	return b.String()
}

var some = []bus.Suggestion{
	{Text: "new tab", Group: "app", Kind: "action", App: "firefox", Detail: "ctrl+t"},
	{Text: "open tab", Group: "app", Kind: "action", App: "firefox", Detail: "ctrl+t"},
	{Text: "history", Group: "app", Kind: "action", App: "firefox", Detail: "ctrl+h"},
	{Text: "open mozilla firefox", Group: "open", Kind: "app", App: "firefox", Detail: "firefox"},
	{Text: "open firefox", Group: "open", Kind: "app", App: "firefox", Detail: "firefox"},
	{Text: "open note", Group: "open", Kind: "app", App: "note", Detail: "note"},
	{Text: "fly", Group: "zzz"},
	{Text: "dive", Group: "aaa"},
	{Text: "swim", Group: "aaa"},
	{Text: "close this window", Group: "windows", Kind: "desktop", Detail: "close-window"},
	{Text: "close window", Group: "windows", Kind: "desktop", Detail: "close-window"},
	{Text: "close", Group: "windows", Kind: "window", Detail: "close-window"}, // of another kind
	{Text: "play", Group: "media", Kind: "media", Detail: "play"},
	{Text: "greet", Group: "yours", Kind: "action", App: "firefox", Detail: "f2"},
}

const allOfThem = `In This Application:
new tab [ctrl+t] (Also: open tab)
history [ctrl+h]
Your Phrases:
greet [f2]
Windows and Workspaces:
close window [close-window] (Also: close this window)
close [close-window]
Applications:
open firefox [firefox] (Also: open mozilla firefox)
open note [note]
Media:
play [play]
aaa:
dive
swim
zzz:
fly
`

func TestGroupsAndWordings(t *testing.T) {
	p := newPage()
	p.SetTargets(nil, nil)
	if !p.shown.Loading {
		t.Error("not loading")
	}
	p.last(some...)
	if p.lines() != allOfThem || p.shown.Found != 11 || p.shown.Loading || p.shown.Error != "" {
		t.Errorf("shown %+v:\n%s", p.shown, p.lines())
	}
}

func TestSearch(t *testing.T) {
	p := newPage()
	p.SetTargets(nil, nil)
	p.last(some...)
	for query, want := range map[string]string{
		"mozilla":  "Applications:\nopen firefox [firefox] (Also: open mozilla firefox)\n", // a further wording
		"CTRL+H":   "In This Application:\nhistory [ctrl+h]\n",
		"tab open": "In This Application:\nnew tab [ctrl+t] (Also: open tab)\n",
		"zyxwv":    "",
	} {
		p.Search(query)
		if p.lines() != want || p.shown.Found != strings.Count(want, "[") {
			t.Errorf("%q: %d found:\n%s", query, p.shown.Found, p.lines())
		}
	}
	p.Search(" ")
	if p.lines() != allOfThem {
		t.Errorf("an empty search:\n%s", p.lines())
	}
}

// TestManyWordings: the shortest is shown, a few others, and first those that are
// searched for.
func TestManyWordings(t *testing.T) {
	var list []bus.Suggestion
	for i := range 20 {
		list = append(list, bus.Suggestion{Text: fmt.Sprintf("go to workspace number %02d", i), Group: "windows",
			Kind: "desktop", Detail: "focus-workspace …"})
	}
	list = append(list, bus.Suggestion{Text: "workspace …", Group: "windows", Kind: "desktop",
		Detail: "focus-workspace …"})
	p := newPage()
	p.SetTargets(nil, nil)
	p.last(list...)
	want := "workspace … [focus-workspace …] (Also: "
	for i := range 8 {
		want += fmt.Sprintf("go to workspace number %02d, ", i)
	}
	if got := p.lines(); got != "Windows and Workspaces:\n"+strings.TrimSuffix(want, ", ")+" and 12 more)\n" {
		t.Errorf("shown:\n%s", got)
	}
	p.Search("number 17")
	if got := p.lines(); !strings.Contains(got, "(Also: go to workspace number 17, go to workspace number 00") {
		t.Errorf("searched:\n%s", got)
	}
}

func TestTargets(t *testing.T) {
	labels := func(p *page) string {
		var all []string
		for i, target := range p.shown.Targets {
			mark := ""
			if i == p.shown.Target {
				mark = "*"
			}
			all = append(all, target.Label+mark)
		}
		return strings.Join(all, " ")
	}
	foot, ff, none := Target{"foot", "Foot"}, Target{"firefox", "Firefox"}, Target{"", "unknown window"}
	apps := []Target{ff, foot, {"note", "Note"}}
	p := newPage()
	for _, step := range []struct {
		what    string
		windows []Target
		choose  int // -1: not
		want    string
		asked   string
	}{
		{"no window", []Target{none}, -1, "Firefox Foot Note No application*", ""},
		{"the last window first, each once", []Target{none, foot, foot}, -1, "Foot* Firefox Note No application", "foot"},
		{"another window gets the focus", []Target{ff, foot}, -1, "Firefox* Foot Note No application", "firefox"},
		{"the user chooses", []Target{ff, foot}, 2, "Firefox Foot Note* No application", "note"},
		{"what was chosen stays", []Target{foot}, -1, "Foot Firefox Note* No application", "note"},
		{"also no application", []Target{foot}, 3, "Foot Firefox Note No application*", ""},
		{"and stays", []Target{ff}, -1, "Firefox Foot Note No application*", ""},
		{"a choice that is not there", []Target{ff}, 17, "Firefox Foot Note No application*", ""},
	} {
		p.SetTargets(step.windows, apps)
		if step.choose >= 0 {
			p.SetTarget(step.choose)
		}
		if got := labels(p); got != step.want || p.apps[len(p.apps)-1] != step.asked {
			t.Errorf("%s: %s, asked for %q; want %s, %q", step.what, got, p.apps[len(p.apps)-1], step.want, step.asked)
		}
	}
	p.SetTarget(2)
	p.SetTargets([]Target{ff}, nil) // Note has gone
	if got := labels(p); got != "Firefox* No application" {
		t.Errorf("the choice has gone: %s", got)
	}
}

func TestStaleAnswersAreDropped(t *testing.T) {
	p := newPage()
	p.SetTargets([]Target{{"a", "A"}, {"b", "B"}}, nil)
	p.SetTarget(1)
	p.answers[1](some[:1], nil)
	p.answers[0](some, nil)
	if p.shown.Found != 1 || p.shown.Target != 1 {
		t.Errorf("shown %+v", p.shown)
	}
	p.SetTarget(1) // is so already
	if len(p.answers) != 2 {
		t.Error("asked again for the same")
	}
}

func TestAnAgentThatDoesNotAnswer(t *testing.T) {
	p := newPage()
	p.SetTargets(nil, nil)
	p.answers[0](nil, errors.New("timeout"))
	if p.shown.Error != "The agent did not respond" || p.shown.Loading || p.shown.Found != 0 {
		t.Errorf("shown %+v", p.shown)
	}
	p.Refresh()
	p.last(some...)
	if p.shown.Error != "" || p.shown.Found != 11 {
		t.Errorf("shown %+v", p.shown)
	}
}
