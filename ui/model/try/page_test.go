package try

import (
	"cmp"
	"fmt"
	"strings"

	"utter/shared/bus"
	"utter/ui/model/session/sessiontest"
)

const ours = "org.utter.Settings"

// An agent answers when the test says so.
type agent struct {
	phrases []string // planned, with the target
	plans   []func(bus.Plan, error)
	windows []func([]Window, error)
	ran     []string
	step    func(index int, s bus.Step)
	ended   func(bus.Reply, error)
}

func (a *agent) Plan(text string, w Window, answer func(bus.Plan, error)) {
	where := fmt.Sprint(w.ID)
	if w.ID == 0 {
		where = w.App
	}
	a.phrases, a.plans = append(a.phrases, text+" in "+where), append(a.plans, answer)
}

func (a *agent) Run(text string, w Window, step func(int, bus.Step), ended func(bus.Reply, error)) {
	a.ran, a.step, a.ended = append(a.ran, fmt.Sprintf("%s in %d", text, w.ID)), step, ended
}

func (a *agent) Answer(q Question, yes bool, choice int, step func(int, bus.Step), ended func(bus.Reply, error)) {
	a.ran, a.step, a.ended = append(a.ran, fmt.Sprintf("%s %v %d", q.Token, yes, choice)), step, ended
}

func (a *agent) NameOf(app string) string { return strings.ToUpper(app) }

func (a *agent) Windows(answer func([]Window, error)) { a.windows = append(a.windows, answer) }

type page struct {
	a agent
	*Model
	clock sessiontest.Clock
	shown State
}

func newPage() *page {
	p := &page{}
	p.Model = New(&p.a, p.clock.Later, ours, func(s State) { p.shown = s })
	p.shown = p.Model.State()
	return p
}

func found() bus.Plan {
	return bus.Plan{Found: true, Rule: "open",
		Steps: []bus.Step{key("f1"), {Action: "media", Args: map[string]any{"command": "play"}}}}
}

func key(chord string) bus.Step {
	return bus.Step{Action: "key", Args: map[string]any{"chord": chord}}
}

// asked is a reply that ends with a question.
func asked(message string, last bus.Step) bus.Reply {
	last.Outcome, last.Token = "refused", cmp.Or(last.Token, "T")
	return bus.Reply{Outcome: "refused", Message: message, Steps: []bus.Step{last}}
}

// open says which windows are open: ids by their application ids.
func (p *page) open(ids ...string) {
	p.RefreshWindows()
	var all []Window
	for i, id := range ids {
		name, number, _ := strings.Cut(id, "#")
		if number == "" {
			number = fmt.Sprint(i + 1)
		}
		var n uint64
		fmt.Sscan(number, &n)
		all = append(all, Window{ID: n, App: name, AppID: name})
	}
	p.a.windows[len(p.a.windows)-1](all, nil)
}

// say writes a phrase and has it planned.
func (p *page) say(text string, plan bus.Plan) {
	p.Say(text)
	p.clock.Pass(planAfter)
	p.answer(plan)
}

func (p *page) answer(plan bus.Plan) { p.a.plans[len(p.a.plans)-1](plan, nil) }
