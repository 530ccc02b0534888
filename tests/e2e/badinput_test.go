package e2e

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// Words that mean nothing get a clear answer, quickly, and nothing happens.
func TestMeaninglessUtterancesAreAnsweredClearly(t *testing.T) {
	s := NewSession(t, Options{})
	s.startAgent()
	bystander, file := s.catTerminal("foot")
	for name, utterance := range map[string]string{
		"empty":               "",
		"blanks":              " \t\n ",
		"ten kilobytes":       strings.Repeat("lorem ipsum ", 10_000/12),
		"one long word":       strings.Repeat("x", 10_000),
		"binary":              "\x01\x02\xff\xfe\x80open\xc3(",
		"escape sequences":    "\x1b[31mred\x1b]0;title\x07",
		"right to left":       "שלום עולם مرحبا بالعالم",
		"direction overrides": "\u202eopen\u202c \u2066\u2069",
		"emoji only":          "😀👩‍👩‍👧🇩🇪",
		"punctuation only":    "?!… . ,",
		"a surrogate":         "\xed\xa0\x80",
		"format verbs":        "%s%n%d {q} ${HOME}",
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			a := s.cli("run", "--json", utterance)
			checkOneOf(s, "exit status", a.Exit, exitUsage, exitRefused, exitNoSuch)
			if a.Data.Outcome == "completed" {
				t.Errorf("completed: %s", clip(a.Stdout))
			}
			if a.Took > 2*time.Second {
				t.Errorf("the answer took %v", a.Took)
			}
			if a.Error != nil && len(a.Error.Message) > 1000 {
				t.Errorf("a message of %d bytes", len(a.Error.Message))
			}
			s.checkPing()
		})
	}
	s.checkWindows([]Window{bystander})
	if got := contents(file); got != "" {
		t.Errorf("the terminal got %q", got)
	}
}

// The same over the bus, where the utterance is at least UTF-8.
func TestMeaninglessUtterancesOverTheBus(t *testing.T) {
	s := NewSession(t, Options{})
	for _, utterance := range []string{"", strings.Repeat("a ", 5_000), "שלום", "😀", "\x01\x7f"} {
		for _, method := range []string{"Run", "Plan"} {
			call := s.Bus(method, utterance)
			if e := (dbus.Error{}); errors.As(call.Err, &e) && !strings.HasPrefix(e.Name, "org.utter.Agent.Error.") {
				t.Errorf("%s %q: %s: %v", method, clip(utterance), e.Name, e)
			}
			if method == "Run" && call.Err == nil && call.Body[0] == "completed" {
				t.Errorf("Run %q completed", clip(utterance))
			}
			if method == "Plan" && call.Err == nil && found(call.Body) {
				t.Errorf("Plan %q found %v", clip(utterance), call.Body)
			}
		}
		s.checkPing()
	}
}

// Strange text that is to be typed is typed.
func TestStrangeTextIsTyped(t *testing.T) {
	for _, text := range []string{"שלום עולם", "😀", "\u202etxt\u202c",
		strings.Repeat("lorem ipsum ", 300) + "end"} {
		t.Run(clip(text), func(t *testing.T) {
			s := NewSession(t, Options{})
			_, file := s.catTerminal("foot")
			s.typeLine(text, file)
		})
	}
}

// broken are files that are wrong in many ways. The agent must say so and go on.
var broken = map[string]string{
	"c/utter/profiles/a-syntax.yaml": "id: [unclosed\nname: x",
	"c/utter/profiles/b-type.yaml":   "id: badtype\nname: Bad\nshortcuts: 7\n",
	"c/utter/profiles/c-chord.yaml":  "id: badchord\nname: Bad Chord\nshortcuts:\n  new_tab: hyper+hyper+nothing\n",
	"c/utter/profiles/d-search.yaml": "id: badsearch\nname: Bad Search\nsearch_url: https://example.org/\n",
	"c/utter/profiles/e-binary.yaml": "\x00\x01\xff\xfe",
	"c/utter/profiles/f-bomb.yaml": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n" +
		"c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d]\n" +
		"f: [*e,*e,*e,*e,*e,*e,*e,*e]\n",
	"d/applications/broken-1.desktop":   "no group\n[Desktop Entry\nType=",
	"d/applications/broken-2.desktop":   "[Desktop Entry]\nType=Application\nName=Broken Two\nExec=\"unterminated\n",
	"d/applications/broken-3.desktop":   "[Desktop Entry]\nType=Application\nExec=true\n",
	"d/applications/broken-4.desktop":   "\xff\xfe[\x00D\x00",
	"d/applications/broken-5.desktop":   "[Desktop Entry]\nType=Application\nName=Broken Five\nExec=%%%q %\n",
	"d/applications/sub/broken.desktop": "[Desktop Entry]\nName[=\n",
}

func TestBrokenFilesDoNotStopTheRest(t *testing.T) {
	s := NewSession(t, Options{})
	for name, text := range broken {
		s.write(name, text)
	}
	s.folder("c/utter/profiles/g-folder.yaml")
	s.startAgent()
	problems := s.problems()
	for name := range broken {
		if strings.HasPrefix(name, "c/utter/profiles") && !strings.Contains(problems, base(name)) {
			t.Errorf("no problem tells of %s: %s", base(name), problems)
		}
	}
	s.MustRun("open the terminal")
	s.MustRun("workspace 2")
}

// A broken configuration is a problem, not the end.
func TestABrokenConfigurationIsAProblem(t *testing.T) {
	for name, text := range map[string]string{
		"syntax":       "[agent\n",
		"unknown key":  "[agent]\ntype_wiht = \"auto\"\n",
		"wrong type":   "[agent]\ntype_with = 7\n",
		"unknown word": "[agent]\ntype_with = \"telepathy\"\n",
		"binary":       "\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSession(t, Options{Agent: text})
			s.startAgent()
			if problems := s.problems(); !strings.Contains(problems, "config.toml") {
				t.Errorf("no problem tells of config.toml: %s", problems)
			}
			s.MustRun("open the terminal")
		})
	}
}
