// Package capture records key combinations, or reads them as they are typed in
// words. It decides which key is meant; the view only hands over what is pressed.
package capture

import (
	"strings"
	"time"

	"utter/shared/chord"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// pause ends a recording after the last key.
const pause = 3 * time.Second

// A Press is one key going down, with what the keyboard's map knows of it.
type Press struct {
	// Keysyms are the names of the key's lowest level, in the group that is in
	// force first, then in the others.
	Keysyms                         []string
	Ctrl, Shift, Alt, Super, Level3 bool
}

// A State is all that the dialog shows.
type State struct {
	Text      string // as written in the field
	Keys      []string
	Error     string // why the text is no combination, or ""
	Clash     string // the action that has these keys, as spoken
	Recording bool
	CanSet    bool
}

// A Model reads one sequence of chords.
type Model struct {
	later session.Later
	clash func(chord.Sequence) string
	shown func(State)
	// Said announces a chord to a screen reader. It may be nil.
	Said func(text string)

	text      string
	seq       chord.Sequence
	fault     string
	recording bool
	cancel    func()
}

// New returns a model that begins with keys. clash names the action that has a
// sequence already.
func New(keys []string, later session.Later, clash func(chord.Sequence) string, shown func(State)) *Model {
	m := &Model{later: later, clash: clash, shown: shown, cancel: func() {}}
	m.read(strings.Join(keys, ", "))
	return m
}

// State returns what the dialog shows now.
func (m *Model) State() State {
	s := State{Text: m.text, Error: m.fault, Recording: m.recording, CanSet: m.fault == "" && len(m.seq) > 0}
	for _, c := range m.seq {
		s.Keys = append(s.Keys, c.String())
	}
	if s.CanSet {
		s.Clash = m.clash(m.seq)
	}
	return s
}

// Sequence returns what was read.
func (m *Model) Sequence() chord.Sequence { return m.seq }

// Type takes the text of the field: combinations with commas between them.
func (m *Model) Type(text string) {
	if text != m.text {
		m.read(text)
		m.shown(m.State())
	}
}

func (m *Model) read(text string) {
	m.text, m.seq, m.fault = text, nil, ""
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		c, err := chord.Parse(part)
		if err != nil {
			m.fault = wording.Chord(err)
			return
		}
		m.seq = append(m.seq, c)
	}
}

// Clear forgets the keys.
func (m *Model) Clear() {
	m.read("")
	m.shown(m.State())
}

// Record begins to take keys; what was there goes with the first of them.
func (m *Model) Record() {
	m.recording = true
	m.read("")
	m.shown(m.State())
}

// Stop ends the recording, by the button, after a pause or with the focus.
func (m *Model) Stop() {
	m.cancel()
	if m.recording {
		m.recording = false
		m.shown(m.State())
	}
}

// Pressed takes a key while recording and reports whether it did. A modifier
// alone is none.
func (m *Model) Pressed(p Press) bool {
	if !m.recording {
		return false
	}
	m.cancel()
	m.cancel = m.later(pause, m.Stop)
	c, ok := p.chord()
	if ok {
		m.seq = append(m.seq, c)
		m.text = strings.Join(names(m.seq), ", ")
		if m.Said != nil {
			m.Said(Spoken(c.String()))
		}
		m.shown(m.State())
	}
	return true
}

func names(seq chord.Sequence) []string {
	var all []string
	for _, c := range seq {
		all = append(all, c.String())
	}
	return all
}

// chord finds the combination that a press means: the key by its unshifted
// level, on a layout without Latin letters by another group's.
func (p Press) chord() (chord.Chord, bool) {
	if len(p.Keysyms) == 0 {
		return chord.Chord{}, false
	}
	sym := p.Keysyms[0]
	for _, s := range p.Keysyms {
		if plain(s) {
			sym = s
			break
		}
	}
	if modifier(sym) {
		return chord.Chord{}, false
	}
	var parts []string
	for _, m := range []struct {
		down bool
		name string
	}{{p.Ctrl, "ctrl"}, {p.Shift, "shift"}, {p.Alt, "alt"}, {p.Super, "super"}, {p.Level3, "altgr"}} {
		if m.down {
			parts = append(parts, m.name)
		}
	}
	c, err := chord.Parse(strings.Join(append(parts, strings.ToLower(sym)), "+"))
	return c, err == nil
}

// plain reports whether a keysym's name is ASCII text or a named key: a letter of
// another script is neither.
func plain(sym string) bool {
	_, err := chord.Parse(strings.ToLower(sym))
	for _, prefix := range []string{"Cyrillic_", "Greek_", "Arabic_", "hebrew_", "Thai_", "Armenian_", "Georgian_", "U0", "U1"} {
		if strings.HasPrefix(sym, prefix) {
			return false
		}
	}
	return err == nil
}

// modifier reports whether a keysym is a key that only changes others.
func modifier(sym string) bool {
	switch strings.ToLower(sym) {
	case "caps_lock", "num_lock", "scroll_lock", "mode_switch", "multi_key":
		return true
	}
	for _, prefix := range []string{"Shift_", "Control_", "Alt_", "Meta_", "Super_", "Hyper_", "ISO_"} {
		if strings.HasPrefix(sym, prefix) && sym != "ISO_Left_Tab" {
			return true
		}
	}
	return false
}

// Spoken is a chord in words, as a screen reader says it: "Control Shift K".
func Spoken(chord string) string {
	var words []string
	for part := range strings.SplitSeq(chord, "+") {
		words = append(words, KeyName(part))
	}
	return strings.Join(words, " ")
}

// KeyName is a key or modifier as people write it.
func KeyName(part string) string {
	switch part {
	case "ctrl":
		return tr.T("Control")
	case "shift":
		return tr.T("Shift")
	case "alt":
		return tr.T("Alt")
	case "super":
		return tr.T("Super")
	case "altgr":
		return tr.T("AltGr")
	case "return":
		return tr.T("Enter")
	case "space":
		return tr.T("Space")
	case "escape":
		return tr.T("Escape")
	}
	if len([]rune(part)) == 1 {
		return strings.ToUpper(part)
	}
	words := strings.Split(part, "_")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}
