package wayland

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

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
	t.Run("unexpected descriptors", func(t *testing.T) {
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
