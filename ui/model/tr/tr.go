// Package tr translates what the settings app shows. The models need no
// toolkit: a program that has one passes its catalogue to Use; without one, texts
// stay English.
package tr

import (
	"fmt"
	"strings"
)

// A Catalogue holds the texts of a language. A text that it lacks comes back as
// it is.
type Catalogue interface {
	// Get returns the translation of id, which in another context may mean
	// something else. The context may be "".
	Get(context, id string) string
	// Plural returns the form for n things.
	Plural(one, many string, n int) string
}

var current Catalogue = english{}

// Use sets the catalogue, nil for English. It must be called before anything is
// shown.
func Use(c Catalogue) {
	if c == nil {
		c = english{}
	}
	current = c
}

// T translates a text. With args it is a format.
func T(id string, args ...any) string { return format(current.Get("", id), args) }

// C is T for a text that means different things in different contexts.
func C(context, id string, args ...any) string { return format(current.Get(context, id), args) }

// N translates a text about n things. It is a format of args, which may include
// n; a form that shows none of them ("One file") has no verb.
func N(one, many string, n int, args ...any) string {
	return format(current.Plural(one, many, n), args)
}

func format(text string, args []any) string {
	if len(args) == 0 || !strings.Contains(text, "%") {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// english is the catalogue of the language that the source is written in.
type english struct{}

func (english) Get(_, id string) string { return id }

func (english) Plural(one, many string, n int) string {
	if n == 1 {
		return one
	}
	return many
}
