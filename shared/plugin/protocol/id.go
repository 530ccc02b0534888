package protocol

import (
	"fmt"
	"regexp"
	"slices"
	"sync"
)

var pluginID = pattern(`^[a-z0-9][a-z0-9._-]{1,63}$`)

// CheckID reports whether id may name a plugin: 2 to 64 of a-z, 0-9, dot,
// underscore and minus, a letter or digit first, and not the name of a kind.
func CheckID(id string) error {
	switch {
	case !pluginID().MatchString(id):
		return fmt.Errorf("is %.80q; write 2 to 64 of a-z, 0-9, '.', '_' and '-', first a letter or digit", id)
	case slices.Contains(Kinds, id):
		return fmt.Errorf("is %q, which is a kind of plugin", id)
	}
	return nil
}

// pattern returns a regular expression that is compiled when it is first needed:
// programs that check nothing start sooner.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
