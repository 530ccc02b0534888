package router

import (
	"slices"
	"strings"
	"testing"

	"utter/shared/op"
	"utter/shared/plan"
)

var suggestContext = Context{
	Focused: &Window{ID: 1, AppID: "firefox", Title: "Secret zebra"},
	Windows: []Window{
		{ID: 1, AppID: "firefox", Title: "Secret zebra"}, {ID: 2, AppID: "foot", Title: "zebra"}, {ID: 3, AppID: "unknown"},
	},
}

// TestWhatIsSuggestedCanBeSaid routes every suggestion.
func TestWhatIsSuggestedCanBeSaid(t *testing.T) {
	for _, user := range []string{"", "testdata/taught.yaml"} {
		r := newRouter(t, user, everything)
		all := r.Suggest("", suggestContext, 1<<20, nil)
		kinds := map[string]int{}
		for _, s := range all {
			kinds[s.Kind]++
			if strings.Contains(s.Text, "zebra") {
				t.Errorf("%q has words of a title", s.Text)
			}
			works := func(said string) bool {
				d := r.Route(said, suggestContext)
				return d.Plan != nil || d.Reason == plan.Ambiguous
			}
			if !slices.ContainsFunc(examplesOf(s.Text), works) {
				t.Errorf("%q (%s %s %q) means nothing", s.Text, s.Kind, s.App, s.Detail)
			}
			if s.Group == "" || s.Kind == "" || s.Detail == "" || strings.Contains(s.Detail, anything) {
				t.Errorf("%+v lacks something", s)
			}
		}
		for _, kind := range []string{"action", "app", "window", "site", "desktop", "media", "editing"} {
			if kinds[kind] == 0 {
				t.Errorf("nothing of the kind %q among %d", kind, len(all))
			}
		}
	}
}

// examplesOf puts words in for the "…" of a suggestion.
func examplesOf(text string) []string {
	if !strings.Contains(text, "…") {
		return []string{text}
	}
	var all []string
	for _, word := range []string{"3", "third", "50%", "left", "f5", "example.org", "cats", "firefox"} {
		all = append(all, strings.ReplaceAll(text, "…", word))
	}
	return all
}

// TestASuggestionSaysWhatItDoes: group, application and detail.
func TestASuggestionSaysWhatItDoes(t *testing.T) {
	r := newRouter(t, "testdata/taught.yaml", everything)
	all := map[string]Suggestion{}
	for _, s := range r.Suggest("", suggestContext, 1<<20, nil) {
		all[s.Text] = s
	}
	for text, want := range map[string]Suggestion{
		"new tab":                 {"new tab", "action", GroupApp, "firefox", "ctrl+t"},
		"open a new tab":          {"open a new tab", "action", GroupApp, "firefox", "ctrl+t"},
		"close tab":               {"close tab", "action", GroupApp, "firefox", "ctrl+w"},
		"read aloud":              {"read aloud", "action", GroupYours, "firefox", "ctrl+n"},
		"make it quiet":           {"make it quiet", "action", GroupYours, "firefox", "ctrl+m escape"},
		"open youtube":            {"open youtube", "action", GroupYours, "firefox", "ctrl+y"}, // as it was taught
		"open github":             {"open github", "site", GroupWeb, "", "https://github.com"},
		"open foot":               {"open foot", "app", GroupOpen, "foot", "foot"},
		"open chat":               {"open chat", "app", GroupOpen, "", "signal, element"},
		"switch to foot":          {"switch to foot", "window", GroupWindows, "foot", "foot"},
		"close foot":              {"close foot", "window", GroupWindows, "foot", "close-window"},
		"foot type …":             {"foot type …", "text", GroupTyping, "foot", "…"},
		"foot press …":            {"foot press …", "key", GroupTyping, "foot", "…"},
		"fullscreen":              {"fullscreen", "desktop", GroupWindows, "", "fullscreen-window"},
		"workspace …":             {"workspace …", "desktop", GroupWindows, "", "focus-workspace …"},
		"go to … workspace":       {"go to … workspace", "desktop", GroupWindows, "", "focus-workspace …"},
		"set width to …":          {"set width to …", "desktop", GroupWindows, "", "set-column-width …"},
		"set width to … percent":  {"set width to … percent", "desktop", GroupWindows, "", "set-column-width …%"},
		"move window to screen …": {"move window to screen …", "desktop", GroupWindows, "", "move-window-to-monitor-…"},
		"search for …":            {"search for …", "search", GroupWeb, "", "https://duckduckgo.com/?q=…"},
		"search youtube for …": {"search youtube for …", "search", GroupWeb, "",
			"https://www.youtube.com/results?search_query=…"},
		"go to …":     {"go to …", "site", GroupWeb, "", "https://…"},
		"pause":       {"pause", "media", GroupMedia, "", "pause"},
		"copy":        {"copy", "editing", GroupTyping, "", "ctrl+c"},
		"type …":      {"type …", "text", GroupTyping, "", "…"},
		"press …":     {"press …", "key", GroupTyping, "", "…"},
		"scroll down": {"scroll down", "scroll", GroupTyping, "", "down 5"},
	} {
		if got := all[text]; got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	// What the user took away, and commands where no terminal has the focus.
	for _, text := range []string{"zoom in", "run command …"} {
		if s, ok := all[text]; ok {
			t.Errorf("%+v is suggested", s)
		}
	}
}

// TestOnlyWhatCanBeDoneIsSuggested here and now.
func TestOnlyWhatCanBeDoneIsSuggested(t *testing.T) {
	r := newRouter(t, "", everything)
	able := func(s plan.Step) bool {
		return !op.Is[op.Media](s.Args) && !op.Is[op.Terminal](s.Args) &&
			(!op.Is[op.Niri](s.Args) || arg(s, "command") == "focus-workspace")
	}
	for _, s := range r.Suggest("", suggestContext, 1<<20, able) {
		if s.Group == GroupMedia || s.Kind == "desktop" && !strings.HasPrefix(s.Detail, "focus-workspace") {
			t.Errorf("%+v is suggested", s)
		}
	}
	got := texts(r.Suggest("go to workspace ", suggestContext, 100, able))
	if !slices.Contains(got, "go to workspace …") {
		t.Errorf("workspaces are left out: %q", got)
	}
	blind := func(s plan.Step) bool { return s.Tier() != op.TierVision }
	if got := texts(r.Suggest("click ", suggestContext, 10, blind)); len(got) > 0 {
		t.Errorf("without sight: %q", got)
	}
	terminal := Context{Focused: &Window{AppID: "foot"}}
	got = texts(r.Suggest("copy", terminal, 10, nil))
	if slices.Contains(got, "copy") && r.Route("copy", terminal).Plan == nil {
		t.Errorf("in a terminal: %q", got)
	}
	if got := texts(r.Suggest("run ", terminal, 100, nil)); !slices.Contains(got, "run command …") {
		t.Errorf("in a terminal: %q", got)
	}
	if got := texts(r.Suggest("run ", terminal, 100, able)); slices.Contains(got, "run command …") {
		t.Errorf("in a terminal where commands are off: %q", got)
	}
}

func texts(list []Suggestion) []string {
	var all []string
	for _, s := range list {
		all = append(all, s.Text)
	}
	return all
}

func TestSuggestionsBeginWithThePrefix(t *testing.T) {
	r := newRouter(t, "", []string{"firefox-esr", "foot", "thunderbird"})
	for prefix, want := range map[string][]string{
		"open thun":    {"open thunderbird", "open thunderbird mail"},
		"Open  THUN":   {"open thunderbird", "open thunderbird mail"},
		"open steam":   nil, // not installed
		"switch to f":  {"switch to firefox", "switch to foot"},
		"private":      {"private window"},
		"search youtu": {"search youtube for …"},
		"zzz":          nil,
	} {
		if got := texts(r.Suggest(prefix, suggestContext, 100, nil)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", prefix, got, want)
		}
	}
	if got := r.Suggest("open ", suggestContext, 100, nil); len(got) == 0 || slices.Contains(texts(got), "open") {
		t.Errorf("behind a space: %q", texts(got))
	}
}

func TestSuggestionsAreBoundedSortedAndOnce(t *testing.T) {
	r := newRouter(t, "testdata/taught.yaml", everything)
	for _, limit := range []int{0, 1, 7} {
		if got := r.Suggest("", suggestContext, limit, nil); len(got) != limit {
			t.Errorf("limit %d: %d", limit, len(got))
		}
	}
	all := texts(r.Suggest("", suggestContext, 1<<20, nil))
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s] {
			t.Errorf("%q stands twice", s)
		}
		seen[s] = true
	}
	// What belongs to the focused application comes first.
	if first := r.Suggest("", suggestContext, 1, nil)[0]; first.App != "firefox" && first.App != "foot" {
		t.Errorf("first is %+v", first)
	}
	if got := r.Suggest("new tab", Context{}, 10, nil); len(got) > 0 {
		t.Errorf("without a focused application: %q", texts(got))
	}
}
