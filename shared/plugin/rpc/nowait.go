package rpc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A nowait writes to a connection what it takes at once: a caller with a frame need
// not wake the goroutine that waits with the rest.
type nowait struct {
	conn syscall.RawConn
	once func(fd uintptr) (done bool)

	// Of the write that goes on.
	bytes []byte
	n     int
}

// newNowait returns nil where s cannot be written to like this.
func newNowait(s Stream) *nowait {
	var end any = s
	if p, ok := s.(*pipe); ok {
		end = p.w
	}
	c, ok := end.(syscall.Conn)
	if !ok {
		return nil
	}
	conn, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	w := &nowait{conn: conn}
	w.once = func(fd uintptr) bool {
		if !nonblocking(fd) {
			return true
		}
		n, err := syscall.Write(int(fd), w.bytes)
		for err == unix.EINTR {
			n, err = syscall.Write(int(fd), w.bytes)
		}
		w.n = max(n, 0)
		return true // nor does the poller wait
	}
	return w
}

// nonblocking is asked each time: standard input and output are shared with the
// children of a plugin, which may set them otherwise.
func nonblocking(fd uintptr) bool {
	flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK != 0
}

// write returns how many bytes were taken. Only one may write at a time. A failure
// takes none: the caller that waits with the rest will see it.
func (w *nowait) write(b []byte) int {
	w.bytes, w.n = b, 0
	err := w.conn.Write(w.once)
	w.bytes = nil
	if err != nil {
		return 0
	}
	return w.n
}
