// Package capture records key combinations, or reads them as they are typed in
// words. It decides which key is meant; the view only hands over what is pressed.
package capture

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"utter/shared/chord"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// pause ends a recording after the last key.
const pause = 3 * time.Second

// A Press is one key going down, with what the keyboard's map knows of it.
type Press struct {
	// Code is the key's number: while it is down, more presses of it are only
	// repetitions.
	Code uint
	// Keysyms are those of the key's lowest level, in the group that is active
	// first, then in the others. A keysym is called by its name or, if it stands
	// for a character beyond ASCII, is that character.
	Keysyms                         []string
	Ctrl, Shift, Alt, Super, Level3 bool
}

// A State is all that the dialog shows.
type State struct {
	Text      string // as written in the field
	Keys      []string
	Error     string // why the text is not a combination, or ""
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
	fresh     bool          // recording, and no key has come
	down      map[uint]bool // keys, also before recording
	cancel    func()
}

// New returns a model that begins with keys. clash names the action that has a
// sequence already.
func New(keys []string, later session.Later, clash func(chord.Sequence) string, shown func(State)) *Model {
	m := &Model{later: later, clash: clash, shown: shown, down: map[uint]bool{}, cancel: func() {}}
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
	for _, part := range combinations(text) {
		c, err := chord.Parse(part)
		if err != nil {
			m.fault = wording.Mistake(err)
			return
		}
		m.seq = append(m.seq, c)
	}
}

// combinations splits a text at its commas, but for one that is a key: "ctrl+,".
func combinations(text string) []string {
	var all []string
	for text != "" {
		part, rest, _ := strings.Cut(text, ",")
		after := strings.TrimSpace(rest)
		if len(part) < len(text) && lacksKey(part) && (after == "" || after[0] == ',') {
			part += ","
			_, rest, _ = strings.Cut(rest, ",")
		}
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
		text = rest
	}
	return all
}

// lacksKey reports whether a text is modifiers and a joint: "ctrl+".
func lacksKey(text string) bool {
	_, err := chord.Parse(text)
	e, ok := errors.AsType[*chord.SyntaxError](err)
	return ok && e.Code == chord.NoKey && strings.HasSuffix(text, "+")
}

// Clear forgets the keys.
func (m *Model) Clear() {
	m.read("")
	m.shown(m.State())
}

// Record begins to take keys; what was there goes with the first of them. A key
// that is down counts once it has been let go: it may have pressed the button.
func (m *Model) Record() {
	m.recording, m.fresh = true, true
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

// Released takes a key that goes up.
func (m *Model) Released(code uint) { delete(m.down, code) }

// Pressed takes a key while recording and reports whether it did. A modifier
// alone is none. Every key that goes down is to be told, and with Released every
// one that goes up, also while nothing is recorded.
func (m *Model) Pressed(p Press) bool {
	again := m.down[p.Code]
	m.down[p.Code] = true
	if !m.recording {
		return false
	}
	if again && m.fresh {
		return true
	}
	m.cancel()
	m.cancel = m.later(pause, m.Stop)
	if again {
		return true
	}
	sym := p.keysym()
	if sym == "" || modifier(sym) {
		return true
	}
	if m.fresh {
		m.read("")
		m.fresh = false
	}
	m.take(p, sym)
	m.shown(m.State())
	return true
}

// take adds a chord to what was recorded.
func (m *Model) take(p Press, sym string) {
	c, err := chord.Parse(strings.Join(append(p.modifiers(), sym), "+"))
	if err != nil {
		m.fault = tr.T("This key cannot be recorded. Type its name instead.")
		return
	}
	m.fault = ""
	m.seq = append(m.seq, c)
	m.text = strings.Join(names(m.seq), ", ")
	if m.Said != nil {
		m.Said(wording.Spoken(c.String()))
	}
}

func names(seq chord.Sequence) []string {
	var all []string
	for _, c := range seq {
		all = append(all, c.String())
	}
	return all
}

func (p Press) modifiers() []string {
	var names []string
	for _, m := range []struct {
		down bool
		name string
	}{{p.Ctrl, "ctrl"}, {p.Shift, "shift"}, {p.Alt, "alt"}, {p.Super, "super"}, {p.Level3, "altgr"}} {
		if m.down {
			names = append(names, m.name)
		}
	}
	return names
}

// keysym is the key that a press means, "" for none: that of the active group,
// or where it is a letter of a script other than Latin, another group's.
func (p Press) keysym() string {
	for _, sym := range p.Keysyms {
		if sym == "ISO_Left_Tab" {
			return "tab" // it comes with Shift
		}
		if sym != "" && !foreign(sym) {
			return strings.ToLower(sym)
		}
	}
	if len(p.Keysyms) == 0 {
		return ""
	}
	return strings.ToLower(p.Keysyms[0])
}

// foreign reports whether a keysym is a letter of a script other than Latin, or
// is unknown.
func foreign(sym string) bool {
	if r, n := utf8.DecodeRuneInString(sym); n == len(sym) {
		return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	}
	_, err := chord.Parse(sym)
	return err != nil && !modifier(sym)
}

// modifier reports whether a keysym is a key that only changes others.
func modifier(sym string) bool {
	sym = strings.ToLower(sym)
	switch sym {
	case "caps_lock", "num_lock", "scroll_lock", "mode_switch", "multi_key":
		return true
	}
	return slices.ContainsFunc([]string{"shift_", "control_", "alt_", "meta_", "super_", "hyper_", "iso_"},
		func(prefix string) bool {
			return strings.HasPrefix(sym, prefix)
		})
}
