package router

import (
	"maps"
	"strings"

	"utter/shared/profile"
)

// A family is one kind of command. It routes what is said, and lists what it can be
// told: always, and now, in the moment of a request. A family may lack one of the
// lists.
type family struct {
	name   string // plans and decisions have it as their rule
	kind   kind   // of what it lists
	group  Group
	route  func(*Router, *request) answer
	always func(*Router) []phrase
	now    func(*Router, *request) []phrase
}

// A kind is what a suggestion is about.
type kind string

const (
	kindAction   kind = "action"
	kindAgent    kind = "agent"
	kindApp      kind = "app"
	kindClick    kind = "click"
	kindDesktop  kind = "desktop"
	kindEditing  kind = "editing"
	kindKey      kind = "key"
	kindMedia    kind = "media"
	kindPlugin   kind = "plugin"
	kindScroll   kind = "scroll"
	kindSearch   kind = "search"
	kindSite     kind = "site"
	kindTerminal kind = "terminal"
	kindText     kind = "text"
	kindWindow   kind = "window"
)

// The rules that others ask for.
const (
	clickRule = "click"
	chainRule = "chain" // several commands, each by its own family
)

// families are tried in this order; the first that answers wins.
var families = []family{
	{name: "custom", kind: kindAction, group: GroupYours, route: (*Router).custom, now: (*Router).sayCustom},
	{name: "desktop", kind: kindDesktop, group: GroupWindows, route: (*Router).desktop, always: (*Router).sayDesktop},
	{name: "media", kind: kindMedia, group: GroupMedia, route: (*Router).media, always: (*Router).sayMedia},
	{name: "agent", kind: kindAgent, group: GroupOpen, route: (*Router).cliAgent, always: (*Router).sayAgents},
	{name: "target", kind: kindText, group: GroupTyping, route: (*Router).appTarget, now: (*Router).sayTarget},
	{name: "terminal", kind: kindTerminal, group: GroupTyping, route: (*Router).terminal, always: (*Router).sayTerminal},
	{name: "open", kind: kindApp, group: GroupOpen, route: (*Router).open, always: (*Router).sayOpen},
	{name: "switch", kind: kindWindow, group: GroupWindows, route: (*Router).switchTo, now: (*Router).saySwitch},
	{name: "close", kind: kindWindow, group: GroupWindows, route: (*Router).close, now: (*Router).sayClose},
	{name: "search", kind: kindSearch, group: GroupWeb, route: (*Router).searchFor, always: (*Router).saySearch},
	{name: "shortcut", kind: kindAction, group: GroupApp, route: (*Router).shortcut, now: (*Router).sayShortcut},
	{name: "key", kind: kindKey, group: GroupTyping, route: (*Router).key, always: (*Router).sayKey},
	{name: "editing", kind: kindEditing, group: GroupTyping, route: (*Router).editing, always: (*Router).sayEditing},
	{name: "type", kind: kindText, group: GroupTyping, route: (*Router).typeText, always: (*Router).sayType},
	{name: "scroll", kind: kindScroll, group: GroupTyping, route: (*Router).scroll, always: (*Router).sayScroll},
	{name: clickRule, kind: kindClick, group: GroupTyping, route: (*Router).click, always: (*Router).sayClick},
	{name: "plugin", kind: kindPlugin, group: GroupPlugins, route: (*Router).plugin, now: (*Router).sayPlugin},
}

// familyNames are the names of the families.
var familyNames = func() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}()

// A phrase is something that a family can be told: the rules say what it does here,
// if anything.
type phrase struct {
	text   string
	said   string // text with an example in place of the "…"
	arg    string // what the example is in a plan
	app    *profile.Profile
	own    bool // it stands for an action that is the user's
	family *family
}

// own marks phrases as those of f.
func (f *family) own(all []phrase) []phrase {
	for i := range all {
		all[i].family = f
	}
	return all
}

// An example stands in for words of one's own: the words, and what they are in a
// plan.
type example struct{ words, arg string }

const (
	anything = "zyxwv" // a word that names nothing
	someKey  = "f7"
)

// fixed returns a phrase of fixed words.
func fixed(text string) phrase { return phrase{text: text, said: text} }

// fixedAll returns the phrases of a table.
func fixedAll[T any](table map[string]T) []phrase {
	all := make([]phrase, 0, len(table))
	for text := range maps.Keys(table) {
		all = append(all, fixed(text))
	}
	return all
}

// named returns each verb with a name behind it.
func named(verbs []string, name string) []phrase {
	var all []phrase
	for _, v := range verbs {
		all = append(all, fixed(v+" "+name))
	}
	return all
}

// slotted returns a phrase with words of one's own in it.
func slotted(before, behind string, e example) phrase {
	join := func(slot string) string { return strings.TrimSpace(before + " " + slot + " " + behind) }
	return phrase{text: join("…"), said: join(e.words), arg: e.arg}
}

// followed returns each verb with words of one's own behind it.
func followed(verbs []string) []phrase { return followedBy(verbs, example{anything, anything}) }

// followedBy is followed with an example of what works.
func followedBy(verbs []string, e example) []phrase {
	var all []phrase
	for _, v := range verbs {
		all = append(all, slotted(v, "", e))
	}
	return all
}
