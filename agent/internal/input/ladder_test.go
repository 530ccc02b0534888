package input_test

import (
	"strings"
	"testing"
	"time"

	"utter/agent/internal/input"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/typing"
	fakewayland "utter/tests/fakes/wayland"
)

// TestLadder checks which way is taken where some are missing.
func TestLadder(t *testing.T) {
	const (
		methods  = "zwp_input_method_manager_v2"
		keyboard = "zwp_virtual_keyboard_manager_v1"
		ext, wlr = "ext_data_control_manager_v1", "zwlr_data_control_manager_v1"
	)
	tests := []struct {
		name    string
		options fakewayland.Options
		text    string
		want    typing.Way
	}{
		{"everything", fakewayland.Options{}, "hi", typing.InputMethod},
		{"byte by byte", fakewayland.Options{ByteByByte: true}, "hi", typing.InputMethod},
		{"no manager", without(methods), "hi", typing.Keyboard},
		{"another input method", fakewayland.Options{InputMethod: fakewayland.Unavailable}, "hi", typing.Keyboard},
		{"a silent input method", fakewayland.Options{InputMethod: fakewayland.Silent}, "hi", typing.Keyboard},
		{"no text field", fakewayland.Options{NoField: true}, "hi", typing.Keyboard},
		{"no text field, byte by byte", fakewayland.Options{NoField: true, ByteByByte: true}, "hi", typing.Keyboard},
		{"not on the layout", without(methods), "hi €", typing.Clipboard},
		{"on another layout", without(methods), "привет", typing.Clipboard},
		{"emoji", without(methods), "👍", typing.Clipboard},
		{"200 keystrokes", without(methods), strings.Repeat("x", 200), typing.Keyboard},
		{"201 keystrokes", without(methods), strings.Repeat("x", 201), typing.Clipboard},
		{"the older clipboard", without(methods, ext), "привет", typing.Clipboard},
		{"no clipboard, keys do", without(methods, ext, wlr), "hi", typing.Keyboard},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, in := begin(t, tt.options)
			mustType(t, in, text(tt.text, typing.Auto), input.Typed{Way: tt.want, Evidence: plan.Delivered})
			wantTyped(t, c, tt.want, tt.text)
		})
	}
}

// wantTyped checks that the compositor got a text by one way and by no other.
func wantTyped(t *testing.T, c *fakewayland.Compositor, way typing.Way, want string) {
	t.Helper()
	var keyed strings.Builder
	for _, k := range c.Keys() {
		if k.Pressed && way == typing.Keyboard {
			keyed.WriteString("k")
		}
	}
	got := map[typing.Way]string{typing.InputMethod: c.Typed(), typing.Keyboard: keyed.String(),
		typing.Clipboard: strings.Join(c.Pasted(), "|")}
	for w, text := range got {
		switch {
		case w != way && text != "":
			t.Errorf("%q went by %s", text, w)
		case w == way && w == typing.Keyboard && len(text) != len(want):
			t.Errorf("%d keys, want %d", len(text), len(want))
		case w == way && w != typing.Keyboard && text != want:
			t.Errorf("%s brought %q, want %q", w, text, want)
		}
	}
	if errs := c.Errors(); errs != nil {
		t.Errorf("the compositor complains: %q", errs)
	}
}

func TestForcedWays(t *testing.T) {
	for _, way := range typing.Ways()[1:] {
		t.Run(string(way), func(t *testing.T) {
			c, in := begin(t, fakewayland.Options{})
			mustType(t, in, text("hi", way), input.Typed{Way: way, Evidence: plan.Delivered})
			wantTyped(t, c, way, "hi")
		})
	}
}

func TestRefusals(t *testing.T) {
	noClipboard := []string{"ext_data_control_manager_v1", "zwlr_data_control_manager_v1"}
	tests := []struct {
		name    string
		options fakewayland.Options
		text    string
		way     typing.Way
		parts   []string
	}{
		{"no manager", noMethod(), "hi", typing.InputMethod, []string{"input-method: the compositor does not support it"}},
		{"no text field", fakewayland.Options{NoField: true}, "hi", typing.InputMethod,
			[]string{"input-method: no text field responded"}},
		{"another input method", fakewayland.Options{InputMethod: fakewayland.Unavailable}, "hi", typing.InputMethod,
			[]string{"input-method: another input method is in use"}},
		{"keys for a foreign character", fakewayland.Options{}, "hi €", typing.Keyboard,
			[]string{"keyboard: the keyboard layout lacks"}},
		{"keys for another layout", fakewayland.Options{}, "привет", typing.Keyboard,
			[]string{"keyboard: the keyboard layout lacks"}},
		{"too many keys", fakewayland.Options{}, strings.Repeat("x", 201), typing.Keyboard,
			[]string{"keyboard: the text has more than 200 characters"}},
		{"no virtual keyboard", without("zwp_virtual_keyboard_manager_v1"), "hi", typing.Keyboard,
			[]string{"keyboard: virtual keyboard: the compositor does not support it"}},
		{"no clipboard", without(noClipboard...), "hi", typing.Clipboard,
			[]string{"clipboard: the compositor does not support clipboard access"}},
		{"nobody to press the paste chord", without("zwp_virtual_keyboard_manager_v1"), "hi", typing.Clipboard,
			[]string{"clipboard: virtual keyboard"}},
		{"nothing at all", without(append(noClipboard, "zwp_input_method_manager_v2", "zwp_virtual_keyboard_manager_v1")...),
			"hi", typing.Auto,
			[]string{"input-method: ", "; keyboard: ", "; clipboard: "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, in := begin(t, tt.options)
			_, err := in.Type(t.Context(), text(tt.text, tt.way))
			wantError(t, err, plan.Refused, plan.Missing, tt.parts...)
			if n := len(c.Keys()) + len(c.Commits()) + len(c.Offered()); n != 0 {
				t.Errorf("%d things were done", n)
			}
		})
	}
}

// An application without paste chord cannot be pasted into, and a chord without
// key presses nothing.
func TestZeroChord(t *testing.T) {
	_, in := begin(t, fakewayland.Options{})
	_, err := in.Type(t.Context(), input.Text{Text: "€", Way: typing.Clipboard, Alive: alive})
	wantError(t, err, plan.Refused, plan.Missing, "clipboard: ")
	wantError(t, in.Press(t.Context(), chord.Sequence{{}}, alive), plan.Refused, plan.NotSupported)
}

func TestTextsThatNoWayTakes(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	for _, s := range []string{"a\xffb", "a\x00b", strings.Repeat("x", input.MaxText+1)} {
		_, err := in.Type(t.Context(), text(s, typing.Auto))
		wantError(t, err, plan.Refused, plan.NotSupported)
	}
	mustType(t, in, text("", typing.Auto), input.Typed{Way: typing.Auto, Evidence: plan.Delivered})
	if c.Clients() != 0 {
		t.Error("it connected for that")
	}
}

// Another input method shows as silence on some compositors. The next way must
// not wait for long.
func TestSilenceIsShort(t *testing.T) {
	c, in := begin(t, fakewayland.Options{InputMethod: fakewayland.Silent})
	if _, err := in.Parts(t.Context()); err != nil {
		t.Fatal(err)
	}
	took := within(t, time.Second, func() {
		mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.Keyboard, Evidence: plan.Delivered})
	})
	if took < 60*time.Millisecond {
		t.Errorf("the input method had %v only", took)
	}
	if n := c.Count("zwp_input_method_v2.destroy"); n != 1 {
		t.Errorf("%d input methods were destroyed, want 1", n)
	}
}

// Alive has a veto before the first part, and it is not another way's turn then.
func TestDeadBefore(t *testing.T) {
	gone := plan.Refuse(plan.NotFound, "the window is gone")
	for _, way := range typing.Ways() {
		for nth := range int32(2) {
			c, in := begin(t, fakewayland.Options{})
			what := text("hi", way)
			what.Alive = at(nth+1, func() error { return gone })
			_, err := in.Type(t.Context(), what)
			wantError(t, err, plan.Refused, plan.NotFound, "the window is gone")
			if n := len(c.Keys()) + len(c.Commits()) + len(c.Pasted()); n != 0 {
				t.Errorf("%s: %d things were done", way, n)
			}
		}
	}
}
