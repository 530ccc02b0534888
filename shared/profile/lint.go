package profile

import (
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/i18n"
	"utter/shared/spell"
	"utter/shared/utterance"
)

// A Finding is something in a profile that may surprise whoever wrote it. It is
// no error.
type Finding struct {
	Code    string // NameTaken, GenericWord, BuiltInPhrase, SameKeys or KeyNotAction
	Subject string // the alias, action or phrase
	Other   string // what the Code says: an application's name, an action, or nothing
}

// Codes of a Finding, each with what its Other is.
const (
	NameTaken     = "name_taken"     // the application that has the name as well
	GenericWord   = "generic_word"   //
	BuiltInPhrase = "builtin_phrase" //
	SameKeys      = "same_keys"      // the action that has the keys as well
	KeyNotAction  = "key_not_action" // the action that is called like the key
)

// remarks are the sentences of the Codes, each a format of Subject and Other.
// The settings app shows those that are marked.
var remarks = map[string]string{
	NameTaken:     i18n.Mark("“%[1]s” is also a name of %[2]s"),
	GenericWord:   i18n.Mark("“%s” is too general to identify one application"),
	BuiltInPhrase: i18n.Mark("“%s” already means something else"),
	SameKeys:      "%[2]s and %[1]s have the same keys",
	KeyNotAction:  "“%[1]s” presses a key; write {action: %[2]s} for the action",
}

// Text says what may surprise.
func (f Finding) Text() i18n.Message {
	english := remarks[f.Code]
	return i18n.Message{English: english, Args: []any{f.Subject, f.Other}[:strings.Count(english, "%")]}
}

func (f Finding) String() string { return f.Text().Plain() }

// LintAliases says what is odd about aliases of p, which need not be those that
// it has. common tells the words that name no application by themselves, phrase
// what means something whatever is installed.
func LintAliases(x *Index, p *Profile, aliases []string, common, phrase func(string) bool) []Finding {
	var all []Finding
	for _, alias := range aliases {
		key := utterance.Key(alias)
		for _, name := range x.othersCalled(key, p) {
			all = append(all, Finding{NameTaken, alias, name})
		}
		if common(key) {
			all = append(all, Finding{GenericWord, alias, ""})
		}
		if phrase(key) || phrase("open "+key) {
			all = append(all, Finding{BuiltInPhrase, alias, ""})
		}
	}
	return all
}

// othersCalled returns the names of the applications other than p that have the
// name key, the strongest claim first, and of a role that has it.
func (x *Index) othersCalled(key string, p *Profile) []string {
	claims := x.claims(key)
	if role := x.roles[key]; role != nil {
		claims = append(claims, claim{profile: role})
	}
	var names []string
	for _, c := range claims {
		if c.profile.ID != p.ID && !slices.Contains(names, c.profile.Name) {
			names = append(names, c.profile.Name)
		}
	}
	return names
}

// LintShortcuts finds the actions that have the keys of another one, by name.
func LintShortcuts(shortcuts map[string]chord.Sequence) []Finding {
	var all []Finding
	first := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(shortcuts)) {
		switch keys := shortcuts[name].String(); {
		case keys == "":
		case first[keys] != "":
			all = append(all, Finding{SameKeys, name, first[keys]})
		default:
			first[keys] = name
		}
	}
	return all
}

// A Note is a Finding in a file.
type Note struct {
	Origin Origin
	Finding
}

// LintKeys finds the commands of p that press a key for whose name it has an
// action, by phrase: perhaps that was meant.
func LintKeys(p *Profile, commands map[string]chord.Sequence) []Finding {
	var all []Finding
	for _, phrase := range slices.Sorted(maps.Keys(commands)) {
		seq := commands[phrase]
		if len(seq) != 1 || seq[0].Mods() != 0 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.Shortcuts)) {
			if c, err := chord.Parse(name); err == nil && c == seq[0] {
				all = append(all, Finding{KeyNotAction, phrase, name})
			}
		}
	}
	return all
}

// LintFiles says what is odd about the aliases and commands in the user's files,
// and about the actions that the user added or changed there.
func LintFiles(x *Index, patches []Patch, common, phrase func(string) bool) []Note {
	var all []Note
	for _, patch := range patches {
		p := x.of(patch.ID)
		if patch.Origin.Layer != User || p == nil {
			continue
		}
		var found []Finding
		if patch.Aliases != nil {
			found = LintAliases(x, p, *patch.Aliases, common, phrase)
		}
		for _, f := range LintShortcuts(p.Shortcuts) {
			_, subject := patch.Shortcuts[f.Subject]
			if _, other := patch.Shortcuts[f.Other]; subject || other {
				found = append(found, f)
			}
		}
		for _, f := range append(found, LintKeys(p, patch.Commands)...) {
			all = append(all, Note{patch.Origin, f})
		}
	}
	return all
}

// LintCommands reports the phrases in the user's files that stand for an action
// which there is not: in the application, in none of the kind, or in none at
// all. Such a phrase does nothing.
func LintCommands(x *Index, patches []Patch) []Problem {
	var all []Problem
	for _, patch := range patches {
		if patch.Origin.Layer != User || len(patch.Says) == 0 {
			continue
		}
		apps, label := x.about(patch.ID)
		for _, phrase := range slices.Sorted(maps.Keys(patch.Says)) {
			action := patch.Says[phrase]
			if action != "" && !slices.ContainsFunc(apps, func(p *Profile) bool { return p.does(action) }) {
				all = append(all, unknownAction(patch, phrase, label, apps))
			}
		}
	}
	return all
}

// about returns the applications that a file of this id is about, and what to
// call them.
func (x *Index) about(id string) (apps []*Profile, label string) {
	if isEverywhere(id) {
		all := slices.Clone(x.profiles)
		if x.everywhere != nil {
			all = append(all, x.everywhere)
		}
		return all, "any application"
	}
	if kind, ok := kindOf(id); ok {
		all := slices.DeleteFunc(slices.Clone(x.profiles), func(p *Profile) bool { return p.Kind != kind })
		return all, "the kind " + string(kind)
	}
	if p := x.of(id); p != nil {
		return []*Profile{p}, p.Name
	}
	return nil, id
}

// of returns the application that a file of this id is about, or nil. The file
// may have joined another application's.
func (x *Index) of(id string) *Profile {
	if p := x.ByID(id); p != nil {
		return p
	}
	if kind, ok := kindOf(id); ok {
		return x.ByID(KindID(kind))
	}
	if isEverywhere(id) {
		return x.everywhere
	}
	return x.ForWindow(id)
}

func unknownAction(patch Patch, phrase, label string, apps []*Profile) Problem {
	names := map[string]bool{}
	for _, p := range apps {
		for name := range p.Shortcuts {
			names[name] = true
		}
	}
	action := patch.Says[phrase]
	args := []string{phrase, action, label}
	if near := spell.Nearest(action, slices.Sorted(maps.Keys(names))); near != "" {
		args = append(args, near)
	}
	return newProblem(patch.sayAt(phrase), Warning, CodeUnknownAction, args...)
}
