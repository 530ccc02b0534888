package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is for other processes on a loaded machine.
const patience = 20 * time.Second

// TestMain lets the test binary play the programs that are started, so that the
// tests run real processes without building any.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "play" {
		switch os.Args[2] {
		case "puppet":
			playPuppet(os.Args[3])
		case "application":
			playApplication(os.Args[3], os.Args[4])
		case "exit":
			status, _ := strconv.Atoi(os.Args[3])
			os.Exit(status)
		}
		panic("there is no such part: " + os.Args[2])
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // of the programs that are started
	os.Exit(m.Run())
}

// A report is what a program that was started sees of itself.
type report struct {
	Args        []string // behind its own
	Env         []string
	Dir         string
	PID, PPID   int
	Session     int
	Descriptors []string // beyond the three standard ones
	Input       string   // what standard input is
}

func (r report) env(name string) (value string, set bool) {
	for _, kv := range r.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// look must come before anything that opens files.
func look() report {
	r := report{Args: os.Args[min(4, len(os.Args)):], Env: os.Environ(), PID: os.Getpid(), PPID: os.Getppid()}
	for fd := range 256 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || fd <= 2 {
			continue
		}
		to, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if !strings.HasPrefix(to, "/sys/fs/cgroup/") { // opened by Go itself
			r.Descriptors = append(r.Descriptors, fmt.Sprintf("%d: %s", fd, to))
		}
	}
	r.Dir, _ = os.Getwd()
	r.Session, _ = unix.Getsid(0)
	r.Input, _ = os.Readlink("/proc/self/fd/0")
	return r
}

// playPuppet calls the stage at socket, reports, and does what it is told until
// the stage hangs up.
func playPuppet(socket string) {
	r := look()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		panic(err)
	}
	json.NewEncoder(conn).Encode(r)
	orders := bufio.NewScanner(conn)
	for orders.Scan() {
		order, rest, _ := strings.Cut(orders.Text(), " ")
		switch order {
		case "exit":
			status, _ := strconv.Atoi(rest)
			os.Exit(status)
		case "call-yourself":
			err = os.WriteFile("/proc/self/comm", []byte(rest), 0)
		case "start": // as programs start others
			err = exec.Command(os.Args[0], "play", "puppet", socket).Start()
		case "launch": // as the agent does
			var l *Launcher
			if l, err = New(nil); err == nil {
				_, err = l.Start(context.Background(), Command{Argv: []string{os.Args[0], "play", "puppet", socket}})
			}
		}
		fmt.Fprintln(conn, order, err)
	}
	os.Exit(0)
}

// A stage is where puppets call.
type stage struct {
	socket   string
	listener *net.UnixListener
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "l") // short: paths of sockets are limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "stage")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &stage{socket, l}
}

// argv is the command line of a puppet.
func (s *stage) argv(args ...string) []string {
	return append([]string{self(), "play", "puppet", s.socket}, args...)
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// A puppet is a program on the stage.
type puppet struct {
	report
	conn net.Conn
	in   *bufio.Reader
}

// enter waits for the next puppet. It exits with the test.
func (s *stage) enter(t *testing.T) *puppet {
	t.Helper()
	s.listener.SetDeadline(time.Now().Add(patience))
	conn, err := s.listener.Accept()
	if err != nil {
		t.Fatalf("nobody enters: %v", err)
	}
	conn.SetDeadline(time.Now().Add(patience))
	p := &puppet{conn: conn, in: bufio.NewReader(conn)}
	line, err := p.in.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &p.report)
	}
	if err != nil {
		t.Fatalf("a puppet reports %q: %v", line, err)
	}
	t.Cleanup(func() {
		conn.Close()
		syscall.Kill(p.PID, syscall.SIGCONT)
	})
	return p
}

// tell gives an order and waits until it is carried out.
func (p *puppet) tell(t *testing.T, order string) {
	t.Helper()
	word, _, _ := strings.Cut(order, " ")
	fmt.Fprintln(p.conn, order)
	if got, err := p.in.ReadString('\n'); got != word+" <nil>\n" || err != nil {
		t.Fatalf("told to %s, the program says %q, %v", order, got, err)
	}
}

// leave makes the program end with a status.
func (p *puppet) leave(status int) { fmt.Fprintln(p.conn, "exit", status) }

// end waits until a program that was started has ended.
func end(t *testing.T, p *Process) error {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatal("the program does not end")
	}
	return p.Failed()
}
