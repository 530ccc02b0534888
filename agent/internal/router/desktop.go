package router

import (
	"slices"
	"strconv"
	"strings"

	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/utterance"
)

// desktop: windows, workspaces and monitors.
func (r *Router) desktop(q *request) answer {
	if q.t == "" {
		return answer{}
	}
	for _, t := range slices.Compact([]string{q.t, withoutPointers(q.t)}) {
		if command, ok := r.words.Desktop[t]; ok {
			name, arg, has := strings.Cut(command, " ")
			if has {
				return mine(compositorStep(name, []any{arg}, t))
			}
			return mine(compositorStep(name, nil, t))
		}
	}
	for _, t := range slices.Compact([]string{q.t, withoutPointers(q.t)}) {
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
		Confirm: command == "quit",
	}
}

// withoutPointers removes the words that point at the focused thing: "close
// the window" and "move this window left".
func withoutPointers(t string) string {
	if !strings.Contains(t, " ") {
		return t
	}
	var words []string
	for w := range strings.FieldsSeq(t) {
		if w != "the" && w != "this" && w != "my" && w != "a" && w != "current" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
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

// cutSlot returns what stands in the slot of p.
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

// slotValue reads what stands in a slot of some kind.
func (r *Router) slotValue(kind, text string) (string, bool) {
	switch kind {
	case phrases.NoSlot:
		return "", true
	case phrases.Number:
		n, ok := r.words.Language.Number(text)
		return strconv.Itoa(n), ok && n > 0
	case phrases.Ordinal:
		n, ok := r.words.Language.Ordinal(strings.TrimPrefix(text, "the "))
		return strconv.Itoa(n), ok
	case phrases.Percent:
		n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
		return strconv.Itoa(n) + "%", err == nil && n > 0 && strings.HasSuffix(text, "%")
	case phrases.Direction:
		return text, text == "left" || text == "right" || text == "up" || text == "down" || text == "next" || text == "previous"
	case phrases.Name:
		if words := " " + text + " "; strings.Contains(words, " and ") || strings.Contains(words, " then ") {
			return "", false // a chain
		}
		if n, ok := r.words.Language.Number(text); ok {
			return strconv.Itoa(n), true // "workspace zero"
		}
		return text, len(strings.Fields(text)) <= 4 && !isDirectionWord(text)
	}
	return "", false
}

// isDirectionWord keeps "workspace down" from being a name.
func isDirectionWord(text string) bool {
	return slices.Contains([]string{"up", "down", "left", "right", "next", "previous", "back"}, text)
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

// scroll: the wheel.
func (r *Router) scroll(q *request) answer {
	t := withoutPointers(q.t)
	if key, ok := scrollEnds[t]; ok {
		return mine(plan.Step{Args: op.Key{Chord: key}, Description: t})
	}
	verb, rest, _ := strings.Cut(t, " ")
	if verb != "scroll" && verb != "page" {
		return answer{}
	}
	direction, amount, _ := strings.Cut(rest, " ")
	if !slices.Contains([]string{"up", "down", "left", "right"}, direction) {
		return answer{}
	}
	steps, ok := r.scrollSteps(amount)
	if !ok {
		return answer{}
	}
	return mine(plan.Step{
		Args: op.Scroll{Direction: direction, Amount: steps}, Description: t,
	})
}

var scrollEnds = map[string]string{
	"scroll to top": "ctrl+home", "scroll to bottom": "ctrl+end", "scroll to end": "ctrl+end",
	"go to top": "ctrl+home", "go to bottom": "ctrl+end",
}

const (
	scrollDefault = 5
	scrollMost    = 100
)

// scrollSteps reads "a bit", "a lot", "three times" and "3".
func (r *Router) scrollSteps(amount string) (int, bool) {
	switch amount {
	case "":
		return scrollDefault, true
	case "bit", "little", "a bit", "a little", "slightly":
		return 2, true
	case "lot", "a lot", "more", "far":
		return 3 * scrollDefault, true
	}
	factor := 1
	if text, times := strings.CutSuffix(amount, " times"); times {
		amount, factor = text, scrollDefault
	} else if amount == "twice" {
		return 2 * scrollDefault, true
	}
	n, ok := r.words.Language.Number(strings.TrimSuffix(amount, " steps"))
	return min(n*factor, scrollMost), ok && n > 0
}

// media: the player.
func (r *Router) media(q *request) answer {
	command, ok := r.words.Media[q.t]
	if !ok {
		return answer{}
	}
	return mine(plan.Step{Args: op.Media{Command: command}, Description: q.t})
}

// click: an element that is named.
func (r *Router) click(q *request) answer {
	verb, _, _ := strings.Cut(q.t, " ")
	if verb != "click" && verb != "press" && verb != "tap" && verb != "hit" {
		return answer{}
	}
	what := utterance.Key(q.Rest(1))
	if closed, ok := strings.CutPrefix(q.t, verb+" "); ok && len(closed) < len(what) {
		what = closed // without "please"
	}
	what = strings.TrimPrefix(what, "on ")
	if what == "" || what == "on" {
		return answer{}
	}
	a := mine(plan.Step{Args: op.ClickElement{Description: what}, Description: q.t})
	a.unsure = true
	return a
}
