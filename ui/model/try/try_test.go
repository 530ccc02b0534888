package try

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

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

func TestAPhraseIsPlannedAfterTheLastLetter(t *testing.T) {
	p := newPage()
	p.open("foot")
	for _, text := range []string{"n", "ne", "new tab"} {
		p.Say(text)
		p.clock.Pass(planAfter - 1)
	}
	p.Say("new tab") // no change
	p.clock.Pass(1)
	if got := strings.Join(p.a.phrases, ", "); got != "new tab in 1" {
		t.Errorf("planned %s", got)
	}
	p.answer(found())
	if !p.shown.CanRun || !p.shown.CanSave || !p.shown.CanTeach || p.shown.WhyNot != "" ||
		p.Words(p.shown.Plan.Steps[1]) != "Player: play" {
		t.Errorf("shown %+v", p.shown)
	}
	p.Say(" ")
	p.clock.Pass(planAfter)
	if p.shown.Plan != nil || p.shown.CanRun || p.shown.CanTeach || p.shown.WhyNot != "" || len(p.a.phrases) != 1 {
		t.Errorf("an empty phrase: %+v", p.shown)
	}
}

// TestOnlyWhatIsShownCanRun: neither the plan of another phrase nor of another
// window.
func TestOnlyWhatIsShownCanRun(t *testing.T) {
	p := newPage()
	p.open("foot", "firefox")
	p.say("new tab", found())
	p.Say("new tabs")
	if p.shown.CanRun || p.shown.CanSave || p.shown.WhyNot != "" {
		t.Errorf("while it is written: %+v", p.shown)
	}
	p.Run()
	p.clock.Pass(planAfter)
	p.Run()
	p.answer(found())
	p.SetTarget(1)
	p.Run()
	if p.shown.CanRun || len(p.a.ran) != 0 {
		t.Errorf("with another window: %+v, ran %v", p.shown, p.a.ran)
	}
	p.answer(found())
	p.Run()
	if got := strings.Join(p.a.ran, ", "); got != "new tabs in 2" {
		t.Errorf("ran %s", got)
	}
}

func TestStalePlansAreDropped(t *testing.T) {
	p := newPage()
	p.open("foot")
	p.Say("one")
	p.clock.Pass(planAfter)
	p.Say("two")
	p.clock.Pass(planAfter)
	p.a.plans[1](bus.Plan{Message: "of two"}, nil)
	p.a.plans[0](found(), nil)
	if p.shown.Plan.Found || p.shown.Plan.Message != "of two" {
		t.Errorf("shown %+v", p.shown.Plan)
	}
	p.Say("three")
	p.clock.Pass(planAfter)
	p.a.plans[2](bus.Plan{}, errors.New("timeout"))
	if p.shown.Error != "The agent did not respond" || p.shown.Plan != nil || p.shown.CanRun || p.shown.CanTeach {
		t.Errorf("shown %+v", p.shown)
	}
}

// TestTargets: never our own window, the chosen one as long as it is there.
func TestTargets(t *testing.T) {
	p := newPage()
	steps := []struct {
		what   string
		open   string
		choose int
		want   string // the target and all windows
	}{
		{"nothing is open", "", -1, "0 of"},
		{"our window only", ours, -1, "0 of"},
		{"our window in front", ours + "#9 foot#1 firefox#2", -1, "1 of 1 2"},
		{"another comes to the front", "firefox#2 foot#1", -1, "1 of 2 1"},
		{"the user chooses", "firefox#2 foot#1", 0, "2 of 2 1"},
		{"it stays", "foot#1 note#3 firefox#2", -1, "2 of 1 3 2"},
		{"it has gone", "note#3 foot#1", -1, "3 of 3 1"},
		{"a choice that is not there", "note#3 foot#1", 7, "3 of 3 1"},
		{"all gone", ours, -1, "0 of"},
	}
	for _, s := range steps {
		p.open(strings.Fields(s.open)...)
		if s.choose >= 0 {
			p.SetTarget(s.choose)
		}
		got := fmt.Sprintf("%d of", p.Target().ID)
		for _, w := range p.shown.Windows {
			got += fmt.Sprintf(" %d", w.ID)
		}
		if got != s.want {
			t.Errorf("%s: %s, want %s", s.what, got, s.want)
		}
	}
	p.say("new tab", found())
	if p.shown.CanRun || p.shown.WhyNot != "Open another window first: phrases never act on this one" || !p.shown.CanSave {
		t.Errorf("without a target: %+v", p.shown)
	}
	p.open("foot", "note")
	p.SetTargetApp("note")
	if p.Target().App != "note" {
		t.Errorf("target %+v", p.Target())
	}
	p.RefreshWindows()
	p.open("foot")
	p.a.windows[len(p.a.windows)-2](nil, nil) // a stale answer
	if len(p.shown.Windows) != 1 {
		t.Errorf("windows %v", p.shown.Windows)
	}
	p.RefreshWindows()
	p.a.windows[len(p.a.windows)-1](nil, errors.New("gone"))
	if len(p.shown.Windows) != 0 || p.Target().ID != 0 {
		t.Errorf("windows %v", p.shown.Windows)
	}
}

func refused(reason, message string) bus.Reply {
	return bus.Reply{Outcome: "refused", Message: message,
		Steps: []bus.Step{{Outcome: "refused", Reason: reason, Message: message}}}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		result bus.Reply
		err    error
		want   string
		failed bool
	}{
		{"done", bus.Reply{Outcome: "completed", Message: "opened"}, nil, "Done", false},
		{"refused", refused("policy", "not enabled"), nil, "Not done: it is not allowed", true},
		{"failed", bus.Reply{Outcome: "failed"}, nil, "It did not work", true},
		{"no answer", bus.Reply{}, errors.New("timeout"), "It is unknown whether it worked", true},
		{"too late", refused("expired", ""), nil, "Not done: the question has expired", true},
	}
	for _, tt := range tests {
		p := newPage()
		p.open("foot")
		p.say(" new tab ", found())
		p.Run()
		if !p.shown.Running || p.shown.CanRun || p.shown.WhyNot != "" {
			t.Errorf("%s: running: %+v", tt.name, p.shown)
		}
		p.Run() // nothing happens
		p.a.step(0, bus.Step{Action: "key", Outcome: "completed"})
		p.a.step(7, bus.Step{Action: "key", Outcome: "completed"})
		p.a.step(-1, bus.Step{Action: "key", Outcome: "completed"})
		p.a.ended(tt.result, tt.err)
		got := p.shown
		if got.Result != tt.want || got.Running || !got.CanRun || len(p.a.ran) != 1 ||
			got.Plan.Steps[0].Outcome != "completed" || got.Plan.Steps[1].Outcome != "" {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if got.Recents[0] != (Recent{"new tab", tt.want, tt.failed}) {
			t.Errorf("%s: recent %+v", tt.name, got.Recents)
		}
		p.Say("x")
		if p.shown.Result != "" || p.shown.Detail != "" {
			t.Errorf("%s: another phrase keeps %q", tt.name, p.shown.Result)
		}
	}
}

// TestWritingOnWhileAPhraseRuns mixes nothing up.
func TestWritingOnWhileAPhraseRuns(t *testing.T) {
	p := newPage()
	p.open("foot")
	p.say("one", bus.Plan{Found: true, Steps: []bus.Step{key("f1")}})
	p.Run()
	p.say("two", bus.Plan{Found: true, Steps: []bus.Step{key("f2")}})
	p.a.step(0, bus.Step{Action: "key", Outcome: "failed"})
	p.a.ended(bus.Reply{Outcome: "failed", Message: "raw", Steps: []bus.Step{{Action: "key", Outcome: "failed"}}}, nil)
	if p.shown.Plan.Steps[0].Outcome != "" || p.shown.Result != "" || p.shown.Detail != "" ||
		p.shown.Recents[0].Text != "one" || !p.shown.CanRun {
		t.Errorf("shown %+v", p.shown)
	}
}

// TestWindowsThatChangeWhileAPhraseRuns: its steps stay until it has ended.
func TestWindowsThatChangeWhileAPhraseRuns(t *testing.T) {
	p := newPage()
	p.open("foot")
	p.say("one", found())
	p.Run()
	planned := len(p.a.phrases)
	p.open("foot", "new")
	if len(p.a.phrases) != planned {
		t.Error("planned anew while it runs")
	}
	p.a.step(0, bus.Step{Action: "key", Outcome: "completed"})
	if p.shown.Plan.Steps[0].Outcome == "" {
		t.Error("the step's outcome is not shown")
	}
	p.a.ended(bus.Reply{Outcome: "completed"}, nil)
	if len(p.a.phrases) != planned+1 {
		t.Error("not planned anew afterwards")
	}
	p.answer(found())
	if got := p.shown; got.Plan.Steps[0].Outcome != "completed" || got.Result != "Done" {
		t.Errorf("the outcome went with the old plan: %+v", got)
	}
	p.open("foot")
	p.answer(bus.Plan{Found: true, Steps: []bus.Step{key("f9"), found().Steps[1]}})
	if got := p.shown; got.Plan.Steps[0].Outcome != "" {
		t.Errorf("another plan has an outcome: %+v", got)
	}
	p.open("foot")
	p.answer(found())
	p.Run()
	if got := p.shown; got.Plan.Steps[0].Outcome != "" {
		t.Errorf("the outcome of the run before: %+v", got)
	}
}

func TestQuestions(t *testing.T) {
	p := newPage()
	p.Answer(nil, true, 0) // nothing is asked
	p.open("foot")
	p.say("close everything", found())
	p.Run()
	p.a.ended(asked("Close 3 windows?", bus.Step{Action: "key", Reason: "needs_confirmation"}), nil)
	if p.shown.Question == nil || p.shown.Running || p.shown.Recents[0].Outcome != "Not done: it needs your confirmation" {
		t.Errorf("asked: %+v", p.shown)
	}
	q := p.shown.Question
	if q.Text != "Do this? Press F1, Player: play" || q.Detail != "Close 3 windows?" {
		t.Errorf("question %+v", q)
	}
	p.Answer(&Question{Token: "T"}, true, 0) // another one
	p.Answer(q, true, 0)
	p.Answer(q, true, 0) // once is enough
	if p.shown.Question != nil || !p.shown.Running {
		t.Errorf("answered: %+v", p.shown)
	}
	p.a.step(1, bus.Step{Action: "media", Outcome: "completed"})
	p.a.ended(bus.Reply{Outcome: "completed"}, nil)
	if p.shown.Result != "Done" || p.shown.Plan.Steps[1].Outcome != "completed" || len(p.shown.Recents) != 1 ||
		p.shown.Recents[0].Failed {
		t.Errorf("done: %+v", p.shown)
	}
	if got := strings.Join(p.a.ran, ", "); got != "close everything in 1, T true 0" {
		t.Errorf("ran %s", got)
	}
	p.Run()
	p.a.ended(asked("", bus.Step{Token: "U", Choices: []bus.Choice{{Label: "a"}, {Label: "b"}}}), nil)
	q = p.shown.Question
	if q.Text != "“close everything” can mean several things." || len(q.Choices) != 2 || q.Token != "U" {
		t.Errorf("question %+v", q)
	}
	p.Say("something else")
	p.Answer(q, true, 1)
	if p.shown.Question != nil || len(p.a.ran) != 3 {
		t.Error("the question outlived its phrase")
	}
}

func claims(names ...string) []bus.Claim {
	var all []bus.Claim
	for _, name := range names {
		all = append(all, bus.Claim{Name: name})
	}
	return all
}

func TestExplain(t *testing.T) {
	p := newPage()
	p.open("foot")
	p.say("x", bus.Plan{Found: true, Rule: "open", Passed: []string{"custom", "media"}, Claims: claims("A", "B", "C"),
		Confidence: 0.75, Micros: new(uint64(12))})
	want := "Chosen by the rule “open”|Rules tried before: custom, media|The name could also mean: B, C|Confidence: 75%|Decided in 12 µs"
	if got := strings.Join(p.shown.Lines, "|"); got != want || p.shown.Why != "" {
		t.Errorf("%q, want %q", got, want)
	}
	p.say("y", bus.Plan{Reason: "no_plan", Message: "no rule fits", Passed: []string{"custom", "media"},
		Claims: claims("A"), Confidence: 1})
	if got := strings.Join(p.shown.Lines, "|"); got != "Rules tried: custom, media" || p.shown.Detail != "no rule fits" ||
		p.shown.Why != "no phrase, application or site matches" || p.shown.WhyNot != "There is nothing to run" {
		t.Errorf("%q; %+v", got, p.shown)
	}
	p.say("z", bus.Plan{Found: true}) // of a plugin, or a newer agent
	if p.shown.Lines != nil {
		t.Errorf("lines %q", p.shown.Lines)
	}
}

func TestRecents(t *testing.T) {
	p := newPage()
	p.open("foot")
	for i := range 30 {
		p.say(fmt.Sprintf("phrase %d", i%25), bus.Plan{Reason: "no_plan"})
		p.Missed()
	}
	got := p.shown.Recents
	if len(got) != mostRecent || got[0].Text != "phrase 4" || got[19].Text != "phrase 10" ||
		got[0].Outcome != "Not understood" || !got[0].Failed {
		t.Errorf("%d recents: %v", len(got), got)
	}
	p.say("found", found())
	p.Missed()
	if p.shown.Recents[0].Text != "phrase 4" {
		t.Errorf("what was found was missed: %v", p.shown.Recents[0])
	}
}

// TestEnterBeforeThePlanIsThere notes the phrase once it is known to be missed.
func TestEnterBeforeThePlanIsThere(t *testing.T) {
	p := newPage()
	p.open("foot")
	p.say("one", bus.Plan{Reason: "no_plan"})
	p.Say("two")
	p.Missed()
	if len(p.shown.Recents) != 0 {
		t.Errorf("recents %v", p.shown.Recents)
	}
	p.clock.Pass(planAfter)
	p.answer(bus.Plan{Reason: "no_plan"})
	if len(p.shown.Recents) != 1 || p.shown.Recents[0].Text != "two" {
		t.Errorf("recents %v", p.shown.Recents)
	}
	p.Say("three")
	p.Missed()
	p.Say("three four")
	p.clock.Pass(planAfter)
	p.answer(bus.Plan{Reason: "no_plan"})
	if len(p.shown.Recents) != 1 {
		t.Errorf("a phrase that was written on: %v", p.shown.Recents)
	}
}

func TestLabels(t *testing.T) {
	for want, w := range map[string]Window{
		"Firefox · News": {AppID: "firefox", AppName: "Firefox", Title: "News"},
		"Firefox":        {AppID: "firefox", AppName: "Firefox", Title: "Firefox"},
		"Foot":           {AppID: "foot", AppName: "Foot"},
		"odd · News":     {AppID: "odd", Title: "News"},
		"odd":            {AppID: "odd"},
		"News":           {Title: "News"},
	} {
		if got := w.Label(); got != want {
			t.Errorf("%+v: %q, want %q", w, got, want)
		}
	}
}

// TestTheApplicationThatIsWanted is the target as soon as it has a window, and
// nothing else is.
func TestTheApplicationThatIsWanted(t *testing.T) {
	p := newPage()
	p.open("foot#1", "note#2")
	p.Say("new tab")
	p.SetTargetApp("firefox")
	p.answer(found())
	if s := p.shown; s.Target != -1 || s.CanRun || s.WhyNot != "FIREFOX has no open window" || s.NoTarget != s.WhyNot ||
		p.a.phrases[0] != "new tab in firefox" {
		t.Errorf("without a window: %+v; planned %q", s, p.a.phrases)
	}
	p.Run()
	p.open("note#2", "foot#1")
	if p.shown.Target != -1 || len(p.a.ran) != 0 {
		t.Errorf("other windows: %+v", p.shown)
	}
	p.open("note#2", "firefox#4", "firefox#3")
	p.answer(found())
	if s := p.shown; p.Target().ID != 4 || !s.CanRun || s.WhyNot != "" || s.NoTarget != "" {
		t.Errorf("with a window: %+v", s)
	}
	p.open("firefox#3", "note#2", "firefox#4")
	if p.Target().ID != 4 {
		t.Errorf("target %+v", p.Target())
	}
	p.open("firefox#3", "note#2")
	if p.Target().ID != 3 {
		t.Errorf("that window has gone: target %+v", p.Target())
	}
	p.open("note#2")
	if p.Target().ID != 0 {
		t.Errorf("all have gone: target %+v", p.Target())
	}
	p.SetTarget(0)
	p.open("firefox#3", "note#2")
	if p.Target().ID != 2 {
		t.Errorf("the user has chosen: target %+v", p.Target())
	}
	p.SetTargetApp("firefox")
	p.SetTargetApp("generic-browser") // many
	p.open("note#2", "firefox#3")
	if p.Target().ID != 3 || p.shown.NoTarget != "" {
		t.Errorf("a kind: %+v", p.shown)
	}
	p.SetTargetApp("nobody")
	p.SetTargetApp("everywhere")
	if p.Target().ID != 2 {
		t.Errorf("everywhere: %+v", p.shown)
	}
	p.open(ours)
	if p.shown.NoTarget != "No other window is open" {
		t.Errorf("nothing is open: %+v", p.shown)
	}
}

// TestOutcomes: the reply has the last word, whatever signals came when, and
// signals of other plans count for nothing.
func TestOutcomes(t *testing.T) {
	done, media := bus.Step{Action: "key", Outcome: "completed"}, bus.Step{Action: "media", Outcome: "refused",
		Reason: "missing", Message: "no player"}
	tests := []struct {
		name          string
		before, after func(p *page)
		steps         []bus.Step
		want          string
	}{
		{"no signal", nil, nil, []bus.Step{done, media}, "completed refused"},
		{"the last signal after the reply", func(p *page) { p.a.step(0, done) },
			func(p *page) { p.a.step(1, bus.Step{Action: "media", Outcome: "completed"}) },
			[]bus.Step{done, media}, "completed refused"},
		{"a signal of another plan", func(p *page) { p.a.step(0, media); p.a.step(1, done) }, nil, nil, " "},
		{"a signal that the reply corrects", func(p *page) { p.a.step(0, bus.Step{Action: "key", Outcome: "failed"}) }, nil,
			[]bus.Step{done}, "completed "},
		{"an answer without steps", nil, nil, []bus.Step{{Outcome: "refused", Reason: "busy"}}, " "},
		{"more steps than planned", nil, nil, []bus.Step{done, media, done}, "completed refused"},
	}
	for _, tt := range tests {
		p := newPage()
		p.open("foot")
		p.say("new tab", found())
		p.Run()
		if tt.before != nil {
			tt.before(p)
		}
		p.a.ended(bus.Reply{Outcome: "refused", Steps: tt.steps, Message: "raw"}, nil)
		if tt.after != nil {
			tt.after(p)
		}
		steps := p.shown.Plan.Steps
		if got := steps[0].Outcome + " " + steps[1].Outcome; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if strings.HasSuffix(tt.want, "refused") &&
			(steps[1].Reason != "missing" || p.shown.Detail != "media: no player\nraw") {
			t.Errorf("%s: %+v, detail %q", tt.name, steps[1], p.shown.Detail)
		}
	}
}

// TestAnAnswerBelongsToItsPlan, which goes on where it stopped.
func TestAnAnswerBelongsToItsPlan(t *testing.T) {
	p := newPage()
	p.open("foot")
	p.say("one", found())
	p.Run()
	ofOne := p.shown.Plan
	p.say("two", found())
	p.a.ended(bus.Reply{
		Outcome: "refused", Steps: []bus.Step{{Action: "key", Outcome: "completed"},
			{Action: "media", Outcome: "refused", Token: "T"}},
	}, nil)
	q := p.shown.Question
	if q == nil || q.Text != "Do this? Player: play" {
		t.Fatalf("question %+v", q)
	}
	p.Answer(q, true, 0)
	p.a.step(0, bus.Step{Action: "media", Outcome: "completed"})
	p.a.ended(bus.Reply{Outcome: "completed", Steps: []bus.Step{{Action: "media", Outcome: "completed"}}}, nil)
	if got := p.shown.Plan.Steps; got[0].Outcome+got[1].Outcome != "" || p.shown.Result != "" {
		t.Errorf("of two: %+v", p.shown)
	}
	if ofOne.Steps[1].Outcome != "completed" || p.shown.Recents[0] != (Recent{"one", "Done", false}) {
		t.Errorf("of one: %+v, recents %+v", ofOne, p.shown.Recents)
	}

	p.say("three", found())
	p.Run()
	p.a.ended(asked("", bus.Step{Token: "U", Choices: []bus.Choice{{Label: "a"}, {Label: "b"}}}), nil)
	p.Answer(p.shown.Question, true, 1)
	p.a.step(0, bus.Step{Action: "key", Outcome: "completed"}) // of the plan that was chosen
	p.a.ended(bus.Reply{Outcome: "completed", Steps: []bus.Step{{Outcome: "refused", Token: "V"}}}, nil)
	if p.shown.Plan.Steps[0].Outcome != "" || p.shown.Question.Text != "Do this?" {
		t.Errorf("shown %+v", p.shown)
	}
}

// TestCase keeps only the windows that the plan is about.
func TestCase(t *testing.T) {
	p := newPage()
	p.open("foot", "bank", "note", "firefox")
	p.SetTarget(2)
	p.say("close firefox ", bus.Plan{Found: true,
		Steps: []bus.Step{{Action: "close_app", Args: map[string]any{"app": "firefox"}},
			{Action: "wait", Args: map[string]any{"app": ""}}}})
	label, c := p.Case("tests.json")
	if label != "“close firefox” added to the tests in tests.json" ||
		c.Utterance != "close firefox" || len(c.Steps) != 2 {
		t.Errorf("%q, %+v", label, c)
	}
	if got := fmt.Sprint(c.Windows); got != "[{note } {firefox }]" || c.Focused == nil || c.Focused.AppID != "note" {
		t.Errorf("windows %s, focused %v", got, c.Focused)
	}
	if _, c := newPage().Case("f"); c.Steps != nil || c.Windows != nil || c.Focused != nil {
		t.Errorf("nothing is shown: %+v", c)
	}
}
