// Package try is the page "Try it": what a phrase would do, and doing it; and
// teaching a phrase that found nothing or the wrong thing.
package try

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"utter/ui/model/apps"
	"utter/ui/model/cases"
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
	Message    string // in English
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
	Reason  string // of a refusal
	Message string // in English
}

// An Agent plans and runs. Answers come on the main loop.
type Agent interface {
	// Plan plans for a window, or where its ID is 0, for the focus in its App.
	Plan(utterance string, target Window, answer func(Plan, error))
	// Run carries an utterance out after the target has got the focus. Steps
	// are told as they end, of whatever runs then and maybe not all of them.
	Run(utterance string, target Window, step func(index int, s Step), ended func(Result, error))
	// Answer answers a question: yes or no to a confirmation, by number to a
	// choice.
	Answer(q Question, yes bool, choice int, step func(index int, s Step), ended func(Result, error))
	Windows(answer func([]Window, error))
	// NameOf is what an application is called.
	NameOf(app string) string
}

// A Result is what became of a phrase.
type Result struct {
	Outcome  string // "completed", "refused", "failed" or "unknown"
	Reason   string // of a refusal
	Message  string // in English
	Steps    []Step // that were done, or refused, from the first
	Question *Question
}

// A Question is what the agent asks before it goes on.
type Question struct {
	Token   string
	Text    string   // what would be done, or what is not clear; the model says it
	Detail  string   // the agent's own words, in English
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

// A run is a phrase that is carried out.
type run struct {
	text string
	plan *Plan // that it runs
	from int   // the step of plan that the agent begins with
	over bool  // nothing runs until a question is answered
}

// take takes the outcome of a step, numbered from where the agent began.
func (r *run) take(i int, s Step) bool {
	i += r.from
	if r.plan == nil || i < r.from || i >= len(r.plan.Steps) || r.plan.Steps[i].Action != s.Action {
		return false // of something else that runs
	}
	step := &r.plan.Steps[i]
	step.Outcome, step.Reason, step.Message = s.Outcome, s.Reason, s.Message
	return true
}

// mark gives the steps of a plan that is made again the outcomes they had.
func (r *run) mark(p *Plan) {
	same := func(a, b Step) bool { return a.Action == b.Action && a.Text == b.Text }
	if r.plan == nil || !slices.EqualFunc(r.plan.Steps, p.Steps, same) {
		return
	}
	for i, s := range r.plan.Steps {
		p.Steps[i].Outcome, p.Steps[i].Reason, p.Steps[i].Message = s.Outcome, s.Reason, s.Message
	}
}

// question says what the agent asks.
func (r *run) question(q Question) *Question {
	var left []string
	if r.plan != nil {
		for _, s := range r.plan.Steps[r.from:] {
			left = append(left, s.Text)
		}
	}
	switch {
	case q.Choices != nil:
		// Translators: %s is what was said.
		q.Text = tr.T("“%s” can mean several things.", r.text)
	case len(left) == 0:
		q.Text = tr.T("Do this?")
	default:
		// Translators: %s are the steps of a plan, such as "Close Firefox".
		q.Text = tr.T("Do this? %s", wording.List(left))
	}
	return &q
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
		s.WhyNot = tr.T("Open a window first: nothing is ever done to this one")
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
// SetTarget ends that. Many applications at once are no target.
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
	m.agent.Plan(m.state.Text, target, func(p Plan, err error) {
		if turn != m.asked {
			return
		}
		m.state.Plan, m.state.Lines, m.state.Error = nil, nil, ""
		if err != nil {
			m.state.Error = tr.T("The agent did not answer")
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

// explain says why a plan is what it is.
func explain(p Plan) []string {
	var lines []string
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
	for i := range m.state.Plan.Steps {
		s := &m.state.Plan.Steps[i]
		s.Outcome, s.Reason, s.Message = "", "", ""
	}
	m.run = &run{text: m.state.Text, plan: m.state.Plan}
	m.begin()
	m.agent.Run(m.run.text, m.Target(), m.stepped(m.run), m.ended(m.run))
}

func (m *Model) begin() {
	m.run.over = false
	m.state.Running, m.state.Result, m.state.Question, m.raw = true, "", nil, ""
	m.show()
}

// Answer answers a question, if it still waits: yes or no, or the number of a
// choice.
func (m *Model) Answer(q *Question, yes bool, choice int) {
	if q == nil || q != m.state.Question {
		return
	}
	if q.Choices != nil {
		m.run.plan = nil // another one follows
	}
	m.begin()
	m.agent.Answer(*q, yes, choice, m.stepped(m.run), m.ended(m.run))
}

// stepped takes the outcome of a step while r runs.
func (m *Model) stepped(r *run) func(index int, s Step) {
	return func(index int, s Step) {
		if !r.over && r.take(index, s) {
			m.show()
		}
	}
}

// ended takes what became of the phrase that ran; what it says of the steps is
// the last word. If another phrase is written by now, the result stands among the
// recent phrases only.
func (m *Model) ended(run *run) func(Result, error) {
	return func(r Result, err error) {
		m.state.Running, run.over = false, true
		if err != nil {
			r = Result{Outcome: "unknown", Message: err.Error()}
		}
		for i, s := range r.Steps {
			run.take(i, s)
		}
		result := wording.Outcome(r.Outcome)
		if why := wording.Reason(r.Reason); why != "" {
			// Translators: %[1]s is what became of a phrase ("Not done"), %[2]s says why.
			result = tr.T("%[1]s: %[2]s", result, why)
		}
		m.state.Question = nil
		if r.Question != nil {
			if n := len(r.Steps); run.plan != nil && n > 0 {
				run.from = min(run.from+n-1, len(run.plan.Steps)) // it goes on with the last of them
			}
			m.state.Question = run.question(*r.Question)
		}
		if run.text == m.state.Text {
			m.state.Result, m.raw = result, r.Message
		}
		m.remember(Recent{run.text, result, r.Outcome != "completed"})
		if m.again {
			m.again = false
			m.plan()
		}
		m.show()
	}
}

// Case returns the plan that is shown as a test, and what adding it to file is
// called. Of the open windows it keeps the target and those that the plan names:
// the titles of others are nobody's business.
func (m *Model) Case(file string) (label string, c cases.Case) {
	c.Utterance = strings.TrimSpace(m.state.Text)
	named := map[string]bool{}
	if m.state.Plan != nil {
		for _, s := range m.state.Plan.Steps {
			c.Steps = append(c.Steps, cases.Step{Action: s.Action, Args: s.Args})
			if app, ok := s.Args["app"].(string); ok {
				named[app] = app != ""
			}
		}
	}
	for i, w := range m.state.Windows {
		saved := cases.Window{AppID: w.AppID, Title: w.Title}
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
