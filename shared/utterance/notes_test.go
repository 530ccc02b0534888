package utterance

import "testing"

func TestNotesOfRecognisersAreNotWords(t *testing.T) {
	l, err := Read("languages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range []string{"[BLANK_AUDIO]", "(music)", "*coughs loudly*", "♪ la la ♪", "[ Silence ]."} {
		for _, said := range []string{"open firefox " + note, note + " open firefox", note + " " + note + " open firefox, " + note} {
			if u := l.New(said); u.Text != "open firefox" || u.Full != "open firefox" {
				t.Errorf("%q is %q, full %q", said, u.Text, u.Full)
			}
		}
		if u := l.New("type hello " + note); u.Rest(1) != "hello "+note {
			t.Errorf("text behind %q: %q", note, u.Rest(1))
		}
	}
	for said, want := range map[string]string{
		"[x]": "[x]", "a * b * c": "a * b * c", "zoom 2*3*": "zoom 2*3*", "note (": "note", "[unclosed open": "[unclosed open", "x > y": "x > y",
	} {
		if got := l.New(said).Text; got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

func TestLooseForms(t *testing.T) {
	for said, want := range map[string]string{
		"Fire Fox": "firefox", "Touché": "touche", "Straßenkarte": "strassenkarte", "7-Zip": "7zip", "Half-Life 2": "halflife2",
		"Notepad++": "notepad++", "C#": "c#", "Øresund": "oresund", "fire\u200bfox": "firefox", "fire\u061cfox": "firefox", "ΟΔΟΣ": "οδοσ",
	} {
		if got := Loose(Key(said)); got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}
