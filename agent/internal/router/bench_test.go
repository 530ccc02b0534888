package router

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"utter/profiles"
	"utter/shared/catalog"
	"utter/shared/desktopentry"
	"utter/shared/phrases"
	"utter/shared/profile"
)

// utterances for the benchmark: what is known, and what is not.
var (
	benchHits = []string{
		"open application 7", "switch to painter 3", "close the application 9 window", "open the terminal", "new tab",
		"workspace three", "open youtube", "go to example.com/Path", "search for tom & jerry", "press control shift t",
		"could you please type hello world for me", "scroll down a bit", "move window to workspace two", "copy",
		"code type hello then press enter", "open application 7 and workspace two and fullscreen",
	}
	benchMisses = []string{
		"open studio", "open the studio suite", "close everything", "switch to unheard of", "open application of the year",
		"the quick brown fox jumps", "banana", "turn up the volume", "play some jazz", "press the big red button twice over",
		"workspace", "copy and paste and copy and paste and copy and banana", "what is the time", "open gone suite",
		"search", "open the file manager",
	}
)

// BenchmarkRoute measures an utterance in process. All words of the names are
// shared by many applications, a third of which cannot be started.
func BenchmarkRoute(b *testing.B) {
	for _, n := range []int{10, 500, 5000} {
		r, ctx := benchRouter(b, n)
		for _, set := range []struct {
			name string
			said []string
		}{{"hits", benchHits}, {"misses", benchMisses}} {
			b.Run(fmt.Sprintf("profiles=%d/%s", n, set.name), func(b *testing.B) {
				b.ReportAllocs()
				took := make([]time.Duration, 0, 1<<16)
				for i := 0; b.Loop(); i++ {
					began := time.Now()
					r.Route(set.said[i%len(set.said)], ctx)
					if len(took) < cap(took) {
						took = append(took, time.Since(began))
					}
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
				b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
			})
		}
	}
}

// benchRouter knows n applications besides the built-in ones.
func benchRouter(b *testing.B, n int) (*Router, Context) {
	words, err := phrases.English()
	if err != nil {
		b.Fatal(err)
	}
	var entries []desktopentry.Entry
	for i := range n {
		name := fmt.Sprintf("%s %d", []string{"Application", "Painter", "Gone Studio Suite"}[i%3], i)
		entries = append(entries, desktopentry.Entry{
			ID: fmt.Sprintf("org.example.App%d", i), Name: name, LocalName: name, GenericName: "Studio",
			Keywords: []string{"suite"},
			Exec:     fmt.Sprintf("app%d-%d", i%3, i), Categories: []string{"TerminalEmulator"},
		})
	}
	curated, bad := profile.LoadFS(profiles.FS, "built-in", profile.Curated)
	if len(bad) > 0 {
		b.Fatal(bad)
	}
	defaults, err := profile.LoadDefaults(profiles.FS)
	if err != nil {
		b.Fatal(err)
	}
	found := func(program string) bool { return len(program) > 3 && program[:3] == "app" && program[3] != '2' }
	merged := profile.Merge(append(catalog.Patches(entries, words.IsAgent), curated...), defaults)
	lib := catalog.New(merged, found, func(p *profile.Profile) bool { return p.Startable(found) })
	r, err := New(words, lib, "google")
	if err != nil {
		b.Fatal(err)
	}
	ctx := Context{Windows: []Window{
		{ID: 1, AppID: "firefox", Title: "News"}, {ID: 2, AppID: "org.example.App1", Title: "Painting"},
	}}
	ctx.Focused = &ctx.Windows[0]
	return r, ctx
}
