// Package sayings is the page "What You Can Say": everything that works now while one
// application is focused, in searchable groups. The agent makes the list.
package sayings

import (
	"maps"
	"slices"
	"strings"

	"utter/shared/bus"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A Group is a heading and what is below it.
type Group struct {
	Title string
	Items []Item
}

// An Item is something that can be said.
type Item struct {
	Text   string // its shortest wording
	Also   string // a line about the others, or ""
	Detail string // keys, action or address
	others []string
	hay    string
}

// An Agent lists what can be said with the focus in app, or in nothing where app
// is "". The answer comes on the main loop.
type Agent interface {
	SuggestFor(app string, answer func(items []bus.Suggestion, err error))
}

// A Target is an application whose list can be shown.
type Target struct {
	App   string // "" for no application in particular
	Label string
}

// A State is all that the page shows.
type State struct {
	Targets []Target
	Target  int
	Groups  []Group
	Loading bool
	Error   string // why there is no list, or ""
	Found   int    // items shown
}

// A Model holds the list for one target.
type Model struct {
	agent Agent
	shown func(State)
	query string
	all   []Group
	asked int
	state State
	// chosen is set once the user has chosen a target, picked.
	chosen bool
	picked string
}

// New returns a model that asks for nothing before SetTargets.
func New(agent Agent, shown func(State)) *Model { return &Model{agent: agent, shown: shown} }

// SetTargets takes the applications to choose from: those of open windows, the
// one that had the focus last first, then all others. What the user chose stays;
// else it is the first window's, or no application.
func (m *Model) SetTargets(windows, all []Target) {
	targets := unique(slices.Concat(windows, all))
	wanted := ""
	switch {
	case m.chosen:
		wanted = m.picked
	case len(unique(windows)) > 0:
		wanted = targets[0].App
	}
	targets = append(targets, Target{"", tr.T("No application")})
	m.state.Targets = targets
	m.state.Target = slices.IndexFunc(targets, func(t Target) bool { return t.App == wanted })
	if m.state.Target < 0 { // it is not there any more
		m.state.Target = 0
	}
	m.Refresh()
}

// unique leaves out targets of no application and of one that is listed already.
func unique(targets []Target) []Target {
	var all []Target
	for _, t := range targets {
		if t.App != "" && !slices.ContainsFunc(all, func(u Target) bool { return u.App == t.App }) {
			all = append(all, t)
		}
	}
	return all
}

// SetTarget asks for the list of another target.
func (m *Model) SetTarget(i int) {
	if i != m.state.Target && i >= 0 && i < len(m.state.Targets) {
		m.state.Target = i
		m.chosen, m.picked = true, m.target()
		m.Refresh()
	}
}

func (m *Model) target() string {
	if m.state.Target < len(m.state.Targets) {
		return m.state.Targets[m.state.Target].App
	}
	return ""
}

// Refresh asks for the list again.
func (m *Model) Refresh() {
	m.asked++
	turn := m.asked
	m.state.Loading = len(m.all) == 0
	m.filter()
	m.agent.SuggestFor(m.target(), func(items []bus.Suggestion, err error) {
		if turn != m.asked {
			return // another was asked for since
		}
		m.state.Loading, m.state.Error = false, ""
		if err != nil {
			m.state.Error = tr.T("The agent did not respond")
		}
		m.all = group(items)
		m.filter()
	})
}

// Search shows only what has every word of query in it.
func (m *Model) Search(query string) {
	m.query = query
	m.filter()
}

func (m *Model) filter() {
	words := strings.Fields(strings.ToLower(m.query))
	m.state.Groups, m.state.Found = nil, 0
	for _, g := range m.all {
		var items []Item
		for _, i := range g.Items {
			if has(i.hay, words) {
				items = append(items, i.matching(words))
			}
		}
		if len(items) > 0 {
			m.state.Groups = append(m.state.Groups, Group{g.Title, items})
			m.state.Found += len(items)
		}
	}
	m.shown(m.state)
}

// has reports whether every word is somewhere in a text of small letters.
func has(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// matching returns the item with the wordings that are searched for before the
// others.
func (i Item) matching(words []string) Item {
	if len(words) == 0 || len(i.others) == 0 {
		return i
	}
	others := slices.Clone(i.others)
	slices.SortStableFunc(others, func(a, b string) int {
		return rank(has(strings.ToLower(a), words)) - rank(has(strings.ToLower(b), words))
	})
	i.Also = also(others)
	return i
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// also is the line about an item's other wordings.
func also(others []string) string {
	const most = 8
	switch rest := len(others) - most; {
	case len(others) == 0:
		return ""
	case rest > 1:
		// Translators: %[1]s is a list of phrases, %[2]d how many more there are.
		return tr.N("Also: %[1]s and %[2]d more", "Also: %[1]s and %[2]d more", rest, wording.List(others[:most]), rest)
	}
	// Translators: %s is a list of phrases.
	return tr.T("Also: %s", wording.List(others))
}

// order is the groups from the nearest to the farthest.
var order = []string{"app", "yours", "windows", "open", "web", "media", "typing", "plugins"}

// title is a group's heading.
func title(group string) string {
	switch group {
	case "app":
		return tr.T("In This Application")
	case "yours":
		return tr.T("Your Phrases")
	case "windows":
		return tr.T("Windows and Workspaces")
	case "open":
		return tr.T("Applications")
	case "web":
		return tr.T("Web")
	case "media":
		return tr.T("Media")
	case "typing":
		return tr.T("Typing")
	case "plugins":
		return tr.T("Plugins")
	}
	return group
}

// group makes groups of items, in order; those of an agent newer than this window
// come last.
func group(all []bus.Suggestion) []Group {
	byName := map[string][]bus.Suggestion{}
	for _, s := range all {
		byName[s.Group] = append(byName[s.Group], s)
	}
	names := slices.Clone(order)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var groups []Group
	for _, name := range names {
		if list := byName[name]; len(list) > 0 {
			groups = append(groups, Group{title(name), fold(list)})
		}
	}
	return groups
}

// A thing is what a wording does. Where nobody knows that, it is the wording.
type thing struct{ kind, app, detail, text string }

func thingOf(s bus.Suggestion) thing {
	t := thing{kind: s.Kind, app: s.App, detail: s.Detail}
	if s.App == "" && s.Detail == "" {
		t.text = s.Text
	}
	return t
}

// fold makes one item of all wordings of one thing, where the first of them
// stands.
func fold(list []bus.Suggestion) []Item {
	texts := map[thing][]string{}
	var things []thing
	for _, s := range list {
		t := thingOf(s)
		if texts[t] == nil {
			things = append(things, t)
		}
		texts[t] = append(texts[t], s.Text)
	}
	var items []Item
	for _, t := range things {
		all := texts[t]
		slices.SortStableFunc(all, func(a, b string) int { return len([]rune(a)) - len([]rune(b)) })
		items = append(items, Item{
			Text: all[0], Also: also(all[1:]), Detail: t.detail, others: all[1:],
			hay: strings.ToLower(strings.Join(all, "\n") + "\n" + t.detail),
		})
	}
	return items
}
