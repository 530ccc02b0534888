package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// Exit statuses of the CLI, as utter(1) gives them.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3
	exitMissing = 4
	exitNoSuch  = 5
)

// patience is how long a call may take before it counts as hung. Launching may
// take 10 s and the machine is slow.
const patience = 45 * time.Second

// An Answer is what "utter run --json" said.
type Answer struct {
	Exit   int
	Took   time.Duration
	Stdout string
	Stderr string

	Schema  string
	Command string
	OK      bool
	Data    Ran // of run, confirm and choose
	Error   *struct{ Reason, Message string }
}

// Ran is what became of an utterance.
type Ran struct {
	Utterance string
	Outcome   string
	Message   string
	Steps     []Step
}

// UnmarshalJSON takes the data of run and its kin and passes over others.
func (r *Ran) UnmarshalJSON(data []byte) error {
	type plain Ran
	if json.Unmarshal(data, (*plain)(r)) != nil {
		*r = Ran{}
	}
	return nil
}

// A Step is one step of an Answer.
type Step struct {
	Action   string
	Args     map[string]any
	Outcome  string
	Evidence string
	Reason   string
	Message  string
	Window   uint64
}

// last returns the last step, or a zero Step.
func (a Answer) last() Step {
	if len(a.Data.Steps) == 0 {
		return Step{}
	}
	return a.Data.Steps[len(a.Data.Steps)-1]
}

// reason returns why nothing was done.
func (a Answer) reason() string {
	if a.Error != nil && a.Error.Reason != "" {
		return a.Error.Reason
	}
	return a.last().Reason
}

// command is exec.Command in the session's environment.
func (s *Session) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(s.look(name), args...)
	cmd.Env, cmd.Dir = s.environ(), s.home
	return cmd
}

// Run says an utterance through the CLI and checks the form of the answer.
func (s *Session) Run(utterance string) Answer {
	s.t.Helper()
	a := s.cli("run", "--json", utterance)
	if a.Data.Outcome == "completed" != (a.Exit == exitDone) {
		s.t.Errorf("run %q: exit status %d with outcome %q", clip(utterance), a.Exit, a.Data.Outcome)
	}
	return a
}

// MustRun is Run where nothing but success will do.
func (s *Session) MustRun(utterance string) Answer {
	s.t.Helper()
	a := s.Run(utterance)
	if a.Exit != exitDone || a.Data.Outcome != "completed" {
		s.t.Fatalf("run %q: exit status %d: %s", clip(utterance), a.Exit, a.Stdout)
	}
	return a
}

// cli runs the CLI with --json and decodes its one envelope.
func (s *Session) cli(args ...string) Answer {
	s.t.Helper()
	a := s.cliUnchecked(args...)
	if a.Schema != "utter.cli/v1" || !strings.HasPrefix(a.Command, args[0]) || a.OK != (a.Exit == exitDone) {
		s.t.Errorf("utter %s: exit status %d, envelope %s", clip(args[0]), a.Exit, a.Stdout)
	}
	if !a.OK && (a.Error == nil || a.Error.Message == "") {
		s.t.Errorf("utter %s: exit status %d does not say why: %s", clip(args[0]), a.Exit, a.Stdout)
	}
	return a
}

// cliUnchecked runs the CLI; what the envelope says is not looked at.
func (s *Session) cliUnchecked(args ...string) Answer {
	s.t.Helper()
	s.needAgent()
	a, err := s.call(args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// call runs the CLI, from any goroutine.
func (s *Session) call(args ...string) (Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(built.bin, "utter"), args...)
	cmd.Env, cmd.Dir = s.environ(), s.home
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	a := Answer{Took: time.Since(began), Stdout: stdout.String(), Stderr: stderr.String()}
	if ctx.Err() != nil {
		return a, fmt.Errorf("utter %s: no answer in %v", clip(args[len(args)-1]), patience)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		a.Exit = exit.ExitCode()
	} else if err != nil {
		return a, err
	}
	dec := json.NewDecoder(&stdout)
	if err := dec.Decode(&a); err != nil {
		return a, fmt.Errorf("utter %s: exit status %d, no JSON on standard output: %w\n%s%s", args[0],
			a.Exit, err, a.Stdout, a.Stderr)
	}
	if _, err := dec.Token(); err != io.EOF {
		return a, fmt.Errorf("utter %s: more than one envelope: %s", args[0], a.Stdout)
	}
	return a, nil
}

// needAgent ends the test where the programs could not be built.
func (s *Session) needAgent() {
	s.t.Helper()
	if built.err != nil {
		s.t.Fatal(built.err)
	}
}

// clip keeps long utterances out of messages.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// Bus calls a method of the agent.
func (s *Session) Bus(method string, args ...any) *dbus.Call {
	s.t.Helper()
	s.needAgent()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	call := s.conn.Object("org.utter.Agent", "/org/utter/Agent").
		CallWithContext(ctx, "org.utter.Agent."+method, 0, args...)
	if ctx.Err() != nil {
		s.t.Fatalf("%s: no answer in %v", method, patience)
	}
	return call
}

// busList calls a method that answers aa{sv}.
func (s *Session) busList(method string, args ...any) (list []map[string]any) {
	s.t.Helper()
	var variants []map[string]dbus.Variant
	if err := s.Bus(method, args...).Store(&variants); err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
	return plain(variants)
}

// plain takes the values out of their variants.
func plain(variants []map[string]dbus.Variant) (list []map[string]any) {
	for _, v := range variants {
		item := map[string]any{}
		for name, value := range v {
			item[name] = value.Value()
		}
		list = append(list, item)
	}
	return list
}

// checkPing fails the test unless the agent still answers.
func (s *Session) checkPing() {
	s.t.Helper()
	if err := s.Bus("Ping").Err; err != nil {
		s.t.Errorf("Ping: %v", err)
	}
}

// agentPID returns the process that owns the agent's name, or 0.
func (s *Session) agentPID() int {
	var pid uint32
	err := s.conn.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, "org.utter.Agent").Store(&pid)
	if err != nil {
		return 0
	}
	return int(pid)
}

// startAgent has the agent activated and returns its process.
func (s *Session) startAgent() int {
	s.t.Helper()
	s.checkPing()
	pid := s.agentPID()
	if pid == 0 {
		s.t.Fatal("the agent is not on the bus")
	}
	return pid
}

// endAgent ends the agent, if it runs, and waits until it has gone. The next
// call starts another.
func (s *Session) endAgent(signal syscall.Signal) {
	s.t.Helper()
	pid := s.agentPID()
	if pid == 0 {
		return
	}
	syscall.Kill(pid, signal)
	s.await("the agent's end", 5*time.Second, func() bool { return !alive(pid) && s.agentPID() != pid })
}

// decode reads JSON into v.
func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// exitStatus returns the status that err of a command tells, 0 for none.
func exitStatus(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// checkOneOf fails the test unless got is one of want.
func checkOneOf[T comparable](s *Session, what string, got T, want ...T) {
	s.t.Helper()
	if !slices.Contains(want, got) {
		s.t.Errorf("%s = %v, want one of %v", what, got, want)
	}
}
