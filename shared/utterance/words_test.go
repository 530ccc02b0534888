package utterance

import (
	"strings"
	"testing"
)

func TestArticles(t *testing.T) {
	l := english(t)
	for in, want := range map[string]string{
		"the pod bay doors": "pod bay doors", "my the a terminal": "terminal", "the": "the",
		"a the": "the", "theatre": "theatre",
		"an app": "app", "app the": "app the", "": "",
	} {
		if got := l.TrimArticles(in); got != want {
			t.Errorf("TrimArticles(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]bool{"the": true, "my": true, "": false, "the app": false, "them": false} {
		if l.IsArticle(in) != want {
			t.Errorf("IsArticle(%q) = %v", in, !want)
		}
	}
}

// TestStrippingNeverLeavesNothing: words that are all openers and closers stay as
// they are, so that they can still be the name of something.
func TestStrippingNeverLeavesNothing(t *testing.T) {
	l := english(t)
	for _, in := range []string{"please", "um", "hey utter", "could you please", "now", "for me", "thank you",
		"so ok well", "just now", "please please"} {
		if u := l.New(in); u.Text == "" || u.Raw == "" {
			t.Errorf("New(%q): text %q, raw %q", in, u.Text, u.Raw)
		}
	}
	for in, want := range map[string]string{
		"utterly open youtube": "utterly open youtube", "someone please": "someone", "open now": "open",
		"okay go": "go", "nowhere": "nowhere",
	} {
		if got := l.New(in).Text; got != want {
			t.Errorf("New(%q).Text = %q, want %q", in, got, want)
		}
	}
}

func TestFullKeepsEverythingThatWasSaid(t *testing.T) {
	u := english(t).New("Um, please open Right Now!, please")
	if u.Text != "open" || u.Full != "um please open right now please" || u.Raw != "open Right Now!, please" {
		t.Errorf("text %q, full %q, raw %q", u.Text, u.Full, u.Raw)
	}
}

// TestKeyIsTheSameForWhatLooksTheSame: names in files and what recognisers write
// meet in one form.
func TestKeyIsTheSameForWhatLooksTheSame(t *testing.T) {
	for _, same := range [][]string{
		{"Full-Screen", "full screen", "FULL  SCREEN", "full\u2011screen", "ｆｕｌｌ ｓｃｒｅｅｎ",
			"\ufefffull\u200b screen."},
		{"don't", "don’t", "DON‘T"},
		{"café", "cafe\u0301", "CAFÉ"},
		{"play/pause", "Play/Pause."},
		{"ﬁles", "files", "FILES…"},
		{"a-1", "A-1"}, // hyphens beside digits stay
	} {
		for _, s := range same[1:] {
			if Key(s) != Key(same[0]) || Key(s) == "" {
				t.Errorf("Key(%q) = %q, Key(%q) = %q", s, Key(s), same[0], Key(same[0]))
			}
		}
	}
	for _, different := range [][2]string{{"c", "c++"}, {"a.b", "a b"}, {"1", "-1"}, {"x-y.z", "x y.z"}, {"50", "50%"}} {
		if Key(different[0]) == Key(different[1]) {
			t.Errorf("%q and %q are both %q", different[0], different[1], Key(different[0]))
		}
	}
}

func TestWordsAreBounded(t *testing.T) {
	u := english(t).New("type " + strings.Repeat("word ", 100_000))
	if len(u.Words) > maxWords || len(u.Rest(1)) < 400_000 {
		t.Errorf("%d words, a rest of %d bytes", len(u.Words), len(u.Rest(1)))
	}
}
