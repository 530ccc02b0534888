package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOpenTheTerminalLaunchesItOnceAndThenFocusesIt(t *testing.T) {
	s := NewSession(t, Options{})
	a := s.MustRun("open the terminal")
	terminal := s.byApp("foot")
	if len(terminal) != 1 {
		t.Fatalf("completed, but the windows are %+v", s.desktop.windows())
	}
	if a.last().Window != terminal[0].ID || a.last().Evidence != "state" {
		t.Errorf("step = %+v, want window %d by state", a.last(), terminal[0].ID)
	}
	s.foot("bystander")
	before := s.desktop.windows()

	s.MustRun("open the terminal")
	if w := s.focused(); w.ID != terminal[0].ID {
		t.Errorf("completed, but the focus is on %+v", w)
	}
	s.checkWindows(before)
}

// The bus starts the agent, and the call that did it is answered.
func TestBusctlActivatesTheAgent(t *testing.T) {
	needPrograms(t, "busctl")
	s := NewSession(t, Options{})
	s.needAgent()
	out, err := s.command("busctl", "--user", "call", "org.utter.Agent", "/org/utter/Agent", "org.utter.Agent",
		"Run", "s", "open the terminal").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), `ssaa{sv} "completed"`) {
		t.Fatalf("busctl: %v %s", err, out)
	}
	if n := len(s.byApp("foot")); n != 1 {
		t.Errorf("%d terminals, want 1", n)
	}
}

func TestSwitchToAndCloseTheTextEditor(t *testing.T) {
	s := NewSession(t, Options{})
	editor, _ := s.editor()
	bystander := s.foot("bystander")

	s.MustRun("switch to text editor")
	if w := s.focused(); w.ID != editor.ID {
		t.Errorf("completed, but the focus is on %+v", w)
	}
	s.bringToFront(bystander)
	s.MustRun("close text editor")
	s.checkWindows([]Window{bystander})
}

// A name that nothing has is not a such plan, and nothing is launched.
func TestAnUnknownAppIsNoSuchPlan(t *testing.T) {
	s := NewSession(t, Options{})
	a := s.Run("open the pod bay doors")
	checkOneOf(s, "exit status", a.Exit, exitNoSuch)
	checkOneOf(s, "reason", a.reason(), "no_plan", "not_found")
	s.checkWindows(nil)
}

// A program that ends with an error has not been opened.
func TestALaunchThatEndsWithAnErrorFails(t *testing.T) {
	s := NewSession(t, Options{})
	s.desktopFile("e2e-broken", "Brokenware", "sh -c 'exit 7'")
	a := s.Run("open brokenware")
	if a.Exit != exitFailed || a.Data.Outcome != "failed" {
		t.Errorf("exit status %d: %s", a.Exit, a.Stdout)
	}
}

// A program that runs and shows no window is neither opened nor failed.
func TestALaunchWithoutAWindowIsUnknown(t *testing.T) {
	s := NewSession(t, Options{})
	s.desktopFile("e2e-sleeper", "Sleeper", "sleep 300")
	a := s.Run("open sleeper")
	if a.Exit != exitFailed || a.Data.Outcome != "unknown" {
		t.Errorf("exit status %d: %s", a.Exit, a.Stdout)
	}
	if a.Took > 15*time.Second {
		t.Errorf("the answer took %v", a.Took)
	}
}

func TestALaunchedTerminalOutlivesTheAgent(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			s := NewSession(t, Options{})
			s.MustRun("open the terminal")
			terminal := s.byApp("foot")[0]
			first := s.agentPID()
			s.endAgent(signal)
			if !stays(time.Second, func() bool { return alive(terminal.PID) && s.window(terminal.ID).ID != 0 }) {
				t.Fatal("the terminal went with the agent")
			}
			// Its shell still works, and another agent drives it.
			file := s.file("lives")
			s.MustRun("type echo alive > " + file)
			s.MustRun("press enter")
			s.checkFile(file, "alive\n", 5*time.Second)
			if pid := s.agentPID(); pid == first || pid == 0 {
				t.Errorf("agent %d after %d", pid, first)
			}
		})
	}
}

// What is launched sees none of the agent's own descriptors.
func TestALaunchedProgramInheritsNoDescriptors(t *testing.T) {
	s := NewSession(t, Options{})
	file := s.file("fds")
	s.writeMode("bin/show-fds", "#!/bin/sh\nls -l /proc/$$/fd >"+file+"\nexit 0\n", 0o700)
	s.desktopFile("e2e-descriptors", "Descriptors", s.file("bin/show-fds"))
	s.runUntil("open descriptors", func() bool { return strings.Contains(contents(file), " 0 ->") })
	for line := range strings.Lines(contents(file)) {
		if strings.Contains(line, "socket:") || strings.Contains(line, "memfd:") {
			t.Errorf("inherited: %s", strings.TrimSpace(line))
		}
	}
}
