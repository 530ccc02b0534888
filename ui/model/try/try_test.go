package try

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"utter/shared/bus"
)

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
	want := "Chosen by the rule “open”|Rules tried before: custom, media|The name could also mean: B, " +
		"C|Confidence: 75%|Decided in 12 µs"
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
