package xkb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrNoKeymap means that a text is no keymap, or one without keys.
var ErrNoKeymap = errors.New("xkb: not a keymap")

// maxText bounds a keymap, in bytes: the largest known one has 120 kB.
const maxText = 4 << 20

// Mods is a set of real modifiers, as the wire carries them.
type Mods uint32

// The real modifiers.
const (
	Shift Mods = 1 << iota
	Lock
	Control
	Mod1
	Mod2
	Mod3
	Mod4
	Mod5
)

var realMods = map[string]Mods{
	"shift": Shift, "lock": Lock, "control": Control,
	"mod1": Mod1, "mod2": Mod2, "mod3": Mod3, "mod4": Mod4, "mod5": Mod5, "none": 0,
}

// virtualKeys names a keysym whose key carries the virtual modifier.
var virtualKeys = map[string]string{
	"levelthree": "ISO_Level3_Shift", "levelfive": "ISO_Level5_Shift", "alt": "Alt_L", "meta": "Meta_L",
	"super": "Super_L", "hyper": "Hyper_L", "numlock": "Num_Lock", "scrolllock": "Scroll_Lock",
}

// A Keymap is one keymap. It never changes.
type Keymap struct {
	Groups []string // the names of its layouts
	keys   []key
	types  map[string]keyType
	// carriers are the keys that set a modifier, by the real modifier.
	carriers map[Mods]uint32
	modKeys  map[string]Mods // key name -> the modifier it is mapped to
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
type keyType map[int]Mods

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
	k := &Keymap{types: map[string]keyType{}, carriers: map[Mods]uint32{}, modKeys: map[string]Mods{}}
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

// section reads the statements of the block that follows.
func (s *scanner) section() [][]token {
	for t := s.next(); !isMark(t, "{"); t = s.next() {
		if t.kind == end || isMark(t, ";") {
			return nil
		}
	}
	var all [][]token
	for {
		st := s.statement()
		if len(st) == 0 {
			return all
		}
		all = append(all, st)
	}
}

// keycode reads "<AD01> = 24" and "alias <LatQ> = <AD01>".
func keycode(st []token, codes map[string]uint32) {
	if len(st) == 4 && st[0].text == "alias" && st[1].kind == keyName && st[3].kind == keyName {
		if code, ok := codes[st[3].text]; ok {
			codes[st[1].text] = code
		}
		return
	}
	if len(st) == 3 && st[0].kind == keyName {
		if n, err := strconv.ParseUint(st[2].text, 10, 32); err == nil {
			codes[st[0].text] = uint32(n)
		}
	}
}

func (k *Keymap) symbolsStatement(st []token, codes map[string]uint32) {
	switch {
	case st[0].text == "name" && len(st) >= 6 && st[len(st)-1].kind == quoted:
		k.Groups = append(k.Groups, st[len(st)-1].text)
	case st[0].text == "modifier_map" && len(st) > 2:
		mod := realMods[strings.ToLower(st[1].text)]
		for _, t := range block(st) {
			if t.kind == keyName {
				k.modKeys[t.text] = mod
			}
		}
	case st[0].text == "key" && len(st) > 2 && st[1].kind == keyName:
		if code, ok := codes[st[1].text]; ok {
			k.keys = append(k.keys, key{st[1].text, code, keyGroups(block(st))})
		}
	}
}

// keyGroups reads what stands in the braces of a key: lists of keysyms with or
// without "symbols[GroupN]=", and "type".
func keyGroups(tokens []token) []group {
	var groups []group
	all := "" // the type of every group
	types := map[int]string{}
	for len(tokens) > 0 {
		item := tokens
		if i := topLevelComma(tokens); i >= 0 {
			item, tokens = tokens[:i], tokens[i+1:]
		} else {
			tokens = nil
		}
		index, value := -1, item
		if eq := assignment(item); eq >= 0 {
			index, value = groupIndex(item[:eq]), item[eq+1:]
		}
		switch {
		case len(item) > 0 && item[0].text == "type" && len(value) == 1:
			if index < 0 {
				all = value[0].text
			} else {
				types[index] = value[0].text
			}
		case len(value) > 0 && isMark(value[0], "[") && (len(item) == len(value) || item[0].text == "symbols"):
			if index < 0 {
				index = len(groups)
			}
			for len(groups) <= index {
				groups = append(groups, group{})
			}
			groups[index].levels = keysyms(value)
		}
	}
	for i := range groups {
		groups[i].typeName = all
		if t, ok := types[i]; ok {
			groups[i].typeName = t
		}
	}
	return groups
}

func topLevelComma(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "[", "{", "(":
			depth++
		case "]", "}", ")":
			depth--
		case ",":
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func assignment(item []token) int {
	for i, t := range item {
		if isMark(t, "=") {
			return i
		}
		if i == 0 && t.kind != word {
			return -1
		}
	}
	return -1
}

const maxGroups = 8

// groupIndex reads "symbols [ Group2 ]" as 1; -1 where there is no group.
func groupIndex(tokens []token) int {
	if len(tokens) != 4 {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(tokens[2].text), "group"))
	if err != nil || n < 1 || n > maxGroups {
		return -1
	}
	return n - 1
}

// keysyms reads "[ a, A, { x, y } ]". Several at one level count as none.
func keysyms(tokens []token) []Keysym {
	var levels []Keysym
	depth := 0
	for _, t := range tokens[1:] {
		switch {
		case isMark(t, "{"):
			depth++
			levels = append(levels, 0)
		case isMark(t, "}"):
			depth--
		case t.kind == word && depth == 0:
			k, _ := ParseKeysym(t.text)
			levels = append(levels, k)
		}
	}
	return levels
}

// findCarriers notes for every real modifier the first key that sets it.
func (k *Keymap) findCarriers() {
	preferred := map[Mods]string{Shift: "Shift_L", Control: "Control_L", Mod1: "Alt_L", Mod4: "Super_L"}
	for _, key := range k.keys {
		mod := k.modKeys[key.name]
		if mod == 0 {
			continue
		}
		first := key.keysym(0, 0)
		want, ok := ParseKeysym(preferred[mod])
		if _, taken := k.carriers[mod]; !taken || ok && first == want {
			k.carriers[mod] = key.code
		}
	}
	// The third level is reached by the key that says so, not by what else its
	// modifier carries.
	for _, key := range k.keys {
		if key.keysym(0, 0) == 0xfe03 && k.modKeys[key.name] != 0 {
			k.carriers[k.modKeys[key.name]] = key.code
			break
		}
	}
}

func (k key) keysym(group, level int) Keysym {
	if group >= len(k.groups) || level >= len(k.groups[group].levels) {
		return 0
	}
	return k.groups[group].levels[level]
}

// mask returns the real modifiers of "Shift+LevelThree". It is not ok where one
// is carried by no key, or is a lock.
func (k *Keymap) mask(names string) (Mods, bool) {
	var m Mods
	for name := range strings.SplitSeq(strings.ToLower(names), "+") {
		if name == "" {
			continue
		}
		if real, ok := realMods[name]; ok {
			if real == Lock {
				return 0, false
			}
			m |= real
			continue
		}
		real := k.virtual(name)
		if real == 0 || name == "numlock" || name == "scrolllock" {
			return 0, false
		}
		m |= real
	}
	return m, true
}

func (k *Keymap) virtual(name string) Mods {
	want, ok := ParseKeysym(virtualKeys[name])
	if !ok {
		return 0
	}
	for _, key := range k.keys {
		mod := k.modKeys[key.name]
		if mod == 0 {
			continue
		}
		for _, g := range key.groups {
			for _, sym := range g.levels {
				if sym == want {
					return mod
				}
			}
		}
	}
	return 0
}

// typeStatement reads `type "NAME" { map[Shift]= 2; … }`.
func (k *Keymap) typeStatement(st []token) {
	if st[0].text != "type" || len(st) < 3 || st[1].kind != quoted {
		return
	}
	t := keyType{}
	body := block(st)
	for i := 0; i < len(body); i++ {
		if body[i].text != "map" || i+1 >= len(body) || !isMark(body[i+1], "[") {
			continue
		}
		var names []string
		j := i + 2
		for ; j < len(body) && !isMark(body[j], "]"); j++ {
			if body[j].kind == word {
				names = append(names, body[j].text)
			}
		}
		if j+2 >= len(body) {
			break
		}
		level, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(body[j+2].text), "level"))
		m, ok := k.mask(strings.Join(names, "+"))
		if old, have := t[level-1]; err == nil && ok && level > 1 && (!have || bits(m) < bits(old)) {
			t[level-1] = m
		}
		i = j
	}
	k.types[st[1].text] = t
}

func bits(m Mods) int {
	n := 0
	for ; m != 0; m &= m - 1 {
		n++
	}
	return n
}
