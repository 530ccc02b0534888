package op

import (
	"fmt"
	"strings"
)

// Say returns the sentence for people about a step, with {name} where an argument stands, and "" for an operation that
// has none.
func Say(a Args) string {
	given := Map(a)
	for _, s := range Of(a).Says {
		name, value, exact := strings.Cut(s.When, "=")
		v, there := given[name]
		if name == "" || there && (!exact || fmt.Sprint(v) == value) {
			return s.Text
		}
	}
	return ""
}
