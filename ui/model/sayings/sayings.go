// Package sayings is the page "What you can say": everything that works now, for
// one application in focus, in groups and searchable. The agent makes the list.
package sayings

import (
	"slices"
	"strings"

	"utter/ui/model/tr"
)

// A Group is a heading and what stands below it.
type Group struct {
	Title string
	Items []Item
}

// An Item is something that can be said.
type Item struct {
	Text   string
	Detail string // keys, action or address
	hay    string
}

// An Agent lists what can be said with the focus in app, or in nothing where app
// is "". The answer comes on the main loop.
type Agent interface {
	SuggestFor(app string, answer func(items []Suggestion, err error))
}

// A Suggestion is one line of the agent's answer.
type Suggestion struct{ Text, Group, Detail string }

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
}

// New returns a model that asks for nothing before SetTargets.
func New(agent Agent, shown func(State)) *Model { return &Model{agent: agent, shown: shown} }

// SetTargets takes the applications to choose from: those of open windows, the
// one that had the focus last first, then all others. What was chosen stays.
func (m *Model) SetTargets(windows, all []Target) {
	chosen := ""
	if m.state.Target < len(m.state.Targets) {
		chosen = m.state.Targets[m.state.Target].App
	}
	m.state.Targets, m.state.Target = nil, 0
	seen := map[string]bool{}
	for _, t := range slices.Concat(windows, all) {
		if t.App == "" || seen[t.App] {
			continue
		}
		seen[t.App] = true
		if t.App == chosen {
			m.state.Target = len(m.state.Targets)
		}
		m.state.Targets = append(m.state.Targets, t)
	}
	m.state.Targets = append(m.state.Targets, Target{"", tr.T("No application")})
	m.Refresh()
}

// SetTarget asks for the list of another target.
func (m *Model) SetTarget(i int) {
	if i != m.state.Target && i >= 0 && i < len(m.state.Targets) {
		m.state.Target = i
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
	m.agent.SuggestFor(m.target(), func(items []Suggestion, err error) {
		if turn != m.asked {
			return // another was asked for since
		}
		m.state.Loading, m.state.Error = false, ""
		if err != nil {
			m.state.Error = tr.T("The agent did not answer")
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
		items := slices.DeleteFunc(slices.Clone(g.Items), func(i Item) bool {
			return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(i.hay, w) })
		})
		if len(items) > 0 {
			m.state.Groups = append(m.state.Groups, Group{g.Title, items})
			m.state.Found += len(items)
		}
	}
	m.shown(m.state)
}

// order is the groups from the nearest to the farthest.
var order = []string{"app", "yours", "windows", "open", "web", "media", "typing", "plugins"}

// title is a group's heading.
func title(group string) string {
	switch group {
	case "app":
		return tr.T("In this application")
	case "yours":
		return tr.T("Your phrases")
	case "windows":
		return tr.T("Windows and workspaces")
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

func group(items []Suggestion) []Group {
	byName := map[string][]Item{}
	for _, s := range items {
		byName[s.Group] = append(byName[s.Group], Item{Text: s.Text, Detail: s.Detail, hay: strings.ToLower(s.Text + "\n" + s.Detail)})
	}
	var groups []Group
	for _, name := range order {
		if list := byName[name]; len(list) > 0 {
			groups = append(groups, Group{title(name), list})
			delete(byName, name)
		}
	}
	for name, list := range byName { // of an agent newer than this window
		groups = append(groups, Group{title(name), list})
	}
	return groups
}
