package rpc

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// A nowait reads or writes one direction of a connection by system calls that do
// not wait. The runtime need not prepare for them to take long, which costs more
// than they do: it would wake a thread that looks after those that wait.
type nowait struct {
	conn syscall.RawConn
	call func(fd uintptr, b []byte) (int, error) // readNow or writeNow
	try  func(fd uintptr) bool
	wait bool // until something was done

	buf []byte
	n   int
	err error
}

// newNowait returns nil where end cannot be used like this.
func newNowait(end any, call func(uintptr, []byte) (int, error), wait bool) *nowait {
	c, ok := end.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil || !nonblocking(raw) {
		return nil
	}
	q := &nowait{conn: raw, call: call, wait: wait}
	q.try = q.once // made once
	return q
}

func nonblocking(raw syscall.RawConn) (is bool) {
	err := raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		is = err == nil && flags&unix.O_NONBLOCK != 0
	})
	return err == nil && is
}

// once makes the call. False has the poller wait for the connection.
func (q *nowait) once(fd uintptr) bool {
	q.n, q.err = q.call(fd, q.buf)
	for q.err == unix.EINTR {
		q.n, q.err = q.call(fd, q.buf)
	}
	q.n = max(q.n, 0)
	return q.err != unix.EAGAIN || !q.wait
}

// newNowaitWriter returns a writer that never waits, or nil.
func newNowaitWriter(s Stream) *nowait {
	if p, ok := s.(*pipe); ok {
		return newNowait(p.w, writeNow, false)
	}
	return newNowait(s, writeNow, false)
}

// write returns how many bytes were taken. Only one may write at a time.
func (q *nowait) write(b []byte) int {
	q.buf = b
	err := q.conn.Write(q.try)
	q.buf = nil
	if err != nil {
		return 0
	}
	return q.n
}

// newNowaitReader returns a reader of s.
func newNowaitReader(s Stream) io.Reader {
	var end any = s
	if p, ok := s.(*pipe); ok {
		end = p.ReadCloser
	}
	if q := newNowait(end, readNow, true); q != nil {
		return q
	}
	return s
}

// Read is as that of an io.Reader. Only one may read at a time.
func (q *nowait) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	q.buf = b
	err := q.conn.Read(q.try)
	q.buf = nil
	switch {
	case err != nil:
		return 0, err
	case q.err != nil:
		return 0, q.err
	case q.n == 0:
		return 0, io.EOF
	}
	return q.n, nil
}
