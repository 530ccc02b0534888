package xkb

import (
	"math/bits"
	"strconv"
	"strings"
)

// Mask is a set of real modifiers, as the wire carries them.
type Mask uint32

// count returns how many modifiers are in m.
func (m Mask) count() int { return bits.OnesCount32(uint32(m)) }

// The real modifiers.
const (
	Shift Mask = 1 << iota
	Lock
	Control
	Mod1
	Mod2
	Mod3
	Mod4
	Mod5
)

var realMods = map[string]Mask{
	"shift": Shift, "lock": Lock, "control": Control,
	"mod1": Mod1, "mod2": Mod2, "mod3": Mod3, "mod4": Mod4, "mod5": Mod5, "none": 0,
}

// virtualKeys names a keysym whose key carries the virtual modifier.
var virtualKeys = map[string]string{
	"levelthree": "ISO_Level3_Shift", "levelfive": "ISO_Level5_Shift", "alt": "Alt_L", "meta": "Meta_L",
	"super": "Super_L", "hyper": "Hyper_L", "numlock": "Num_Lock", "scrolllock": "Scroll_Lock",
}

// findCarriers notes for every real modifier the first key that sets it.
func (k *Keymap) findCarriers() {
	preferred := map[Mask]string{Shift: "Shift_L", Control: "Control_L", Mod1: "Alt_L", Mod4: "Super_L"}
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

// mask returns the real modifiers of "Shift+LevelThree". It is not ok where one
// is carried by no key, or is a lock.
func (k *Keymap) mask(names string) (Mask, bool) {
	var m Mask
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

func (k *Keymap) virtual(name string) Mask {
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
		if old, have := t[level-1]; err == nil && ok && level > 1 && (!have || m.count() < old.count()) {
			t[level-1] = m
		}
		i = j
	}
	k.types[st[1].text] = t
}
