package e2e

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// sleeper installs an application that never shows a window: opening it keeps a
// plan running for ten seconds.
func (s *Session) sleeper() {
	s.t.Helper()
	s.desktopFile("e2e-sleeper", "Sleeper", "sleep 300")
}

// runAside says an utterance and returns at once.
func (s *Session) runAside(utterance string) <-chan Answer {
	s.t.Helper()
	s.needAgent()
	answers := make(chan Answer, 1)
	go func() {
		a, err := s.call("run", "--json", utterance)
		if err != nil {
			s.t.Error(err)
		}
		answers <- a
	}()
	return answers
}

// runUntil says an utterance and cancels it once ok is true: the agent waits ten
// seconds for the window of a program that has none.
func (s *Session) runUntil(utterance string, ok func() bool) {
	s.t.Helper()
	answers := s.runAside(utterance)
	s.await(utterance, 10*time.Second, ok)
	s.Bus("Cancel")
	<-answers
}

// awaitRunning waits until the agent says that a plan runs.
func (s *Session) awaitRunning() {
	s.t.Helper()
	object := s.conn.Object("org.utter.Agent", "/org/utter/Agent")
	s.await("a running plan", 5*time.Second, func() bool {
		state, err := object.GetProperty("org.utter.Agent.State")
		return err == nil && state.Value() == "running"
	})
}

// An agent that is killed in the middle leaves an answer that claims nothing,
// and the next call starts another.
func TestKillingTheAgentDuringAPlanIsToldTruly(t *testing.T) {
	s := NewSession(t, Options{})
	s.sleeper()
	first := s.startAgent()
	answers := s.runAside("open sleeper")
	s.awaitRunning()
	time.Sleep(300 * time.Millisecond)
	syscall.Kill(first, syscall.SIGKILL)
	a := <-answers
	if a.Exit != exitFailed || a.OK || a.Error == nil || a.Error.Message == "" {
		t.Errorf("exit status %d: %s", a.Exit, a.Stdout)
	}
	checkOneOf(s, "outcome", a.Data.Outcome, "unknown", "")
	if a.Took > 5*time.Second {
		t.Errorf("the answer took %v", a.Took)
	}
	s.MustRun("open the terminal")
	if n := len(s.byApp("foot")); n != 1 {
		t.Errorf("%d terminals, want 1", n)
	}
	if pid := s.agentPID(); pid == first {
		t.Errorf("agent %d is back from the dead", pid)
	}
}

// While sway is gone the agent says so; when another one is there, on other
// sockets, the same agent works with it.
func TestSwayRestartedUnderTheAgent(t *testing.T) {
	s := NewSession(t, Options{})
	d := s.sway()
	agent := s.startAgent()
	s.MustRun("workspace 2")

	d.kill()
	for _, utterance := range []string{"workspace 3", "open the terminal", "type hello"} {
		a := s.Run(utterance)
		if a.Exit != exitMissing || a.Data.Outcome == "completed" {
			t.Errorf("%s without a compositor: exit status %d: %s", utterance, a.Exit, a.Stdout)
		}
		if a.Took > 15*time.Second {
			t.Errorf("%s without a compositor: the answer took %v", utterance, a.Took)
		}
	}
	s.checkPing()

	d.again()
	s.await("the agent on the new sway", 20*time.Second, func() bool {
		a := s.Run("workspace 3")
		if a.Exit != exitDone && a.Exit != exitMissing {
			t.Errorf("workspace 3 on the new sway: exit status %d: %s", a.Exit, a.Stdout)
		}
		return a.Exit == exitDone
	})
	if got := d.workspace(); got != "3" {
		t.Errorf("completed, but workspace %s is shown", got)
	}
	s.MustRun("open the terminal")
	if n := len(s.byApp("foot")); n != 1 {
		t.Errorf("%d terminals on the new sway, want 1", n)
	}
	_, file := s.catTerminal("target")
	s.MustRun("type hello")
	s.MustRun("press enter")
	s.checkFile(file, "hello\n", 5*time.Second)
	if pid := s.agentPID(); pid != agent {
		t.Errorf("agent %d after %d: it did not live through it", pid, agent)
	}
}

// An agent may be there before the desktop is.
func TestTheAgentWaitsForACompositor(t *testing.T) {
	s := NewSession(t, Options{})
	d := s.sway()
	d.kill()
	agent := s.startAgent()
	if a := s.Run("workspace 3"); a.Exit != exitMissing {
		t.Errorf("without a compositor: exit status %d: %s", a.Exit, a.Stdout)
	}
	d.again()
	s.await("the agent on the new sway", 20*time.Second, func() bool { return s.Run("workspace 3").Exit == exitDone })
	if got := d.workspace(); got != "3" {
		t.Errorf("completed, but workspace %s is shown", got)
	}
	if pid := s.agentPID(); pid != agent {
		t.Errorf("agent %d after %d", pid, agent)
	}
}

// agentByHand starts the agent as a shell would and waits until it has its name.
func (s *Session) agentByHand() *process {
	s.t.Helper()
	s.needAgent()
	p := s.start("agent", filepath.Join(built.bin, "utter-agent"))
	s.await("the agent's name", 5*time.Second, func() bool { return s.agentPID() == p.pid() })
	return p
}

func TestSIGTERMEndsTheAgentCleanly(t *testing.T) {
	t.Run("when idle", func(t *testing.T) {
		s := NewSession(t, Options{})
		p := s.agentByHand()
		s.checkPing()
		p.cmd.Process.Signal(syscall.SIGTERM)
		if status, ok := p.ended(3 * time.Second); !ok || status != 0 {
			t.Errorf("ended %v, status %d, want status 0", ok, status)
		}
	})
	t.Run("during a plan", func(t *testing.T) {
		s := NewSession(t, Options{})
		s.sleeper()
		p := s.agentByHand()
		answers := s.runAside("open sleeper")
		s.awaitRunning()
		p.cmd.Process.Signal(syscall.SIGTERM)
		if status, ok := p.ended(5 * time.Second); !ok || status != 0 {
			t.Errorf("ended %v, status %d, want status 0", ok, status)
		}
		a := <-answers
		if a.Exit != exitFailed {
			t.Errorf("the interrupted plan: exit status %d: %s", a.Exit, a.Stdout)
		}
		checkOneOf(s, "outcome", a.Data.Outcome, "unknown", "")
	})
}

func TestASecondAgentLeavesPolitely(t *testing.T) {
	s := NewSession(t, Options{})
	first := s.startAgent()
	second := s.start("second-agent", filepath.Join(built.bin, "utter-agent"))
	status, ok := second.ended(5 * time.Second)
	if !ok || status != 0 {
		t.Errorf("ended %v, status %d, want status 0", ok, status)
	}
	if contents(second.log) == "" {
		t.Error("it does not say why it leaves")
	}
	if pid := s.agentPID(); pid != first {
		t.Errorf("the name went from %d to %d", first, pid)
	}
	s.checkPing()
}

// Cancel ends the running plan and says that its effect is not known.
func TestCancelEndsTheRunningPlan(t *testing.T) {
	s := NewSession(t, Options{})
	s.sleeper()
	s.startAgent()
	answers := s.runAside("open sleeper")
	s.awaitRunning()
	if a := s.cli("cancel", "--json"); a.Exit != exitDone {
		t.Errorf("cancel: exit status %d: %s", a.Exit, a.Stdout)
	}
	a := <-answers
	if a.Exit != exitFailed || a.Data.Outcome != "unknown" || a.reason() != "cancelled" {
		t.Errorf("exit status %d, reason %q: %s", a.Exit, a.reason(), a.Stdout)
	}
	if a.Took > 5*time.Second {
		t.Errorf("the answer took %v", a.Took)
	}
	s.checkPing()
}
