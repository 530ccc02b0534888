package xkb

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoKeymap means that a text is not a keymap, or one without keys.
var ErrNoKeymap = errors.New("xkb: not a keymap")

// maxText bounds a keymap, in bytes: the largest known one has 120 kB.
const maxText = 4 << 20

// A Keymap is one keymap. It never changes.
type Keymap struct {
	Groups []string // the names of its layouts
	keys   []key
	types  map[string]keyType
	// carriers are the keys that set a modifier, by the real modifier.
	carriers map[Mask]uint32
	modKeys  map[string]Mask // key name -> the modifier it is mapped to
}

type key struct {
	name   string
	code   uint32
	groups []group
}

type group struct {
	levels   []Keysym
	typeName string
}

// A keyType says which modifiers lead to a level, from 0.
type keyType map[int]Mask

// automatic is what libxkbcommon gives a key without a type of its own, as far
// as levels are reached without Lock and NumLock.
var automatic = []string{"", "Shift", "LevelThree", "Shift+LevelThree"}

// Parse reads a keymap. Parts that do not matter for finding keys are skipped,
// whatever they hold.
func Parse(text string) (*Keymap, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("%w: %d bytes", ErrNoKeymap, len(text))
	}
	text = strings.TrimRight(text, "\x00")
	k := &Keymap{types: map[string]keyType{}, carriers: map[Mask]uint32{}, modKeys: map[string]Mask{}}
	codes := map[string]uint32{}
	sections := map[string][][]token{}
	s := &scanner{text: text}
	for t := s.next(); t.kind != end; t = s.next() {
		if t.kind == word && strings.HasPrefix(t.text, "xkb_") && t.text != "xkb_keymap" {
			sections[t.text] = append(sections[t.text], s.section()...)
		}
	}
	for _, st := range sections["xkb_keycodes"] {
		keycode(st, codes)
	}
	for _, st := range sections["xkb_symbols"] {
		k.symbolsStatement(st, codes)
	}
	if len(k.keys) == 0 {
		return nil, ErrNoKeymap
	}
	k.findCarriers()
	for _, st := range sections["xkb_types"] {
		k.typeStatement(st)
	}
	return k, nil
}
