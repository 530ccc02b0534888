package runner

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"utter/shared/peercred"
)

// An admission says how a client was let in.
type admission struct {
	who        string // its program and number, for the log
	needsToken bool
	token      string
}

// admission decides about a connection by who is at its other end. That a
// program's path is on a list is not proof: what runs there can become another
// program after it has connected.
func (r *Runner) admission(conn *net.UnixConn) (admission, error) {
	peer, err := credentials(conn)
	if err != nil {
		return admission{}, fmt.Errorf("no credentials: %w", err)
	}
	defer peer.close()
	if peer.uid != os.Getuid() {
		return admission{}, fmt.Errorf("it belongs to user %d", peer.uid)
	}
	table := r.config.Load().Socket
	if table == nil {
		return admission{who: peer.String(), needsToken: true, token: r.clients.token("client")}, nil
	}
	a := admission{who: peer.String(), needsToken: table.Token != "", token: table.Token}
	switch {
	case table.AllowSameUID:
		a.needsToken = false
	case len(table.AllowBinaries) > 0:
		exe, err := peer.exe()
		if err != nil {
			return a, err
		}
		if !listed(exe, table.AllowBinaries) {
			return a, fmt.Errorf("%s is not in allow_binaries", exe)
		}
	case table.Token == "":
		return a, errors.New("the [socket] table admits no one")
	}
	return a, nil
}

// listed reports whether a program is one of those named: by its path, or by its
// last name with or without a version behind it.
func listed(exe string, names []string) bool {
	for _, name := range names {
		if strings.Contains(name, "/") {
			if exe == filepath.Clean(name) {
				return true
			}
			continue
		}
		rest, ok := strings.CutPrefix(filepath.Base(exe), name)
		if ok && (rest == "" || unicode.IsDigit(rune(rest[0]))) {
			return true
		}
	}
	return false
}

// An other is the process at the other end of a connection.
type other struct {
	pid, uid int
	pidfd    int // -1 where the kernel gives none
}

func credentials(conn *net.UnixConn) (o other, err error) {
	o.pidfd = -1
	who, err := peercred.Of(conn)
	if err != nil {
		return o, err
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return o, err
	}
	o.pid, o.uid = int(who.Pid), int(who.Uid)
	err = raw.Control(func(fd uintptr) {
		if pidfd, e := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD); e == nil {
			unix.CloseOnExec(pidfd)
			o.pidfd = pidfd
		}
	})
	return o, err
}

func (o other) close() {
	if o.pidfd >= 0 {
		unix.Close(o.pidfd)
	}
}

func (o other) String() string { return fmt.Sprintf("process %d", o.pid) }

// exe returns the program of the process, if its number is still its own.
func (o other) exe() (string, error) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", o.pid))
	if err != nil {
		return "", fmt.Errorf("process %d: %w", o.pid, err)
	}
	if o.pidfd < 0 {
		return exe, nil
	}
	gone, err := unix.Poll([]unix.PollFd{{Fd: int32(o.pidfd), Events: unix.POLLIN}}, 0)
	if err != nil || gone > 0 {
		return "", fmt.Errorf("process %d has ended", o.pid)
	}
	return exe, nil
}
