package sandbox

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// leaves is a plugin whose grandchild has its own session and no parent; it says
// so, and ignores the end of its input.
const leaves = `
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("x", flush=True)
        time.sleep(600)
    os._exit(0)
time.sleep(600)
`

// start starts a program of Python's and waits for its first letter.
func (d *desk) start(inside bool, program string) *Cmd {
	d.t.Helper()
	cmd, _ := d.python(inside, d.spec(), program)
	cmd.Stdout = nil
	said, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	if _, err := said.Read(make([]byte, 1)); err != nil {
		d.t.Fatalf("the plugin says nothing: %v", err)
	}
	return cmd
}

func gone(pids []int) bool {
	return !slices.ContainsFunc(pids, func(pid int) bool {
		p, err := readProcess(pid)
		return err == nil && p.alive()
	})
}

func TestKillEndsEverything(t *testing.T) {
	for _, inside := range []bool{true, false} {
		d := newDesk(t)
		if inside {
			d = boxed(t)
		}
		cmd := d.start(inside, leaves)
		// Inside: bwrap and the first process, besides the plugin and its grandchild.
		want := map[bool]int{true: 4, false: 2}[inside]
		await(t, "the child in between ends", func() bool { return len(cmd.Alive()) == want })
		alive := cmd.Alive()
		if left := cmd.Kill(); left != nil {
			t.Errorf("inside %v: Kill leaves %v", inside, left)
		}
		cmd.Wait()
		if !gone(alive) {
			t.Errorf("inside %v: some of %v are alive", inside, alive)
		}
	}
}

// Outside a sandbox what left the group is counted; a signal to the group does
// not reach it. Inside, the death of the first process ends all.
func TestStraysAreCounted(t *testing.T) {
	d := newDesk(t)
	cmd := d.start(false, leaves)
	await(t, "the child in between ends", func() bool { return len(cmd.Alive()) == 2 })
	if err := cmd.Terminate(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	strays := cmd.Strays()
	if len(strays) != 1 || gone(strays) {
		t.Fatalf("Strays = %v, want one that is alive", strays)
	}
	if left := cmd.Kill(); left != nil || !gone(strays) {
		t.Errorf("Kill leaves %v", left)
	}

	d = boxed(t)
	cmd = d.start(true, leaves)
	alive := cmd.Alive()
	if strays := cmd.Strays(); strays != nil {
		t.Errorf("Strays in a sandbox = %v", strays)
	}
	if err := cmd.Terminate(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	await(t, "the sandbox is empty", func() bool { return gone(alive) })
}

// SIGTERM reaches the plugin itself, which may end in its own way; its status
// comes through.
func TestTerminateAsksThePlugin(t *testing.T) {
	const polite = `
import signal, sys, time
def end(*_): sys.exit(7)
signal.signal(signal.SIGTERM, end)
print("x", flush=True)
time.sleep(600)
`
	for _, inside := range []bool{true, false} {
		d := newDesk(t)
		if inside {
			d = boxed(t)
		}
		cmd := d.start(inside, polite)
		if err := cmd.Terminate(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 7 {
			t.Errorf("inside %v: it ends with %d, want 7", inside, got)
		}
	}
}

// A runner that is killed takes its sandboxes with it, and all in them.
func TestASandboxDiesWithItsParent(t *testing.T) {
	d := boxed(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	d.write("plugin/plugin.py", leaves)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runner := exec.Command(self, "play", "runner", d.path("plugin"), python)
	runner.Stderr = os.Stderr
	out, err := runner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var alive []int
	if err := json.Unmarshal([]byte(line), &alive); err != nil || len(alive) < 4 || gone(alive) {
		t.Fatalf("the runner says %s, %v", strings.TrimSpace(line), err)
	}
	if err := runner.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	runner.Wait()
	await(t, "the sandbox ends", func() bool { return gone(alive) })
}

func TestACommandThatIsNotThere(t *testing.T) {
	cmd := Plain(Spec{Program: "/nonexistent", Argv: []string{"x"}})
	if err := cmd.Start(); err == nil {
		t.Error("it starts")
	}
	if cmd.Alive() != nil || cmd.Kill() != nil || cmd.Terminate() != nil {
		t.Error("it has processes")
	}
}

// Each start has a thread of its own and descriptors to hand on; none stays.
func TestNothingIsLeftOfAStart(t *testing.T) {
	d := boxed(t)
	count := func(what string) int {
		entries, err := os.ReadDir("/proc/self/" + what)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	d.probe(d.spec(Network))
	fds, threads := count("fd"), count("task")
	for range 20 {
		d.probe(d.spec(Network))
	}
	spec := d.spec()
	spec.ReadPaths = append(spec.ReadPaths, "/run")
	if _, err := d.box.Command(spec); err == nil {
		t.Error("/run is given")
	}
	// What ends last may have one open yet.
	await(t, "the descriptors are closed", func() bool { return count("fd") <= fds })
	// The runtime makes some more for its own work.
	await(t, "the threads end", func() bool { return count("task") < threads+10 })
}
