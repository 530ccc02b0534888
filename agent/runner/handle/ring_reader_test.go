package handle

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A ringReader is the end of a ring that a client has. It is for one goroutine.
type ringReader struct{ ring }

// openRing maps the ring that came with the two descriptors, which it owns from
// now on.
func openRing(t testing.TB, files []*os.File) *ringReader {
	t.Helper()
	r, err := mapReader(files[0], files[1])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mapReader(memory, signal *os.File) (*ringReader, error) {
	defer memory.Close()
	defer signal.Close()
	info, err := memory.Stat()
	if err != nil {
		return nil, err
	}
	mapped, err := mapRing(memory, info.Size())
	if err != nil {
		return nil, err
	}
	r := &ringReader{ring{memory: mapped, data: mapped[ringHeader:]}}
	// A file that the runtime's poller knows, so that Wait can be interrupted.
	fd, err := unix.FcntlInt(signal.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		_ = unix.Munmap(mapped)
		return nil, err
	}
	r.signal = os.NewFile(uintptr(fd), "eventfd")
	r.own = r.cursor(atRead).Load()
	return r, nil
}

// Read reads what is there into p, and never waits. The error is ErrCursor when
// the writer has ended or broken the ring.
func (r *ringReader) Read(p []byte) (n int, err error) {
	if r.memory == nil {
		return 0, os.ErrClosed
	}
	there := r.cursor(atWritten).Load() - r.own
	if there > uint64(len(r.data)) {
		return 0, ErrCursor
	}
	n = min(len(p), int(there))
	if n == 0 {
		return 0, nil
	}
	first, second := r.parts(n)
	copy(p[copy(p, first):n], second)
	r.own += uint64(n)
	r.cursor(atRead).Store(r.own)
	return n, nil
}

// Wait waits until there may be something to read, or until the time given to
// SetDeadline, which is os.ErrDeadlineExceeded.
func (r *ringReader) Wait() error {
	var count [8]byte
	_, err := r.signal.Read(count[:])
	return err
}

// SetDeadline is for Wait, also for one that waits.
func (r *ringReader) SetDeadline(t time.Time) error { return r.signal.SetReadDeadline(t) }
