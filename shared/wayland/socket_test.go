package wayland

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
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

func TestDescriptorsStayWithTheirMessages(t *testing.T) {
	a, b := pair(t)
	from, to := NewSocket(a), NewSocket(b)
	var batch []Message
	for i := range uint32(20) {
		f, err := TempFile("numbered", fmt.Append(nil, i))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		plain, _ := NewMessage(1, 0, i)
		with, _ := NewMessage(2, 0, i, f)
		batch = append(batch, plain, with)
	}
	if err := from.Send(batch...); err != nil {
		t.Fatal(err)
	}
	for range batch {
		m, err := to.Receive(func(id ID, _ uint16) int { return int(id) - 1 })
		if err != nil {
			t.Fatal(err)
		}
		args := m.Args()
		i := args.Uint()
		if m.Object == 1 {
			continue
		}
		f := args.File()
		if f == nil {
			t.Fatalf("message %d has no descriptor", i)
		}
		data := make([]byte, 2)
		n, _ := f.ReadAt(data, 0)
		f.Close()
		if got, want := string(data[:n]), fmt.Sprint(i); got != want {
			t.Errorf("message %s came with the descriptor of %s", want, got)
		}
	}
}

func TestReceiveWaitsForTheWholeMessage(t *testing.T) {
	a, b := pair(t)
	l := newLeakCheck(t)
	go func() {
		m, _ := NewMessage(5, 6, "text")
		data := m.append(nil)
		write(t, a, data[:1], l.w)
		for i := 1; i < len(data); i++ {
			write(t, a, data[i:i+1])
		}
	}()
	m, err := NewSocket(b).Receive(one)
	if err != nil || m.Object != 5 || m.Opcode != 6 {
		t.Fatalf("Receive = %v, %v", m, err)
	}
	args := m.Args()
	if s := args.String(); s != "text" {
		t.Errorf("String = %q", s)
	}
	args.Close()
	l.finish(t)
}

func TestReceiveEndsAtTheEnd(t *testing.T) {
	for _, data := range [][]byte{nil, words(1), words(1, 12<<16)} {
		a, b := pair(t)
		write(t, a, append([]byte{}, data...))
		a.Close()
		if _, err := NewSocket(b).Receive(none); !errors.Is(err, io.EOF) {
			t.Errorf("after %d bytes and the end: Receive = %v, want io.EOF", len(data), err)
		}
	}
}

// A peer that leaves out descriptors, or sends too many, does not make the
// socket wait or keep more and more.
func TestReceiveIsBounded(t *testing.T) {
	t.Run("descriptors missing", func(t *testing.T) {
		a, b := pair(t)
		write(t, a, words(1, 8<<16))
		b.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := NewSocket(b).Receive(one); !errors.Is(err, ErrMalformed) {
			t.Errorf("Receive = %v, want ErrMalformed", err)
		}
	})
	t.Run("descriptors that nobody expects", func(t *testing.T) {
		a, b := pair(t)
		l := newLeakCheck(t)
		var writer sync.WaitGroup
		writer.Go(func() {
			oob := unix.UnixRights(fdsOf(repeat(l.w, 10))...)
			for {
				if _, _, err := a.WriteMsgUnix(words(1, 8<<16), oob, nil); err != nil {
					return
				}
			}
		})
		s := NewSocket(b)
		var err error
		for n := 0; n < 1000 && err == nil; n++ {
			_, err = s.Receive(none)
		}
		if !errors.Is(err, ErrMalformed) {
			t.Errorf("Receive = %v with %d descriptors kept, want ErrMalformed", err, len(s.fds))
		}
		s.Close()
		writer.Wait()
	})
}

func fdsOf(files []*os.File) (fds []int) {
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	return fds
}

// libwayland never passes more than 28 descriptors at once. A peer that does
// must not leave the client waiting for those that the kernel threw away.
func TestTooManyDescriptorsAtOnceAreAnError(t *testing.T) {
	a, b := pair(t)
	l := newLeakCheck(t)
	const n = 40
	var data []byte
	for range n {
		data = append(data, words(1, 8<<16)...)
	}
	write(t, a, data, repeat(l.w, n)...)
	b.SetReadDeadline(time.Now().Add(time.Second))
	s := NewSocket(b)
	defer s.Close()
	for i := range n {
		m, err := s.Receive(one)
		if err == nil {
			m.Args().Close()
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Receive waits for descriptor %d of %d", i+1, n)
		}
		return
	}
}

func TestSendRefusesTooManyDescriptors(t *testing.T) {
	a, _ := pair(t)
	l := newLeakCheck(t)
	s := NewSocket(a)
	if err := s.Send(Message{Object: 1, FDs: repeat(l.w, maxFDs+1)}); err == nil {
		t.Error("Send = nil, want an error")
	}
	if err := s.Send(Message{Object: 1, FDs: repeat(l.w, maxFDs)}); err != nil {
		t.Errorf("Send = %v", err)
	}
}

func TestSendToAStoppedReaderEnds(t *testing.T) {
	t.Parallel()
	a, _ := pair(t)
	s := NewSocket(a)
	start := time.Now()
	m, _ := NewMessage(1, 0, strings.Repeat("x", 4000))
	var err error
	for err == nil {
		err = s.Send(m)
	}
	if took := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || took > 2*sendTimeout {
		t.Errorf("Send = %v after %v", err, took)
	}
}

// After a part of a message the stream means nothing any more.
func TestNothingIsSentAfterHalfAMessage(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	if err := a.SetWriteBuffer(4096); err != nil { // so that the system cuts a message
		t.Fatal(err)
	}
	from, to := NewSocket(a), NewSocket(b)
	m, _ := NewMessage(1, 0, strings.Repeat("x", 3996))
	if err := from.Send(slices.Repeat([]Message{m}, 100)...); err == nil {
		t.Fatal("Send to a stopped reader = nil, want an error")
	}
	var err error
	b.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	for err == nil {
		_, err = to.Receive(none)
	}
	if len(to.buf) == 0 {
		t.Skip("the system took whole messages only")
	}
	if err := from.Send(m); err == nil {
		t.Error("Send after half a message = nil, want an error")
	}
}

func TestSocketCloseClosesDescriptors(t *testing.T) {
	a, b := pair(t)
	l := newLeakCheck(t)
	write(t, a, words(1, 8<<16), l.w)
	s := NewSocket(b)
	if _, err := s.Receive(none); err != nil {
		t.Fatal(err)
	}
	s.Close()
	l.finish(t)
}

// An application that asks for the clipboard and does not read must not hold a
// goroutine for ever.
func TestReceivedPipeKnowsDeadlines(t *testing.T) {
	a, b := pair(t)
	l := newLeakCheck(t)
	write(t, a, words(1, 8<<16), l.w) // a blocking pipe, as clients pass
	m, err := NewSocket(b).Receive(one)
	if err != nil {
		t.Fatal(err)
	}
	args := m.Args()
	defer args.Close()
	if err := args.fds[0].SetWriteDeadline(time.Now()); err != nil {
		t.Errorf("SetWriteDeadline = %v", err)
	}
}

func TestReceivedDescriptorsAreNotInherited(t *testing.T) {
	a, b := pair(t)
	l := newLeakCheck(t)
	write(t, a, words(1, 8<<16), l.w)
	m, err := NewSocket(b).Receive(one)
	if err != nil {
		t.Fatal(err)
	}
	args := m.Args()
	defer args.Close()
	flags, err := unix.FcntlInt(args.fds[0].Fd(), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags = %#x, %v; want FD_CLOEXEC", flags, err)
	}
}

// FuzzReceive plays a compositor that sends anything, in pieces, with
// descriptors: the connection ends without a panic, in time, and with every
// descriptor closed.
func FuzzReceive(f *testing.F) {
	f.Add(words(3, 12<<16, 0, 1, 12<<16|DisplayOnDeleteID, 3), uint8(1), uint8(0), uint16(5))
	f.Add(append(words(5, 16<<16|KeyboardOnKeymap, 1, 10), words(1, 12<<16|DisplayOnDeleteID, 5)...), uint8(3), uint8(1), uint16(0))
	f.Add(append(words(6, 20<<16|DataSourceOnSend, 5), "text\x00\x00\x00\x00"...), uint8(28), uint8(2), uint16(0))
	f.Add(append(words(6, 20<<16|DataSourceOnSend, 5), "else\x00\x00\x00\x00"...), uint8(1), uint8(0), uint16(7)) // not taken
	f.Add(words(7, 12<<16|DataDeviceOnOffer, firstServerID, firstServerID, 16<<16, 2, 0x61), uint8(0), uint8(0), uint16(1))
	f.Add(append(words(1, 24<<16|DisplayOnError, 5, 7, 4), "bad\x00"...), uint8(0), uint8(0), uint16(3))
	f.Add(append(words(2, 28<<16, 9, 8), "wl_seat\x00\x01\x00\x00\x00"...), uint8(0), uint8(0), uint16(0))
	f.Add(words(1, 4<<16), uint8(0), uint8(0), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, fds, extra uint8, piece uint16) {
		a, b := pair(t)
		l := newLeakCheck(t)
		go welcome(a)
		conn, err := NewConn(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		listen(t, conn)
		feed(a, data, l.w, int(fds)%(maxFDs+1), int(extra), int(piece))
		a.Close()
		select {
		case <-conn.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("the connection does not end")
		}
		if conn.Err() == nil {
			t.Error("Err = nil after the end")
		}
		conn.Close()
		l.finish(t)
	})
}

// welcome answers the first requests of a client: get_registry and sync, whose
// callback is object 3.
func welcome(c *net.UnixConn) {
	if _, err := io.ReadFull(c, make([]byte, 24)); err == nil {
		c.Write(words(3, 12<<16, 0))
	}
}

// listen makes objects that take arguments in earnest: a seat, a keyboard, a
// source and a device, with the IDs 4 to 7.
func listen(t *testing.T, conn *Conn) {
	handlers := []struct {
		i *Interface
		h Handler
	}{
		{Seat, func(_ uint16, args *Args) { args.Uint() }},
		{Keyboard, func(_ uint16, args *Args) {
			args.Uint()
			if f := args.File(); f != nil {
				f.Close()
			}
			args.Uint()
		}},
		{DataControlSource, func(opcode uint16, args *Args) {
			if opcode == DataSourceOnSend && args.String() == "text" {
				if f := args.File(); f != nil {
					f.Close()
				}
			}
		}},
		{DataControlDevice, func(opcode uint16, args *Args) {
			id := args.ID()
			if opcode != DataDeviceOnOffer {
				conn.Drop(id)
				return
			}
			conn.Adopt(id, DataControlOffer, func(_ uint16, args *Args) { _ = args.String() })
		}},
	}
	for _, h := range handlers {
		if _, err := conn.reserve(h.i, h.h); err != nil {
			t.Fatal(err)
		}
	}
}

// feed writes data in pieces, the first of which carry descriptors.
func feed(c *net.UnixConn, data []byte, f *os.File, fds, pieces, size int) {
	c.SetWriteDeadline(time.Now().Add(5 * time.Second))
	if size == 0 {
		size = len(data)
	}
	for i := 0; len(data) > 0; i++ {
		n := min(size, len(data))
		var oob []byte
		if fds > 0 && i <= pieces {
			oob = unix.UnixRights(fdsOf(repeat(f, fds))...)
		}
		if _, _, err := c.WriteMsgUnix(data[:n], oob, nil); err != nil {
			return // the client has had enough
		}
		data = data[n:]
	}
}
