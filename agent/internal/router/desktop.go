package router

import (
	"slices"
	"strconv"
	"strings"

	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
)

// desktop: windows, workspaces and monitors.
func (r *Router) desktop(q *request) answer {
	if q.t == "" {
		return answer{}
	}
	both := slices.Compact([]string{q.t, r.bare(q)})
	for _, t := range both {
		if command, ok := r.words.Desktop[t]; ok {
			name, arg, has := strings.Cut(command, " ")
			if has {
				return mine(compositorStep(name, []any{arg}, t))
			}
			return mine(compositorStep(name, nil, t))
		}
	}
	for _, t := range both {
		if command, args, ok := r.match(t); ok {
			return mine(compositorStep(command, args, t))
		}
	}
	return answer{}
}

func compositorStep(command string, args []any, description string) plan.Step {
	if args == nil {
		args = []any{}
	}
	return plan.Step{
		Args: op.Niri{Command: command, Args: args}, Description: description,
		Confirm: command == quitSession,
	}
}

// Actions of the compositor.
const (
	closeWindow = "close-window"
	focusWindow = "focus-window"
	quitSession = "quit"
)

// bare returns t of a request without the words that point at the focused thing.
func (r *Router) bare(q *request) string {
	if q.bareOf != q.t {
		q.bareOf, q.bareText = q.t, r.withoutPointers(q.t)
	}
	return q.bareText
}

// withoutPointers removes the words that point at the focused thing: "close
// the window" and "move this window left".
func (r *Router) withoutPointers(t string) string {
	pointers := r.words.Words.Pointers
	if !strings.Contains(t, " ") || !hasWord(t, pointers) {
		return t
	}
	var words []string
	for w := range strings.FieldsSeq(t) {
		if !slices.Contains(pointers, w) {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// hasWord reports whether one of words is a word of t.
func hasWord(t string, words []string) bool {
	for w := range strings.SplitSeq(t, " ") {
		if slices.Contains(words, w) {
			return true
		}
	}
	return false
}

// match finds the pattern that t fits. It looks at the words before a slot
// only, so its cost does not depend on the number of patterns.
func (r *Router) match(t string) (command string, args []any, ok bool) {
	for end := len(t); end >= 0; {
		for _, p := range r.words.Patterns[t[:end]] {
			slot, fits := cutSlot(p, t)
			if !fits {
				continue
			}
			if value, ok := r.slotValue(p.Slot, slot); ok {
				command, args = fill(p, value)
				return command, args, true
			}
		}
		if end == 0 {
			break
		}
		end = max(0, strings.LastIndexByte(t[:end], ' '))
	}
	return "", nil, false
}

// cutSlot returns what is in the slot of p.
func cutSlot(p phrases.Pattern, t string) (slot string, ok bool) {
	if p.Slot == "" {
		return "", t == p.Before
	}
	rest := strings.TrimPrefix(t[len(p.Before):], " ")
	if p.Behind != "" {
		if rest, ok = strings.CutSuffix(rest, " "+p.Behind); !ok {
			return "", false
		}
	}
	return rest, rest != ""
}

// slotValue reads what is in a slot of some kind.
func (r *Router) slotValue(kind, text string) (string, bool) {
	language, words := r.words.Language, &r.words.Words
	switch kind {
	case phrases.NoSlot:
		return "", true
	case phrases.Number:
		n, ok := language.Number(text)
		return strconv.Itoa(n), ok && n > 0
	case phrases.Ordinal:
		n, ok := language.Ordinal(language.TrimArticles(text))
		return strconv.Itoa(n), ok
	case phrases.Percent:
		n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
		return strconv.Itoa(n) + "%", err == nil && n > 0 && strings.HasSuffix(text, "%")
	case phrases.Label:
		return text, len(strings.Fields(text)) <= 4 && !hasWord(text, words.And) && !hasWord(text, words.Then)
	case phrases.Direction:
		return r.direction(text)
	case phrases.Name:
		if hasWord(text, words.And) || hasWord(text, words.Then) {
			return "", false // a chain
		}
		if n, ok := language.Number(text); ok {
			return strconv.Itoa(n), true // "workspace zero"
		}
		_, direction := r.direction(text) // "workspace down"
		return text, len(strings.Fields(text)) <= 4 && !direction && !slices.Contains(words.NotNames, text)
	}
	return "", false
}

// direction returns left, right, up, down, next or previous.
func (r *Router) direction(text string) (string, bool) {
	if d, ok := r.words.Words.Directions[text]; ok {
		return d, true
	}
	d, ok := r.words.Words.Neighbours[text]
	return d, ok
}

// fill puts the value of the slot into the command and its arguments. Whole
// numbers stay numbers.
func fill(p phrases.Pattern, value string) (string, []any) {
	put := func(s string) string { return strings.ReplaceAll(s, "{"+p.Slot+"}", value) }
	args := []any{}
	for _, a := range p.Args {
		text := put(a)
		if n, err := strconv.Atoi(text); err == nil && text == strconv.Itoa(n) {
			args = append(args, n)
			continue
		}
		args = append(args, text)
	}
	return put(p.Command), args
}

// sayDesktop lists the desktop's phrases, those with a slot by an example.
func (r *Router) sayDesktop() []phrase {
	examples := r.slotExamples()
	all := fixedAll(r.words.Desktop)
	for _, same := range r.words.Patterns {
		for _, p := range same {
			if p.Slot == phrases.NoSlot {
				all = append(all, fixed(p.Before))
			} else {
				all = append(all, slotted(p.Before, p.Behind, examples[p.Slot]))
			}
		}
	}
	return all
}

// slotExamples returns an example for each kind of slot.
func (r *Router) slotExamples() map[string]example {
	const seven, direction = "7", "left"
	all := map[string]example{
		phrases.Number: {seven, seven}, phrases.Percent: {seven + "0%", seven + "0%"}, phrases.Name: {anything, anything},
		phrases.Label:   {anything, anything},
		phrases.Ordinal: {r.words.Language.OrdinalWord(7), seven},
	}
	for word, means := range r.words.Words.Directions {
		if means == direction {
			all[phrases.Direction] = example{word, means}
		}
	}
	return all
}
