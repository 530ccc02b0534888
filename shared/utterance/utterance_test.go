package utterance

import (
	"strings"
	"testing"
)

func english(t testing.TB) *Language {
	t.Helper()
	l, err := Read("languages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestText(t *testing.T) {
	l := english(t)
	tests := []struct{ in, want string }{
		{"  Open   YouTube! ", "open youtube"},
		{"open youtube !", "open youtube"},
		{"um, next track", "next track"},
		{"Hey Utter, could you please open youtube for me, please?", "open youtube"},
		{"utter, workspace three", "workspace three"},
		{"I'd like you to close the window right now", "close the window"},
		{"full-screen", "full screen"},
		{"open my-site.example.com/a-b", "open my-site.example.com/a-b"},
		{"press ctrl-shift-t", "press ctrl shift t"},
		{"OPEN “Files”", "open files"},
		{"open ｙｏｕｔｕｂｅ", "open youtube"},
		{"open you\u200btube", "open youtube"},
		{"cafe\u0301", "café"},
		{"Upstairs, hallway", "upstairs hallway"},
		{"search c++", "search c++"},
		{"please", "please"},
		{"ok", "ok"},
		{"", ""},
		{"?!", ""},
		{"🙂", "🙂"},
		{"افتح يوتيوب", "افتح يوتيوب"},
		{strings.Repeat("x", 10_000), ""},
	}
	for _, tt := range tests {
		if got := l.New(tt.in).Text; got != tt.want {
			t.Errorf("New(%q).Text = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestRestKeepsTheUsersOwnText(t *testing.T) {
	l := english(t)
	tests := []struct{ in, verb, want string }{
		{"please type  Hello, World - ﬁn!  thanks", "type", "Hello, World - ﬁn!  thanks"},
		{"type a\nb", "type", "a\nb"},
		{"Type", "type", ""},
		{"um Type, please wait", "type", "please wait"},
	}
	for _, tt := range tests {
		u := l.New(tt.in)
		if len(u.Words) == 0 || u.Words[0].Text != tt.verb || u.Rest(1) != tt.want {
			t.Errorf("New(%q): words %v, rest %q; want %q", tt.in, u.Words, u.Rest(1), tt.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	l := english(t)
	for in, want := range map[string]int{
		"3": 3, "three": 3, "twenty one": 21, "one hundred": 100, "two hundred five": 205, "ninety nine": 99, "to": 2, "0": 0,
	} {
		if n, ok := l.Number(in); !ok || n != want {
			t.Errorf("Number(%q) = %d, %v; want %d", in, n, ok, want)
		}
	}
	for _, in := range []string{"", "three four", "-1", "many", "twenty twenty"} {
		if n, ok := l.Number(in); ok {
			t.Errorf("Number(%q) = %d, want none", in, n)
		}
	}
	for in, want := range map[string]int{"third": 3, "3rd": 3, "21st": 21} {
		if n, ok := l.Ordinal(in); !ok || n != want {
			t.Errorf("Ordinal(%q) = %d, %v; want %d", in, n, ok, want)
		}
	}
	if n, ok := l.Ordinal("north"); ok {
		t.Errorf("Ordinal(north) = %d", n)
	}
}

func FuzzNew(f *testing.F) {
	for _, s := range []string{"please open youtube", "type a\nb", "\xff\xfe", "שלום", "um um um", "- -a-b-"} {
		f.Add(s)
	}
	l := english(f)
	f.Fuzz(func(t *testing.T, s string) {
		u := l.New(s)
		if !strings.HasSuffix(strings.TrimSpace(s), u.Raw) {
			t.Errorf("Raw %q is not an end of %q", u.Raw, s)
		}
		for n := range u.Words {
			if !strings.HasSuffix(u.Raw, u.Rest(n+1)) {
				t.Errorf("Rest(%d) of %q is not an end of it", n+1, u.Raw)
			}
		}
		if k := Key(u.Full); k != u.Full {
			t.Errorf("Key is not stable: %q -> %q -> %q", s, u.Full, k)
		}
	})
}
