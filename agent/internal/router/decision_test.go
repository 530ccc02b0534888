package router

import (
	"slices"
	"strings"
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

func TestNewNeedsAnEngineThatCanBeSearched(t *testing.T) {
	known := newRouter(t, "", nil)
	for engine, want := range map[string]string{
		"google":                   "https://www.google.com/search?q=a+b",
		"Stack Overflow":           "", // known, but without a search address
		"YouTube":                  "https://www.youtube.com/results?search_query=a+b",
		"https://e.org/find/{q}/x": "https://e.org/find/a%20b/x",
		"https://e.org/?q=":        "",
		"nonsense":                 "",
		"":                         "",
	} {
		r, err := New(known.words, known.lib, engine)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "search.engine") {
				t.Errorf("engine %q: %v, want an error that names search.engine", engine, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("engine %q: %v", engine, err)
		} else if got := r.SearchURL("a b"); got != want {
			t.Errorf("engine %q: %s, want %s", engine, got, want)
		}
	}
}

func TestTheEngineIsForPlainSearchesOnly(t *testing.T) {
	known := newRouter(t, "", []string{"firefox-esr"})
	r, err := New(known.words, known.lib, "https://e.org/?q={q}")
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		"search for cats":         "https://e.org/?q=cats",
		"look up cats":            "https://e.org/?q=cats",
		"google cats":             "https://www.google.com/search?q=cats",
		"search for cats on x":    "https://e.org/?q=cats+on+x",
		"search youtube for cats": "https://www.youtube.com/results?search_query=cats",
	} {
		d := r.Route(said, Context{})
		if d.Plan == nil || arg(d.Plan.Steps[0], "url") != want {
			t.Errorf("%q: %+v, want %s", said, d, want)
		}
	}
}

func TestChoiceNumber(t *testing.T) {
	r := newRouter(t, "", nil)
	for said, want := range map[string]int{
		"2": 2, "two": 2, "number two": 2, "second": 2, "the second": 2, "the second one": 2, "first": 1, "3rd": 3,
		"twelve": 12,
	} {
		if n, ok := r.ChoiceNumber(said); !ok || n != want {
			t.Errorf("%q is %d, %v; want %d", said, n, ok, want)
		}
	}
	for _, said := range []string{"", "the", "open two", "two and three", "-1", "second thoughts"} {
		if n, ok := r.ChoiceNumber(said); ok {
			t.Errorf("%q is %d", said, n)
		}
	}
}

func TestAPlanSaysWhichRuleWonAndWhichPassed(t *testing.T) {
	r := newRouter(t, "", []string{"firefox-esr"})
	d := r.Route("scroll down", Context{})
	if d.Plan == nil || d.Rule != "scroll" || d.Plan.Source != plan.SourceRules || d.Plan.Confidence != 1 ||
		d.Plan.NeedsPerception {
		t.Errorf("scroll down: %+v", d)
	}
	if len(d.Passed) == 0 || d.Passed[0] != "custom" || slices.Contains(d.Passed, "scroll") ||
		slices.Contains(d.Passed, "click") {
		t.Errorf("passed %q, want those before scroll", d.Passed)
	}
	if d := r.Route("banana", Context{}); len(d.Passed) != len(families) || d.Rule != "" {
		t.Errorf("banana: rule %q, passed %q; want all families", d.Rule, d.Passed)
	}
	if d := r.Route("open banana", Context{}); d.Rule != "open" || d.Reason != plan.NoPlan ||
		slices.Contains(d.Passed, "open") {
		t.Errorf("open banana: %+v, want open to stop the search", d)
	}
	if d := r.Route("click submit", Context{}); d.Plan == nil || !d.Plan.NeedsPerception ||
		d.Plan.Confidence >= 1 || d.Plan.Steps[0].Tier() != op.TierVision {
		t.Errorf("click submit: %+v, want an unsure plan that looks at the screen", d)
	}
	if d := r.Route("Press F5", Context{}); d.Plan == nil || d.Plan.Steps[0].Tier() != op.TierKeyboard ||
		d.Plan.Utterance != "Press F5" {
		t.Errorf("press f5: %+v, want the keyboard and the words as they were said", d)
	}
}

// TestNothingOfATitleBecomesAnArgument routes everything that the golden files
// say on a desktop whose titles try to author.
func TestNothingOfATitleBecomesAnArgument(t *testing.T) {
	const evil = "open zebra.example type zebra {q} --zebra youtube report quarterly GitHub steam"
	windows := []Window{{ID: 7, AppID: "firefox-esr", Title: evil}, {ID: 8, AppID: "foot", Title: evil},
		{ID: 9, AppID: "unknown", Title: "zebra minutes of the Quarterly"}}
	for _, user := range []string{"", "testdata/taught.yaml"} {
		r := newRouter(t, user, everything)
		selected := false
		for _, said := range append(saidInGolden(t), "switch to quarterly minutes", "focus minutes of zebra",
			"close the quarterly report") {
			for i := range windows {
				d := r.Route(said, Context{Focused: &windows[i], Windows: windows})
				steps := []plan.Step{}
				if d.Plan != nil {
					steps = d.Plan.Steps
				}
				for _, c := range d.Choices {
					steps = append(steps, c.Steps...)
				}
				for _, s := range steps {
					selected = selected || arg(s, "command") == "focus-window"
					if strings.Contains(argsJSON(s), "zebra") ||
						strings.Contains(s.Description, "zebra") && !strings.Contains(said, "zebra") {
						t.Errorf("%q: %s has words of a title", said, s)
					}
				}
			}
		}
		if !selected {
			t.Error("no utterance selected a window by its title, so nothing was tried")
		}
	}
}

func TestTheWindowThatATitleSelectsIsTheOnlyOneThatFits(t *testing.T) {
	r := newRouter(t, "", []string{"firefox-esr"})
	windows := []Window{
		{ID: 3, AppID: "firefox-esr", Title: "Annual report"}, {ID: 5, AppID: "foot", Title: "report.txt"},
		{ID: 6, AppID: "foot", Title: "Other"},
	}
	d := r.Route("switch to annual report", Context{Windows: windows})
	if d.Plan == nil || !op.Is[op.Niri](d.Plan.Steps[0].Args) ||
		!slices.Equal(d.Plan.Steps[0].Args.(op.Niri).Texts(), []string{"--id", "3"}) {
		t.Errorf("one window fits: %+v", d)
	}
	windows[1].Title = "The annual (draft) REPORT"
	if d := r.Route("switch to annual report", Context{Windows: windows}); d.Plan != nil {
		t.Errorf("two windows fit, but %v was chosen", d.Plan.Steps)
	}
	windows[0].ID, windows[1].Title = 0, "x"
	if d := r.Route("switch to annual report", Context{Windows: windows}); d.Plan != nil {
		t.Errorf("a window without an id was chosen: %v", d.Plan.Steps)
	}
}

// TestAnUtteranceOfAnyLengthIsAnswered: only the families that carry text take
// part in long ones.
func TestAnUtteranceOfAnyLengthIsAnswered(t *testing.T) {
	r := newRouter(t, "testdata/taught.yaml", everything)
	firefox := &Window{ID: 1, AppID: "firefox", Title: "x"}
	long := strings.Repeat("Ein Wort und ", 1000) + "Schluß."
	for _, tt := range []struct{ said, op, text string }{
		{"type " + long, "type_text", long},
		{"please type " + long, "type_text", long},
		{"search for " + long, "open_url", ""},
		{long, "", ""},
		{"open " + long, "", ""},
		{"close " + long, "", ""},
		{"\x00\x01\xff\xfe", "", ""},
		{strings.Repeat("🙂", 3000), "", ""},
		{"افتح " + strings.Repeat("يوتيوب ", 900), "", ""},
	} {
		d := r.Route(tt.said, Context{Focused: firefox, Windows: []Window{*firefox}})
		switch {
		case tt.op == "" && (d.Plan != nil || d.Reason != plan.NoPlan):
			t.Errorf("%.30q: %+v, want no plan", tt.said, d)
		case tt.op != "" && (d.Plan == nil || string(d.Plan.Steps[0].Op()) != tt.op ||
			arg(d.Plan.Steps[0], "text") != tt.text):
			t.Errorf("%.30q: %.100v, want %s of the whole text", tt.said, d, tt.op)
		}
	}
}

// TestAChainIsTriedSoOftenOnly: there are two to the power of n ways to split n
// commands.
func TestAChainIsTriedSoOftenOnly(t *testing.T) {
	r := newRouter(t, "", everything)
	for _, said := range []string{
		strings.Repeat("copy and ", 2000) + "banana",
		strings.Repeat("copy then ", 40) + "banana",
		strings.Repeat("type a then copy and ", 200) + "banana",
		"copy" + strings.Repeat(" and then copy", 100),
	} {
		if d := r.Route(said, Context{}); d.Plan != nil && len(d.Plan.Steps) > mostSteps {
			t.Errorf("%.40q: %d steps", said, len(d.Plan.Steps))
		}
	}
	d := r.Route("copy"+strings.Repeat(" and paste", mostSteps-1), Context{})
	if d.Plan == nil || len(d.Plan.Steps) != mostSteps || d.Rule != "chain" {
		t.Errorf("a chain of %d: %+v", mostSteps, d)
	}
	if d := r.Route("copy"+strings.Repeat(" and paste", mostSteps), Context{}); d.Plan != nil {
		t.Errorf("a chain that is too long: %d steps", len(d.Plan.Steps))
	}
}

// TestTheTerminalIsFirstOneThatIsKnownAsSuch: a window that only its process shows to be a terminal may be something
// that runs in one.
func TestTheTerminalIsFirstOneThatIsKnownAsSuch(t *testing.T) {
	r := newRouter(t, "", []string{"foot"})
	monitor, foot := Window{ID: 1, AppID: "sysmon", Terminal: true}, Window{ID: 2, AppID: "foot"}
	for want, windows := range map[string][]Window{"foot": {monitor, foot}, "sysmon": {monitor}} {
		d := r.Route("open the terminal", Context{Focused: &windows[0], Windows: windows})
		if d.Plan == nil || op.AppOf(d.Plan.Steps[0].Args) != want {
			t.Errorf("with %v: %+v, want %s", windows, d, want)
		}
	}
}
