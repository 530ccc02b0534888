package chord

import (
	"slices"
	"strings"
	"testing"
)

// parseTests are what people write for keys, and how that is written at last.
var parseTests = []struct {
	in   string
	want string // canonical form, or "" if in must be refused
}{
	{"ctrl+t", "ctrl+t"},
	{"Shift+CTRL+T", "ctrl+shift+t"},
	{"Ctrl-Shift-T", "ctrl+shift+t"},
	{"<Primary><Shift>t", "ctrl+shift+t"},
	{"<Primary>t", "ctrl+t"},
	{"control shift t", "ctrl+shift+t"},
	{"ctrl + shift + t", "ctrl+shift+t"},
	{"cmd+t", "super+t"},
	{"ctrl++", "ctrl+plus"},
	{"ctrl+-", "ctrl+minus"},
	{"ctrl--", "ctrl+minus"},
	{"ctrl +", "ctrl+plus"},
	{"ctrl+plus", "ctrl+plus"},
	{"ctrl+slash", "ctrl+slash"},
	{"ctrl+/", "ctrl+slash"},
	{"<Ctrl><", "ctrl+less"},
	{"super+1", "super+1"},
	{"alt+Left", "alt+left"},
	{"Return", "return"},
	{"Enter", "return"},
	{"page up", "page_up"},
	{"Page-Down", "page_down"},
	{"ctrl+Page_Up", "ctrl+page_up"},
	{"ctrl+page up", "ctrl+page_up"},
	{"F5", "f5"},
	{"f24", "f24"},
	{"ctrl+ä", "ctrl+ä"},
	{"ctrl+Ю", "ctrl+ю"},
	{"super", "super_l"},
	{"ctrl+grave", "ctrl+grave"},
	{"altgr+e", "altgr+e"},
	{"XF86AudioPlay", "xf86audioplay"},
	{"+", "plus"},
	{"-", "minus"},
	{"", ""},
	{"ctrl+", ""},
	{"ctrl+shift", ""},
	{"ctrl+ctrl+t", ""},
	{"hyper+t", ""},
	{"f25", ""},
	{"ctrl+\x01", ""},
	{"ctrl+\xff", ""},
	{strings.Repeat("a", 1000), ""},
}

func TestParse(t *testing.T) {
	for _, tt := range parseTests {
		c, err := Parse(tt.in)
		if tt.want == "" {
			if err == nil {
				t.Errorf("Parse(%q) = %v, want an error", tt.in, c)
			}
			continue
		}
		if err != nil || c.String() != tt.want {
			t.Errorf("Parse(%q) = %v, %v; want %s", tt.in, c, err, tt.want)
		}
	}
}

func TestParseNamesTheNearestKey(t *testing.T) {
	tests := []struct{ in, want string }{
		{"ctrl+retrun", `did you mean "return"?`},
		{"crtl+t", `"crtl" is not a modifier; did you mean "ctrl"?`},
		{"ctrl+", `"ctrl+" contains only modifiers`},
	}
	for _, tt := range tests {
		if _, err := Parse(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q) = %v, want %q in it", tt.in, err, tt.want)
		}
	}
}

// TestErrorsHaveACodeAndWhatItNeeds: a message in another language is made of
// them.
func TestErrorsHaveACodeAndWhatItNeeds(t *testing.T) {
	seen := map[Code]bool{}
	for in, want := range map[string]string{
		strings.Repeat("a", 101): "not_text",
		"ctrl+\xff":              "not_text",
		" ":                      "empty",
		"crtl+t":                 "unknown_modifier crtl ctrl",
		"hypermost+t":            "unknown_modifier hypermost",
		"ctrl+control+t":         "repeated_modifier control",
		"ctrl+shift":             "no_key",
		"ctrl+":                  "no_key",
		"ctrl+\x01":              "unprintable_key \x01",
		"ctrl+retrun":            "unknown_key retrun return",
		"page  wup":              "unknown_key page  wup page_up",
		"nonsense":               "unknown_key nonsense",
	} {
		_, err := Parse(in)
		e, ok := err.(*SyntaxError)
		if !ok || e.Input != in {
			t.Errorf("Parse(%q): %#v", in, err)
			continue
		}
		if got := strings.Join(append([]string{string(e.Code)}, e.Args()...), " "); got != want {
			t.Errorf("Parse(%q) is %q, want %q", in, got, want)
		}
		seen[e.Code] = true
	}
	for i, c := range Codes {
		if !seen[c] || slices.Contains(Codes[:i], c) {
			t.Errorf("%q stands twice or is never used", c)
		}
	}
	if len(seen) != len(Codes) {
		t.Errorf("codes seen: %v, listed: %v", seen, Codes)
	}
}

func TestKeysym(t *testing.T) {
	for in, want := range map[string]string{
		"enter": "Return", "ctrl+page up": "Page_Up", "ctrl++": "plus", "T": "t", "f5": "F5", "ä": "ä",
	} {
		if c, err := Parse(in); err != nil || c.Keysym() != want {
			t.Errorf("Parse(%q).Keysym() = %q, %v; want %q", in, c.Keysym(), err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"ctrl+shift+t", "<Primary><Shift>t", "ctrl--", "page up", "ctrl+İ", "<a>b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Parse(s)
		if err != nil {
			return
		}
		if again, err := Parse(c.String()); err != nil || again != c {
			t.Errorf("Parse(%q) = %v, but Parse(%q) = %v, %v", s, c, c.String(), again, err)
		}
	})
}
