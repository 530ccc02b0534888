package router

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/spell"
	"utter/shared/utterance"
)

// key: a key or chord by name, perhaps several times.
func (r *Router) key(q *request) answer {
	if slices.Contains(r.words.Words.BareKeys, q.t) {
		return r.spokenChord(q.t, 1)
	}
	said, ok := cutFront(q.t, r.words.Verbs.Key)
	if !ok {
		// "press ." has no text in normal form
		if len(q.Words) == 2 && begins(q.Words, r.words.Verbs.Key) == 1 {
			return r.spokenChord(q.Rest(1), 1)
		}
		return answer{}
	}
	if len(q.Words) == 2 {
		if a := r.spokenChord(q.Rest(1), 1); a.steps != nil {
			return a
		}
	}
	return r.keys(said)
}

// keys reads "control t", "the enter key" and "escape twice".
func (r *Router) keys(said string) answer {
	said, _ = cutFront(said, r.words.Words.Key)
	said, times := r.cutTimes(said)
	a := r.spokenChord(r.words.Language.TrimArticles(said), min(times, mostPresses))
	if cut, ok := cutBack(said, r.words.Words.Key); ok && a.steps == nil { // "the a key"
		a = r.spokenChord(r.words.Language.TrimArticles(cut), min(times, mostPresses))
	}
	if a.steps != nil && times > mostPresses {
		return refuse(plan.NotSupported, "a key is pressed at most %d times at once", mostPresses)
	}
	return a
}

// mostPresses bounds "N times".
const mostPresses = 20

// cutTimes reads "twice" and "three times" behind a key.
func (r *Router) cutTimes(said string) (string, int) {
	if i := strings.LastIndexByte(said, ' '); i > 0 {
		if n, ok := r.words.Words.Repeated[said[i+1:]]; ok {
			return said[:i], n
		}
	}
	cut, ok := cutBack(said, r.words.Words.Times)
	if !ok {
		return said, 1
	}
	words := strings.Fields(cut)
	for i := 1; i < len(words); i++ {
		if n, ok := r.words.Language.Number(strings.Join(words[i:], " ")); ok && n > 0 {
			return strings.Join(words[:i], " "), n
		}
	}
	return said, 1
}

func (r *Router) keyStep(key string, times int) []plan.Step {
	c, err := chord.Parse(key)
	if err != nil {
		return nil
	}
	var seq chord.Sequence
	for range times {
		seq = append(seq, c)
	}
	return keySteps(seq, "press "+c.String())
}

// spokenChord reads a chord as it is written ("ctrl+t") or said ("control t",
// "f five", "control page up"). It is not mine where that is not a key.
func (r *Router) spokenChord(said string, times int) answer {
	if steps := r.keyStep(said, times); steps != nil {
		return mine(steps...)
	}
	words := strings.Fields(utterance.Key(said))
	var parts []string
	for len(words) > 1 {
		mod, ok := r.words.Modifiers[words[0]]
		if !ok {
			break
		}
		parts = append(parts, mod)
		words = words[1:]
		if len(words) > 1 && slices.Contains(r.words.Words.Plus, words[0]) {
			words = words[1:]
		}
	}
	name := strings.Join(words, " ")
	key := r.keyName(name)
	if letter := r.words.Words.Letters[name]; key == "" && len(parts) > 0 {
		key = letter
	}
	switch {
	case key == "" && len(parts) > 0:
		return r.unknownKey(name)
	case key == "":
		return answer{}
	}
	return mine(r.keyStep(strings.Join(append(parts, key), "+"), times)...)
}

// unknownKey refuses a combination with something that is not a key.
func (r *Router) unknownKey(name string) answer {
	if near := spell.Nearest(name, slices.Sorted(maps.Keys(r.words.Keys))); near != "" {
		return refuse(plan.NoPlan, "there is no key %q; did you mean %q?", name, near)
	}
	return refuse(plan.NoPlan, "there is no key %q", name)
}

// keyName returns the key of a spoken name, or "".
func (r *Router) keyName(said string) string {
	if k, ok := r.words.Keys[said]; ok {
		return k
	}
	if n, ok := cutFront(said, r.words.Words.FunctionKey); ok {
		if number, ok := r.words.Language.Number(n); ok && number >= 1 && number <= 24 {
			return fmt.Sprintf("f%d", number)
		}
	}
	if n, ok := r.words.Language.Number(said); ok && n < 10 && len(said) > 1 {
		return fmt.Sprint(n)
	}
	if _, err := chord.Parse(said); err == nil {
		return said
	}
	return ""
}

// editing: copy, paste and the like, where the focused application does not say
// otherwise. In a terminal these keys mean other things.
func (r *Router) editing(q *request) answer {
	c, ok := r.words.Editing[q.t]
	if !ok {
		return answer{}
	}
	if q.terminal {
		const why = "%q means something else in a terminal; give it an action of that name to say it there"
		return refuse(plan.NotSupported, why, q.t)
	}
	return mine(keySteps(chord.Sequence{c}, q.t)...)
}

// typeText: the user's own words, as they are.
func (r *Router) typeText(q *request) answer {
	text := unquote(q.Rest(begins(q.Words, r.words.Verbs.Type)))
	if text == "" {
		return answer{}
	}
	return mine(plan.Step{Args: op.TypeText{Text: text}, Description: "type the text"})
}

var quotes = [...][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}}

// unquote removes the quotes round s, where they are the only ones: those of "a" + "b"
// are part of what was said.
func unquote(s string) string {
	for _, pair := range quotes {
		if inner, ok := strings.CutPrefix(s, pair[0]); ok {
			if inner, ok = strings.CutSuffix(inner, pair[1]); ok && inner != "" && !strings.ContainsAny(inner, pair[0]+pair[1]) {
				return inner
			}
		}
	}
	return s
}

// sayKey lists that keys can be pressed.
func (r *Router) sayKey() []phrase {
	var all []phrase
	for _, text := range r.words.Words.BareKeys {
		all = append(all, fixed(text))
	}
	for _, v := range r.words.Verbs.Key {
		all = append(all, slotted(v, "", example{someKey, someKey}))
	}
	return all
}

// sayEditing lists the keys that most applications have.
func (r *Router) sayEditing() []phrase { return fixedAll(r.words.Editing) }

// sayType lists that text can be typed.
func (r *Router) sayType() []phrase { return followed(r.words.Verbs.Type) }
