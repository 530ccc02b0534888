package router

import (
	"iter"
	"strings"

	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/utterance"
)

// A PluginOp is something that a plugin can do and that can be said: its name,
// and behind it what its one argument is.
type PluginOp struct {
	Plugin  string // the id of the plugin
	Op      string // as the plugin spells it: "note", "shop.order"
	Arg     string // the argument that the rest of the words become; "" takes none
	Whole   bool   // Arg is a whole number
	Confirm bool   // the plugin wants the user to be asked
}

// phrase is how an operation is said: "shop order" for "action.shop.order".
func (o PluginOp) phrase() string {
	name := strings.TrimPrefix(o.Op, "action.")
	return utterance.Key(strings.NewReplacer(".", " ", "_", " ", "/", " ", "-", " ").Replace(name))
}

// wants says what belongs behind the name of an operation.
func (o PluginOp) wants() string {
	switch {
	case o.Whole:
		return " takes a whole number, the " + o.Arg
	case o.Arg != "":
		return " takes some words, the " + o.Arg
	}
	return " takes nothing after it"
}

// PluginOps are the operations of plugins by how they are said. A nil one is
// empty.
type PluginOps struct {
	byPhrase map[string]PluginOp
	most     int // words of the longest phrase
}

// NewPluginOps returns the operations of a list. Of two that are said alike the
// first is meant.
func NewPluginOps(list []PluginOp) *PluginOps {
	all := &PluginOps{byPhrase: map[string]PluginOp{}}
	for _, o := range list {
		phrase := o.phrase()
		if _, taken := all.byPhrase[phrase]; taken || phrase == "" {
			continue
		}
		all.byPhrase[phrase] = o
		all.most = max(all.most, 1+strings.Count(phrase, " "))
	}
	return all
}

// named returns the operations whose names words begin with, by how many words
// that are, the longest name first.
func (all *PluginOps) named(words []utterance.Word) iter.Seq2[int, PluginOp] {
	return func(yield func(int, PluginOp) bool) {
		if all == nil {
			return
		}
		said, ends := "", []int{0}
		for _, w := range words[:min(all.most, len(words))] {
			said = strings.TrimPrefix(said+" "+w.Text, " ")
			ends = append(ends, len(said))
		}
		for n := len(ends) - 1; n > 0; n-- {
			if o, ok := all.byPhrase[said[:ends[n]]]; ok && !yield(n, o) {
				return
			}
		}
	}
}

// plugin: what a plugin does, by its name. It comes last: no plugin takes words
// away from a rule.
func (r *Router) plugin(q *request) answer {
	for n, o := range q.ctx.Plugins.named(q.Words) {
		if args, ok := r.pluginArgs(o, q, q.Rest(n)); ok {
			return mine(plan.Step{Args: op.Foreign{Name: op.Name(o.Op), Args: args}, Plugin: o.Plugin, Confirm: o.Confirm})
		}
		if q.hint == "" {
			q.hint = "; " + o.phrase() + o.wants()
		}
	}
	return answer{}
}

// pluginArgs makes the arguments of an operation of the words behind its name.
func (r *Router) pluginArgs(o PluginOp, q *request, rest string) (map[string]any, bool) {
	switch {
	case o.Arg == "":
		return map[string]any{}, rest == "" || q.t == o.phrase() // "note list, please"
	case rest == "":
		return nil, false
	case o.Whole:
		n, ok := r.words.Language.Number(utterance.Key(rest))
		return map[string]any{o.Arg: n}, ok
	}
	return map[string]any{o.Arg: rest}, true
}

// sayPlugin lists what plugins can be told.
func (r *Router) sayPlugin(q *request) (list []phrase) {
	if q.ctx.Plugins == nil {
		return nil
	}
	number := r.slotExamples()[phrases.Number]
	for text, o := range q.ctx.Plugins.byPhrase {
		switch {
		case o.Whole:
			list = append(list, slotted(text, "", number))
		case o.Arg != "":
			list = append(list, slotted(text, "", example{anything, anything}))
		default:
			list = append(list, fixed(text))
		}
	}
	return list
}
