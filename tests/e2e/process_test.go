package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A process is a program that the harness itself started.
type process struct {
	cmd  *exec.Cmd
	log  string        // file with its output
	done chan struct{} // closed when it has ended
}

// waited holds the pids that os/exec waits for.
var waited sync.Map

// start runs argv with the session's environment and its output in the log
// called name. The process dies with the tests.
func (s *Session) start(name string, argv ...string) *process {
	s.t.Helper()
	logFile := filepath.Join(s.dir, "log", name+".log")
	out, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(s.look(argv[0]), argv[1:]...)
	cmd.Env, cmd.Dir = s.environ(), s.home
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("start %s: %v", name, err)
	}
	p := &process{cmd: cmd, log: logFile, done: make(chan struct{})}
	waited.Store(cmd.Process.Pid, true)
	go func() {
		cmd.Wait()
		waited.Delete(cmd.Process.Pid)
		close(p.done)
	}()
	return p
}

// look finds a program in the session's PATH, else in ours: the harness uses
// more programs than a session may see.
func (s *Session) look(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	for _, dir := range filepath.SplitList(s.env["PATH"]) {
		if path := filepath.Join(dir, name); unix.Access(path, unix.X_OK) == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// ended waits for the end and returns the exit status, or -1 if it was killed
// by a signal. ok is false if it still runs.
func (p *process) ended(within time.Duration) (status int, ok bool) {
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode(), true
	case <-time.After(within):
		return 0, false
	}
}

// stop ends the process: a request first, force after the grace.
func (p *process) stop(grace time.Duration) {
	p.cmd.Process.Signal(syscall.SIGTERM)
	if _, ok := p.ended(grace); !ok {
		p.cmd.Process.Kill()
		<-p.done
	}
}

// settle waits until a program and its children have gone quiet: what is still
// starting takes no keys, or takes them and gets confused. On a busy machine a
// program that waits for its turn is not quiet, so what counts is that none of
// its threads wants to run.
func settle(pid int) {
	quiet := 0
	deadline := time.Now().Add(20 * time.Second)
	for ; quiet < 10 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		quiet++
		if wantsToRun(pid) {
			quiet = 0
		}
	}
}

// wantsToRun reports whether a thread of a process or of those below it runs or
// waits for its turn.
func wantsToRun(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	for _, thread := range threads {
		stat, _ := os.ReadFile(filepath.Join(thread, "stat"))
		if end := bytes.LastIndexByte(stat, ')'); end >= 0 && bytes.HasPrefix(stat[end:], []byte(") R")) {
			return true
		}
		children, _ := os.ReadFile(filepath.Join(thread, "children"))
		for child := range strings.FieldsSeq(string(children)) {
			if n, err := strconv.Atoi(child); err == nil && wantsToRun(n) {
				return true
			}
		}
	}
	return false
}

// A procInfo is what /proc tells of one process.
type procInfo struct {
	pid, parent int
	state       byte // 'Z' has ended
	name        string
}

func (p procInfo) String() string { return fmt.Sprintf("%s (%d, %c)", p.name, p.pid, p.state) }

// readProc reads /proc/PID/stat. ok is false for a process that is not there.
func readProc(pid int) (info procInfo, ok bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procInfo{}, false
	}
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return procInfo{}, false
	}
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) < 2 {
		return procInfo{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	return procInfo{pid, parent, fields[0][0], string(data[open+1 : end])}, err == nil
}

// alive reports whether pid is a process that has not ended.
func alive(pid int) bool {
	info, ok := readProc(pid)
	return ok && info.state != 'Z' && info.state != 'X'
}

// descendants returns the living processes below ours. It also takes away what
// is left of ended ones that nobody else waits for.
func descendants() (below []procInfo) {
	entries, _ := os.ReadDir("/proc")
	children := map[int][]procInfo{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if info, ok := readProc(pid); ok {
			children[info.parent] = append(children[info.parent], info)
		}
	}
	queue := []int{os.Getpid()}
	for len(queue) > 0 {
		for _, info := range children[queue[0]] {
			if info.state == 'Z' {
				reap(info)
				continue
			}
			below = append(below, info)
			queue = append(queue, info.pid)
		}
		queue = queue[1:]
	}
	return below
}

func reap(info procInfo) {
	if _, ours := waited.Load(info.pid); ours || info.parent != os.Getpid() {
		return
	}
	syscall.Wait4(info.pid, nil, syscall.WNOHANG, nil)
}

// endAll asks every process below ours but those of keep to end.
func endAll(signal syscall.Signal, keep ...int) {
	for _, info := range descendants() {
		if slices.Contains(keep, info.pid) {
			continue
		}
		syscall.Kill(info.pid, signal)
		syscall.Kill(info.pid, syscall.SIGCONT) // a stopped one hears nothing
	}
}

// checkNoProcess fails t if a process of the session outlives it, and ends it.
func checkNoProcess(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for len(descendants()) > 0 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	if left := descendants(); len(left) > 0 {
		t.Errorf("processes outlive the session: %v", left)
		endAll(syscall.SIGKILL)
		time.Sleep(100 * time.Millisecond)
		descendants()
	}
}
