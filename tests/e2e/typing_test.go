package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestTypeAndPressEnterRunACommand(t *testing.T) {
	s := NewSession(t, Options{})
	s.foot("foot")
	file := s.file("out")
	s.MustRun("type echo hello > " + file)
	if exists(file) {
		t.Error("the line was submitted before enter was pressed")
	}
	s.MustRun("press enter")
	s.checkFile(file, "hello\n", 5*time.Second)
}

// Every character arrives as it was said, as far as a shell's line editor.
func TestTypedCharactersArriveLiterally(t *testing.T) {
	for _, text := range []string{
		"äöü ÄÖÜ ß €", "😀 👩‍👩‍👧 🇩🇪", `it"s "quoted"`, "$HOME ${x} `id` $(id)", `\n \\ \`,
		"ﬁ x² … „so“ – ½",
		"привет Ω שלום", "Two  Spaces, and Capitals.", "please press enter", "a; b && c | d",
	} {
		t.Run(text, func(t *testing.T) {
			s := NewSession(t, Options{})
			s.foot("foot")
			file := s.file("out")
			s.MustRun("type printf %s '" + text + "' > " + file)
			s.MustRun("press enter")
			s.checkFile(file, text, 5*time.Second)
		})
	}
}

// layouts are the keyboards, each with a text that its active group can write
// within 200 keystrokes.
var layouts = []struct {
	name, layouts string
	group         int
	keys          string
}{
	{"us", "us", 0, "The quick fox: $HOME `x` ~ !@#%^&*()_+-=[]{}|;:,.<>/? \"q\" 'a' \\ 0123456789"},
	{"de", "de", 0,
		"Zwölf Boxkämpfer jagen: ÄÖÜ äöüß € @ {[]}\\ ~| #'\" $HOME yz 0123456789 +-*/=?!%&()<>;,._"},
	{"fr", "fr", 0, "Voilà l'été çà où: 1234567890 azerty qwm € @#{[|\\]} & é\"'(-è_çà)= ?./§ % * $HOME"},
	{"us,ru", "us,ru", 1,
		"Съешь ещё этих мягких булок, да выпей чаю. №5 0123456789 ЁЖЪ!"},
}

// rich is text that no keyboard can write.
const rich = "Grüße für 5 €, naïve „Zitate“ x² ﬁ 😀 👩‍👩‍👧 Ω привет $HOME `id` " +
	"\"q\" 'a' \\ # c++."

// ways are the ways of the text ladder, as type_with names them.
var ways = []string{"input-method", "keyboard", "clipboard"}

func forced(way string) string { return fmt.Sprintf("[agent]\ntype_with = %q\n", way) }

// textFor returns what is typed by a way on a layout.
func textFor(way, keys string) string {
	if way == "keyboard" {
		return keys
	}
	return rich
}

// TestEveryWayOnEveryLayout is the typing matrix: what a terminal's program
// reads and what the editor saves is exactly what was said.
func TestEveryWayOnEveryLayout(t *testing.T) {
	targets := map[string]func(*Session, string){"foot": typeIntoFoot, "gnome-text-editor": typeIntoEditor}
	for _, layout := range layouts {
		for _, way := range ways {
			for name, run := range targets {
				t.Run(layout.name+"/"+way+"/"+name, func(t *testing.T) {
					s := NewSession(t, Options{Layouts: layout.layouts, Group: layout.group, Agent: forced(way)})
					run(s, textFor(way, layout.keys))
				})
			}
		}
	}
}

func typeIntoFoot(s *Session, text string) {
	s.t.Helper()
	_, file := s.catTerminal("foot")
	s.typeLine(text, file)
}

// typeLine types a line into a terminal whose program copies lines to file.
func (s *Session) typeLine(text, file string) Answer {
	s.t.Helper()
	a := s.mustType(text)
	checkOneOf(s, "evidence", a.last().Evidence, "delivered", "read_back")
	s.MustRun("press enter")
	s.checkFile(file, text+"\n", 5*time.Second)
	s.MustRun("press control d")
	return a
}

// mustType types by the forced way. An application that a busy machine keeps
// from answering the input method in 60 ms is a truthful refusal: then it is
// said again, and the oracle finds out whether the refusal was true.
func (s *Session) mustType(text string) Answer {
	s.t.Helper()
	for tries := 1; ; tries++ {
		a := s.Run("type " + text)
		switch {
		case a.Exit == exitDone:
			return a
		case a.Data.Outcome != "refused" || tries == 4:
			s.t.Fatalf("type %q: exit status %d: %s", clip(text), a.Exit, a.Stdout)
		}
		s.t.Logf("refused, once more: %s", a.Data.Message)
		time.Sleep(300 * time.Millisecond)
	}
}

func typeIntoEditor(s *Session, text string) {
	s.t.Helper()
	_, file := s.editor()
	a := s.mustType(text)
	checkOneOf(s, "evidence", a.last().Evidence, "delivered", "read_back")
	s.save(file)
	s.checkFile(file, text+"\n", 5*time.Second)
}

// save says what saves the editor's file. A busy editor may pass over the key,
// as seen with the key on its wire: then it is said again.
func (s *Session) save(file string) {
	s.t.Helper()
	for range 3 {
		s.MustRun("press control s")
		if eventually(3*time.Second, func() bool { return exists(file) }) {
			return
		}
		s.t.Log("the editor did not save; once more")
	}
	s.t.Errorf("%s was not saved", base(file))
}

// TestEveryWayIntoKitty is the matrix for a second terminal.
func TestEveryWayIntoKitty(t *testing.T) {
	needPrograms(t, "kitty")
	for _, layout := range layouts[:2] {
		for _, way := range ways {
			t.Run(layout.name+"/"+way, func(t *testing.T) {
				s := NewSession(t, Options{Layouts: layout.layouts, Group: layout.group, Agent: forced(way)})
				s.typeLine(textFor(way, layout.keys), s.kitty())
			})
		}
	}
}

// kitty opens a kitty whose typed lines go into the file that it returns.
func (s *Session) kitty() (file string) {
	s.t.Helper()
	file = s.file("kitty-typed")
	s.start("kitty", "kitty", "--config", "NONE", "sh", "-c", `exec cat >"$0"`, file)
	w := s.awaitWindow("kitty", 30*time.Second, func(w Window) bool { return w.AppID == "kitty" })
	s.await("the program in kitty", 10*time.Second, func() bool { return exists(file) })
	s.await("focus on kitty", 3*time.Second, func() bool { return s.focused().ID == w.ID })
	settle(w.PID)
	return file
}

// TestEveryWayIntoBrowserFields is the matrix for the fields of a page, a
// password field among them. What was typed there is not read back.
func TestEveryWayIntoBrowserFields(t *testing.T) {
	browsers := map[string]func(*Session, string, string) Window{
		"Firefox": (*Session).firefox, "Chromium": (*Session).chromium,
	}
	passwords := map[string]string{"us": "Pa$$w0rd! it's", "de": "Pässwört9 €!"}
	for name, open := range browsers {
		for _, layout := range layouts[:2] {
			for _, way := range ways {
				t.Run(name+"/"+layout.name+"/"+way, func(t *testing.T) {
					s := NewSession(t, Options{Layouts: layout.layouts, Group: layout.group, Agent: forced(way)})
					w := newWeb(s)
					open(s, w.url("/form"), "A form")
					s.focusField(w, "text")
					s.mustType(textFor(way, layout.keys))
					s.checkField(w, "text", textFor(way, layout.keys), 10*time.Second)

					s.focusField(w, "password")
					a := s.mustType(passwords[layout.name])
					s.checkField(w, "password", passwords[layout.name], 10*time.Second)
					if a.last().Evidence == "read_back" {
						t.Error("the password was read back")
					}
				})
			}
		}
	}
}

// A way that is forced is the way that is used, as the program in the terminal
// sees: keys come as escape codes, pastes in brackets, other text as it is.
func TestTheForcedWayIsUsed(t *testing.T) {
	for way, fits := range map[string]func(string) bool{
		"input-method": func(got string) bool { return got == "hello" },
		"keyboard": func(got string) bool {
			return strings.Contains(got, "\x1b[104u") && strings.Contains(got, "\x1b[111u")
		},
		"clipboard": func(got string) bool { return strings.Contains(got, "\x1b[200~hello\x1b[201~") },
	} {
		t.Run(way, func(t *testing.T) {
			s := NewSession(t, Options{Agent: forced(way)})
			_, file := s.bytesTerminal(8 | 1)
			s.MustRun("type hello")
			if !eventually(3*time.Second, func() bool { return fits(contents(file)) }) {
				t.Errorf("the program got %q", contents(file))
			}
		})
	}
}

// Once another tool has typed, the seat's keymap is that tool's or none. What is
// pressed and typed by keys then arrives as before, whether or not the agent
// pressed a key before.
func TestKeysAfterAnotherToolTyped(t *testing.T) {
	needPrograms(t, "wtype")
	for name, before := range map[string]string{"the agent is fresh": "", "the agent pressed before": "x\n"} {
		t.Run(name, func(t *testing.T) {
			s := NewSession(t, Options{Agent: forced("keyboard")})
			if s.desktop.name() == "niri" {
				t.Skip("wtype types other keys on niri")
			}
			_, file := s.catTerminal("foot")
			if before != "" {
				s.MustRun("press x")
				s.MustRun("press enter")
			}
			for range 2 {
				if out, err := s.command("wtype", "-k", "Return").CombinedOutput(); err != nil {
					t.Fatalf("wtype: %v: %s", err, out)
				}
				s.MustRun("press enter")
				s.mustType("Hello there")
				s.MustRun("press enter")
			}
			s.checkFile(file, before+strings.Repeat("\n\nHello there\n", 2), 5*time.Second)
		})
	}
}
