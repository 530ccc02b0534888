// Package cases stores phrases and their expected plans in a file for "utter eval".
package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"utter/shared/bus"
	"utter/shared/chord"
	"utter/shared/profile"
)

// format is the format of the file.
const format = "utter-router-corpus/1"

// ErrOther means that a file is something else than a file of cases.
var ErrOther = errors.New("this is not a test file")

// A Case is a phrase, the windows that were open, and the plan.
type Case struct {
	Utterance string
	Focused   *bus.ContextWindow // the one with the focus, or nil
	Windows   []bus.ContextWindow
	Steps     []bus.Step // with action and args only
}

// Knowledge is what the plan depends on besides the windows.
type Knowledge struct {
	Apps   []App
	Engine string // where plain searches go
}

// An App is an application, with what of its names is the user's own: such names
// win over those of others.
type App struct {
	Profile             *profile.Profile
	OwnName, OwnAliases bool
}

// A file is the content. What it has besides stays as it is.
type file struct {
	profiles, contexts map[string]json.RawMessage
	cases              []json.RawMessage
	rest               map[string]json.RawMessage
}

type set struct {
	Order  []string                  `json:"order"`
	ByID   map[string]map[string]any `json:"by_id"`
	Engine string                    `json:"engine,omitempty"`
}

type context struct {
	Profiles string              `json:"profiles"`
	Focused  *bus.ContextWindow  `json:"focused"`
	Windows  []bus.ContextWindow `json:"windows"`
}

type entry struct {
	ID        string     `json:"id"`
	Utterance string     `json:"utterance"`
	Context   string     `json:"context"`
	Expect    []bus.Step `json:"expect"`
}

// Append returns data, the content of such a file or nothing, with one more case
// and what it depends on. A file that is something else gives ErrOther.
func Append(data []byte, c Case, known Knowledge) ([]byte, error) {
	f, err := read(data)
	if err != nil {
		return nil, err
	}
	id := f.unused()
	profiles, err := f.addSet(id, known)
	if err != nil {
		return nil, err
	}
	if f.contexts[id], err = encode(context{profiles, c.Focused, append([]bus.ContextWindow{}, c.Windows...)},
		""); err != nil {
		return nil, err
	}
	last, err := encode(entry{id, c.Utterance, id, c.Steps}, "")
	if err != nil {
		return nil, err
	}
	f.cases = append(f.cases, bytes.TrimSpace(last))
	return f.write()
}

func read(data []byte) (*file, error) {
	f := &file{profiles: map[string]json.RawMessage{}, contexts: map[string]json.RawMessage{},
		rest: map[string]json.RawMessage{}}
	if len(bytes.TrimSpace(data)) == 0 {
		return f, nil
	}
	var found string
	if err := json.Unmarshal(data, &f.rest); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOther, err)
	}
	for name, to := range map[string]any{"format": &found, "profiles": &f.profiles,
		"contexts": &f.contexts, "cases": &f.cases} {
		if raw, ok := f.rest[name]; ok {
			if err := json.Unmarshal(raw, to); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrOther, name, err)
			}
		}
		delete(f.rest, name)
	}
	if found != format || f.profiles == nil || f.contexts == nil {
		return nil, fmt.Errorf("%w: the format is %q, not %q", ErrOther, found, format)
	}
	return f, nil
}

// unused returns an id that nothing in the file has.
func (f *file) unused() string {
	taken := map[string]bool{}
	for _, raw := range f.cases {
		var e struct{ ID string }
		if json.Unmarshal(raw, &e) == nil { // else it has none
			taken[e.ID] = true
		}
	}
	for n := 1; ; n++ {
		id := fmt.Sprintf("mine-%03d", n)
		if !taken[id] && f.profiles[id] == nil && f.contexts[id] == nil {
			return id
		}
	}
}

// addSet adds what is known under a name, unless it is there, and returns the
// name.
func (f *file) addSet(name string, known Knowledge) (string, error) {
	s := set{Order: []string{}, ByID: map[string]map[string]any{}, Engine: known.Engine}
	for _, a := range known.Apps {
		s.Order = append(s.Order, a.Profile.ID)
		s.ByID[a.Profile.ID] = a.facts()
	}
	raw, err := encode(s, "")
	if err != nil {
		return "", err
	}
	raw = bytes.TrimSpace(raw)
	for _, old := range slices.Sorted(maps.Keys(f.profiles)) {
		var b bytes.Buffer
		if json.Compact(&b, f.profiles[old]) == nil && bytes.Equal(b.Bytes(), raw) {
			return old, nil
		}
	}
	f.profiles[name] = raw
	return name, nil
}

func (f *file) write() ([]byte, error) {
	all := map[string]any{"format": format, "profiles": f.profiles, "contexts": f.contexts, "cases": f.cases}
	for name, raw := range f.rest {
		all[name] = raw
	}
	return encode(all, " ")
}

// encode writes JSON, with a line break at its end.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write the tests: %w", err)
	}
	return b.Bytes(), nil
}

// facts are what a profile in the file says. "own" is the part that is the
// user's.
func (a App) facts() map[string]any {
	p := a.Profile
	f := map[string]any{
		"id": p.ID, "name": p.Name, "kind": string(p.Kind), "aliases": a.names(),
		"search_url": p.SearchURL, "launch": launch(p),
		"new_window": p.NewWindow, "terminal": p.Terminal, "app_ids": p.AppIDs,
		"mime_types": p.MimeTypes, "enabled": !p.Disabled,
		"shortcuts": keys(p.Shortcuts), "commands": commands(p),
	}
	if p.Layer == profile.Catalogue {
		f["generated"] = true
	}
	if own := a.own(); len(own) > 0 {
		f["own"] = own
	}
	maps.DeleteFunc(f, func(_ string, v any) bool { return empty(v) })
	return f
}

// empty reports whether a value says nothing.
func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []string:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return v == false
}

// names are the aliases, and what else the desktop file calls the application.
func (a App) names() []string {
	names := slices.Clone(a.Profile.Aliases)
	if e := a.Profile.Entry; e != nil {
		for _, name := range []string{e.Name, e.LocalName} {
			if name != "" && name != a.Profile.Name && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// own is what the user's own files say that counts otherwise than the rest.
func (a App) own() map[string]any {
	own, actions := map[string]any{}, map[string]chord.Sequence{}
	if a.OwnName {
		own["name"] = a.Profile.Name
	}
	if a.OwnAliases {
		own["aliases"] = slices.Concat([]string{}, a.Profile.Aliases)
	}
	for name := range a.Profile.Own {
		actions[name] = a.Profile.Shortcuts[name]
	}
	if len(actions) > 0 {
		own["shortcuts"] = keys(actions)
	}
	return own
}

// launch is what starts p: its own command, else its desktop file's.
func launch(p *profile.Profile) []string {
	if len(p.Launch) > 0 || p.Entry == nil {
		return p.Launch
	}
	argv, err := p.Entry.Argv()
	if err != nil {
		return nil // then nothing starts it
	}
	return argv
}

func keys(all map[string]chord.Sequence) map[string]any {
	m := map[string]any{}
	for name, seq := range all {
		m[name] = chords(seq)
	}
	return m
}

// commands are the phrases, with keys or an action's name.
func commands(p *profile.Profile) map[string]any {
	m := keys(p.Commands)
	for phrase, action := range p.Says {
		m[phrase] = map[string]string{"action": action}
	}
	return m
}

// chords is one chord as a text, more as a list.
func chords(seq chord.Sequence) any {
	if len(seq) == 1 {
		return seq.String()
	}
	list := []string{}
	for _, c := range seq {
		list = append(list, c.String())
	}
	return list
}
