package try

import (
	"errors"
	"strings"
	"testing"

	"utter/shared/bus"
)

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
