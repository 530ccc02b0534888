// Package chord reads and writes key combinations such as ctrl+shift+t. A
// Chord says which keys are meant; package input finds them on a layout and presses
// them.
package chord

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Chord is a valid key combination. The zero Chord presses nothing; Parse is
// the only way to make another, so code that holds a Chord need not check it.
type Chord struct {
	mods Mods
	key  string
}

// Mods is a set of modifier keys.
type Mods uint8

// The modifiers, in the order String writes them.
const (
	Ctrl Mods = 1 << iota
	Shift
	Alt
	Super
	AltGr
)

var modNames = []string{"ctrl", "shift", "alt", "super", "altgr"}

var modAliases = map[string]Mods{
	"ctrl": Ctrl, "control": Ctrl, "ctl": Ctrl, "primary": Ctrl,
	"shift": Shift,
	"alt":   Alt, "option": Alt, "mod1": Alt,
	"super": Super, "meta": Super, "win": Super, "windows": Super, "logo": Super,
	"cmd": Super, "command": Super, "mod4": Super,
	"altgr": AltGr, "iso_level3_shift": AltGr, "mod5": AltGr,
}

// IsZero reports whether c presses nothing.
func (c Chord) IsZero() bool { return c.key == "" }

// Mods returns the modifiers that c holds down.
func (c Chord) Mods() Mods { return c.mods }

// Keysym returns the key of c by its X keysym name ("Return", "plus", "t"), or
// the character itself where it has no such name here ("ä").
func (c Chord) Keysym() string {
	if k, ok := keysyms[c.key]; ok {
		return k
	}
	return c.key
}

// String returns the canonical form: Parse(c.String()) == c.
func (c Chord) String() string {
	var b strings.Builder
	for i, name := range modNames {
		if c.mods&(1<<i) != 0 {
			b.WriteString(name + "+")
		}
	}
	return b.String() + c.key
}

// Parse reads s: modifiers and then one key, in any case, joined by "+", "-" or
// spaces, or with the modifiers in angle brackets as GTK writes them. A single
// modifier name stands for its left key.
func Parse(s string) (Chord, error) {
	rest := strings.ToLower(strings.TrimSpace(s))
	if !utf8.ValidString(s) || len(s) > maxLength {
		return Chord{}, &SyntaxError{Input: s, Code: NotText}
	}
	var mods Mods
	if rest == "" {
		return Chord{}, &SyntaxError{Input: s, Code: Empty}
	}
	if key, ok := loneModifiers[rest]; ok {
		return Chord{key: key}, nil
	}
	for {
		name, after, ok := cutModifier(rest)
		if !ok {
			break
		}
		m, known := modAliases[name]
		if !known {
			return Chord{}, &SyntaxError{s, UnknownModifier, name}
		}
		if mods&m != 0 {
			return Chord{}, &SyntaxError{s, RepeatedModifier, name}
		}
		mods |= m
		rest = after
	}
	key, err := parseKey(rest)
	if err != nil {
		err.Input = s
		return Chord{}, err
	}
	return Chord{mods, key}, nil
}

const maxLength = 100

// cutModifier splits "<ctrl>rest", "ctrl+rest", "ctrl - rest" and "ctrl rest"
// before rest. It is not ok when s is a key, not a modifier and more.
func cutModifier(s string) (name, rest string, ok bool) {
	if inner, after, found := strings.Cut(strings.TrimPrefix(s, "<"), ">"); found && s[0] == '<' && inner != "" {
		return inner, strings.TrimSpace(after), true
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r == '+' || r == '-' || unicode.IsSpace(r) })
	if end <= 0 {
		return "", "", false
	}
	name, after := s[:end], s[end:]
	tail := strings.TrimLeftFunc(after, unicode.IsSpace)
	joined := tail != "" && (tail[0] == '+' || tail[0] == '-')
	if joined {
		if more := strings.TrimSpace(tail[1:]); more != "" {
			tail = more
		} else if tail == after {
			tail = "" // "ctrl+": a joint and no key
		}
	}
	if _, known := modAliases[name]; !known && (!joined || isKey(s)) {
		return "", "", false // "page up", "page-up"
	}
	return name, tail, true
}

func isKey(s string) bool {
	_, err := parseKey(s)
	return err == nil
}

// parseKey returns the canonical name of a key. Its error has no Input yet.
func parseKey(s string) (string, *SyntaxError) {
	if s == "" {
		return "", &SyntaxError{Code: NoKey}
	}
	if r, n := utf8.DecodeRuneInString(s); n == len(s) {
		if name, ok := punctuation[r]; ok {
			return name, nil
		}
		if !unicode.IsPrint(r) || unicode.IsSpace(r) {
			return "", &SyntaxError{Code: UnprintableKey, Word: s}
		}
		return s, nil
	}
	name := joinWords(s)
	if canonical, ok := keyAliases[name]; ok {
		name = canonical
	}
	if _, ok := keysyms[name]; ok {
		return name, nil
	}
	if _, ok := modAliases[name]; ok {
		return "", &SyntaxError{Code: NoKey}
	}
	return "", &SyntaxError{Code: UnknownKey, Word: s}
}

// joinWords writes "page up" and "page-up" as page_up.
func joinWords(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	}), "_")
}

// A Sequence is chords pressed one after the other. An empty Sequence presses
// nothing: in a profile it removes an inherited action.
type Sequence []Chord

// String joins the canonical forms by spaces.
func (s Sequence) String() string {
	words := make([]string, len(s))
	for i, c := range s {
		words[i] = c.String()
	}
	return strings.Join(words, " ")
}
