package launch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func newLauncher(t *testing.T) *Launcher {
	t.Helper()
	l, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// start starts c and waits until the puppet that it names is there.
func start(t *testing.T, s *stage, c Command) (*Process, *puppet) {
	t.Helper()
	p, err := newLauncher(t).Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	puppet := s.enter(t)
	if puppet.PID != p.PID {
		t.Errorf("PID = %d, the program is %d", p.PID, puppet.PID)
	}
	return p, puppet
}

func TestAProgramHasASessionOfItsOwn(t *testing.T) {
	s := newStage(t)
	_, p := start(t, s, Command{Argv: s.argv()})
	if p.Session != p.PID || p.PPID != os.Getpid() {
		t.Errorf("program %d of parent %d is in session %d", p.PID, p.PPID, p.Session)
	}
	if p.Input != os.DevNull {
		t.Errorf("its standard input is %s", p.Input)
	}
}

// A descriptor that the agent inherited, and that Go does not know, is passed to
// no program.
func TestAProgramInheritsNoDescriptors(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	leak, err := unix.Dup(int(w.Fd())) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	s := newStage(t)

	control := exec.Command(self(), s.argv()[1:]...)
	if err := control.Start(); err != nil {
		t.Fatal(err)
	}
	if seen := s.enter(t); len(seen.Descriptors) == 0 {
		t.Error("without a Launcher nothing leaks: this test proves nothing")
	} else {
		seen.leave(0)
	}
	control.Wait()

	if _, p := start(t, s, Command{Argv: s.argv()}); len(p.Descriptors) > 0 {
		t.Errorf("inherited: %s", strings.Join(p.Descriptors, ", "))
	}
}

func TestTheEnvironmentHasNothingStale(t *testing.T) {
	for _, name := range stale {
		t.Setenv(name, "stale")
	}
	t.Setenv("UTTER_KEPT", "kept=as it is")
	t.Setenv("UTTER_REPLACED", "old")
	s := newStage(t)
	_, p := start(t, s, Command{Argv: s.argv(), Env: map[string]string{
		"UTTER_REPLACED": "new", "UTTER_ADDED": "", "XDG_ACTIVATION_TOKEN": "fresh"}})

	for name, want := range map[string]string{
		"UTTER_KEPT": "kept=as it is", "UTTER_REPLACED": "new", "UTTER_ADDED": "", "XDG_ACTIVATION_TOKEN": "fresh",
	} {
		if got, set := p.env(name); got != want || !set {
			t.Errorf("%s = %q, %v; want %q", name, got, set, want)
		}
	}
	for _, name := range []string{
		"DESKTOP_STARTUP_ID", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "WATCHDOG_USEC", "INVOCATION_ID",
		"JOURNAL_STREAM", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE",
	} {
		if v, set := p.env(name); set {
			t.Errorf("%s=%s is passed on", name, v)
		}
	}
	var names []string
	for _, kv := range p.Env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(names, name) {
			t.Errorf("%s stands there twice", name)
		}
		names = append(names, name)
	}
}

func TestArgumentsArePassedAsTheyAre(t *testing.T) {
	args := []string{"a && b; $(c)", "`d`", "", "*", "~", "$HOME", `"`, `'`, "%u", "two\nlines", "ü€", "--"}
	s := newStage(t)
	if _, p := start(t, s, Command{Argv: s.argv(args...)}); !slices.Equal(p.Args, args) {
		t.Errorf("it got %q, want %q", p.Args, args)
	}
}

// A file that the kernel cannot run is not handed to a shell either, as execvp
// and posix_spawnp do.
func TestAScriptWithoutAnInterpreterIsNoProgram(t *testing.T) {
	dir := t.TempDir()
	script, trace := filepath.Join(dir, "script"), filepath.Join(dir, "trace")
	if err := os.WriteFile(script, []byte("echo ran >"+trace+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := newLauncher(t).Start(t.Context(), Command{Argv: []string{script}})
	if err == nil || errors.Is(err, ErrNoProgram) {
		t.Errorf("Start = %v, want what the kernel says", err)
	}
	if err == nil {
		end(t, p)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a shell ran it")
	}
}

func TestAProgramStartsInItsFolder(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	for _, tt := range []struct{ home, dir, want string }{{home, "", home}, {home, dir, dir}, {"", "", here},
		{home + "/gone", "", here}} {
		t.Setenv("HOME", tt.home)
		if _, p := start(t, s, Command{Argv: s.argv(), Dir: tt.dir}); p.Dir != tt.want {
			t.Errorf("HOME %q, Dir %q: it is in %s, want %s", tt.home, tt.dir, p.Dir, tt.want)
		}
	}
	missing := filepath.Join(dir, "missing")
	if _, err := newLauncher(t).Start(t.Context(), Command{Argv: s.argv(), Dir: missing}); err == nil ||
		!strings.Contains(err.Error(), missing) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}

func TestHowAProgramEndsIsSeen(t *testing.T) {
	s := newStage(t)
	for _, tt := range []struct {
		status int
		want   string // in the error; "" for none
	}{{0, ""}, {7, "exit status 7"}} {
		p, puppet := start(t, s, Command{Argv: s.argv()})
		select {
		case <-p.Done():
			t.Error("Done before it ended")
		default:
		}
		if err := p.Failed(); err != nil {
			t.Errorf("while it runs Failed = %v", err)
		}
		puppet.leave(tt.status)
		err := end(t, p)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("exit %d: Failed = %v, want %q", tt.status, err, tt.want)
		}
	}
	p, _ := start(t, s, Command{Argv: s.argv()})
	syscall.Kill(p.PID, syscall.SIGKILL)
	if err := end(t, p); err == nil || err.Error() != "signal: killed" {
		t.Errorf("after SIGKILL Failed = %v", err)
	}
}

// TestFindTellsWhatStartWouldStart: in the path, by an absolute path, in the
// home folder.
func TestFindTellsWhatStartWouldStart(t *testing.T) {
	home, first, second := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", first+":"+second)
	write := func(dir, name string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte("#!/bin/sh\n"), mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write(first, "both", 0o600)
	program := write(second, "both", 0o700)
	only := write(first, "only-plain", 0o600)
	own := write(home, "apps/own", 0o755)
	folder := filepath.Dir(write(first, "folder/x", 0o600))
	l := newLauncher(t)
	for _, tt := range []struct {
		argv []string
		want Program
	}{
		{[]string{"both", "x"}, Program{Found, program}},
		{[]string{plain}, Program{NotExecutable, plain}},
		{[]string{"only-plain"}, Program{NotExecutable, only}},
		{[]string{"folder"}, Program{NotExecutable, folder}},
		{[]string{folder}, Program{NotExecutable, folder}},
		{[]string{"~/apps/own"}, Program{Found, own}},
		{[]string{own, "--flag"}, Program{Found, own}},
		{[]string{"~/apps"}, Program{NotExecutable, filepath.Join(home, "apps")}},
		{[]string{"~"}, Program{State: NotFound}},
		{[]string{"utter-no-such-program"}, Program{State: NotFound}},
		{[]string{"/nowhere/own"}, Program{State: NotFound}},
		{[]string{"own apps"}, Program{State: NotFound}},
		{[]string{""}, Program{State: Empty}},
		{nil, Program{State: Empty}},
	} {
		if got := l.Find(t.Context(), tt.argv); got != tt.want {
			t.Errorf("Find(%q) = %+v, want %+v", tt.argv, got, tt.want)
		}
	}
}

func TestAMissingProgramIsNamed(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLauncher(t)
	for _, program := range []string{"utter-no-such-program", filepath.Join(dir, "missing"), plain, dir, "a && b", ""} {
		_, err := l.Start(t.Context(), Command{Argv: []string{program, "x"}})
		if !errors.Is(err, ErrNoProgram) || !strings.Contains(err.Error(), program) {
			t.Errorf("Start(%q) = %v, want ErrNoProgram with its name", program, err)
		}
	}
	if _, err := l.Start(t.Context(), Command{}); err == nil || errors.Is(err, ErrNoProgram) {
		t.Errorf("without a command: %v", err)
	}
}

// The end of the step, or of the agent's context, does not end the program.
func TestAProgramOutlivesItsContext(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := newLauncher(t).Start(ctx, Command{Argv: s.argv()})
	if err != nil {
		t.Fatal(err)
	}
	puppet := s.enter(t)
	cancel()
	puppet.tell(t, "ping")
	puppet.leave(0)
	if err := end(t, p); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// A program outlives the agent, also where the agent's whole process group is
// killed.
func TestAProgramOutlivesItsStarter(t *testing.T) {
	s := newStage(t)
	starter := exec.Command(self(), s.argv()[1:]...)
	starter.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	agent := s.enter(t)
	agent.tell(t, "launch")
	program := s.enter(t)
	if program.PPID != agent.PID {
		t.Fatalf("%d started %d, want %d", program.PPID, program.PID, agent.PID)
	}
	if err := syscall.Kill(-agent.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := starter.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Fatalf("the starter ended with %v", err)
	}
	program.tell(t, "ping")
}
