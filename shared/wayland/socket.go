package wayland

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// maxFDs is how many descriptors libwayland passes at once.
const maxFDs = 28

// sendTimeout bounds a write to a peer that has stopped reading.
const sendTimeout = 2 * time.Second

// A Socket carries messages. Either side may use it: Conn does for a client,
// the test suites' compositor for a server. Send may be called from several
// goroutines, Receive from one.
type Socket struct {
	conn *net.UnixConn

	mu     sync.Mutex // orders writes
	broken error      // why nothing more can be sent

	reading sync.Mutex // guards what follows
	buf     []byte
	fds     []*os.File
}

// NewSocket returns a Socket on c, which it owns from now on.
func NewSocket(c *net.UnixConn) *Socket { return &Socket{conn: c} }

// Close ends the connection and closes the descriptors that nobody took.
// It must not run while Receive does, unless Receive is to fail.
func (s *Socket) Close() error {
	err := s.conn.Close()
	if s.reading.TryLock() { // else Receive fails and drops them
		s.dropFDs()
		s.reading.Unlock()
	}
	return err
}

// Send writes messages in one system call. The peer gets duplicates of their
// descriptors; the caller keeps its own.
func (s *Socket) Send(messages ...Message) error {
	var data []byte
	var fds []int
	for _, m := range messages {
		data = m.append(data)
		for _, f := range m.FDs {
			fds = append(fds, int(f.Fd()))
		}
	}
	if len(fds) > maxFDs {
		return fmt.Errorf("wayland: %d descriptors at once", len(fds))
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if err := s.conn.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return fmt.Errorf("wayland: send: %w", err)
	}
	n, _, err := s.conn.WriteMsgUnix(data, oob, nil)
	if err == nil && n < len(data) {
		_, err = s.conn.Write(data[n:])
	}
	runtime.KeepAlive(messages)
	if err != nil {
		s.broken = fmt.Errorf("wayland: send: %w", err)
	}
	return s.broken
}

// Receive returns the next message. fdCount says how many descriptors belong to
// a message of that object and opcode: the wire does not.
func (s *Socket) Receive(fdCount func(ID, uint16) int) (m Message, err error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	defer func() {
		if err != nil {
			s.dropFDs()
		}
	}()
	for {
		m, rest, ok, err := parse(s.buf)
		if err != nil {
			return Message{}, err
		}
		if ok {
			want := fdCount(m.Object, m.Opcode)
			if want > len(s.fds) {
				return Message{}, fmt.Errorf("%w: descriptor missing", ErrMalformed)
			}
			s.buf = rest
			m.FDs, s.fds = s.fds[:want:want], s.fds[want:]
			return m, nil
		}
		if err := s.fill(); err != nil {
			return Message{}, err
		}
	}
}

// fill reads what has come.
func (s *Socket) fill() error {
	if len(s.fds) > 16*maxFDs {
		return fmt.Errorf("%w: unexpected descriptors", ErrMalformed)
	}
	data := make([]byte, 1<<14)
	oob := make([]byte, unix.CmsgSpace(4*maxFDs))
	n, oobn, flags, _, err := s.conn.ReadMsgUnix(data, oob)
	if oobn > 0 {
		files, oobErr := rights(oob[:oobn])
		s.fds = append(s.fds, files...)
		err = errors.Join(err, oobErr)
	}
	if err == nil && flags&unix.MSG_CTRUNC != 0 {
		err = fmt.Errorf("%w: too many descriptors at once", ErrMalformed)
	}
	if err != nil {
		return fmt.Errorf("wayland: receive: %w", err)
	}
	if n == 0 {
		return fmt.Errorf("wayland: receive: %w", net.ErrClosed)
	}
	s.buf = append(s.buf, data[:n]...)
	return nil
}

// dropFDs closes what came with messages that were never read.
func (s *Socket) dropFDs() {
	for _, f := range s.fds {
		f.Close()
	}
	s.fds = nil
}

func rights(oob []byte) ([]*os.File, error) {
	controls, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, fmt.Errorf("wayland: control message: %w", err)
	}
	var files []*os.File
	for _, c := range controls {
		fds, err := unix.ParseUnixRights(&c)
		if err != nil {
			continue // some other kind of control message: it carries nothing
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			unix.SetNonblock(fd, true)
			files = append(files, os.NewFile(uintptr(fd), "wayland"))
		}
	}
	return files, nil
}

// TempFile returns an anonymous file that holds data, to be passed as a
// descriptor. The caller closes it.
func TempFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("wayland: make %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, fmt.Errorf("wayland: write %s: %w", name, err)
	}
	return f, nil
}
