package phrases

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of slots.
const (
	NoSlot    = ""
	Number    = "number"
	Ordinal   = "ordinal"
	Percent   = "percent"
	Direction = "direction"
	Name      = "name"
	Label     = "label" // a name, even where it sounds like a number
)

// A Pattern is a phrase of the desktop with at most one slot: Before, the slot,
// Behind. Command and Args are what it does, with {slot} for what is in it.
type Pattern struct {
	Before, Behind string // words, without the space beside the slot
	Slot           string // its kind
	Command        string
	Args           []string
}

// A template is a pattern as the language file has it, with choices.
type template struct {
	Say     string
	Command string
	Args    []string
}

// patternsOf writes out the choices of templates, by the words before the slot.
func patternsOf(templates []template) (map[string][]Pattern, error) {
	all := map[string][]Pattern{}
	for _, t := range templates {
		said, err := expand(t.Say)
		if err != nil {
			return nil, fmt.Errorf("patterns: %q: %w", t.Say, err)
		}
		for _, s := range said {
			p := newPattern(s, t)
			all[p.Before] = append(all[p.Before], p)
		}
	}
	return all, nil
}

// newPattern splits a phrase at its slot.
func newPattern(say string, t template) Pattern {
	p := Pattern{Before: say, Command: t.Command, Args: t.Args}
	if i := strings.IndexByte(say, '{'); i >= 0 {
		j := strings.IndexByte(say, '}')
		p.Before, p.Slot, p.Behind = strings.TrimSpace(say[:i]), say[i+1:j], strings.TrimSpace(say[j+1:])
	}
	return p
}

// expand writes out the choices of a template: (a|b) is one of a and b, [a|b]
// may be left out as well.
func expand(template string) ([]string, error) {
	i := strings.IndexAny(template, "([")
	if i < 0 {
		if strings.Count(template, "{") > 1 || strings.Count(template, "{") != strings.Count(template, "}") {
			return nil, errors.New("more than one slot")
		}
		return []string{strings.Join(strings.Fields(template), " ")}, nil
	}
	closing := map[byte]string{'(': ")", '[': "]"}[template[i]]
	n := strings.Index(template[i:], closing)
	if n < 0 {
		return nil, errors.New("an unmatched bracket")
	}
	choices := strings.Split(template[i+1:i+n], "|")
	if template[i] == '[' {
		choices = append(choices, "")
	}
	var all []string
	for _, c := range choices {
		rest, err := expand(template[:i] + c + template[i+n+1:])
		if err != nil {
			return nil, err
		}
		all = append(all, rest...)
	}
	return all, nil
}
