package router

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
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

// groups tells by the rule family that wins what an utterance belongs to.
var groups = map[string]struct {
	kind  string
	group Group
}{
	"custom": {"action", GroupYours}, "shortcut": {"action", GroupApp},
	"desktop": {"desktop", GroupWindows}, "switch": {"window", GroupWindows}, "close": {"window", GroupWindows},
	"open": {"app", GroupOpen}, "agent": {"agent", GroupOpen},
	"search": {"search", GroupWeb}, "media": {"media", GroupMedia},
	"type": {"text", GroupTyping}, "target": {"text", GroupTyping}, "key": {"key", GroupTyping}, "editing": {"editing", GroupTyping},
	"scroll": {"scroll", GroupTyping}, "terminal": {"terminal", GroupTyping},
	"plugin": {"plugin", GroupPlugins},
}

// A phrase may be worth suggesting: the rules tell what it does, if anything.
type phrase struct {
	text string
	said string // text with an example in place of the "…"
	arg  string // what the example is in a plan
	app  *profile.Profile
	own  bool // it stands for an action that is the user's
}

// words returns a phrase of fixed words.
func words(text string) phrase { return phrase{text: text, said: text} }

// slotted returns a phrase that takes words of one's own. example is what a plan
// has for the word that stands in for them.
func slotted(before, behind, word, example string) phrase {
	join := func(slot string) string { return strings.TrimSpace(before + " " + slot + " " + behind) }
	return phrase{text: join("…"), said: join(word), arg: example}
}

// anything is a word that names nothing.
const anything = "zyxwv"

// slotExamples holds a word for each kind of slot of the desktop's patterns, and
// what it is in the plan.
var slotExamples = map[string][2]string{
	"number": {"7", "7"}, "ordinal": {"seventh", "7"}, "percent": {"70%", "70%"}, "direction": {"left", "left"}, "name": {anything, anything},
}

// Suggest returns at most limit things that can be said and begin with prefix:
// first what belongs to the focused application and the open windows, then what
// always works, then what plugins do, each in alphabetical order. able, where it is not nil, says
// whether a step can be carried out here at all.
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
	near := r.suggestNear(ctx)
	slices.SortFunc(near, byText)
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
	ofPlugins := pluginPhrases(ctx.Plugins)
	slices.SortFunc(ofPlugins, byText)
	for _, p := range ofPlugins {
		add(p)
	}
	return said
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
	if _, known := groups[d.Rule]; !known || len(meanings) == 0 {
		return Suggestion{}, false
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
	s.Kind, s.Group = classify(d.Rule, meanings[0][0].Args)
	switch {
	case s.Kind == "action":
		s.App = r.focusedID(ctx)
		if p.own {
			s.Group = GroupYours
		}
	case len(meanings) == 1:
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

// classify tells what an utterance belongs to by the rule that won and what the
// plan begins with.
func classify(rule string, args op.Args) (kind string, group Group) {
	switch {
	case op.Is[op.EnsureURL](args), op.Is[op.OpenURL](args) && rule != "search":
		return "site", GroupWeb
	case rule == "target" && op.Is[op.Key](args):
		return "key", GroupTyping
	case rule == "close" && op.Is[op.Key](args): // a tab
		return "action", GroupApp
	}
	return groups[rule].kind, groups[rule].group
}

func (r *Router) focusedID(ctx Context) string {
	if ctx.Focused != nil {
		if p := r.lib.Index.ForWindow(ctx.Focused.AppID); p != nil {
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
		return "close-window" // what it does to the windows of the application
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
	case op.Scroll:
		return a.Direction + " " + strconv.Itoa(a.Amount)
	}
	return op.AppOf(s.Args)
}

// pluginDetail names the plugin and what it does with what: "hello_go note …".
func pluginDetail(plugin string, f op.Foreign) string {
	detail := plugin + " " + strings.TrimPrefix(string(f.Name), "action.")
	for _, value := range f.Args { // one at most
		detail += fmt.Sprintf(" %v", value)
	}
	return detail
}

// suggestNear lists what belongs to the moment.
func (r *Router) suggestNear(ctx Context) []phrase {
	var all []phrase
	if p := r.taught(r.request("", ctx)); p != nil && ctx.Focused != nil {
		all = append(all, r.actionPhrases(p)...)
	}
	running := map[*profile.Profile]bool{}
	for _, w := range ctx.Windows {
		if p := r.lib.Index.ForWindow(w.AppID); p != nil {
			running[p] = true
		}
	}
	for p := range running {
		name := utterance.Key(p.Name)
		all = append(all, words("switch to "+name), words("close "+name), typing(name+" type", anything), typing(name+" press", "f7"))
	}
	return all
}

// typing returns a phrase that ends with words of one's own.
func typing(before, example string) phrase { return slotted(before, "", example, example) }

// actionPhrases lists what an application can be told while it has the focus.
func (r *Router) actionPhrases(p *profile.Profile) []phrase {
	var all []phrase
	for _, taught := range [][]string{slices.Collect(maps.Keys(p.Commands)), slices.Collect(maps.Keys(p.Says))} {
		for _, text := range taught {
			all = append(all, words(utterance.Key(text)))
		}
	}
	for name := range p.Shortcuts {
		all = append(all, words(utterance.Key(spoken(name))))
	}
	for text, name := range r.words.Actions {
		all = append(all, phrase{text: text, said: text, own: p.Own[name]})
	}
	return all
}

// always lists, sorted, what can be said at any time. It is made once.
func (r *Router) always() []phrase {
	r.sayOnce.Do(func() {
		r.say = slices.Concat(r.appPhrases(), r.webPhrases(), r.tablePhrases(), r.desktopPatterns())
		slices.SortFunc(r.say, byText)
	})
	return r.say
}

func (r *Router) appPhrases() []phrase {
	var all []phrase
	for _, p := range r.lib.Index.All() {
		if p.Disabled || p.Unlisted() {
			continue
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			text := "open " + utterance.Key(name)
			all = append(all, phrase{text: text, said: text, app: p})
		}
	}
	for name, argv := range r.words.Agents {
		if r.lib.Startable(&profile.Profile{ID: name, Launch: argv}) {
			all = append(all, words("open "+name))
		}
	}
	return all
}

func (r *Router) webPhrases() []phrase {
	const address = anything + ".org"
	all := []phrase{
		typing("search for", anything), typing("look up", anything), typing("google", anything),
		typing("open", address), typing("go to", address),
	}
	for name, s := range r.words.Sites {
		all = append(all, words("open "+name))
		if s.Search != "" {
			all = append(all, typing("search "+name+" for", anything))
		}
	}
	return all
}

// tablePhrases lists the fixed phrases of the tables, and what is typed and
// pressed.
func (r *Router) tablePhrases() []phrase {
	all := []phrase{
		typing("type", anything), typing("write", anything), typing("press", "f7"), typing("run command", anything), words("clear terminal"),
		words("enter"), words("escape"), words("tab"), words("backspace"),
		words("scroll up"), words("scroll down"), words("scroll left"), words("scroll right"),
	}
	for _, table := range [][]string{
		slices.Collect(maps.Keys(r.words.Desktop)), slices.Collect(maps.Keys(r.words.Media)),
		slices.Collect(maps.Keys(r.words.Editing)), slices.Collect(maps.Keys(r.words.Presses)),
	} {
		for _, text := range table {
			all = append(all, words(text))
		}
	}
	return all
}

// desktopPatterns lists the desktop's phrases that take a number or a name.
func (r *Router) desktopPatterns() []phrase {
	var all []phrase
	for _, same := range r.words.Patterns {
		for _, p := range same {
			if p.Slot == "" {
				all = append(all, words(p.Before))
				continue
			}
			example := slotExamples[p.Slot]
			all = append(all, slotted(p.Before, p.Behind, example[0], example[1]))
		}
	}
	return all
}
