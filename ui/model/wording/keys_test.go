package wording

import (
	"errors"
	"testing"

	"utter/shared/chord"
	"utter/shared/profile"
)

func TestEveryKeyMistakeHasItsOwnWords(t *testing.T) {
	texts := map[string]string{}
	for _, code := range chord.Codes {
		texts[string(code)] = Mistake(&chord.SyntaxError{Input: "input", Code: code, Word: "zyxwv"})
	}
	texts["unknown"] = Mistake(&chord.SyntaxError{Input: "input", Code: "new"})
	distinct(t, "chords", texts)
	_, err := chord.Parse("shfit+x")
	if got := Mistake(err); got != "“shfit” is not a modifier. Did you mean “shift”?" {
		t.Errorf("Chord = %q", got)
	}
	if Mistake(nil) != "" || Mistake(errors.New("other")) != "other" {
		t.Error("what is not a mistake in keys")
	}
	if Mistake(profile.CheckSearchURL("x")) == Mistake(profile.CheckSearchURL("https://x")) {
		t.Error("search addresses")
	}
}

// TestEveryKeyHasAName that can be said, and a cap.
func TestEveryKeyHasAName(t *testing.T) {
	names, caps := map[string]string{}, map[string]string{}
	for _, k := range append(chord.KeyNames(), "ctrl", "shift", "alt", "super", "altgr", "a", "ö") {
		names[k], caps[k] = KeyName(k), Cap(k)
	}
	distinct(t, "keys", names)
	distinct(t, "caps", caps)
	for k, want := range map[string]string{"ctrl+shift+k": "Control Shift K", "altgr+ö": "AltGr Ö",
		"page_up": "Page Up", "kp_home": "Kp Home"} {
		if got := Spoken(k); got != want {
			t.Errorf("Spoken(%q) = %q, want %q", k, got, want)
		}
	}
}
