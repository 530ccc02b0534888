package router

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/plan"
)

// everything lists the programs of the golden files.
var everything = []string{
	"firefox-esr", "foot", "nautilus", "gnome-text-editor", "thunderbird", "evolution", "alpha-player",
	"beta-player", "steam",
	"wesnoth", "gnome-software", "gnome-calculator", "htop", "colour-portal", "system-monitor", "spotify", "code",
	"signal-desktop", "element-desktop", "whatsapp-desktop",
}

// FuzzRoute says anything to a desktop with any window: whatever comes out can
// be handed to a handler, and nothing of it was authored by a title.
func FuzzRoute(f *testing.F) {
	for _, s := range saidInGolden(f) {
		f.Add(s, "firefox", "News - Mozilla Firefox")
		f.Add(s, "foot", "~")
	}
	f.Add("search cats in\u00a0this\u00a0app", "signal", "")
	f.Add("open \xff\xfe.com", "\xff", "\x00")
	f.Add("press ctrl+İ", "signal", "x")
	f.Add("open mailto:\x01", "", "")
	f.Add(strings.Repeat("type ", 200), "foot", strings.Repeat("x", 600))
	r := newRouter(f, "testdata/taught.yaml", everything)
	f.Fuzz(func(t *testing.T, said, appID, title string) {
		focused := Window{ID: 1, AppID: appID, Title: title}
		other := Window{ID: 2, AppID: title, Title: appID}
		for _, ctx := range []Context{{}, {Focused: &focused, Windows: []Window{focused, other}},
			{Windows: []Window{other, focused}}} {
			checkDecision(t, said, r.Route(said, ctx))
		}
	})
}

// saidInGolden returns the utterances of all golden files.
func saidInGolden(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if said, ok := strings.CutPrefix(line, "> "); ok {
				all = append(all, strings.TrimSuffix(said, "\n"))
			}
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d utterances in %q", len(all), files)
	}
	return all
}

func checkDecision(t *testing.T, said string, d Decision) {
	t.Helper()
	if d.Plan == nil {
		reasons := []plan.Reason{plan.NoPlan, plan.Ambiguous, plan.Missing, plan.NotFound, plan.NotSupported}
		if !slices.Contains(reasons, d.Reason) || d.Message == "" {
			t.Errorf("%q: reason %q, message %q", said, d.Reason, d.Message)
		}
		if (d.Reason == plan.Ambiguous) != (len(d.Choices) > 1) {
			t.Errorf("%q: reason %q with %d choices", said, d.Reason, len(d.Choices))
		}
		for _, c := range d.Choices {
			if c.Label == "" || c.Origin == "" {
				t.Errorf("%q: a choice is called %q, from %q", said, c.Label, c.Origin)
			}
			checkSteps(t, said, c.Steps)
		}
		return
	}
	if d.Plan.Utterance != said || d.Plan.Rule == "" || d.Rule != d.Plan.Rule || slices.Contains(d.Passed, d.Rule) {
		t.Errorf("%q: utterance %q, rule %q and %q, passed %q", said, d.Plan.Utterance, d.Plan.Rule, d.Rule, d.Passed)
	}
	checkSteps(t, said, d.Plan.Steps)
}

func checkSteps(t *testing.T, said string, steps []plan.Step) {
	t.Helper()
	if len(steps) == 0 {
		t.Errorf("%q: a plan without steps", said)
	}
	for _, s := range steps {
		if err := s.Check(); err != nil {
			t.Errorf("%q: %v", said, err)
		}
		if s.Provenance != plan.FromUser || s.Tier() == "" || s.Description == "" {
			t.Errorf("%q: %s from %v, tier %q, description %q", said, s.Op(), s.Provenance, s.Tier(), s.Description)
		}
		switch a := s.Args.(type) {
		case op.Key:
			if c, err := chord.Parse(a.Chord); err != nil || c.String() != a.Chord {
				t.Errorf("%q: chord %q is %v, %v", said, a.Chord, c, err)
			}
		case op.OpenURL, op.EnsureURL:
			u, err := url.Parse(arg(s, "url"))
			if err != nil || !slices.Contains([]string{"http", "https", "mailto", "tel"}, u.Scheme) || u.User != nil {
				t.Errorf("%q: address %q: %v", said, arg(s, "url"), err)
			} else if op.Is[op.EnsureURL](s.Args) && u.Hostname() == "" {
				t.Errorf("%q: address %q has no host", said, u)
			}
		case op.TypeText, op.Terminal:
			if text := arg(s, "text") + arg(s, "command"); text == "" || !strings.Contains(said, text) {
				known := []string{"claude", "codex", "opencode", "grok", "cursor-agent", "clear"}
				if !slices.Contains(known, text) {
					t.Errorf("%q: %q was not said", said, text)
				}
			}
		case op.Scroll:
			if n := a.Amount; n < 1 || n > scrollMost {
				t.Errorf("%q: scrolls by %d", said, n)
			}
		}
	}
}
