package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// probeArgument makes a program that calls BecomeProbe the probe. It gives its
// user nothing: the probe does what its caller may do.
const probeArgument = "--utter-sandbox-probe"

// An attempt is one thing that the probe tries.
type attempt struct {
	Claim string // what it is evidence for
	Kind  string
	Path  string // what it is tried on
	Want  string `json:",omitempty"` // what is found there if it succeeds
}

func (a attempt) String() string { return a.Kind + " " + a.Path }

// The kinds of attempts.
const (
	tryConnect = "connect to" // Path is network:address
	tryRead    = "read"       // the file holds Want
	tryWrite   = "write"      // afterwards the file holds Want
	tryOpen    = "open"       // a device
	tryProcess = "signal"     // the process Path, which started at Want
	tryUserns  = "make"       // a user namespace
)

// An answer is what the probe found. Errors has one entry for each attempt, ""
// where it succeeded.
type answer struct {
	Errors       []string
	Capabilities []string // CapInh, CapPrm, CapEff, CapBnd, CapAmb
	NoNewPrivs   string
	Descriptors  []int
}

// BecomeProbe does nothing but in a program that Box.Probe started: there it
// tries what it is asked to, answers, and does not return. Call it first thing in
// main.
func BecomeProbe() {
	if len(os.Args) != 2 || os.Args[1] != probeArgument {
		return
	}
	if err := serveProbe(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox probe:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serveProbe(in io.Reader, out io.Writer) error {
	var a answer
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		// The runtime's own poller, and the listing itself, are closed on exec.
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			a.Descriptors = append(a.Descriptors, fd)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); {
		case strings.HasPrefix(name, "Cap"):
			a.Capabilities = append(a.Capabilities, value)
		case name == "NoNewPrivs":
			a.NoNewPrivs = value
		}
	}
	var attempts []attempt
	if err := json.NewDecoder(in).Decode(&attempts); err != nil {
		return err
	}
	for _, at := range attempts {
		text := ""
		if err := at.try(); err != nil {
			text = err.Error()
		}
		a.Errors = append(a.Errors, text)
	}
	return json.NewEncoder(out).Encode(a)
}

// try does it, and returns nil if that succeeded.
func (a attempt) try() error {
	switch a.Kind {
	case tryConnect:
		network, address, _ := strings.Cut(a.Path, ":")
		conn, err := net.DialTimeout(network, address, time.Second)
		if err != nil {
			return err
		}
		return conn.Close()
	case tryRead:
		data, err := os.ReadFile(a.Path)
		if err == nil && a.Want != "" && !bytes.Contains(data, []byte(a.Want)) {
			err = fmt.Errorf("%s is another file", a.Path)
		}
		return err
	case tryWrite:
		return os.WriteFile(a.Path, []byte(a.Want), 0o600)
	case tryOpen:
		f, err := os.OpenFile(a.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		return f.Close()
	case tryProcess:
		pid, err := strconv.Atoi(a.Path)
		if err != nil {
			return err
		}
		p, err := readProcess(pid)
		if err == nil && strconv.FormatUint(p.began, 10) != a.Want {
			err = fmt.Errorf("%d is another process", pid)
		}
		if err != nil {
			return err
		}
		return syscall.Kill(pid, 0)
	case tryUserns:
		self, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(self, probeArgument)
		cmd.Stdin = strings.NewReader("[]")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		return cmd.Run()
	}
	return fmt.Errorf("there is no attempt %q", a.Kind)
}
