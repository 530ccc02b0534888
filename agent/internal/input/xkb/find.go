package xkb

import (
	"fmt"
	"math"
	"strings"

	"utter/shared/chord"
)

// A Stroke is one key and the modifiers to hold meanwhile.
type Stroke struct {
	Code  uint32   // evdev: the keymap's code less 8
	Mods  Mask     // to be told to the compositor
	Held  []uint32 // the modifiers' keys, evdev, to be pressed before and released after
	Group int      // the layout in which Code has its meaning
}

// lastX11Code is the last key that X11 programs see; keyboards have no keys for
// characters beyond it, only keymaps do.
const lastX11Code = 255

// evdevOffset is the difference between keymap codes and evdev codes.
const evdevOffset = 8

// IsWhole reports whether k is a keyboard's. Tools that type bring keymaps of
// just the keys that they press, without the modifiers' ones.
func (k *Keymap) IsWhole() bool {
	_, shift := k.carriers[Shift]
	_, control := k.carriers[Control]
	return shift && control
}

// Type returns the stroke that types r in a layout. It is not ok where no level
// of that layout has the character.
func (k *Keymap) Type(r rune, group int) (Stroke, bool) {
	return k.find(group, lastX11Code, func(sym Keysym) bool { return r != 0 && sym.Rune() == r && !isKeypad(sym) })
}

// Press returns the stroke of a chord. A key that the layout group lacks is
// taken from the first layout that has it: ctrl+t is the key of the Latin t.
func (k *Keymap) Press(c chord.Chord, group int) (Stroke, error) {
	name := c.Keysym()
	want, ok := ParseKeysym(name)
	if !ok {
		want = fromRune([]rune(name)[0])
	}
	r := want.Rune()
	fits := func(sym Keysym) bool { return sym == want || r > ' ' && sym.Rune() == r && !isKeypad(sym) }
	stroke, ok := k.find(group, math.MaxUint32, fits)
	for g := 0; !ok && g < maxGroups; g++ {
		stroke, ok = k.find(g, math.MaxUint32, fits)
	}
	if !ok {
		return Stroke{}, fmt.Errorf("no layout of the keyboard has the key %q", name)
	}
	for _, m := range []struct {
		chord chord.Mods
		names string
	}{
		{chord.Ctrl, "Control"}, {chord.Shift, "Shift"}, {chord.Alt, "Alt"},
		{chord.Super, "Super"}, {chord.AltGr, "LevelThree"},
	} {
		if c.Mods()&m.chord == 0 {
			continue
		}
		mask, ok := k.mask(m.names)
		if !ok {
			return Stroke{}, fmt.Errorf("the keyboard has no %s key", strings.ToLower(m.names))
		}
		stroke.Mods |= mask
	}
	return k.hold(stroke)
}

// hold looks up the keys of a stroke's modifiers.
func (k *Keymap) hold(s Stroke) (Stroke, error) {
	s.Held = nil
	for m := Shift; m <= Mod5; m <<= 1 {
		if s.Mods&m == 0 {
			continue
		}
		code, ok := k.carriers[m]
		if !ok || code < evdevOffset {
			return Stroke{}, fmt.Errorf("the keyboard has no key for a modifier (%#x)", uint32(m))
		}
		s.Held = append(s.Held, code-evdevOffset)
	}
	return s, nil
}

// find returns the stroke, of the fewest modifiers, whose keysym fits, among
// the keys up to lastCode.
func (k *Keymap) find(groupIndex int, lastCode uint32, fits func(Keysym) bool) (Stroke, bool) {
	best, found := Stroke{}, false
	for _, key := range k.keys {
		if len(key.groups) == 0 || key.code < evdevOffset || key.code > lastCode ||
			groupIndex >= max(len(k.Groups), len(key.groups)) {
			continue
		}
		g := key.groups[groupIndex%len(key.groups)]
		for level, sym := range g.levels {
			if sym == 0 || !fits(sym) {
				continue
			}
			mods, ok := k.levelMods(g, level)
			if !ok || found && mods.count() >= best.Mods.count() {
				continue
			}
			s, err := k.hold(Stroke{Code: key.code - evdevOffset, Mods: mods, Group: groupIndex})
			if err == nil {
				best, found = s, true
			}
		}
	}
	return best, found
}

// levelMods returns the modifiers that lead to a level.
func (k *Keymap) levelMods(g group, level int) (Mask, bool) {
	if level == 0 {
		return 0, true
	}
	if t, ok := k.types[g.typeName]; ok {
		m, ok := t[level]
		return m, ok
	}
	if g.typeName == "" && level < len(automatic) && !isKeypad(g.levels[0]) {
		return k.mask(automatic[level])
	}
	return 0, false
}

// isKeypad reports whether a keysym is one of the keypad's: their levels depend
// on the number lock.
func isKeypad(k Keysym) bool { return k >= 0xff80 && k <= 0xffbd }

// Repair returns text with the key names completed that libxkbcommon cut after
// 26 characters. Read back, a cut name is not a key at all, and a compositor that
// compares keymaps then sends a new one to every client for each key pressed.
func Repair(text string) string {
	const shortest = 20 // shorter names were never cut
	var b strings.Builder
	copied := 0
	s := &scanner{text: text}
	for t := s.next(); t.kind != end; t = s.next() {
		if t.kind != word || len(t.text) < shortest {
			continue
		}
		if _, known := ParseKeysym(t.text); known {
			continue
		}
		if full := complete(t.text); full != "" {
			b.WriteString(text[copied:t.pos])
			b.WriteString(full)
			copied = t.pos + len(t.text)
		}
	}
	b.WriteString(text[copied:])
	return b.String()
}
