package input_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"utter/agent/internal/input"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

// Evdev codes of the keys in these tests, and bits of modifiers.
const (
	keyN, keyT, keyV, keyA, keyF          = 49, 20, 47, 30, 33
	leftShift, leftCtrl, leftAlt          = 42, 29, 56
	shift, control, alt                   = 1, 1 << 2, 1 << 3
	keyHome, keyEnter, keyLeft, keyDelete = 102, 28, 105, 111
)

// events writes the keys as "+29 +49 -49 -29", with the modifiers that each
// was pressed under behind a slash, and the group behind an @.
func events(keys []fakewayland.Key) string {
	var all []string
	for _, k := range keys {
		sign := "-"
		if k.Pressed {
			sign = "+"
		}
		s := fmt.Sprint(sign, k.Code)
		if m := k.Modifiers; m != (fakewayland.Modifiers{}) {
			s += fmt.Sprintf("/%x@%d", m.Depressed, m.Group)
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

func TestPress(t *testing.T) {
	ctrl := func(code, group int) string {
		return fmt.Sprintf("+%d +%d/4@%d -%d/4@%d -%d/4@%d", leftCtrl, code, group, code, group, leftCtrl, group)
	}
	tests := []struct {
		chords     string // separated by blanks
		layout     int
		seatLayout bool
		want       string
	}{
		{"n", us, false, "+49 -49"},
		{"ctrl+t", us, false, ctrl(keyT, 0)},
		{"ctrl+shift+n", us, false, "+42 +29 +49/5@0 -49/5@0 -29/5@0 -42/5@0"},
		{"alt+left", us, false, "+56 +105/8@0 -105/8@0 -56/8@0"},
		{"Return", us, false, "+28 -28"},
		{"ctrl+a Delete", us, false, ctrl(keyA, 0) + " +111 -111"},
		// Under a layout without the letter: the key of the first that has it,
		// and that layout where the compositor heeds it.
		{"ctrl+t", ru, false, ctrl(keyT, 0)},
		{"ctrl+t", ru, true, ctrl(keyT, 1)},
		{"Return", ru, false, "+28/0@1 -28/0@1"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s in layout %d, seat's %v", tt.chords, tt.layout, tt.seatLayout), func(t *testing.T) {
			c := fakewayland.Start(t, fakewayland.Options{})
			in := inputFor(t, input.Display{Socket: c.Path(), Layout: tt.layout, SeatLayout: tt.seatLayout})
			if err := in.Press(t.Context(), chords(strings.Fields(tt.chords)...), alive); err != nil {
				t.Fatal(err)
			}
			if got := events(c.Keys()); got != tt.want {
				t.Errorf("pressed %s, want %s", got, tt.want)
			}
			mods := c.Modifiers()
			if last := mods[len(mods)-1]; last.Depressed != 0 {
				t.Errorf("the modifiers stay %v", last)
			}
		})
	}
}

// On some compositors the key alone does nothing, on others the request alone.
func TestModifierKeyAndRequest(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	if err := in.Press(t.Context(), chords("ctrl+alt+shift+f"), alive); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range c.Requests() {
		if r.Interface == "zwp_virtual_keyboard_v1" && r.Name != "keymap" {
			order = append(order, fmt.Sprintf("%s%v", r.Name, r.Args[max(0, len(r.Args)-4):]))
			if r.Name == "key" {
				order[len(order)-1] = fmt.Sprintf("key%v", r.Args[1:]) // without the time
			}
		}
	}
	want := []string{
		"key[42 1]", "key[29 1]", "key[56 1]", fmt.Sprintf("modifiers[%d 0 0 0]", shift|control|alt),
		"key[33 1]", "key[33 0]",
		"key[56 0]", "key[29 0]", "key[42 0]", "modifiers[0 0 0 0]",
	}
	if !slices.Equal(order, want) {
		t.Errorf("requests\n%q, want\n%q", order, want)
	}
}

// TestTypedKeys types by keys in the active layout, which the last modifiers
// request keeps.
func TestTypedKeys(t *testing.T) {
	tests := []struct {
		text   string
		layout int
		want   string
	}{
		{"aN", us, "+30 -30 +42 +49/1@0 -49/1@0 -42/1@0"},
		{"a\n", us, "+30 -30 +28 -28"},
		{"фТ", ru, "+30/0@1 -30/0@1 +42/0@1 +49/1@1 -49/1@1 -42/1@1"},
	}
	for _, tt := range tests {
		for _, seatLayout := range []bool{false, true} {
			c := fakewayland.Start(t, fakewayland.Options{})
			in := inputFor(t, input.Display{Socket: c.Path(), Layout: tt.layout, SeatLayout: seatLayout})
			mustType(t, in, text(tt.text, typing.Keyboard), input.Typed{Way: typing.Keyboard, Evidence: plan.Delivered})
			if got := events(c.Keys()); got != tt.want {
				t.Errorf("%q in layout %d: pressed %s, want %s", tt.text, tt.layout, got, tt.want)
			}
		}
	}
}

// A keymap with a cut name makes niri send the keymap twice to every client for
// each key.
func TestKeymapIsCompleted(t *testing.T) {
	if cutKeymap() == fakewayland.Keymap {
		t.Fatal("the fake's keymap has no long name")
	}
	same := func(_, uploaded string) bool { return uploaded == fakewayland.Keymap }
	c, in := begin(t, fakewayland.Options{Keymap: cutKeymap(), EchoKeymaps: true, SameKeymap: same, NoField: true})
	echoed := watchKeymaps(t, c)
	for range 5 {
		mustType(t, in, text("Hello, World!", typing.Auto), input.Typed{Way: typing.Keyboard, Evidence: plan.Delivered})
		if err := in.Press(t.Context(), chords("ctrl+t", "Return"), alive); err != nil {
			t.Fatal(err)
		}
	}
	maps := c.Keymaps()
	if len(maps) != 1 {
		t.Fatalf("%d keymaps were uploaded, want 1", len(maps))
	}
	if maps[0] != fakewayland.Keymap {
		t.Error("the keymap is not the seat's, completed")
	}
	for _, cut := range regexp.MustCompile(`XF86KbdInputAssist(Prev|Next)grou\b`).FindAllString(maps[0], -1) {
		t.Errorf("the keymap has %s in it", cut)
	}
	if n := echoed(); n != 1 {
		t.Errorf("another client was sent %d keymaps, want 1", n)
	}
}

// cutKeymap is the fake's keymap as libxkbcommon 1.7 writes it.
func cutKeymap() string {
	return strings.NewReplacer("Prevgroup", "Prevgrou", "Nextgroup", "Nextgrou").Replace(fakewayland.Keymap)
}

// watchKeymaps connects another client and returns how many keymaps it was sent.
func watchKeymaps(t *testing.T, c *fakewayland.Compositor) func() int32 {
	t.Helper()
	conn, err := wayland.Dial(t.Context(), c.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	seat, err := conn.Bind(wayland.Seat, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := new(atomic.Int32)
	count := func(opcode uint16, _ *wayland.Args) {
		if opcode == wayland.KeyboardOnKeymap {
			n.Add(1)
		}
	}
	if _, err := conn.Create(wayland.Keyboard, count, seat, wayland.SeatGetKeyboard, wayland.NewID); err != nil {
		t.Fatal(err)
	}
	return func() int32 {
		if err := conn.Roundtrip(t.Context()); err != nil {
			t.Fatal(err)
		}
		return n.Load()
	}
}

// The virtual keyboard is kept: a fresh one may lose its first keys.
func TestVirtualKeyboardIsKept(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	for range 10 {
		if err := in.Press(t.Context(), chords("ctrl+n"), alive); err != nil {
			t.Fatal(err)
		}
	}
	if made := c.Count("zwp_virtual_keyboard_manager_v1.create_virtual_keyboard"); made != 1 ||
		c.Count(uploadKeymap) != 1 {
		t.Errorf("%d keyboards with %d keymaps, want 1 and 1", made, c.Count(uploadKeymap))
	}
	c.WaitFor(t, "the keyboards' end", func() bool { return c.Count("wl_keyboard.release") == c.Count(getKeyboard) })
}

func TestPressRefuses(t *testing.T) {
	tests := []struct {
		name    string
		options fakewayland.Options
		chords  chord.Sequence
		reason  plan.Reason
		part    string
	}{
		{"no virtual keyboard", without("zwp_virtual_keyboard_manager_v1"), chords("a"), plan.Missing,
			"keys cannot be pressed here"},
		{"no such key", fakewayland.Options{}, chords("a", "ctrl+ß"), plan.NotSupported,
			"no layout of the keyboard has the key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, in := begin(t, tt.options)
			wantError(t, in.Press(t.Context(), tt.chords, alive), plan.Refused, tt.reason, tt.part)
			if keys := c.Keys(); len(keys) != 0 {
				t.Errorf("pressed %s", events(keys))
			}
		})
	}
}

func TestAliveStopsAPress(t *testing.T) {
	gone := func() error { return plan.Refuse(plan.NotFound, "the window is gone") }
	c, in := begin(t, fakewayland.Options{})
	wantError(t, in.Press(t.Context(), chords("a", "n"), at(1, gone)), plan.Refused, plan.NotFound, "the window is gone")
	if keys := c.Keys(); len(keys) != 0 {
		t.Errorf("pressed %s", events(keys))
	}
	err := in.Press(t.Context(), chords("a", "n", "t"), at(3, gone))
	wantError(t, err, plan.Unknown, plan.NotFound, "2 of 3 key combinations were pressed", "the window is gone")
	if got := events(c.Keys()); got != "+30 -30 +49 -49" {
		t.Errorf("pressed %s", got)
	}
}

func TestAliveStopsBetweenBatches(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	what := text(strings.Repeat("a", 60), typing.Keyboard)
	what.Alive = at(3,
		func() error { return plan.Refuse(plan.NotFound, "the program has stopped") }) // the first is the ladder's
	_, err := in.Type(t.Context(), what)
	wantError(t, err, plan.Unknown, plan.NotFound, "20 of 60 characters were sent", "the program has stopped")
	if n := len(c.Keys()); n != 40 {
		t.Errorf("%d key events, want 40", n)
	}
}

// Between two signs of life no more than a few keystrokes are on their way.
func TestSignsOfLife(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	before, most := 0, 0
	what := text(strings.Repeat("a", 200), typing.Keyboard)
	what.Alive = func() error {
		most, before = max(most, len(c.Keys())-before), len(c.Keys())
		return nil
	}
	mustType(t, in, what, input.Typed{Way: typing.Keyboard, Evidence: plan.Delivered})
	if most = max(most, len(c.Keys())-before); len(c.Keys()) != 400 || most > 40 {
		t.Errorf("%d key events, of these %d without a sign of life", len(c.Keys()), most)
	}
}
