package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Cmd is a command and, once started, all the processes that came of it.
// Start hides the one of exec.Cmd; the rest is exec.Cmd's own. Run, Output and
// CombinedOutput must not be used.
type Cmd struct {
	*exec.Cmd
	boxed  bool   // in a pid namespace
	scoped bool   // kept from the abstract sockets of others
	mark   string // an entry of the environment that no other start has
	began  uint64 // when the first process started, in ticks since boot
}

// Sandboxed tells whether the command runs in a sandbox.
func (c *Cmd) Sandboxed() bool { return c.boxed }

// pass gives the child a descriptor and returns the number it has there.
func (c *Cmd) pass(file *os.File) int {
	c.ExtraFiles = append(c.ExtraFiles, file)
	return 2 + len(c.ExtraFiles)
}

// Discard releases a command that is not started.
func (c *Cmd) Discard() {
	for _, file := range c.ExtraFiles {
		file.Close()
	}
	c.ExtraFiles = nil
}

// Start starts the command. The child gets its standard streams and no other
// descriptor, and dies with this process.
func (c *Cmd) Start() error {
	defer c.Discard()
	if err := closeOnExec(); err != nil {
		return err
	}
	started := make(chan error)
	go func() {
		// The kernel kills the child when the thread that started it ends, so the
		// thread must last as long; and what it gave up it must give to nobody else.
		runtime.LockOSThread()
		pidfd, err := c.start()
		started <- err
		if err == nil {
			waitFor(pidfd)
		}
	}()
	return <-started
}

// start starts the child and returns a descriptor of it.
func (c *Cmd) start() (pidfd int, err error) {
	if c.scoped {
		if err := scope(); err != nil {
			return -1, fmt.Errorf("sandbox: keep from abstract sockets: %w", err)
		}
	}
	if err := c.Cmd.Start(); err != nil {
		return -1, err
	}
	// Nobody has waited for it: the number is its own.
	pidfd, err = unix.PidfdOpen(c.Process.Pid, 0)
	if err == nil {
		var p process
		p, err = readProcess(c.Process.Pid)
		c.began = p.began
	}
	if err != nil {
		c.Process.Kill()
		c.Cmd.Wait()
		return -1, fmt.Errorf("sandbox: watch %s: %w", c.Path, err)
	}
	return pidfd, nil
}

func waitFor(pidfd int) {
	defer unix.Close(pidfd)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// closeOnExec marks every descriptor but the standard three: those that this
// process was started with would go on to the plugins.
func closeOnExec() error {
	if unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	fds, err := os.ReadDir("/proc/self/fd") // a kernel before 5.11
	if err != nil {
		return fmt.Errorf("sandbox: list descriptors: %w", err)
	}
	for _, entry := range fds {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// canScope tells whether the kernel can keep a process from the abstract sockets
// of others, which a network namespace shares (Landlock of Linux 6.12).
func canScope() bool {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && abi >= 6
}

// scope keeps this thread, and what it starts, from connecting to abstract
// sockets that were made outside. It cannot be undone.
func scope() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	attr := struct{ fs, net, scoped uint64 }{scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// A process is one line of the process table.
type process struct {
	pid, parent, group, session int
	state                       byte
	began                       uint64
}

func (p process) alive() bool { return p.state != 'Z' && p.state != 'X' }

func readProcess(pid int) (process, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	// The name, in brackets, may hold anything.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return process{}, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(fields))
	}
	p := process{pid: pid, state: fields[0][0]}
	for i, to := range map[int]*int{1: &p.parent, 2: &p.group, 3: &p.session} {
		if *to, err = strconv.Atoi(fields[i]); err != nil {
			return process{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
	}
	p.began, err = strconv.ParseUint(fields[19], 10, 64)
	return p, err
}

// members returns the processes alive that came of c: its process group, their
// descendants, and whoever has its environment although the parent is gone.
func (c *Cmd) members() []process {
	if c.Process == nil {
		return nil
	}
	leader := c.Process.Pid
	var table []process
	entries, _ := os.ReadDir("/proc")
	groupIsOurs := true // unless another process got the number
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		p, err := readProcess(pid)
		if err != nil || p.began < c.began {
			continue
		}
		if pid == leader && p.began != c.began {
			groupIsOurs = false
		}
		table = append(table, p)
	}
	found := map[int]bool{}
	for _, p := range table {
		if groupIsOurs && (p.pid == leader || p.group == leader) || c.marked(p.pid) {
			found[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if !found[p.pid] && found[p.parent] {
				found[p.pid], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(table, func(p process) bool { return !found[p.pid] || !p.alive() })
}

// marked tells whether a process was started with the environment of c.
func (c *Cmd) marked(pid int) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+c.mark+"\x00"))
}

// Alive returns the numbers of all processes alive that came of c. In a sandbox
// they are all there are. Outside, one that left the process group and wiped its
// environment after its parent ended is not found.
func (c *Cmd) Alive() (pids []int) {
	for _, p := range c.members() {
		pids = append(pids, p.pid)
	}
	return pids
}

// Strays returns those of Alive that have left the process group and so would
// outlast a signal to it. In a sandbox none does: all end with its first process.
func (c *Cmd) Strays() (pids []int) {
	for _, p := range c.members() {
		if !c.boxed && p.group != c.Process.Pid {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// Terminate asks the plugin to end: SIGTERM to its process group, in a sandbox to
// the group inside. Call it before Wait returns.
func (c *Cmd) Terminate() error {
	if c.Process == nil {
		return nil
	}
	leader := c.Process.Pid
	if !c.boxed {
		return ignoreGone(syscall.Kill(-leader, syscall.SIGTERM))
	}
	// bwrap ends on the signal and takes the sandbox with it at once. Its one
	// child is the first process inside, deaf to the signal, and leads the session.
	for _, p := range c.members() {
		if p.parent == leader && p.group == p.pid {
			return ignoreGone(syscall.Kill(-p.pid, syscall.SIGTERM))
		}
	}
	return nil
}

// Kill ends all processes that came of c and returns those left after two
// seconds: none, but for one that the kernel holds or that is not ours to kill.
func (c *Cmd) Kill() (left []int) {
	seen := map[int]process{} // one that lost its parent is not found again
	for try := range 100 {
		for _, p := range c.members() {
			seen[p.pid] = p
		}
		left = nil
		for pid, p := range seen {
			if now, err := readProcess(pid); err != nil || now.began != p.began || !now.alive() {
				delete(seen, pid)
				continue
			}
			kill(p)
			left = append(left, pid)
		}
		if left == nil {
			return nil
		}
		time.Sleep(min(time.Duration(try+1)*time.Millisecond, 20*time.Millisecond))
	}
	return left
}

// kill ends exactly this process, and not one that got its number since.
func kill(p process) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if now, err := readProcess(p.pid); err == nil && now.began == p.began {
		unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
