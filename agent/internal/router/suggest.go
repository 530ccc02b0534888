package router

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/utterance"
)

// A Suggestion is something that can be said now.
type Suggestion struct {
	Text   string // "…" stands for words of one's own
	Kind   string // of what it is about, such as "action", "app" or "site"
	Group  Group
	App    string // the application that it is about, or ""
	Detail string // what it does, in no language: keys, an action, an address, an application
}

// A Group is a heading of the list of all that can be said.
type Group string

// The groups.
const (
	GroupApp     Group = "app"     // actions of the focused application
	GroupYours   Group = "yours"   // what the user taught for it
	GroupWindows Group = "windows" // windows, workspaces and monitors
	GroupOpen    Group = "open"    // applications to open
	GroupWeb     Group = "web"
	GroupMedia   Group = "media"
	GroupTyping  Group = "typing" // text, keys and the wheel
	GroupPlugins Group = "plugins"
)

// Suggest returns at most limit things that can be said and begin with prefix:
// first what belongs to the focused application and the open windows, then what
// always works, then what plugins do, each in alphabetical order. able, where it is
// not nil, says whether a step can be carried out here at all.
func (r *Router) Suggest(prefix string, ctx Context, limit int, able func(plan.Step) bool) []Suggestion {
	prefix = suggestKey(prefix)
	var said []Suggestion
	seen := map[string]bool{}
	add := func(p phrase) {
		if len(said) >= limit || seen[p.text] || !strings.HasPrefix(p.text, prefix) {
			return
		}
		if s, ok := r.suggestion(p, ctx, able); ok {
			seen[p.text] = true
			said = append(said, s)
		}
	}
	near, ofPlugins := r.sayNow(ctx)
	for _, p := range near {
		add(p)
	}
	list := r.always()
	from := sort.Search(len(list), func(i int) bool { return list[i].text >= prefix })
	for _, p := range list[from:] {
		if len(said) >= limit || !strings.HasPrefix(p.text, prefix) {
			break
		}
		if p.app == nil || p.app.Role() || r.lib.Startable(p.app) {
			add(p)
		}
	}
	for _, p := range ofPlugins {
		add(p)
	}
	return said
}

// sayNow lists, sorted, what belongs to the moment: what the desktop can be told, and
// what plugins can.
func (r *Router) sayNow(ctx Context) (near, ofPlugins []phrase) {
	q := r.request("", ctx)
	for i := range families {
		f := &families[i]
		switch {
		case f.now == nil:
		case f.group == GroupPlugins:
			ofPlugins = append(ofPlugins, f.own(f.now(r, q))...)
		default:
			near = append(near, f.own(f.now(r, q))...)
		}
	}
	slices.SortFunc(near, byText)
	slices.SortFunc(ofPlugins, byText)
	return near, ofPlugins
}

// always lists, sorted, what can be said at any time. It is made once.
func (r *Router) always() []phrase {
	r.sayOnce.Do(func() {
		for i := range families {
			if f := &families[i]; f.always != nil {
				r.say = append(r.say, f.own(f.always(r))...)
			}
		}
		slices.SortFunc(r.say, byText)
	})
	return r.say
}

// suggestKey is Key, but a space at the end stays: "open " has been said whole.
func suggestKey(prefix string) string {
	key := utterance.Key(prefix)
	if key != "" && strings.HasSuffix(prefix, " ") {
		key += " "
	}
	return key
}

// byText sorts phrases; of one text the example with a number comes first.
func byText(a, b phrase) int {
	if c := strings.Compare(a.text, b.text); c != 0 {
		return c
	}
	return strings.Compare(a.said, b.said)
}

// suggestion routes a phrase; what does nothing here is not ok.
func (r *Router) suggestion(p phrase, ctx Context, able func(plan.Step) bool) (Suggestion, bool) {
	d := r.Route(p.said, ctx)
	meanings := meaningsOf(d)
	if d.Rule != p.family.name || len(meanings) == 0 {
		return Suggestion{}, false // another family's, which lists it as well
	}
	var details []string
	for _, steps := range meanings {
		if able != nil && !allAble(steps, able) {
			return Suggestion{}, false
		}
		details = append(details, detail(steps))
	}
	s := Suggestion{Text: p.text, Detail: strings.Join(details, ", ")}
	if p.arg != "" {
		s.Detail = strings.ReplaceAll(s.Detail, p.arg, "…")
	}
	kind, group := classify(p.family, meanings[0][0].Args)
	s.Kind, s.Group = string(kind), group
	switch {
	case kind == kindAction:
		s.App = r.focusedID(ctx)
		if p.own {
			s.Group = GroupYours
		}
	case len(meanings) == 1 && op.AppOf(meanings[0][0].Args) != p.arg:
		s.App = op.AppOf(meanings[0][0].Args)
	}
	return s, true
}

// meaningsOf returns what a decision would do: a plan, the choices of an unclear
// name, or nothing.
func meaningsOf(d Decision) (meanings [][]plan.Step) {
	if d.Plan != nil {
		return [][]plan.Step{d.Plan.Steps}
	}
	for _, c := range d.Choices {
		meanings = append(meanings, c.Steps)
	}
	return meanings
}

func allAble(steps []plan.Step, able func(plan.Step) bool) bool {
	return !slices.ContainsFunc(steps, func(s plan.Step) bool { return !able(s) })
}

// classify tells what an utterance belongs to by its family and what the plan
// begins with.
func classify(f *family, args op.Args) (kind, Group) {
	switch {
	case op.Is[op.EnsureURL](args), op.Is[op.OpenURL](args) && f.group != GroupWeb:
		return kindSite, GroupWeb
	case op.Is[op.Media](args):
		return kindMedia, GroupMedia
	case op.Is[op.Key](args) && f.kind == kindText:
		return kindKey, GroupTyping
	case op.Is[op.Key](args) && f.kind == kindWindow: // a tab
		return kindAction, GroupApp
	}
	return f.kind, f.group
}

func (r *Router) focusedID(ctx Context) string {
	if ctx.Focused != nil {
		if p := r.appOf(ctx.Focused); p != nil {
			return p.ID
		}
	}
	return ""
}

// detail says in no language what steps do.
func detail(steps []plan.Step) string {
	var all []string
	for _, s := range steps {
		all = append(all, stepDetail(s))
	}
	return strings.Join(all, " ")
}

func stepDetail(s plan.Step) string {
	switch a := s.Args.(type) {
	case op.Foreign:
		return pluginDetail(s.Plugin, a)
	case op.Key:
		return a.Chord
	case op.Niri:
		return a.String()
	case op.OpenURL:
		return a.URL
	case op.EnsureURL:
		return a.URL
	case op.CloseApp:
		return closeWindow // what it does to the windows of the application
	case op.LaunchApp:
		if len(a.Argv) > 0 {
			return strings.Join(a.Argv, " ")
		}
	case op.Media:
		return a.Command
	case op.Terminal:
		return a.Command
	case op.TypeText:
		return a.Text
	case op.ClickElement:
		return a.Description
	case op.Scroll:
		return a.Direction + " " + strconv.Itoa(a.Amount)
	}
	return cmp.Or(op.AppOf(s.Args), string(s.Op()))
}

// pluginDetail names the plugin and what it does with what: "hello_go note …".
func pluginDetail(plugin string, f op.Foreign) string {
	detail := plugin + " " + strings.TrimPrefix(string(f.Name), "action.")
	for _, value := range f.Args { // one at most
		detail += fmt.Sprintf(" %v", value)
	}
	return detail
}
