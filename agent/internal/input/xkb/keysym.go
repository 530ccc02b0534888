// Package xkb reads the keymap that a compositor sends, in the text form of
// libxkbcommon, and finds the keys that make a character or a chord. It also
// completes key names that libxkbcommon cut short: a keymap with such names
// must not be sent back to niri.
package xkb

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// keysymTable has a line "name value [character]" a keysym, in hexadecimal,
// from libxkbcommon's xkbcommon-keysyms.h.
//
//go:embed keysyms.txt
var keysymTable string

// A Keysym is the meaning of a key at one level. 0 is none.
type Keysym uint32

const (
	unicodeBase Keysym = 0x01000000
	unicodeLast Keysym = unicodeBase + utf8.MaxRune
)

type symbols struct {
	byName map[string]Keysym
	names  []string // sorted
	runes  map[Keysym]rune
}

// table is read at the first use: most commands press no key.
var table = sync.OnceValue(func() symbols {
	s := symbols{byName: make(map[string]Keysym, 2700), runes: make(map[Keysym]rune, 800)}
	for line := range strings.Lines(keysymTable) {
		fields := strings.Fields(line)
		value, err := strconv.ParseUint(fields[1], 16, 32)
		if err != nil {
			panic("xkb: keysyms.txt: " + line) // built in
		}
		s.byName[fields[0]] = Keysym(value)
		s.names = append(s.names, fields[0])
		if len(fields) == 3 {
			r, err := strconv.ParseUint(fields[2], 16, 21)
			if err != nil {
				panic("xkb: keysyms.txt: " + line)
			}
			s.runes[Keysym(value)] = rune(r)
		}
	}
	slices.Sort(s.names)
	return s
})

// ParseKeysym reads a keysym as keymaps write it: a name, U and a code point,
// or a number in hexadecimal.
func ParseKeysym(s string) (Keysym, bool) {
	if k, ok := table().byName[s]; ok {
		return k, true
	}
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		n, err := strconv.ParseUint(hex, 16, 32)
		return Keysym(n), err == nil
	}
	if len(s) >= 4 && s[0] == 'U' {
		if n, err := strconv.ParseUint(s[1:], 16, 21); err == nil && n <= utf8.MaxRune {
			return fromRune(rune(n)), true
		}
	}
	if len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return Keysym(s[0]), true
	}
	return 0, false
}

func fromRune(r rune) Keysym {
	if r >= 0x20 && r < 0x7f || r >= 0xa0 && r <= 0xff {
		return Keysym(r)
	}
	return unicodeBase + Keysym(r)
}

// Rune returns the character that k types, or 0.
func (k Keysym) Rune() rune {
	switch {
	case k >= 0x20 && k < 0x7f, k >= 0xa0 && k <= 0xff:
		return rune(k)
	case k > unicodeBase && k <= unicodeLast:
		return rune(k - unicodeBase)
	case k == 0xff0d:
		return '\n'
	case k == 0xff09:
		return '\t'
	}
	return table().runes[k]
}

// complete returns the full name that s was cut from, or "".
func complete(s string) string {
	names := table().names
	i, found := slices.BinarySearch(names, s)
	if found || i == len(names) || !strings.HasPrefix(names[i], s) {
		return ""
	}
	return names[i]
}
