package handle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The header of a ring; see the package comment.
const (
	ringMagic   = "UTRRING1"
	ringVersion = 1
	ringHeader  = 4096

	atVersion  = 8
	atHeader   = 12
	atCapacity = 16
	atWritten  = 64
	atRead     = 128
)

// ended is the write cursor of a ring that its writer has given up.
const ended = math.MaxUint64

// ErrCursor is why a ring ends.
var ErrCursor = errors.New("a cursor of the ring is out of range")

// A ring is the memory of both ends, and this end's own cursor. The other side
// can write all of the memory at any time, so nothing in it is believed.
type ring struct {
	memory []byte // header and data
	data   []byte
	signal *os.File
	own    uint64 // what this end wrote, or read
}

func (r *ring) cursor(at int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&r.memory[at]))
}

// Close gives the memory and the descriptors of this end back.
func (r *ring) Close() error {
	if r.memory == nil {
		return nil
	}
	memory := r.memory
	r.memory, r.data = nil, nil
	return errors.Join(unix.Munmap(memory), r.signal.Close())
}

// parts returns the n bytes of data from this end's cursor on, in two parts where
// they wrap around.
func (r *ring) parts(n int) (first, second []byte) {
	at := int(r.own & uint64(len(r.data)-1))
	first = r.data[at:min(at+n, len(r.data))]
	return first, r.data[:n-len(first)]
}

// A RingWriter is the end of a ring that the runner has. It is for one goroutine.
type RingWriter struct{ ring }

// NewRing makes a ring with room for size bytes at least. The files are for the
// reader: the memory, then the eventfd. Both ends must be closed.
func NewRing(size int64) (w *RingWriter, files []*os.File, err error) {
	if size < 1 || size > maxMemfd {
		return nil, nil, fmt.Errorf("make a ring of %d bytes", size)
	}
	capacity := int64(1) << bits.Len64(uint64(max(size, minMemfd)-1))
	memory, err := memfd("utter ring", ringHeader+capacity)
	if err != nil {
		return nil, nil, err
	}
	signal, err := eventfd()
	if err == nil {
		w, err = newWriter(memory, signal, capacity)
	}
	if err != nil {
		memory.Close()
		if signal != nil {
			signal.Close()
		}
		return nil, nil, fmt.Errorf("make a ring: %w", err)
	}
	return w, []*os.File{memory, signal}, nil
}

func newWriter(memory, signal *os.File, capacity int64) (*RingWriter, error) {
	if err := fill(memory, nil, sealSize|unix.F_SEAL_SEAL); err != nil {
		return nil, err
	}
	mapped, err := mapRing(memory, ringHeader+capacity)
	if err != nil {
		return nil, err
	}
	own, err := unix.FcntlInt(signal.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		_ = unix.Munmap(mapped)
		return nil, err
	}
	copy(mapped, ringMagic)
	binary.LittleEndian.PutUint32(mapped[atVersion:], ringVersion)
	binary.LittleEndian.PutUint32(mapped[atHeader:], ringHeader)
	binary.LittleEndian.PutUint64(mapped[atCapacity:], uint64(capacity))
	return &RingWriter{ring{memory: mapped, data: mapped[ringHeader:], signal: os.NewFile(uintptr(own), "eventfd")}}, nil
}

func eventfd() (*os.File, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "eventfd"), nil
}

func mapRing(f *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// Write writes as much of p as there is room for, and never waits. The error is
// ErrCursor if the reader broke the ring, for good.
func (w *RingWriter) Write(p []byte) (n int, err error) {
	if w.memory == nil {
		return 0, os.ErrClosed
	}
	unread := w.own - w.cursor(atRead).Load()
	if unread > uint64(len(w.data)) || w.cursor(atWritten).Load() != w.own {
		w.End()
		return 0, ErrCursor
	}
	n = min(len(p), len(w.data)-int(unread))
	if n == 0 {
		return 0, nil
	}
	first, second := w.parts(n)
	copy(second, p[copy(first, p):n])
	w.own += uint64(n)
	w.cursor(atWritten).Store(w.own)
	w.wake()
	return n, nil
}

// End tells the reader that the ring has ended. What it has not read is lost.
func (w *RingWriter) End() {
	if w.memory == nil {
		return
	}
	w.cursor(atWritten).Store(ended)
	w.wake()
}

// wake makes the eventfd readable. The reader can fill the counter, and then it
// is readable anyway: a write would wait.
func (w *RingWriter) wake() {
	poll := []unix.PollFd{{Fd: int32(w.signal.Fd()), Events: unix.POLLOUT}}
	if n, err := unix.Poll(poll, 0); err != nil || n == 0 {
		return
	}
	one := binary.NativeEndian.AppendUint64(nil, 1)
	_, _ = unix.Write(int(w.signal.Fd()), one)
}
