package editor

import (
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/utterance"
	"utter/ui/model/session"
	"utter/ui/model/tr"
)

func spoken(action string) string { return strings.ReplaceAll(action, "_", " ") }

// actionName is the name under which a spoken action is kept.
func actionName(spoken string) string {
	return strings.ReplaceAll(utterance.Key(spoken), " ", "_")
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
			Name: name, Spoken: spoken(name), Keys: chords(seq), Source: sourceText(m.account.From["shortcuts."+name]),
			CanReset: m.own("shortcuts", name) != nil && m.account.BuiltIn != nil,
			Clash:    m.clash(name, seq),
		}
		for _, phrase := range slices.Sorted(maps.Keys(p.Says)) {
			if p.Says[phrase] == name {
				a.AlsoSay = append(a.AlsoSay, phrase)
			}
		}
		all = append(all, a)
	}
	return all
}

// clash returns the spoken name of another action with the same keys, or "".
func (m *Model) clash(name string, seq chord.Sequence) string {
	p := m.profile()
	for _, other := range slices.Sorted(maps.Keys(p.Shortcuts)) {
		if other != name && len(seq) > 0 && p.Shortcuts[other].String() == seq.String() {
			return spoken(other)
		}
	}
	return ""
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
			Text: text, Keys: chords(p.Commands[text]), Source: sourceText(m.account.From["commands."+text]),
			CanReset: m.own("commands", text) != nil,
		})
	}
	return all
}

// Clash returns which action already has these keys, or "".
func (m *Model) Clash(action string, seq chord.Sequence) string {
	return m.clash(actionName(action), seq)
}

// inherited returns what an action's keys are without the user's file about the
// application.
func (m *Model) inherited(action string) (chord.Sequence, bool) {
	if m.account.BuiltIn == nil {
		return nil, false
	}
	seq, ok := m.account.BuiltIn.Shortcuts[action]
	return seq, ok
}

// keys is how the keys of an action are written: nothing where they are
// inherited, an empty value where an inherited action goes.
func (m *Model) keys(action string, seq chord.Sequence) any {
	inherited, ok := m.inherited(action)
	switch {
	case len(seq) == 0 && !ok, ok && seq.String() == inherited.String():
		return nil
	case len(seq) == 0:
		return chord.Sequence{}
	}
	return seq
}

func (m *Model) setKeys(action string, seq chord.Sequence) session.Set {
	path := []string{"shortcuts", action}
	return session.Set{Path: path, Value: m.keys(action, seq), Base: m.own(path...)}
}

// SetKeys gives an action, by its spoken name, its keys; it may be new. takeOver
// takes them from the action that has them already.
func (m *Model) SetKeys(action string, seq chord.Sequence, takeOver bool) {
	name := actionName(action)
	if name == "" || len(seq) == 0 {
		return
	}
	sets := []session.Set{m.setKeys(name, seq)}
	if other := m.clash(name, seq); takeOver && other != "" {
		sets = append(sets, m.setKeys(actionName(other), nil))
	}
	// Translators: a change; %[1]s is what is said ("new tab"), %[2]s the application.
	m.save(tr.T("Keys of “%[1]s” in %[2]s changed", spoken(name), m.name()), sets...)
}

// RemoveAction takes an action away, with what else is said for it.
func (m *Model) RemoveAction(name string) {
	sets := []session.Set{m.setKeys(name, nil)}
	sets = append(sets, m.unsay(name)...)
	m.save(tr.T("Removed “%[1]s” from %[2]s", spoken(name), m.name()), sets...)
}

// unsay takes the further phrases of an action out.
func (m *Model) unsay(action string) []session.Set {
	var sets []session.Set
	for phrase, name := range m.profile().Says {
		if path := []string{"commands", phrase}; name == action && m.own(path...) != nil {
			sets = append(sets, session.Set{Path: path, Base: m.own(path...)})
		}
	}
	return sets
}

// Rename gives an action another name. Its keys and what else is said for it
// stay.
func (m *Model) Rename(name, spokenNew string) {
	fresh := actionName(spokenNew)
	if fresh == "" || fresh == name {
		return
	}
	sets := []session.Set{m.setKeys(name, nil), m.setKeys(fresh, m.profile().Shortcuts[name])}
	for phrase, action := range m.profile().Says {
		if action == name {
			path := []string{"commands", phrase}
			sets = append(sets, session.Set{Path: path, Value: SayValue(fresh), Base: m.own(path...)})
		}
	}
	m.save(tr.T("“%[1]s” in %[2]s is now “%[3]s”", spoken(name), m.name(), spoken(fresh)), sets...)
}

// ResetAction takes the user's own keys of an action back.
func (m *Model) ResetAction(name string) {
	m.set(tr.T("“%[1]s” in %[2]s reset", spoken(name), m.name()), nil, "shortcuts", name)
}

// SayValue is how a phrase that names an action is written. A name that is also
// a key is marked.
func SayValue(action string) any {
	if _, err := chord.Parse(action); err == nil {
		return map[string]string{"action": action}
	}
	return action
}

// AlsoSay adds a phrase for an action.
func (m *Model) AlsoSay(action, phrase string) {
	phrase = utterance.Key(phrase)
	if phrase == "" || phrase == spoken(action) {
		return
	}
	label := tr.T("“%[1]s” now also means “%[2]s” in %[3]s", phrase, spoken(action), m.name())
	m.set(label, SayValue(action), "commands", phrase)
}

// SetPhrase makes a phrase press keys; it may be new.
func (m *Model) SetPhrase(phrase string, seq chord.Sequence) {
	if phrase = utterance.Key(phrase); phrase != "" && len(seq) > 0 {
		m.set(tr.T("Keys of “%[1]s” in %[2]s changed", phrase, m.name()), seq, "commands", phrase)
	}
}

// RemovePhrase takes a phrase away.
func (m *Model) RemovePhrase(phrase string) {
	var value any
	if b := m.account.BuiltIn; b != nil {
		if _, ok := b.Commands[phrase]; ok {
			value = chord.Sequence{}
		}
	}
	m.set(tr.T("Removed “%[1]s” from %[2]s", phrase, m.name()), value, "commands", phrase)
}

// Suggestions are names of actions that applications of this kind have and this
// one lacks, as spoken.
func (m *Model) Suggestions() []string {
	lib := m.session.Library()
	if lib == nil {
		return nil
	}
	var all []string
	if p := lib.Explain("generic-" + string(m.profile().Kind)).Profile; p != nil {
		for name := range p.Shortcuts {
			if _, has := m.profile().Shortcuts[name]; !has {
				all = append(all, spoken(name))
			}
		}
	}
	slices.Sort(all)
	return all
}
