// Package page is a fixture: texts in Go, in all their forms.
package page

import (
	"fmt"

	"utter/ui/model/tr"
)

var (
	// an ordinary comment
	plain = tr.T("Try it")
)

func texts(n int, name string) []string {
	return []string{
		tr.T(words.Heading),
		tr.C("verb", "Open"),
		tr.C("state", "Open"), // Translators: of a window
		tr.T("Could not save %s: "+
			"%v", name, n),
		tr.N("%d name", "%d names", n, n),
		tr.T(`It says "go" <b>now</b>`),
		fmt.Sprint("not a text"),
		other.T("nor this"),
	}
}
