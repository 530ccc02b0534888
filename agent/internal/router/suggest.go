package router

import (
	"slices"
	"sort"
	"strings"

	"utter/shared/profile"
	"utter/shared/utterance"
)

// A Suggestion is something that can be said now.
type Suggestion struct {
	Text string
	Kind string // "action", "app", "window", "site", "desktop", "media" or "editing"
	App  string // the application that it is about, or ""
}

// Suggest returns at most limit things that can be said and begin with prefix:
// first what belongs to the focused application and the open windows, then what
// always works, each in alphabetical order.
func (r *Router) Suggest(prefix string, ctx Context, limit int) []Suggestion {
	prefix = suggestKey(prefix)
	var all []Suggestion
	seen := map[string]bool{}
	add := func(s Suggestion) {
		if strings.HasPrefix(s.Text, prefix) && !seen[s.Text] {
			seen[s.Text] = true
			all = append(all, s)
		}
	}
	near := r.suggestNear(ctx)
	slices.SortFunc(near, byText)
	for _, s := range near {
		add(s)
	}
	list := r.always()
	for i := sort.Search(len(list), func(i int) bool { return list[i].Text >= prefix }); i < len(list) && len(all) < limit && strings.HasPrefix(list[i].Text, prefix); i++ {
		if p := r.lib.Index.ByID(list[i].App); p == nil || p.Role() || r.lib.Startable(p) {
			add(list[i])
		}
	}
	return all[:min(limit, len(all))]
}

// suggestKey is Key, but a space at the end stays: "open " has been said whole.
func suggestKey(prefix string) string {
	key := utterance.Key(prefix)
	if key != "" && strings.HasSuffix(prefix, " ") {
		key += " "
	}
	return key
}

func byText(a, b Suggestion) int { return strings.Compare(a.Text, b.Text) }

// suggestNear lists what belongs to the moment.
func (r *Router) suggestNear(ctx Context) []Suggestion {
	var all []Suggestion
	if ctx.Focused != nil {
		if p := r.lib.Index.ForWindow(ctx.Focused.AppID); p != nil {
			all = append(all, actions(p)...)
		}
	}
	for _, w := range ctx.Windows {
		if p := r.lib.Index.ForWindow(w.AppID); p != nil {
			name := utterance.Key(p.Name)
			all = append(all, Suggestion{"switch to " + name, "window", p.ID}, Suggestion{"close " + name, "window", p.ID})
		}
	}
	return all
}

// actions lists what an application can be told while it has the focus.
func actions(p *profile.Profile) []Suggestion {
	var all []Suggestion
	for phrase := range p.Commands {
		all = append(all, Suggestion{utterance.Key(phrase), "action", p.ID})
	}
	for name := range p.Shortcuts {
		all = append(all, Suggestion{utterance.Key(spoken(name)), "action", p.ID})
	}
	return all
}

// always lists, sorted, what can be said at any time. It is made once.
func (r *Router) always() []Suggestion {
	r.sayOnce.Do(func() {
		var all []Suggestion
		for _, p := range r.lib.Index.All() {
			if p.Disabled || p.Unlisted() {
				continue
			}
			all = append(all, Suggestion{"open " + utterance.Key(p.Name), "app", p.ID})
			for _, a := range p.Aliases {
				all = append(all, Suggestion{"open " + utterance.Key(a), "app", p.ID})
			}
		}
		for name, s := range r.tables.sites {
			all = append(all, Suggestion{"open " + name, "site", ""})
			if s.Search != "" {
				all = append(all, Suggestion{"search " + name + " for", "site", ""})
			}
		}
		for phrase := range r.tables.phrases {
			all = append(all, Suggestion{phrase, "desktop", ""})
		}
		for phrase := range r.tables.media {
			all = append(all, Suggestion{phrase, "media", ""})
		}
		for phrase := range r.tables.editing {
			all = append(all, Suggestion{phrase, "editing", ""})
		}
		slices.SortFunc(all, byText)
		r.say = all
	})
	return r.say
}
