package capture

import (
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
	"utter/ui/model/session/sessiontest"
)

// A recorder is the dialog.
type recorder struct {
	*Model
	clock sessiontest.Clock
	shown State
	said  []string
}

func newRecorder(keys ...string) *recorder {
	r := &recorder{}
	clash := func(seq chord.Sequence) string { return map[string]string{"ctrl+t": "new tab"}[seq.String()] }
	r.Model = New(keys, r.clock.Later, clash, func(s State) { r.shown = s })
	r.Said = func(text string) { r.said = append(r.said, text) }
	r.shown = r.State()
	return r
}

// press presses a key and lets it go.
func (r *recorder) press(p Press) bool {
	took := r.Pressed(p)
	r.Released(p.Code)
	return took
}

func key(syms ...string) Press { return Press{Code: 1, Keysyms: syms} }

func (p Press) with(mods string) Press {
	p.Ctrl, p.Shift, p.Alt = strings.Contains(mods, "c"), strings.Contains(mods, "s"), strings.Contains(mods, "a")
	p.Super, p.Level3 = strings.Contains(mods, "w"), strings.Contains(mods, "g")
	return p
}

func TestPressesAreChords(t *testing.T) {
	tests := []struct {
		name  string
		press Press
		want  string // "" for a key that counts for nothing
	}{
		{"a letter", key("t"), "t"},
		{"all modifiers", key("t").with("csawg"), "ctrl+shift+alt+super+altgr+t"},
		{"a capital letter", key("T").with("s"), "shift+t"},
		{"Escape", key("Escape"), "escape"},
		{"Tab", key("Tab"), "tab"},
		{"Shift Tab", key("ISO_Left_Tab").with("s"), "shift+tab"},
		{"Control Shift Tab", key("ISO_Left_Tab", "Tab").with("cs"), "ctrl+shift+tab"},
		{"BackSpace", key("BackSpace"), "backspace"},
		{"Return", key("Return").with("c"), "ctrl+return"},
		{"the space bar", key("space").with("s"), "shift+space"},
		{"a shifted digit", key("1").with("s"), "shift+1"},
		{"a shifted digit of a French keyboard", key("ampersand").with("s"), "shift+ampersand"},
		{"a function key", key("F12"), "f12"},
		{"a key of the number pad", key("KP_End"), "kp_end"},
		{"a media key", key("XF86AudioPlay"), "xf86audioplay"},
		{"a German letter", key("ö").with("c"), "ctrl+ö"},
		{"a German letter, with an English layout beside it", key("ö", "semicolon").with("c"), "ctrl+ö"},
		{"a paragraph sign", key("§"), "§"},
		{"a Cyrillic letter, with an English layout beside it", key("ф", "a").with("c"), "ctrl+a"},
		{"a Greek letter, with an English layout behind a Cyrillic one", key("α", "ф", "a"), "a"},
		{"a Hebrew layout's full stop", key("period", "slash"), "period"},
		{"a Cyrillic letter alone", key("ф").with("c"), "ctrl+ф"},
		{"a dead key, with an English layout beside it", key("dead_circumflex", "grave"), "grave"},
		{"AltGr and a letter", key("q").with("g"), "altgr+q"},
		{"Shift alone", key("Shift_L"), ""},
		{"AltGr alone", key("ISO_Level3_Shift"), ""},
		{"the logo key alone", key("Super_L").with("c"), ""},
		{"Caps Lock", key("Caps_Lock"), ""},
		{"the compose key", key("Multi_key"), ""},
		{"nothing", key(), ""},
	}
	for _, tt := range tests {
		r := newRecorder("ctrl+x")
		r.Record()
		if !r.press(tt.press) {
			t.Errorf("%s: not taken", tt.name)
		}
		want := tt.want
		if want == "" {
			want = "ctrl+x" // what was there stays
		}
		if got := r.shown; got.Text != want || got.Error != "" || !got.CanSet || len(got.Keys) != 1 || !got.Recording {
			t.Errorf("%s: %+v, want %s", tt.name, got, want)
		}
	}
}

// TestAKeyWithoutAName is said, until another one comes.
func TestAKeyWithoutAName(t *testing.T) {
	r := newRecorder()
	r.Record()
	r.press(key("dead_circumflex"))
	if r.shown.Error != "This key cannot be recorded. Type its name instead." || r.shown.CanSet {
		t.Errorf("shown %+v", r.shown)
	}
	r.press(key("a"))
	if r.shown.Error != "" || r.shown.Text != "a" {
		t.Errorf("shown %+v", r.shown)
	}
}

func TestRecording(t *testing.T) {
	r := newRecorder("f5")
	if r.press(key("a")) {
		t.Error("a key was taken before recording")
	}
	r.Record()
	if !r.shown.Recording || r.shown.Text != "f5" {
		t.Errorf("at the start %+v", r.shown)
	}
	r.clock.Pass(10 * pause) // nothing ends it before the first key
	r.Pressed(key("Control_L"))
	first := Press{Code: 2, Keysyms: []string{"k"}, Ctrl: true}
	for range 5 { // held down, it repeats
		r.Pressed(first)
		r.clock.Pass(pause / 2)
	}
	r.Released(2)
	r.press(Press{Code: 3, Keysyms: []string{"Escape"}})
	if got := r.shown; got.Text != "ctrl+k, escape" ||
		!slices.Equal(got.Keys, []string{"ctrl+k", "escape"}) || !got.Recording {
		t.Errorf("two keys: %+v", got)
	}
	r.press(first)
	r.clock.Pass(pause - 1)
	if !r.shown.Recording {
		t.Error("ended before it was time")
	}
	r.clock.Pass(1)
	if r.shown.Recording || r.press(key("a")) || r.Sequence().String() != "ctrl+k escape ctrl+k" {
		t.Errorf("after the pause %+v, %v", r.shown, r.Sequence())
	}
	if got := strings.Join(r.said, ", "); got != "Control K, Escape, Control K" {
		t.Errorf("said %q", got)
	}
	r.Record()
	r.press(key("b"))
	r.Stop()
	r.Stop()
	if r.shown.Text != "b" || r.clock.Waiting() != 0 {
		t.Errorf("stopped: %+v; %d things wait", r.shown, r.clock.Waiting())
	}
	r.Clear()
	if r.shown.Text != "" || r.shown.CanSet || r.shown.Keys != nil {
		t.Errorf("cleared: %+v", r.shown)
	}
}

func TestType(t *testing.T) {
	tests := []struct{ text, keys, fault string }{
		{"control shift k", "ctrl+shift+k", ""},
		{"Ctrl+K , ctrl-s,,", "ctrl+k ctrl+s", ""},
		{"ctrl+,", "ctrl+comma", ""},
		{"ctrl+,, f2", "ctrl+comma f2", ""},
		{"ctrl++, f2", "ctrl+plus f2", ""},
		{"comma", "comma", ""},
		{"", "", ""},
		{" , ", "", ""},
		{"ctrl+", "", "“ctrl+” contains only modifiers"},
		{"ctrl+, f2", "", "“ctrl+” contains only modifiers"},
		{"cntrl+k", "", "“cntrl” is not a modifier. Did you mean “ctrl”?"},
		{"f2, retrun", "f2", "“retrun” is not a key. Did you mean “return”?"},
		{"ctrl+ctrl+k", "", "“ctrl” appears twice"},
	}
	for _, tt := range tests {
		r := newRecorder("x")
		r.Type(tt.text)
		got := r.shown
		if r.Sequence().String() != tt.keys || got.Error != tt.fault ||
			got.CanSet != (tt.fault == "" && tt.keys != "") || got.Text != tt.text {
			t.Errorf("%q: %v, %+v", tt.text, r.Sequence(), got)
		}
	}
}

func TestClash(t *testing.T) {
	r := newRecorder()
	for text, want := range map[string]string{"ctrl+t": "new tab", "ctrl+y": "", "ctrl+t, ctrl+": ""} {
		r.Type(text)
		if r.shown.Clash != want {
			t.Errorf("%q clashes with %q, want %q", text, r.shown.Clash, want)
		}
	}
}

func FuzzType(f *testing.F) {
	f.Add("ctrl+,, f2")
	f.Fuzz(func(t *testing.T, text string) {
		r := newRecorder()
		r.Type(text)
		if r.shown.Error != "" {
			return
		}
		again := newRecorder(r.shown.Keys...)
		if again.Sequence().String() != r.Sequence().String() {
			t.Errorf("%q gives %v, which reads as %v", text, r.Sequence(), again.Sequence())
		}
	})
}

// TestTheKeyThatBeganTheRecording repeats while it is held, and counts only once
// it was let go.
func TestTheKeyThatBeganTheRecording(t *testing.T) {
	r := newRecorder("f5")
	enter := Press{Code: 36, Keysyms: []string{"Return"}}
	if r.Pressed(enter) {
		t.Error("a key was taken before recording")
	}
	r.Record()
	for range 5 {
		if !r.Pressed(enter) {
			t.Error("a repetition presses the button again")
		}
	}
	r.clock.Pass(2 * pause)
	if got := r.shown; got.Text != "f5" || !got.Recording || len(r.said) != 0 {
		t.Errorf("held: %+v, said %q", got, r.said)
	}
	r.press(key("a"))
	r.Pressed(enter)
	r.Released(36)
	r.press(enter)
	if got := r.shown.Text; got != "a, return" {
		t.Errorf("let go: %q", got)
	}
}
