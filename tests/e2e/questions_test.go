package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// twins installs two applications of one name. Each writes a file of its own
// when it is launched.
func (s *Session) twins() (first, second string) {
	s.t.Helper()
	first, second = s.file("first-ran"), s.file("second-ran")
	s.desktopFile("e2e-twin-a", "Twin", "touch "+first)
	s.desktopFile("e2e-twin-b", "Twin", "touch "+second)
	return first, second
}

// token returns the token of an answer that asks something.
func (a Answer) token(t *testing.T, reason string, choices int) string {
	t.Helper()
	var asked struct {
		Data struct {
			Steps []struct {
				Token   string
				Expires uint32
				Choices []struct{ Label, Origin string }
			}
		}
	}
	decode(t, a.Stdout, &asked)
	if a.Exit != exitRefused || a.reason() != reason || len(asked.Data.Steps) == 0 {
		t.Fatalf("exit status %d, want %d for %s: %s", a.Exit, exitRefused, reason, a.Stdout)
	}
	last := asked.Data.Steps[len(asked.Data.Steps)-1]
	if last.Token == "" || last.Expires == 0 || len(last.Choices) != choices {
		t.Errorf("asked with %+v, want a token, its time and %d choices", last, choices)
	}
	for _, c := range last.Choices {
		if c.Label == "" || c.Origin == "" {
			t.Errorf("choice %+v does not say what it is or where it comes from", c)
		}
	}
	return last.Token
}

// A name that fits two applications equally is never guessed: it is a choice,
// which an index or an utterance answers.
func TestAmbiguousNamesAreAChoice(t *testing.T) {
	t.Run("answered by index", func(t *testing.T) {
		s := NewSession(t, Options{})
		first, second := s.twins()
		token := s.Run("open twin").token(t, "ambiguous", 2)
		if !stays(500*time.Millisecond, func() bool { return !exists(first) && !exists(second) }) {
			t.Error("one was launched before the choice")
		}
		call := s.conn.Object("org.utter.Agent", "/org/utter/Agent").Go("org.utter.Agent.Choose", 0, nil, token, uint32(1))
		s.await("one of them", 5*time.Second, func() bool { return exists(first) || exists(second) })
		s.Bus("Cancel")
		<-call.Done
		if err := s.Bus("Choose", token, uint32(0)).Err; err == nil {
			t.Error("the token works twice")
		}
		if exists(first) && exists(second) {
			t.Error("both were launched")
		}
	})
	t.Run("answered by an ordinal", func(t *testing.T) {
		s := NewSession(t, Options{})
		first, second := s.twins()
		s.Run("open twin").token(t, "ambiguous", 2)
		s.runUntil("the second", func() bool { return exists(first) || exists(second) })
		if exists(first) {
			t.Error("the other one was launched")
		}
	})
	t.Run("dropped by other words", func(t *testing.T) {
		s := NewSession(t, Options{})
		first, second := s.twins()
		s.foot("bystander")
		token := s.Run("open twin").token(t, "ambiguous", 2)
		s.MustRun("workspace 2")
		if err := s.Bus("Choose", token, uint32(0)).Err; err == nil {
			t.Error("the choice was still open")
		}
		if exists(first) || exists(second) {
			t.Error("one was launched")
		}
	})
}

// What the policy wants confirmed is done after yes, not after no, and once.
func TestConfirmationIsAskedForAndHolds(t *testing.T) {
	policy := "[policy]\nconfirm_ops = [\"close_app\"]\n"
	for _, answer := range []string{"yes", "no"} {
		t.Run(answer, func(t *testing.T) {
			s := NewSession(t, Options{Agent: policy})
			target := s.foot("foot")
			bystander := s.foot("bystander")
			token := s.Run("close foot").token(t, "needs_confirmation", 0)
			s.checkWindows([]Window{target, bystander})
			a := s.cli("confirm", "--json", token, answer)
			if (a.Exit == exitDone) != (answer == "yes") {
				t.Errorf("confirm %s: exit status %d: %s", answer, a.Exit, a.Stdout)
			}
			want := []Window{target, bystander}
			if answer == "yes" {
				want = []Window{bystander}
			}
			s.checkWindows(want)
			if a := s.cli("confirm", "--json", token, "yes"); a.Exit == exitDone {
				t.Errorf("the token works twice: %s", a.Stdout)
			}
			s.checkWindows(want)
		})
	}
}

// One plan runs, eight wait, and the next is refused. Cancel empties the queue.
func TestTheQueueIsBounded(t *testing.T) {
	s := NewSession(t, Options{})
	s.sleeper()
	s.startAgent()
	running := s.runAside("open sleeper")
	s.awaitRunning()
	object := s.conn.Object("org.utter.Agent", "/org/utter/Agent")
	var waiting []*dbus.Call
	for n := range 8 {
		waiting = append(waiting, object.Go("org.utter.Agent.Run", 0, nil, fmt.Sprintf("workspace %d", n+2)))
	}
	time.Sleep(300 * time.Millisecond)
	if a := s.Run("workspace 9"); a.Exit != exitRefused || a.reason() != "busy" {
		t.Errorf("the tenth: exit status %d, reason %q", a.Exit, a.reason())
	}
	s.checkPing()
	var cancelled uint32
	if err := s.Bus("Cancel").Store(&cancelled); err != nil || cancelled != 9 {
		t.Errorf("Cancel = %d, %v; want 9", cancelled, err)
	}
	if a := <-running; a.Data.Outcome != "unknown" {
		t.Errorf("the running plan: %s", a.Stdout)
	}
	for n, call := range waiting {
		<-call.Done
		if call.Err != nil || call.Body[0] != "refused" {
			t.Errorf("waiting plan %d: %v %v, want refused", n, call.Body, call.Err)
		}
	}
	if got := s.sway().workspace(); got != "1" {
		t.Errorf("workspace %s is shown although all were cancelled", got)
	}
}

// A profile that is written while the agent runs takes effect after Reload.
func TestReloadTakesANewProfile(t *testing.T) {
	s := NewSession(t, Options{})
	pid := s.startAgent()
	_, file := s.bytesTerminal(1)
	s.write("c/utter/profiles/foot.yaml",
		"id: foot\nname: Foot\nkind: terminal\nshortcuts:\n  fresh_start: ctrl+alt+shift+y\n")
	if err := s.Bus("Reload").Err; err != nil {
		t.Fatal(err)
	}
	s.MustRun("fresh start")
	s.checkFile(file, "\x1b[121;8u", 5*time.Second)
	if s.agentPID() != pid {
		t.Error("another agent answered")
	}
}

// A stopped compositor is not waited for without end, and nothing is claimed.
func TestAStoppedCompositorIsNotWaitedForWithoutEnd(t *testing.T) {
	s := NewSession(t, Options{})
	d := s.sway()
	s.startAgent()
	s.MustRun("workspace 2")
	d.process.cmd.Process.Signal(syscall.SIGSTOP)
	defer d.process.cmd.Process.Signal(syscall.SIGCONT)
	for _, utterance := range []string{"workspace 3", "type hello", "open the terminal"} {
		a := s.Run(utterance)
		if a.Data.Outcome == "completed" || a.Took > 15*time.Second {
			t.Errorf("%s: outcome %s after %v", utterance, a.Data.Outcome, a.Took)
		}
	}
	s.checkPing()
	d.process.cmd.Process.Signal(syscall.SIGCONT)
	s.await("the agent on sway again", 20*time.Second, func() bool { return s.Run("workspace 4").Exit == exitDone })
	if got := d.workspace(); got != "4" {
		t.Errorf("completed, but workspace %s is shown", got)
	}
}

// The arguments of a desktop entry reach the program as its author wrote them.
func TestALaunchedProgramGetsExactlyItsArguments(t *testing.T) {
	s := NewSession(t, Options{})
	file := s.file("argv")
	s.writeMode("bin/show-argv", "#!/bin/sh\nprintf '<%s>' \"$@\" >"+file+"\npwd >>"+file+"\n", 0o700)
	s.write("d/applications/e2e-argv.desktop",
		"[Desktop Entry]\nType=Application\nName=Show Arguments\nPath="+s.folder("work")+
			"\nExec=show-argv \"two words\" \"\\\\$HOME \\\\\"q\\\\\" \\\\\\\\ \" --url %U --name=%c 100%%\n")
	s.runUntil("open show arguments", func() bool { return strings.HasSuffix(contents(file), "\n") })
	want := `<two words><$HOME "q" \ ><--url><--name=Show Arguments><100%>` + s.file("work") + "\n"
	if got := contents(file); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
