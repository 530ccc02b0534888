package e2e

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the keys of the active layout cannot write is refused by the keyboard
// way, and nothing of it is typed.
func TestTheKeyboardWayRefusesWhatTheLayoutLacks(t *testing.T) {
	for _, tt := range []struct {
		name, layouts string
		group         int
		text          string
	}{
		{"Cyrillic on us", "us", 0, "abc привет"},
		{"an emoji on de", "de", 0, "schön 😀"},
		{"Latin on ru", "us,ru", 1, "hello"},
		{"Cyrillic on us of us,ru", "us,ru", 0, "привет"},
		{"more than 200 keystrokes", "us", 0, strings.Repeat("abcde ", 40) + "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSession(t, Options{Layouts: tt.layouts, Group: tt.group, Agent: forced("keyboard")})
			_, file := s.catTerminal("foot")
			a := s.Run("type " + tt.text)
			if a.Data.Outcome != "refused" {
				t.Errorf("exit status %d: %s", a.Exit, a.Stdout)
			}
			checkOneOf(s, "exit status", a.Exit, exitRefused, exitMissing)
			s.MustRun("press enter")
			s.checkFile(file, "\n", 3*time.Second)
		})
	}
}

// Without an option the ladder finds a way for everything.
func TestTheLadderFindsAWay(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.name, func(t *testing.T) {
			s := NewSession(t, Options{Layouts: layout.layouts, Group: layout.group})
			_, file := s.catTerminal("foot")
			s.typeLine(rich+" "+layout.keys, file)
		})
	}
}

// An application that has been stopped cannot show that it got the text: the
// answer comes in time, claims nothing, and the application lives on.
func TestTypingIntoAStoppedApplication(t *testing.T) {
	for _, way := range append([]string{"auto"}, ways...) {
		t.Run(way, func(t *testing.T) {
			s := NewSession(t, Options{Agent: forced(way)})
			w, file := s.catTerminal("foot")
			s.startAgent()
			syscall.Kill(w.PID, syscall.SIGSTOP)
			a := s.Run("type hello there")
			if a.Data.Outcome == "completed" {
				t.Errorf("a stopped terminal, and the answer is %s", a.Stdout)
			}
			if a.Took > 15*time.Second {
				t.Errorf("the answer took %v", a.Took)
			}
			syscall.Kill(w.PID, syscall.SIGCONT)
			if !stays(time.Second, func() bool { return alive(w.PID) && s.window(w.ID).ID != 0 }) {
				t.Fatal("the terminal did not live through it")
			}
			s.MustRun("press enter")
			s.await("the line", 5*time.Second, func() bool { return strings.HasSuffix(contents(file), "\n") })
			got := contents(file)
			if a.Data.Outcome != "unknown" && got != "\n" {
				t.Errorf("outcome %s, and the terminal got %q", a.Data.Outcome, got)
			}
			if got != "\n" && got != "hello there\n" {
				t.Errorf("the terminal got %q", got)
			}
		})
	}
}

// lines is a text of n characters in lines that a terminal takes.
func lines(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < 4*n; i++ {
		fmt.Fprintf(&b, "%05d Zwölf Boxkämpfer, 5 € und 😀; привет, $HOME und \"mehr\" in einer Zeile\n", i)
	}
	text := []rune(b.String())[:n]
	text[n-2], text[n-1] = '.', '\n'
	return string(text)
}

func TestTwentyThousandCharactersArriveExactly(t *testing.T) {
	text := lines(20_000)
	said := strings.TrimSuffix(text, "\n") // white space at the end is not said
	for _, way := range []string{"auto", "input-method", "clipboard"} {
		t.Run(way+"/foot", func(t *testing.T) {
			s := NewSession(t, Options{Agent: forced(way)})
			_, file := s.catTerminal("foot")
			a := s.MustRun("type " + said)
			s.MustRun("press enter")
			s.checkFile(file, text, 20*time.Second)
			if a.Took > 20*time.Second {
				t.Errorf("the answer took %v", a.Took)
			}
		})
		t.Run(way+"/gnome-text-editor", func(t *testing.T) {
			s := NewSession(t, Options{Agent: forced(way)})
			_, file := s.editor()
			s.MustRun("type " + said)
			s.save(file)
			s.checkFile(file, text, 20*time.Second)
		})
	}
}

// One text right after the other: none of them gets lost while the terminal is
// still busy with the one before.
func TestManyTextsInARowAllArrive(t *testing.T) {
	for _, way := range append([]string{"auto"}, ways...) {
		t.Run(way, func(t *testing.T) {
			s := NewSession(t, Options{Agent: forced(way)})
			_, file := s.catTerminal("foot")
			want := ""
			for n := range 40 {
				line := fmt.Sprintf("line %d of many", n)
				want += line + "\n"
				s.mustType(line)
				s.MustRun("press enter")
			}
			s.checkFile(file, want, 5*time.Second)
		})
	}
}

// Typing by the clipboard gives back what was on it, byte for byte.
func TestTheClipboardIsGivenBack(t *testing.T) {
	needPrograms(t, "wl-copy", "wl-paste")
	picture := make([]byte, 1<<20)
	rand.Read(picture)
	for _, tt := range []struct {
		name, mime string
		data       []byte
	}{
		{"text", "text/plain;charset=utf-8", []byte("precious ü\n\n")},
		{"a picture", "image/png", picture},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSession(t, Options{Agent: forced("clipboard")})
			s.write("precious", string(tt.data))
			copying := s.command("wl-copy", "--foreground", "--type", tt.mime)
			in, err := os.Open(s.file("precious"))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			copying.Stdin = in
			if err := copying.Start(); err != nil {
				t.Fatal(err)
			}
			go copying.Wait()
			pasted := func() []byte {
				out, _ := s.command("wl-paste", "--no-newline", "--type", tt.mime).Output()
				return out
			}
			s.await("the copied data", 5*time.Second, func() bool { return bytes.Equal(pasted(), tt.data) })
			_, file := s.catTerminal("foot")
			a := s.typeLine(rich, file)
			if got := pasted(); !bytes.Equal(got, tt.data) {
				t.Errorf("the clipboard has %d other bytes, had %d: %q; the answer was %s", len(got), len(tt.data),
					clip(string(got)), a.Stdout)
			}
		})
	}
}

// A window that is gone or loses the focus before typing gets nothing, and
// neither does the one in its place when the text was meant for an app.
func TestTypingForAnAppThatIsNotThereIsRefused(t *testing.T) {
	s := NewSession(t, Options{})
	_, file := s.catTerminal("bystander")
	a := s.Run("foot type hello")
	if a.Data.Outcome == "completed" {
		t.Errorf("no such window, and the answer is %s", a.Stdout)
	}
	s.MustRun("press enter")
	s.checkFile(file, "\n", 3*time.Second)
}

// Without a window there is nothing to type into.
func TestTypingOnAnEmptyDesktopIsRefused(t *testing.T) {
	s := NewSession(t, Options{})
	for _, utterance := range []string{"type hello", "press enter"} {
		a := s.Run(utterance)
		if a.Data.Outcome != "refused" {
			t.Errorf("%s: outcome %s: %s", utterance, a.Data.Outcome, a.Stdout)
		}
	}
}

// A chord is the same for the program whatever layout is active, the ones
// without Latin letters too.
func TestChordsReachTheProgramOnEveryLayout(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.name, func(t *testing.T) {
			s := NewSession(t, Options{Layouts: layout.layouts, Group: layout.group})
			_, file := s.bytesTerminal(0)
			s.MustRun("press control c")
			s.MustRun("press control z")
			s.MustRun("press escape")
			s.MustRun("press tab")
			s.checkFile(file, "\x03\x1a\x1b\t", 5*time.Second)
		})
	}
}

// Digits and signs sit on other levels of other layouts.
func TestSignsInChordsTakeTheLevelTheyNeed(t *testing.T) {
	for _, layout := range layouts[:3] {
		t.Run(layout.name, func(t *testing.T) {
			s := NewSession(t, Options{Layouts: layout.layouts, Group: layout.group})
			_, file := s.bytesTerminal(0)
			s.MustRun("press alt 1")
			s.MustRun("press alt slash")
			s.checkFile(file, "\x1b1\x1b/", 5*time.Second)
		})
	}
}
