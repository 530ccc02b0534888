package input_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/typing"
	fakewayland "utter/tests/fakes/wayland"
)

// small is a keymap with little in it.
const small = `xkb_keymap {
xkb_keycodes "k" { minimum = 8; maximum = 255; <AC01> = 38; <AD05> = 28; <LCTL> = 37; <LFSH> = 50; };
xkb_types "t" { type "ALPHABETIC" { modifiers= Shift+Lock; map[Shift]= 2; map[Lock]= 2; level_name[1]= "Base"; }; };
xkb_compatibility "c" { };
xkb_symbols "s" {
	name[1]="English (US)"; name[2]="Russian";
	key <AC01> { type= "ALPHABETIC", symbols[1]= [ a, A ], symbols[2]= [ Cyrillic_ef, Cyrillic_EF ] };
	key <AD05> { [ t, T ] };
	key <LCTL> { [ Control_L ] }; key <LFSH> { [ Shift_L ] };
	modifier_map Shift { <LFSH> }; modifier_map Control { <LCTL> };
}; };`

// FuzzKeymap sends any text as keymap. Every call answers, whatever it holds.
func FuzzKeymap(f *testing.F) {
	f.Add(small, 0)
	f.Add(small, 1)
	f.Add(strings.ReplaceAll(small, "38", "4294967295"), 0)
	f.Add(strings.ReplaceAll(small, "37", "3"), 0)
	f.Add(strings.ReplaceAll(small, "symbols[2]", "symbols[99]"), -1)
	f.Add(strings.ReplaceAll(small, "map[Shift]= 2", "map[Shift]= 99999999999"), 1<<20)
	f.Add(strings.ReplaceAll(small, "Control_L", "XF86KbdInputAssistPrevgrou"), 0)
	f.Add("xkb_keymap {\x00};", 0)
	f.Add(fakewayland.Keymap, 1)
	f.Add(fakewayland.Keymap[:len(fakewayland.Keymap)/2], 0)
	f.Fuzz(func(t *testing.T, keymap string, layout int) {
		c := fakewayland.Start(t, fakewayland.Options{Keymap: keymap, NoField: true})
		in := inputFor(t, input.Display{Socket: c.Path(), Layout: layout, SeatLayout: len(keymap)%2 == 0})
		start := time.Now()
		_, err := in.Type(t.Context(), text("aф\n", typing.Keyboard))
		wantPlanError(t, err)
		wantPlanError(t, in.Press(t.Context(), chords("ctrl+shift+t", "Return"), alive))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
		if errs := c.Errors(); errs != nil {
			t.Errorf("the compositor complains: %q", errs)
		}
		in.Close()
		c.Close()
	})
}

// wantPlanError checks that err, if any, says what is known.
func wantPlanError(t *testing.T, err error) {
	t.Helper()
	var e *plan.Error
	if err != nil && !errors.As(err, &e) {
		t.Errorf("error %v of type %T, want a *plan.Error", err, err)
	}
}

func BenchmarkType(b *testing.B) {
	cyrillic := string(
		[]rune(strings.Repeat("Съешь ещё этих мягких французских булок. ", 25))[:1000])
	latin := strings.Repeat("The quick brown fox jumps. ", 10)[:200]
	benchmarks := []struct {
		name  string
		text  input.Text
		times int // until 1,000 characters are typed
	}{
		{"input method", text(cyrillic, typing.InputMethod), 1},
		{"keyboard", text(latin, typing.Keyboard), 5},
	}
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			_, in := begin(b, fakewayland.Options{})
			for b.Loop() {
				for range bb.times {
					if _, err := in.Type(b.Context(), bb.text); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
