// Package try is the page "Try it": what a phrase would do, and doing it; and
// teaching a phrase that found nothing or the wrong thing.
package try

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// planAfter is how long after the last letter the agent is asked.
const planAfter = 120 * time.Millisecond

// A Window is an open window that can be the target.
type Window struct {
	ID      uint64
	App     string // the application's id, or ""
	AppID   string
	Title   string
	AppName string
}

// Label is what a window is called in a list of targets.
func (w Window) Label() string {
	name := cmp.Or(w.AppName, w.AppID)
	switch {
	case name == "":
		return w.Title
	case w.Title == "" || w.Title == name:
		return name
	}
	return fmt.Sprintf("%s · %s", name, w.Title)
}

// A Plan is what the agent would do.
type Plan struct {
	Found      bool
	Steps      []Step
	Source     string // "rules", …
	Rule       string
	Passed     []string // rule families that looked at the words and let them pass
	Confidence float64
	Message    string
	Reason     string
	Choices    []string
	Micros     uint64
	Claims     []string // what else a name could mean, the strongest first
}

// A Step is one step of a plan.
type Step struct {
	Text    string // what it does, in words
	Action  string
	Args    map[string]any
	Tier    string
	Confirm bool
	Outcome string // once it has run
	Message string
}

// An Agent plans and runs. Answers come on the main loop.
type Agent interface {
	Plan(utterance string, target Window, answer func(Plan, error))
	// Run carries an utterance out after the target has got the focus. Each
	// step is told as it ends.
	Run(utterance string, target Window, step func(index int, s Step), ended func(Result, error))
	// Answer answers a question: yes or no to a confirmation, by number to a
	// choice.
	Answer(q Question, yes bool, choice int, step func(index int, s Step), ended func(Result, error))
	Windows(answer func([]Window, error))
}

// A Result is what became of a phrase.
type Result struct {
	Outcome  string // "completed", "refused", "failed" or "unknown"
	Reason   string // of a refusal
	Message  string // in English
	Question *Question
}

// A Question is what the agent asks before it goes on.
type Question struct {
	Token   string
	Text    string   // in English: what would be done, or what is not clear
	Choices []string // nil where it is to be confirmed
}

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
	Plan     *Plan
	Why      string   // there is no plan
	Lines    []string // rule, what lost, time
	Error    string
	Windows  []Window
	Target   int // in Windows, or -1
	CanRun   bool
	WhyNot   string // why it cannot run
	Running  bool
	Result   string
	Detail   string    // more about it, in English
	Question *Question // waits for the user's word
	CanTeach bool
	CanSave  bool // as a test
	Recents  []Recent
}

// A Later calls f on the main loop after d, unless cancelled before.
type Later = func(d time.Duration, f func()) (cancel func())

// A Model holds the page.
type Model struct {
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
	ran    string // the phrase that runs or has run
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
	s.WhyNot, s.Why = "", ""
	if s.Plan != nil && !s.Plan.Found {
		s.Why = wording.Reason(s.Plan.Reason)
	}
	switch {
	case s.Running, !m.fresh, strings.TrimSpace(s.Text) == "":
	case s.Plan == nil || !s.Plan.Found:
		s.WhyNot = tr.T("There is nothing to run")
	case s.Target < 0:
		s.WhyNot = tr.T("Open a window first: nothing is ever done to this one")
	}
	found := m.fresh && s.Plan != nil && s.Plan.Found
	s.CanRun = found && !s.Running && s.WhyNot == ""
	s.CanTeach = strings.TrimSpace(s.Text) != "" && s.Plan != nil
	s.CanSave = found
	m.shown(*s)
}

// RefreshWindows asks for the open windows. The target stays if it is still
// there, else it is the window that had the focus last.
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
	if m.state.Target < 0 && len(others) > 0 {
		m.state.Target = 0
	}
}

// SetTarget chooses the window that phrases are for.
func (m *Model) SetTarget(index int) {
	if index != m.state.Target && index >= 0 && index < len(m.state.Windows) {
		m.state.Target = index
		m.plan()
		m.show()
	}
}

// SetTargetApp chooses the window of an application that had the focus last, if
// it has one.
func (m *Model) SetTargetApp(app string) {
	if i := slices.IndexFunc(m.state.Windows, func(w Window) bool { return w.App == app }); i >= 0 {
		m.SetTarget(i)
	}
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
	m.state.Text, m.state.Result, m.state.Detail, m.state.Question = text, "", "", nil
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
	m.agent.Plan(m.state.Text, m.Target(), func(p Plan, err error) {
		if turn != m.asked {
			return
		}
		m.state.Plan, m.state.Lines, m.state.Error = nil, nil, ""
		if err != nil {
			m.state.Error = tr.T("The agent did not answer")
		} else {
			m.state.Plan, m.state.Lines, m.fresh = &p, explain(p), true
		}
		if m.missed {
			m.Missed()
		}
		m.show()
	})
}

// explain says why a plan is what it is.
func explain(p Plan) []string {
	var lines []string
	if p.Message != "" {
		// Translators: %s is more about why there is no plan, in English.
		lines = append(lines, tr.T("Details: %s", p.Message))
	}
	if p.Found && p.Rule != "" {
		// Translators: %s is the name of a family of rules, such as "open".
		lines = append(lines, tr.T("Chosen by the rule “%s”", p.Rule))
	}
	switch passed := wording.List(p.Passed); {
	case passed == "":
	case p.Found:
		lines = append(lines, tr.T("Tried before it: %s", passed))
	default:
		// Translators: %s are the names of rules of which none fits.
		lines = append(lines, tr.T("Tried: %s", passed))
	}
	if len(p.Claims) > 1 {
		lines = append(lines, tr.T("The name could also mean: %s", wording.List(p.Claims[1:])))
	}
	if p.Confidence > 0 && p.Confidence < 1 {
		lines = append(lines, tr.T("Certainty: %.0f %%", p.Confidence*100))
	}
	if p.Micros > 0 {
		lines = append(lines, tr.T("Decided in %d µs", p.Micros))
	}
	return lines
}

// Run carries the phrase out for real.
func (m *Model) Run() {
	if !m.state.CanRun {
		return
	}
	m.state.Running, m.state.Result, m.state.Detail, m.state.Question = true, "", "", nil
	m.ran = m.state.Text
	m.show()
	m.agent.Run(m.ran, m.Target(), m.stepped(m.state.Plan), m.ended)
}

// Answer answers the question that waits: yes or no, or the number of a choice.
func (m *Model) Answer(yes bool, choice int) {
	q := m.state.Question
	if q == nil {
		return
	}
	m.state.Question, m.state.Running = nil, true
	m.show()
	m.agent.Answer(*q, yes, choice, m.stepped(m.state.Plan), m.ended)
}

// stepped takes the outcome of a step of p, which may have been replaced since.
func (m *Model) stepped(p *Plan) func(index int, s Step) {
	return func(index int, s Step) {
		if p != nil && index >= 0 && index < len(p.Steps) {
			p.Steps[index].Outcome, p.Steps[index].Message = s.Outcome, s.Message
			m.show()
		}
	}
}

// ended takes what became of the phrase that ran. If another one is written by
// now, the result stands among the recent phrases only.
func (m *Model) ended(r Result, err error) {
	m.state.Running = false
	if err != nil {
		r = Result{Outcome: "unknown", Message: err.Error()}
	}
	result := wording.Outcome(r.Outcome)
	if why := wording.Reason(r.Reason); why != "" {
		// Translators: %[1]s is what became of a phrase ("Not done"), %[2]s says why.
		result = tr.T("%[1]s: %[2]s", result, why)
	}
	m.state.Question = r.Question
	if m.ran == m.state.Text {
		m.state.Result, m.state.Detail = result, r.Message
	}
	m.remember(Recent{m.ran, result, r.Outcome != "completed"})
	if m.again {
		m.again = false
		m.plan()
	}
	m.show()
}

// Missed notes that a phrase found nothing, when the user is done writing it.
func (m *Model) Missed() {
	if m.missed = !m.fresh; m.missed {
		return // its plan is still to come
	}
	if p := m.state.Plan; p != nil && !p.Found {
		m.remember(Recent{m.state.Text, tr.T("Found nothing"), true})
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
