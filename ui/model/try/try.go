// Package try is the page "Try It": it shows what a phrase would do, runs it, and
// leads to teaching a phrase that found nothing or the wrong thing.
package try

import (
	"slices"
	"strings"
	"time"

	"utter/shared/bus"
	"utter/shared/op"
	"utter/ui/model/apps"
	"utter/ui/model/cases"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// planAfter is how long after the last letter the agent is asked.
const planAfter = 120 * time.Millisecond

// A Recent is a phrase of this session and what came of it.
type Recent struct {
	Text    string
	Outcome string // in words
	Failed  bool
}

// mostRecent is how many phrases are kept, in memory only.
const mostRecent = 20

// A State is all that the page shows.
type State struct {
	Text     string
	Plan     *bus.Plan
	Why      string   // there is no plan
	Lines    []string // rule, what lost, time
	Error    string
	Windows  []Window
	Target   int    // in Windows, or -1
	NoTarget string // why there is none, or ""
	CanRun   bool
	WhyNot   string // why it cannot run
	Running  bool
	Result   string
	Detail   string    // more about the plan, its steps and the result, in English
	Question *Question // waits for the user's word
	CanTeach bool
	CanSave  bool // as a test
	Recents  []Recent
}

// A Later calls f on the main loop after d, unless cancelled before.
type Later = func(d time.Duration, f func()) (cancel func())

// A Model holds the page.
type Model struct {
	// Listed is told the open windows, but for our own, as they are learned. It
	// may be nil.
	Listed func(others []Window)

	agent  Agent
	later  Later
	shown  func(State)
	ours   string // our own application id: never a target
	state  State
	asked  int    // plans
	looked int    // at the windows
	fresh  bool   // Plan is of Text and Target
	missed bool   // a phrase was ended before its plan came
	again  bool   // to be planned once what runs has ended
	wanted string // the application whose window is to be the target, or ""
	run    *run   // what runs or has run last
	raw    string // Result in English
	cancel func()
}

// New returns a model. ours is the application id of this window.
func New(agent Agent, later Later, ours string, shown func(State)) *Model {
	return &Model{agent: agent, later: later, ours: ours, shown: shown, cancel: func() {}, state: State{Target: -1}}
}

// State returns what the page shows now.
func (m *Model) State() State { return m.state }

func (m *Model) show() {
	s := &m.state
	s.WhyNot, s.Why, s.NoTarget, s.Detail = "", "", m.noTarget(), m.detail()
	if s.Plan != nil && !s.Plan.Found {
		s.Why = wording.Reason(s.Plan.Reason)
	}
	switch {
	case s.Running, !m.fresh, strings.TrimSpace(s.Text) == "":
	case s.Plan == nil || !s.Plan.Found:
		s.WhyNot = tr.T("There is nothing to run")
	case s.Target < 0 && m.wanted != "":
		s.WhyNot = s.NoTarget
	case s.Target < 0:
		s.WhyNot = tr.T("Open another window first: phrases never act on this one")
	}
	found := m.fresh && s.Plan != nil && s.Plan.Found
	s.CanRun = found && !s.Running && s.WhyNot == ""
	s.CanTeach = strings.TrimSpace(s.Text) != "" && s.Plan != nil
	s.CanSave = found
	m.shown(*s)
}

// noTarget says why there is no target.
func (m *Model) noTarget() string {
	switch {
	case m.state.Target >= 0:
		return ""
	case m.wanted != "":
		return tr.T("%s has no open window", m.agent.NameOf(m.wanted))
	}
	return tr.T("No other window is open")
}

// Words say what a step does.
func (m *Model) Words(s bus.Step) string { return wording.Step(s, m.agent.NameOf) }

// detail is what the agent says of what is shown, in its own words.
func (m *Model) detail() string {
	var lines []string
	if p := m.state.Plan; p != nil {
		lines = append(lines, p.Message)
		for _, s := range p.Steps {
			if s.Message != "" {
				lines = append(lines, s.Action+": "+s.Message)
			}
		}
	}
	lines = append(lines, m.raw)
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// RefreshWindows asks for the open windows. The target stays if it is still
// there, else it is the window that had the focus last, of the application that
// is wanted.
func (m *Model) RefreshWindows() {
	m.looked++
	turn := m.looked
	m.agent.Windows(func(all []Window, err error) {
		if turn != m.looked {
			return
		}
		if err != nil {
			all = nil
		}
		m.setWindows(all)
		if err == nil && m.Listed != nil {
			m.Listed(m.state.Windows)
		}
		if m.again = m.state.Running; !m.again {
			m.plan()
		}
		m.show()
	})
}

// setWindows takes the open windows, but for our own.
func (m *Model) setWindows(all []Window) {
	target := m.Target()
	others := slices.DeleteFunc(slices.Clone(all), func(w Window) bool { return w.AppID == m.ours })
	m.state.Windows = others
	m.state.Target = slices.IndexFunc(others, func(w Window) bool { return w.ID == target.ID && w.ID != 0 })
	switch {
	case m.wanted != "":
		m.aim()
	case m.state.Target < 0 && len(others) > 0:
		m.state.Target = 0
	}
}

// aim makes a window of the application that is wanted the target, if it has one.
func (m *Model) aim() {
	if m.Target().App != m.wanted {
		m.state.Target = slices.IndexFunc(m.state.Windows, func(w Window) bool { return w.App == m.wanted })
	}
}

// SetTarget chooses the window that phrases are for.
func (m *Model) SetTarget(index int) {
	if index != m.state.Target && index >= 0 && index < len(m.state.Windows) {
		m.state.Target, m.wanted = index, ""
		m.plan()
		m.show()
	}
}

// SetTargetApp chooses the window of an application that had the focus last, also
// of windows that are told of later; as long as it has none, there is no target.
// SetTarget ends that. Many applications at once are not a target.
func (m *Model) SetTargetApp(app string) {
	if apps.RoleName(app) != "" {
		app = ""
	}
	if m.wanted = app; app != "" {
		m.aim()
	} else if m.state.Target < 0 && len(m.state.Windows) > 0 {
		m.state.Target = 0
	}
	m.plan()
	m.show()
}

// Target returns the chosen window; its ID is 0 where there is none.
func (m *Model) Target() Window {
	if m.state.Target < 0 {
		return Window{}
	}
	return m.state.Windows[m.state.Target]
}

// Say takes the phrase as it is written.
func (m *Model) Say(text string) {
	if text == m.state.Text {
		return
	}
	m.state.Text, m.state.Result, m.state.Question, m.raw = text, "", nil, ""
	m.fresh, m.missed = false, false
	m.cancel()
	m.cancel = m.later(planAfter, m.plan)
	m.show()
}

// plan asks the agent what the phrase would do.
func (m *Model) plan() {
	m.cancel()
	m.asked++
	m.fresh = false
	turn := m.asked
	if strings.TrimSpace(m.state.Text) == "" {
		m.state.Plan, m.state.Lines, m.state.Error = nil, nil, ""
		m.show()
		return
	}
	target := m.Target()
	if target.ID == 0 {
		target.App = m.wanted
	}
	m.agent.Plan(m.state.Text, target, func(p bus.Plan, err error) {
		if turn != m.asked {
			return
		}
		m.state.Plan, m.state.Lines, m.state.Error = nil, nil, ""
		if err != nil {
			m.state.Error = tr.T("The agent did not respond")
		} else {
			m.state.Plan, m.state.Lines, m.fresh = &p, explain(p), true
			if m.state.Result != "" {
				m.run.mark(&p)
			}
		}
		if m.missed {
			m.Missed()
		}
		m.show()
	})
}

// Case returns the plan that is shown as a test, and what adding it to file is
// called. Of the open windows it keeps the target and those that the plan names:
// the titles of others are nobody's business.
func (m *Model) Case(file string) (label string, c cases.Case) {
	c.Utterance = strings.TrimSpace(m.state.Text)
	named := map[string]bool{}
	if m.state.Plan != nil {
		for _, s := range m.state.Plan.Steps {
			c.Steps = append(c.Steps, bus.Step{Action: s.Action, Args: s.Args})
			if app := op.AppOf(op.Show(op.Name(s.Action), s.Args)); app != "" {
				named[app] = true
			}
		}
	}
	for i, w := range m.state.Windows {
		saved := bus.ContextWindow{AppID: w.AppID, Title: w.Title}
		if i == m.state.Target {
			c.Focused = &saved
		}
		if i == m.state.Target || named[w.App] {
			c.Windows = append(c.Windows, saved)
		}
	}
	// Translators: a change; %[1]s is what was said, %[2]s a file.
	return tr.T("“%[1]s” added to the tests in %[2]s", c.Utterance, file), c
}

// Missed notes that a phrase found nothing, when the user is done writing it.
func (m *Model) Missed() {
	if m.missed = !m.fresh; m.missed {
		return // its plan is still to come
	}
	if p := m.state.Plan; p != nil && !p.Found {
		m.remember(Recent{m.state.Text, tr.T("Not understood"), true})
		m.show()
	}
}

// remember puts a phrase before the others, once.
func (m *Model) remember(r Recent) {
	r.Text = strings.TrimSpace(r.Text)
	all := []Recent{r}
	for _, old := range m.state.Recents {
		if old.Text != r.Text && len(all) < mostRecent {
			all = append(all, old)
		}
	}
	m.state.Recents = all
}
