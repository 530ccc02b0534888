package wayland

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair returns the two ends of a stream.
func pair(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]*net.UnixConn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "end")
		c, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		ends[i] = c.(*net.UnixConn)
	}
	return ends[0], ends[1]
}

// A leakCheck is a pipe whose writing end is passed around.
type leakCheck struct{ r, w *os.File }

func newLeakCheck(t testing.TB) leakCheck {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return leakCheck{r, w}
}

// finish closes the test's own end and checks that no other is left.
func (l leakCheck) finish(t testing.TB) {
	t.Helper()
	l.w.Close()
	l.r.SetReadDeadline(time.Now().Add(time.Second))
	if _, err := l.r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("a descriptor is still open: %v", err)
	}
}

// repeat returns n times f.
func repeat(f *os.File, n int) []*os.File {
	files := make([]*os.File, n)
	for i := range files {
		files[i] = f
	}
	return files
}

// one says that every message has one descriptor.
func one(ID, uint16) int { return 1 }

func none(ID, uint16) int { return 0 }

// write writes bytes and descriptors as they are.
func write(t testing.TB, c *net.UnixConn, data []byte, files ...*os.File) {
	t.Helper()
	var oob []byte
	if len(files) > 0 {
		var fds []int
		for _, f := range files {
			fds = append(fds, int(f.Fd()))
		}
		oob = unix.UnixRights(fds...)
	}
	if _, _, err := c.WriteMsgUnix(data, oob, nil); err != nil {
		t.Fatal(err)
	}
}

func fdsOf(files []*os.File) (fds []int) {
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	return fds
}
