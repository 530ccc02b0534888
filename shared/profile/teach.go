package profile

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/utterance"
)

// Everywhere is the id of the user's own file whose actions and phrases every
// application has.
const Everywhere = "everywhere"

func isEverywhere(id string) bool { return strings.EqualFold(id, Everywhere) }

// KindID returns the id of the user's own file about all applications of a kind.
func KindID(k Kind) string { return rolePrefix + string(k) }

// kindOf returns the kind whose applications a file of this id is about.
func kindOf(id string) (Kind, bool) {
	if n := len(rolePrefix); len(id) > n && strings.EqualFold(id[:n], rolePrefix) {
		k := Kind(strings.ToLower(id[n:]))
		return k, slices.Contains(Kinds, k)
	}
	return "", false
}

// A Saying is what words do that an application was taught.
type Saying struct {
	Words  string         // as they were taught
	Keys   chord.Sequence // none: the application has no such Action
	Action string         // "" where the words stand for keys themselves
}

// Taught returns what words do for which a command, or an action of the user's
// own, is called. words are in normal form.
func (p *Profile) Taught(words string) (Saying, bool) {
	s, ok := p.taught[words]
	return s, ok
}

// TaughtWords returns all words that Taught knows.
func (p *Profile) TaughtWords() iter.Seq[string] { return maps.Keys(p.taught) }

// Spoken writes the name of an action as it is said: new_tab is "new tab".
func Spoken(action string) string { return strings.ReplaceAll(action, "_", " ") }

// Action returns the keys of an action, by its name as files have it or however
// else it is written. They are empty where p has no such action.
func (p *Profile) Action(name string) chord.Sequence {
	if seq := p.Shortcuts[name]; len(seq) > 0 {
		return seq
	}
	key := utterance.Key(Spoken(name))
	for _, other := range slices.Sorted(maps.Keys(p.Shortcuts)) {
		if utterance.Key(Spoken(other)) == key {
			return p.Shortcuts[other]
		}
	}
	return nil
}

// does reports whether p can do what an action is called for.
func (p *Profile) does(action string) bool {
	return len(p.Action(action)) > 0 || action == "new_window" && len(p.NewWindow) > 0
}

// teaches reports whether patch has anything to teach.
func (patch Patch) teaches() bool {
	return len(patch.Shortcuts)+len(patch.Commands)+len(patch.Says) > 0
}

// teach lays the actions and phrases of a patch over p's. An empty value takes
// away what is there.
func (p *Profile) teach(patch Patch) {
	for name, seq := range patch.Shortcuts {
		delete(p.Own, name)
		lay(p.Shortcuts, name, seq, len(seq) == 0)
		if patch.Origin.Layer == User && len(seq) > 0 {
			p.Own[name] = true
		}
	}
	said := phrases(patch)
	again := func(phrase string) bool { return said[utterance.Key(phrase)] }
	maps.DeleteFunc(p.Commands, func(phrase string, _ chord.Sequence) bool { return again(phrase) })
	maps.DeleteFunc(p.Says, func(phrase, _ string) bool { return again(phrase) })
	for phrase, seq := range patch.Commands {
		lay(p.Commands, phrase, seq, len(seq) == 0)
	}
	for phrase, action := range patch.Says {
		lay(p.Says, phrase, action, action == "")
	}
}

// phrases returns the phrases of a patch in normal form.
func phrases(patch Patch) map[string]bool {
	said := map[string]bool{}
	for phrase := range patch.Commands {
		said[utterance.Key(phrase)] = true
	}
	for phrase := range patch.Says {
		said[utterance.Key(phrase)] = true
	}
	return said
}

func lay[V any](m map[string]V, name string, value V, removes bool) {
	if removes {
		delete(m, name)
		return
	}
	m[name] = value
}

// resolve gives the phrases that stand for an action its keys, and notes under
// which words all that was taught is found. It is the last thing done to p.
func (p *Profile) resolve() {
	for phrase, action := range p.Says {
		if seq := p.Action(action); len(seq) > 0 {
			p.Commands[phrase] = seq
		} else {
			delete(p.Commands, phrase)
		}
	}
	p.taught = map[string]Saying{}
	note := func(said string, s Saying) {
		if key := utterance.Key(said); key != "" && p.taught[key].Words == "" {
			p.taught[key] = s
		}
	}
	for _, phrase := range slices.Sorted(maps.Keys(p.Commands)) {
		note(phrase, Saying{phrase, p.Commands[phrase], p.Says[phrase]})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Own)) {
		if seq := p.Shortcuts[name]; len(seq) > 0 {
			note(Spoken(name), Saying{Spoken(name), seq, name})
		}
	}
	for _, phrase := range slices.Sorted(maps.Keys(p.Says)) {
		note(phrase, Saying{phrase, nil, p.Says[phrase]})
	}
}
