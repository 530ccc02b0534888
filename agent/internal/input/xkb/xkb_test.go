package xkb

import (
	"os"
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
)

// The layouts of testdata/us-de-fr-ru.xkb, which xkbcli compile-keymap made.
const (
	us = iota
	de
	fr
	ru
)

func load(t testing.TB) (*Keymap, string) {
	t.Helper()
	text, err := os.ReadFile("testdata/us-de-fr-ru.xkb")
	if err != nil {
		t.Fatal(err)
	}
	k, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return k, string(text)
}

// Evdev codes of the keys in the tests, by their place on a PC keyboard.
const (
	keyQ, keyT, keyA, keyZ, key1, key7, keyMinus = 16, 20, 30, 44, 2, 8, 12
	keyE, keySlash, keyEnter, keyTab             = 18, 53, 28, 15
	leftShift, leftCtrl, rightAlt, leftMeta      = 42, 29, 100, 125
)

func TestType(t *testing.T) {
	k, _ := load(t)
	if !slices.Equal(k.Groups, []string{"English (US)", "German", "French", "Russian"}) {
		t.Errorf("groups %q", k.Groups)
	}
	tests := []struct {
		r     rune
		group int
		code  uint32
		mods  Mask
	}{
		{'a', us, keyA, 0}, {'A', us, keyA, Shift}, {'?', us, keySlash, Shift},
		{'\n', us, keyEnter, 0}, {'\t', us, keyTab, 0},
		{'z', de, 21, 0}, {'?', de, keyMinus, Shift}, {'€', de, keyE, Mod5}, {'{', de, key7, Mod5}, {'ä', de, 40, 0},
		{'a', fr, keyQ, 0}, {'1', fr, key1, Shift}, {'é', fr, 3, 0}, {'€', fr, keyE, Mod5},
		{'ф', ru, keyA, 0}, {'Ф', ru, keyA, Shift},
	}
	for _, tt := range tests {
		s, ok := k.Type(tt.r, tt.group)
		if !ok || s.Code != tt.code || s.Mods != tt.mods || s.Group != tt.group {
			t.Errorf("Type(%q, %d) = %+v, %v; want key %d with %#x", tt.r, tt.group, s, ok, tt.code, tt.mods)
		}
	}
	for _, r := range []rune{'ä', 'ф', '€', '🙂', 0} {
		if s, ok := k.Type(r, us); ok {
			t.Errorf("Type(%q, us) = %+v, want none", r, s)
		}
	}
}

func TestPress(t *testing.T) {
	k, _ := load(t)
	tests := []struct {
		chord string
		group int
		code  uint32
		mods  Mask
		held  []uint32
	}{
		{"ctrl+t", us, keyT, Control, []uint32{leftCtrl}},
		{"ctrl+t", ru, keyT, Control, []uint32{leftCtrl}}, // no Latin t: the key of the first layout that has one
		{"ctrl+z", de, 21, Control, []uint32{leftCtrl}},
		{"ctrl+a", fr, keyQ, Control, []uint32{leftCtrl}},
		{"super+1", fr, key1, Mod4 | Shift, []uint32{leftShift, leftMeta}},
		{"ctrl+slash", de, key7, Control | Shift, []uint32{leftShift, leftCtrl}},
		{"ctrl++", us, 13, Control | Shift, []uint32{leftShift, leftCtrl}},
		{"Ctrl-Shift-T", us, keyT, Control | Shift, []uint32{leftShift, leftCtrl}},
		{"alt+left", us, 105, Mod1, []uint32{56}},
		{"Return", ru, keyEnter, 0, nil},
		{"f5", fr, 63, 0, nil},
		{"page up", us, 104, 0, nil},
		{"super", us, leftMeta, 0, nil},
	}
	for _, tt := range tests {
		c, err := chord.Parse(tt.chord)
		if err != nil {
			t.Fatal(err)
		}
		s, err := k.Press(c, tt.group)
		if err != nil || s.Code != tt.code || s.Mods != tt.mods || !slices.Equal(s.Held, tt.held) {
			t.Errorf("Press(%s, %d) = %+v, %v; want key %d with %#x held by %v", tt.chord, tt.group,
				s, err, tt.code, tt.mods, tt.held)
		}
	}
	c, err := chord.Parse("ctrl+ß")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := k.Press(c, us); err != nil || s.Group != de {
		t.Errorf("Press(ctrl+ß) = %+v, %v; want the German key", s, err)
	}
	if c, err = chord.Parse("ctrl+あ"); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Press(c, us); err == nil {
		t.Error("Press of a key that no layout has succeeded")
	}
}

// "wtype -k Return" brings a keymap of that one key, without a name.
func TestKeymapOfOneKey(t *testing.T) {
	text, err := os.ReadFile("testdata/wtype-return.xkb")
	if err != nil {
		t.Fatal(err)
	}
	k, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := k.Type('\n', us); !ok || s.Code != 1 {
		t.Errorf("Return is %+v, %v; want key 1", s, ok)
	}
	if whole, _ := load(t); k.IsWhole() || !whole.IsWhole() {
		t.Errorf("IsWhole of wtype's = %v, of a keyboard's %v", k.IsWhole(), whole.IsWhole())
	}
}

func TestRepairCompletesCutNames(t *testing.T) {
	_, cut := load(t) // by libxkbcommon itself
	whole := Repair(cut)
	for _, name := range []string{"XF86KbdInputAssistPrevgroup", "XF86KbdInputAssistNextgroup"} {
		if !strings.Contains(cut, name[:26]) || strings.Contains(cut, name) {
			t.Fatalf("the keymap does not have %s cut short", name)
		}
		if !strings.Contains(whole, name) {
			t.Errorf("Repair does not complete %s", name)
		}
	}
	if len(whole) != len(cut)+2 || Repair(whole) != whole {
		t.Errorf("Repair changed more: %d bytes of %d", len(whole), len(cut))
	}
}

func TestEveryKeysymNameIsKnown(t *testing.T) {
	_, text := load(t)
	text = Repair(text)
	s := &scanner{text: text[strings.Index(text, "xkb_symbols"):]}
	inList := false
	for tok := s.next(); tok.kind != end; tok = s.next() {
		switch {
		case isMark(tok, "["):
			inList = true
		case isMark(tok, "]"):
			inList = false
		case inList && tok.kind == word && !strings.HasPrefix(tok.text, "Group"):
			if _, ok := ParseKeysym(tok.text); !ok {
				t.Errorf("unknown keysym %s", tok.text)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	_, text := load(f)
	f.Add(text[:2000], 'a')
	f.Add(`xkb_keymap { xkb_keycodes "x" { <A> = 9; <S> = 50; }; xkb_types "x" { type "T" { map[Shift]= 2; }; };
		xkb_symbols "x" { name[Group1]="g"; key <A> { type= "T", symbols[Group1]= [ a, A, {b,c} ], symbols[Group2]= [] };
		key <S> { [ Shift_L ] }; modifier_map Shift { <S> }; }; };`, 'A')
	f.Fuzz(func(t *testing.T, text string, r rune) {
		Repair(text)
		k, err := Parse(text)
		if err != nil {
			return
		}
		for g := range 3 {
			k.Type(r, g)
		}
		if c, err := chord.Parse("ctrl+shift+" + string(r)); err == nil {
			_, _ = k.Press(c, 1)
		}
	})
}
