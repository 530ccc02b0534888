package try

import (
	"reflect"
	"slices"

	"utter/shared/bus"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A run is a phrase that is carried out.
type run struct {
	text string
	plan *bus.Plan // that it runs
	from int       // the step of plan that the agent begins with
	over bool      // nothing runs until a question is answered
}

// take takes the outcome of a step, numbered from where the agent began.
func (r *run) take(i int, s bus.Step) bool {
	i += r.from
	if r.plan == nil || i < r.from || i >= len(r.plan.Steps) || r.plan.Steps[i].Action != s.Action {
		return false // of something else that runs
	}
	step := &r.plan.Steps[i]
	step.Outcome, step.Reason, step.Message = s.Outcome, s.Reason, s.Message
	return true
}

// mark gives the steps of a plan that is made again the outcomes they had.
func (r *run) mark(p *bus.Plan) {
	same := func(a, b bus.Step) bool { return a.Action == b.Action && reflect.DeepEqual(a.Args, b.Args) }
	if r.plan == nil || !slices.EqualFunc(r.plan.Steps, p.Steps, same) {
		return
	}
	for i, s := range r.plan.Steps {
		p.Steps[i].Outcome, p.Steps[i].Reason, p.Steps[i].Message = s.Outcome, s.Reason, s.Message
	}
}

// question says what the agent asks with the last step of a reply, in whose
// words is detail.
func (m *Model) question(r *run, last bus.Step, detail string) *Question {
	q := Question{Token: last.Token, Detail: detail}
	for _, c := range last.Choices {
		q.Choices = append(q.Choices, wording.Choice(c.Label, c.Origin))
	}
	var left []string
	if r.plan != nil {
		for _, s := range r.plan.Steps[r.from:] {
			left = append(left, m.Words(s))
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
func (m *Model) stepped(r *run) func(index int, s bus.Step) {
	return func(index int, s bus.Step) {
		if !r.over && r.take(index, s) {
			m.show()
		}
	}
}

// ended takes what became of the phrase that ran; what it says of the steps is
// the last word. If another phrase is written by now, the result is among the
// recent phrases only.
func (m *Model) ended(run *run) func(bus.Reply, error) {
	return func(r bus.Reply, err error) {
		m.state.Running, run.over = false, true
		if err != nil {
			r = bus.Reply{Outcome: "unknown", Message: err.Error()}
		}
		for i, s := range r.Steps {
			run.take(i, s)
		}
		result, last := wording.Outcome(r.Outcome), r.Last()
		if why := wording.Reason(last.Reason); why != "" {
			// Translators: %[1]s is the outcome of a phrase ("Not done"), %[2]s the reason.
			result = tr.T("%[1]s: %[2]s", result, why)
		}
		m.state.Question = nil
		if last.Token != "" {
			if n := len(r.Steps); run.plan != nil && n > 0 {
				run.from = min(run.from+n-1, len(run.plan.Steps)) // it goes on with the last of them
			}
			m.state.Question = m.question(run, last, r.Message)
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
