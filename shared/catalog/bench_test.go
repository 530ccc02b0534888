package catalog

import (
	"fmt"
	"testing"

	"utter/shared/desktopentry"
	"utter/shared/profile"
)

// BenchmarkLoad reads everything from nothing. The desktop files have names in 90
// languages, as the larger ones of a distribution have.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			m := newMachine(b)
			m.env["LANG"] = "de_DE.UTF-8"
			for i := range n {
				lines := fmt.Sprintf("Name=Application %d\nExec=t-app%d %%U\nCategories=Utility;\n", i, i)
				if i%10 == 0 {
					lines = totem() + lines
				}
				m.app(fmt.Sprintf("org.t.App%d", i), lines)
			}
			b.ReportAllocs()
			for b.Loop() {
				if l := m.load(); len(l.Index.All()) < n {
					b.Fatalf("%d applications", len(l.Index.All()))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/load")
		})
	}
}

// BenchmarkMerge is the part of a load that reads no files.
func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			entries := make([]desktopentry.Entry, n)
			for i := range entries {
				name := fmt.Sprintf("Application %d", i)
				entries[i] = desktopentry.Entry{
					ID: fmt.Sprintf("org.t.App%d", i), Name: name, LocalName: name, Exec: fmt.Sprintf("t-app%d %%U", i),
					Keywords: []string{"tool"},
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				profile.NewIndex(profile.Merge(Patches(entries, none), nil))
			}
		})
	}
}
