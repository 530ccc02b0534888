package fakewayland_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

// A typist is a client with an input method that notes what it hears.
type typist struct {
	conn *wayland.Conn
	id   wayland.ID
	done uint32
	log  []string
}

func newTypist(t *testing.T, c *fakewayland.Compositor) *typist {
	t.Helper()
	ty := &typist{conn: dial(t, c)}
	seat := bind(t, ty.conn, wayland.Seat, nil)
	manager := bind(t, ty.conn, wayland.InputManager, nil)
	ty.id = create(t, ty.conn, wayland.InputMethod, ty.hear, manager, wayland.InputManagerGetInputMethod, seat)
	roundtrip(t, ty.conn)
	return ty
}

func (ty *typist) hear(opcode uint16, args *wayland.Args) {
	switch opcode {
	case wayland.InputMethodOnActivate:
		ty.log = append(ty.log, "activate")
	case wayland.InputMethodOnDeactivate:
		ty.log = append(ty.log, "deactivate")
	case wayland.InputMethodOnSurroundingText:
		ty.log = append(ty.log, fmt.Sprintf("text %q %d", args.String(), args.Uint()))
	case wayland.InputMethodOnContentType:
		ty.log = append(ty.log, fmt.Sprintf("type %d %d", args.Uint(), args.Uint()))
	case wayland.InputMethodOnUnavailable:
		ty.log = append(ty.log, "unavailable")
	case wayland.InputMethodOnDone:
		ty.done++
	}
}

// typeText commits text with the serial that is right now.
func (ty *typist) typeText(t *testing.T, text string) {
	t.Helper()
	send(t, ty.conn, ty.id, wayland.InputMethodCommitString, text)
	send(t, ty.conn, ty.id, wayland.InputMethodCommit, ty.done)
	roundtrip(t, ty.conn)
}

func TestInputMethodModes(t *testing.T) {
	password := fakewayland.Field{Purpose: wayland.PurposePassword, Hint: wayland.HintHiddenText | wayland.HintSensitive}
	tests := []struct {
		name    string
		options fakewayland.Options
		heard   []string
		typed   string
	}{
		{"active", fakewayland.Options{}, []string{"activate", "type 0 0"}, "hé"},
		{"password", fakewayland.Options{Field: password}, []string{"activate", "type 192 8"}, "hé"},
		{"reports", fakewayland.Options{Field: fakewayland.Field{Before: "a", After: "z", Reports: fakewayland.ReportsText}},
			[]string{"activate", `text "az" 1`, "type 0 0", `text "ahéz" 4`, "type 0 0"}, "hé"},
		{"stale first", fakewayland.Options{Field: fakewayland.Field{Reports: fakewayland.ReportsStaleFirst}},
			[]string{"activate", `text "" 0`, "type 0 0", `text "" 0`, `text "hé" 3`, "type 0 0"}, "hé"},
		{"deaf", fakewayland.Options{Field: fakewayland.Field{Reports: fakewayland.ReportsText, Deaf: true}},
			[]string{"activate", `text "" 0`, "type 0 0", `text "" 0`, "type 0 0"}, "hé"},
		{"no field", fakewayland.Options{NoField: true}, nil, ""},
		{"silent", fakewayland.Options{InputMethod: fakewayland.Silent}, nil, ""},
		{"unavailable", fakewayland.Options{InputMethod: fakewayland.Unavailable}, []string{"unavailable"}, ""},
		{"deactivated before the commit", fakewayland.Options{Faults: []fakewayland.Fault{
			{On: "zwp_input_method_v2.commit_string", Do: fakewayland.LoseFocus()}}},
			[]string{"activate", "type 0 0", "deactivate"}, ""},
		{"deactivated after the commit", fakewayland.Options{Faults: []fakewayland.Fault{
			{On: "zwp_input_method_v2.commit", Do: fakewayland.LoseFocus()}}},
			[]string{"activate", "type 0 0", "deactivate"}, "hé"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := fakewayland.Start(t, tt.options)
			ty := newTypist(t, c)
			ty.typeText(t, "hé")
			if !slices.Equal(ty.log, tt.heard) {
				t.Errorf("heard %q, want %q", ty.log, tt.heard)
			}
			if c.Typed() != tt.typed {
				t.Errorf("Typed() = %q, want %q", c.Typed(), tt.typed)
			}
		})
	}
}

func TestInputMethodEdits(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{Field: fakewayland.Field{Before: "one two", After: " three"}})
	ty := newTypist(t, c)
	send(t, ty.conn, ty.id, wayland.InputMethodDeleteSurrounding, uint32(3), uint32(1))
	ty.typeText(t, "2 ")
	before, after := c.FieldText()
	if before != "one 2 " || after != "three" {
		t.Errorf("FieldText() = %q, %q", before, after)
	}
	if got := c.Count("zwp_input_method_v2.commit"); got != 1 {
		t.Errorf("Count = %d, want 1", got)
	}
}

func TestStaleSerialLosesTheText(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	ty := newTypist(t, c)
	ty.done--
	ty.typeText(t, "lost")
	ty.done++
	ty.typeText(t, "kept")
	if c.Typed() != "kept" || !slices.Equal(c.Lost(), []string{"lost"}) {
		t.Errorf("Typed() = %q, Lost() = %q", c.Typed(), c.Lost())
	}
}

func TestOneInputMethodASeat(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	first := newTypist(t, c)
	second := newTypist(t, c)
	if !slices.Equal(second.log, []string{"unavailable"}) {
		t.Errorf("the second heard %q", second.log)
	}
	send(t, first.conn, first.id, wayland.InputMethodDestroy)
	roundtrip(t, first.conn)
	third := newTypist(t, c)
	third.conn.Close()
	c.WaitFor(t, "the third to go", func() bool { return c.Clients() == 2 })
	fourth := newTypist(t, c)
	c.Unfocus()
	c.Focus(fakewayland.Field{Purpose: wayland.PurposeTerminal})
	fourth.typeText(t, "") // any roundtrip
	want := []string{"activate", "type 0 0", "deactivate", "activate", "type 0 13"}
	if !slices.Equal(fourth.log, want) {
		t.Errorf("the fourth heard %q, want %q", fourth.log, want)
	}
}

func TestLongSurroundingTextIsCutBetweenCharacters(t *testing.T) {
	long := strings.Repeat("ä", 3000)
	c := fakewayland.Start(t,
		fakewayland.Options{Field: fakewayland.Field{Before: "x" + long, After: long, Reports: fakewayland.ReportsText}})
	ty := newTypist(t, c)
	want := fmt.Sprintf("text %q 2000", strings.Repeat("ä", 1000+499))
	if len(ty.log) != 3 || ty.log[1] != want {
		t.Errorf("heard %q", ty.log)
	}
}

// upload makes a virtual keyboard with the given keymap.
func upload(t *testing.T, conn *wayland.Conn, keymap string) wayland.ID {
	t.Helper()
	seat := bind(t, conn, wayland.Seat, nil)
	manager := bind(t, conn, wayland.VirtualKeyboardManager, nil)
	id := create(t, conn, wayland.VirtualKeyboard, nil, manager, wayland.VirtualKeyboardManagerCreate, seat)
	f, err := wayland.TempFile("keymap", []byte(keymap+"\x00"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	send(t, conn, id, wayland.VirtualKeyboardKeymap, uint32(wayland.KeymapFormatXKB), f, uint32(len(keymap)+1))
	return id
}

func TestVirtualKeyboardIsRecorded(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	id := upload(t, conn, "a keymap")
	send(t, conn, id, wayland.VirtualKeyboardKey, uint32(1), uint32(29), uint32(wayland.KeyStatePressed))
	send(t, conn, id, wayland.VirtualKeyboardModifiers, uint32(4), uint32(0), uint32(0), uint32(1))
	send(t, conn, id, wayland.VirtualKeyboardKey, uint32(2), uint32(30), uint32(wayland.KeyStateReleased))
	roundtrip(t, conn)
	mods := fakewayland.Modifiers{Depressed: 4, Group: 1}
	want := []fakewayland.Key{{Time: 1, Code: 29, Pressed: true}, {Time: 2, Code: 30, Modifiers: mods}}
	if !slices.Equal(c.Keys(), want) {
		t.Errorf("Keys() = %+v, want %+v", c.Keys(), want)
	}
	if !slices.Equal(c.Modifiers(), []fakewayland.Modifiers{mods}) || !slices.Equal(c.Keymaps(), []string{"a keymap"}) {
		t.Errorf("Modifiers() = %v, Keymaps() = %q", c.Modifiers(), c.Keymaps())
	}
}

func TestKeyBeforeKeymapIsFatal(t *testing.T) {
	conn := dial(t, fakewayland.Start(t, fakewayland.Options{}))
	seat := bind(t, conn, wayland.Seat, nil)
	manager := bind(t, conn, wayland.VirtualKeyboardManager, nil)
	id := create(t, conn, wayland.VirtualKeyboard, nil, manager, wayland.VirtualKeyboardManagerCreate, seat)
	send(t, conn, id, wayland.VirtualKeyboardKey, uint32(1), uint32(29), uint32(wayland.KeyStatePressed))
	wantFatal(t, conn, "zwp_virtual_keyboard_v1", 0)
}

func TestForeignKeymapsAreEchoed(t *testing.T) {
	tests := []struct {
		name   string
		keymap string
		same   func(seat, uploaded string) bool
		want   int // keymaps for one key, after the first
	}{
		{"own", fakewayland.Keymap, nil, 0},
		{"foreign", "xkb_keymap {};", nil, 2},
		{"as good as own", "xkb_keymap {};", func(seat, uploaded string) bool { return seat == fakewayland.Keymap }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := fakewayland.Start(t, fakewayland.Options{CutNames: true, EchoKeymaps: true, SameKeymap: tt.same})
			conn := dial(t, c)
			var got []string
			keyboard(t, conn, &got)
			id := upload(t, conn, tt.keymap)
			send(t, conn, id, wayland.VirtualKeyboardKey, uint32(1), uint32(30), uint32(wayland.KeyStatePressed))
			roundtrip(t, conn)
			if len(got)-1 != tt.want {
				t.Errorf("%d more keymaps, want %d", len(got)-1, tt.want)
			}
		})
	}
}

func TestPointerFrames(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	manager := bind(t, conn, wayland.VirtualPointerManager, nil)
	id := create(t, conn, wayland.VirtualPointer, nil, manager, wayland.VirtualPointerManagerCreate, wayland.ID(0))
	send(t, conn, id, wayland.VirtualPointerMotionTo, uint32(1), uint32(10), uint32(20), uint32(100), uint32(200))
	send(t, conn, id, wayland.VirtualPointerFrame)
	send(t, conn, id, wayland.VirtualPointerAxisSource, uint32(wayland.PointerSourceWheel))
	send(t, conn, id, wayland.VirtualPointerAxisDiscrete, uint32(2), uint32(0), wayland.ToFixed(-7.5), int32(-1))
	send(t, conn, id, wayland.VirtualPointerFrame)
	send(t, conn, id, wayland.VirtualPointerButton, uint32(3), uint32(0x110), uint32(1)) // no frame
	roundtrip(t, conn)
	got := fmt.Sprint(c.PointerFrames())
	want := "[[zwlr_virtual_pointer_v1.motion_absolute(1, 10, 20, 100, 200)] " +
		"[zwlr_virtual_pointer_v1.axis_source(0) zwlr_virtual_pointer_v1.axis_discrete(2, 0, -7.5, -1)]]"
	if got != want {
		t.Errorf("PointerFrames() =\n%s, want\n%s", got, want)
	}
}
