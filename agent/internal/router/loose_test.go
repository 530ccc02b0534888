package router

import (
	"strings"
	"testing"

	"utter/shared/catalog"
	"utter/shared/desktopentry"
	"utter/shared/phrases"
	"utter/shared/profile"
)

// TestNamesAreKnownHoweverTheyAreSpelt: a name is said with its blanks and signs left
// out, with numbers in words, with "and" for "&", and without accents.
func TestNamesAreKnownHoweverTheyAreSpelt(t *testing.T) {
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	variants := map[string][]string{
		"Firefox":                             {"fire fox", "FireFox", "fire-fox"},
		"LibreOffice Writer":                  {"libre office writer", "libreofficewriter", "libreoffice-writer"},
		"7-Zip":                               {"seven zip", "7 zip", "7zip"},
		"Half-Life 2":                         {"half life two", "half life 2", "halflife 2", "half-life two"},
		"Command & Conquer":                   {"command and conquer", "command conquer"},
		"Touché":                              {"touche", "TOUCHÉ", "touché", "tou\u200bche"},
		"Straßenkarte":                        {"strassenkarte", "STRASSENKARTE", "straßen karte"},
		"Øresund Bridge":                      {"oresund bridge", "øresund bridge"},
		"Note Pad":                            {"notepad", "note-pad"},
		"Left 4 Dead":                         {"left four dead", "left 4 dead", "left4dead"},
		"Visual Studio Code Insiders Preview": {"visualstudio code insiders preview"},
	}
	var entries []desktopentry.Entry
	for name := range variants {
		id := "org.example." + strings.ReplaceAll(name, " ", "_")
		entries = append(entries, desktopentry.Entry{ID: id, Name: name, LocalName: name, Exec: "prog"})
	}
	here := func(string) bool { return true }
	merged := profile.Merge(catalog.Patches(entries, words.IsAgent), profile.Defaults{})
	r, err := New(words, catalog.New(merged, here, func(*profile.Profile) bool { return true }), "google")
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range variants {
		want := "org.example." + strings.ReplaceAll(name, " ", "_")
		for _, said := range append(all, name) {
			for _, verb := range []string{"open", "switch to", "close", "could you please open"} {
				if app, reason := appOf(r, verb+" "+said, Context{}); app != want {
					t.Errorf("%s %q: app %q, reason %q; want %q", verb, said, app, reason, want)
				}
			}
		}
	}
	if app, _ := appOf(r, "visual studio code insiders preview type hello", Context{}); app == "" {
		t.Error("a name of five words is not known before a verb")
	}
	for _, said := range []string{"fire", "seven", "command or conquer", "straße", "halflife 3", "dead"} {
		if app, _ := appOf(r, "close "+said+" x", Context{}); app != "" {
			t.Errorf("close %q x closes %s", said, app)
		}
	}
}

// TestPhrasesAreKnownHoweverTheyAreSpelt: each phrase of the tables means the same with
// its blanks left out, where that is not another phrase.
func TestPhrasesAreKnownHoweverTheyAreSpelt(t *testing.T) {
	r := newRouter(t, "", []string{"firefox-esr", "foot"})
	plan := func(said string) string {
		var b strings.Builder
		describe(&b, r.Route(said, Context{Focused: &Window{AppID: "firefox"}}))
		return b.String()
	}
	tried := 0
	for phrase := range r.words.Desktop {
		joined := strings.ReplaceAll(phrase, " ", "")
		if r.loose.phrases[joined] != phrase || r.words.IsPhrase(joined) {
			continue
		}
		tried++
		if got, want := plan(joined), plan(phrase); got != want {
			t.Errorf("%q: %s, but %q: %s", phrase, want, joined, got)
		}
	}
	if tried < 100 {
		t.Errorf("only %d phrases were tried", tried)
	}
}
