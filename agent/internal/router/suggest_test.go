package router

import (
	"slices"
	"strings"
	"testing"

	"utter/shared/plan"
)

var suggestContext = Context{
	Focused: &Window{ID: 1, AppID: "firefox", Title: "Secret zebra"},
	Windows: []Window{{ID: 1, AppID: "firefox", Title: "Secret zebra"}, {ID: 2, AppID: "foot", Title: "zebra"}, {ID: 3, AppID: "unknown"}},
}

// TestWhatIsSuggestedCanBeSaid routes every suggestion.
func TestWhatIsSuggestedCanBeSaid(t *testing.T) {
	for _, user := range []string{"", "testdata/taught.yaml"} {
		r := newRouter(t, user, everything)
		all := r.Suggest("", suggestContext, 1<<20)
		kinds := map[string]int{}
		for _, s := range all {
			kinds[s.Kind]++
			if strings.Contains(s.Text, "zebra") {
				t.Errorf("%q has words of a title", s.Text)
			}
			said := s.Text
			if strings.HasSuffix(said, " for") {
				said += " cats"
			}
			if d := r.Route(said, suggestContext); d.Plan == nil && d.Reason != plan.Ambiguous {
				t.Errorf("%q (%s %s): %s %s", s.Text, s.Kind, s.App, d.Reason, d.Message)
			}
		}
		for _, kind := range []string{"action", "app", "window", "site", "desktop", "media", "editing"} {
			if kinds[kind] == 0 {
				t.Errorf("nothing of the kind %q among %d", kind, len(all))
			}
		}
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
		"search youtu": {"search youtube for"},
		"zzz":          nil,
	} {
		if got := texts(r.Suggest(prefix, suggestContext, 100)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", prefix, got, want)
		}
	}
	if got := r.Suggest("open ", suggestContext, 100); len(got) == 0 || slices.Contains(texts(got), "open") {
		t.Errorf("behind a space: %q", texts(got))
	}
}

func TestSuggestionsAreBoundedSortedAndOnce(t *testing.T) {
	r := newRouter(t, "testdata/taught.yaml", everything)
	for _, limit := range []int{0, 1, 7} {
		if got := r.Suggest("", suggestContext, limit); len(got) != limit {
			t.Errorf("limit %d: %d", limit, len(got))
		}
	}
	all := texts(r.Suggest("", suggestContext, 1<<20))
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s] {
			t.Errorf("%q stands twice", s)
		}
		seen[s] = true
	}
	// What belongs to the focused application comes first.
	if first := r.Suggest("", suggestContext, 1)[0]; first.App != "firefox" && first.App != "foot" {
		t.Errorf("first is %+v", first)
	}
	if got := r.Suggest("new tab", Context{}, 10); len(got) > 0 {
		t.Errorf("without a focused application: %q", texts(got))
	}
}
