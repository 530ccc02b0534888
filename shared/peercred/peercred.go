// Package peercred identifies the process at the other end of a Unix socket.
package peercred

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// Of returns the process that connected, or that listened when we connected, as
// the kernel noted it then. The process may be gone, and its id another's.
func Of(conn *net.UnixConn) (*unix.Ucred, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var who *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) { who, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(err, credErr); err != nil {
		return nil, err
	}
	return who, nil
}
