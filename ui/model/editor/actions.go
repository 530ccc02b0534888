package editor

import (
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/profile"
	"utter/shared/utterance"
	"utter/ui/model/session"
	"utter/ui/model/tr"
)

// said is a name of an action, or a phrase, as it is heard.
func said(name string) string { return utterance.Key(profile.Spoken(name)) }

// named returns the key of the map that is said in this way, in one of maps, or
// fresh: files may write names as they like.
func named[V any](spoken, fresh string, all ...map[string]V) string {
	for _, m := range all {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if said(name) == said(spoken) {
				return name
			}
		}
	}
	return fresh
}

// actionNamed is the name under which a spoken action is kept, "" for no name.
func (m *Model) actionNamed(spoken string) string {
	fresh := strings.ReplaceAll(said(spoken), " ", "_")
	own := &profile.Patch{}
	if file := m.file(); file != nil {
		own = file
	}
	return named(spoken, fresh, own.Shortcuts, m.profile().Shortcuts, m.below.Shortcuts)
}

// phraseNamed is how a phrase is written, "" for no phrase.
func (m *Model) phraseNamed(phrase string) string {
	fresh := utterance.Key(phrase)
	own := &profile.Patch{}
	if file := m.file(); file != nil {
		own = file
	}
	return named(phrase, named(phrase, fresh, own.Commands, m.profile().Commands), own.Says, m.profile().Says)
}

func chords(seq chord.Sequence) []string {
	all := []string{}
	for _, c := range seq {
		all = append(all, c.String())
	}
	return all
}

// actions lists what the application does, by name.
func (m *Model) actions() []Action {
	p := m.profile()
	var all []Action
	for _, name := range slices.Sorted(maps.Keys(p.Shortcuts)) {
		seq := p.Shortcuts[name]
		a := Action{
			Name: name, Spoken: profile.Spoken(name), Keys: chords(seq), Source: m.source("shortcuts." + name),
			CanReset: m.own("shortcuts", name) != nil && m.inherits(name),
		}
		if others := m.clashes(name, seq); len(others) > 0 {
			a.Clash = profile.Spoken(others[0])
		}
		for _, phrase := range slices.Sorted(maps.Keys(p.Says)) {
			if said(p.Says[phrase]) == said(name) {
				a.AlsoSay = append(a.AlsoSay, phrase)
			}
		}
		all = append(all, a)
	}
	return all
}

// removedActions lists the actions that the user's file takes away, though they
// are there without it, with the keys that they would have.
func (m *Model) removedActions() []Action {
	var all []Action
	for _, name := range slices.Sorted(maps.Keys(m.below.Shortcuts)) {
		if m.inherits(name) && len(m.profile().Shortcuts[name]) == 0 && m.own("shortcuts", name) != nil {
			all = append(all, Action{
				Name: name, Spoken: profile.Spoken(name), Keys: chords(m.below.Shortcuts[name]),
				Source: m.source("shortcuts." + name), CanReset: true,
			})
		}
	}
	return all
}

// clashes returns the names of the other actions with the same keys.
func (m *Model) clashes(name string, seq chord.Sequence) []string {
	p := m.profile()
	var all []string
	for _, other := range slices.Sorted(maps.Keys(p.Shortcuts)) {
		if other != name && len(seq) > 0 && p.Shortcuts[other].String() == seq.String() {
			all = append(all, other)
		}
	}
	return all
}

// phrases lists the phrases that press keys.
func (m *Model) phrases() []Phrase {
	p := m.profile()
	var all []Phrase
	for _, text := range slices.Sorted(maps.Keys(p.Commands)) {
		if _, isAction := p.Says[text]; isAction {
			continue
		}
		all = append(all, Phrase{
			Text: text, Keys: chords(p.Commands[text]), Source: m.source("commands." + text),
			CanReset: m.own("commands", text) != nil && m.inheritsPhrase(text),
		})
	}
	return all
}

// Clash returns which action, as spoken, already has these keys, or "".
func (m *Model) Clash(action string, seq chord.Sequence) string {
	if others := m.clashes(m.actionNamed(action), seq); len(others) > 0 {
		return profile.Spoken(others[0])
	}
	return ""
}

// inherits reports whether an action is there without the user's own file.
func (m *Model) inherits(action string) bool { return len(m.below.Shortcuts[action]) > 0 }

// inheritsPhrase reports whether a phrase is there without the user's own file.
func (m *Model) inheritsPhrase(phrase string) bool {
	_, keys := m.below.Commands[phrase]
	_, says := m.below.Says[phrase]
	return keys || says
}

// setKeys writes the keys of an action: nothing where they are inherited, an
// empty value where an inherited action goes.
func (m *Model) setKeys(action string, seq chord.Sequence) session.Set {
	var value any = seq
	switch {
	case m.below.Shortcuts[action].String() == seq.String():
		value = nil
	case len(seq) == 0:
		value = chord.Sequence{}
	}
	return m.set(value, "shortcuts", action)
}

func (m *Model) keysChanged(what string) string {
	// Translators: a change; %[1]s is the application, %[2]s what is said ("new tab").
	return tr.T("%[1]s: keys of “%[2]s” changed", m.name(), what)
}

func (m *Model) removed(what string) string {
	// Translators: a change; %[1]s is the application, %[2]s what was said ("new tab").
	return tr.T("%[1]s: “%[2]s” removed", m.name(), what)
}

// SetKeys gives an action, by its spoken name, its keys; it may be new. takeOver
// takes them from the actions that have them already.
func (m *Model) SetKeys(action string, seq chord.Sequence, takeOver bool) {
	if said(action) == "" || len(seq) == 0 {
		return
	}
	m.change(m.keysChanged(said(action)), func() []session.Set {
		name := m.actionNamed(action)
		sets := []session.Set{m.setKeys(name, seq)}
		if takeOver {
			for _, other := range m.clashes(name, seq) {
				sets = append(sets, m.setKeys(other, nil))
			}
		}
		return sets
	})
}

// RemoveAction takes an action away, with what else is said for it.
func (m *Model) RemoveAction(name string) {
	m.change(m.removed(profile.Spoken(name)), func() []session.Set {
		sets := []session.Set{m.setKeys(name, nil)}
		for _, phrase := range m.saying(name) {
			if own := m.own("commands", phrase); own != nil {
				sets = append(sets, m.set(nil, "commands", phrase))
			}
		}
		return sets
	})
}

// saying returns the further phrases of an action, sorted.
func (m *Model) saying(action string) []string {
	says := m.profile().Says
	var all []string
	for _, phrase := range slices.Sorted(maps.Keys(says)) {
		if said(says[phrase]) == said(action) {
			all = append(all, phrase)
		}
	}
	return all
}

// Rename gives an action another name, unless another action has it. Its keys
// and what else is said for it stay.
func (m *Model) Rename(name, spokenNew string) {
	if said(spokenNew) == "" || said(spokenNew) == said(name) {
		return
	}
	// Translators: a change; %[1]s is the application, %[2]s what was said, %[3]s what is said now.
	label := tr.T("%[1]s: “%[2]s” is now “%[3]s”", m.name(), profile.Spoken(name), said(spokenNew))
	m.change(label, func() []session.Set {
		keys, fresh := m.profile().Shortcuts[name], m.actionNamed(spokenNew)
		if len(m.profile().Shortcuts[fresh]) > 0 {
			m.session.Notify(tr.T("%[1]s already has an action “%[2]s”", m.name(), profile.Spoken(fresh)))
			return nil
		}
		if len(keys) == 0 {
			return nil // it has gone
		}
		sets := []session.Set{m.setKeys(name, nil), m.setKeys(fresh, keys)}
		for _, phrase := range m.saying(name) {
			sets = append(sets, m.set(sayValue(fresh, keys), "commands", phrase))
		}
		return sets
	})
}

// ResetAction takes the user's own keys of an action back.
func (m *Model) ResetAction(name string) {
	m.change(m.wasReset(profile.Spoken(name)), func() []session.Set {
		return []session.Set{m.set(nil, "shortcuts", name)}
	})
}

// ResetPhrase takes what the user's own file says of a phrase back: it does again
// what it does without.
func (m *Model) ResetPhrase(phrase string) {
	m.change(m.wasReset(phrase), func() []session.Set { return []session.Set{m.set(nil, "commands", phrase)} })
}

// sayValue is how a phrase that stands for an action is written: by its name,
// which is marked where it is also a key; by the keys where a file cannot name
// it.
func sayValue(action string, keys chord.Sequence) any {
	name, ok := profile.ActionName(action)
	if !ok {
		return keys
	}
	if _, err := chord.Parse(name); err == nil {
		return map[string]string{"action": name}
	}
	return name
}

// AlsoSay adds a phrase for an action.
func (m *Model) AlsoSay(action, phrase string) {
	phrase = utterance.Key(phrase)
	if phrase == "" || phrase == said(action) {
		return
	}
	// Translators: a change; %[1]s is the application, %[2]s what can be said now, %[3]s an action as it is said.
	label := tr.T("%[1]s: “%[2]s” now also means “%[3]s”", m.name(), phrase, profile.Spoken(action))
	m.change(label, func() []session.Set {
		return []session.Set{m.set(sayValue(action, m.profile().Shortcuts[action]), "commands", m.phraseNamed(phrase))}
	})
}

// SetPhrase makes a phrase press keys; it may be new.
func (m *Model) SetPhrase(phrase string, seq chord.Sequence) {
	if utterance.Key(phrase) == "" || len(seq) == 0 {
		return
	}
	m.change(m.keysChanged(utterance.Key(phrase)), func() []session.Set {
		return []session.Set{m.set(seq, "commands", m.phraseNamed(phrase))}
	})
}

// RemovePhrase takes a phrase away, one of an action as well.
func (m *Model) RemovePhrase(phrase string) {
	m.change(m.removed(phrase), func() []session.Set {
		if m.inheritsPhrase(phrase) {
			return []session.Set{m.set(chord.Sequence{}, "commands", phrase)}
		}
		return []session.Set{m.set(nil, "commands", phrase)}
	})
}

// Suggestions are names of actions that applications of this kind have and this
// one lacks, as spoken.
func (m *Model) Suggestions() []string {
	if m.lib == nil {
		return nil
	}
	kind := m.profile().Kind
	if m.id == profile.Everywhere {
		kind = "" // of all kinds
	}
	var all []string
	for _, name := range m.lib.ActionNames(kind) {
		if len(m.profile().Action(name)) == 0 {
			all = append(all, profile.Spoken(name))
		}
	}
	slices.Sort(all)
	return all
}
