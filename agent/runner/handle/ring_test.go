package handle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func newRing(t testing.TB, size int64) (*RingWriter, *ringReader) {
	t.Helper()
	w, files, err := NewRing(size)
	if err != nil {
		t.Fatal(err)
	}
	r := openRing(t, files)
	t.Cleanup(func() { w.Close(); r.Close() })
	return w, r
}

func TestRingLayout(t *testing.T) {
	w, files, err := NewRing(5000)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if n, err := w.Write([]byte("hello")); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	memory := make([]byte, 20000)
	n, err := files[0].ReadAt(memory, 0)
	if err != io.EOF || n != 4096+8192 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	if string(memory[:8]) != "UTRRING1" || u32(memory[8:]) != 1 || u32(memory[12:]) != 4096 || u64(memory[16:]) != 8192 ||
		u64(memory[64:]) != 5 || u64(memory[128:]) != 0 || string(memory[4096:4101]) != "hello" {
		t.Errorf("header % x", memory[:136])
	}
	var count [8]byte
	if n, err := unix.Read(int(files[1].Fd()), count[:]); n != 8 || err != nil ||
		binary.NativeEndian.Uint64(count[:]) != 1 {
		t.Errorf("eventfd: %d, %v, %v", n, err, count)
	}
	seals, err := unix.FcntlInt(files[0].Fd(), unix.F_GET_SEALS, 0)
	if err != nil || seals&sealSize != sealSize || seals&unix.F_SEAL_WRITE != 0 {
		t.Errorf("seals %#x, %v", seals, err)
	}
	if err := files[0].Truncate(1); !errors.Is(err, unix.EPERM) {
		t.Errorf("Truncate = %v", err)
	}
}

// TestRingWraps passes random pieces through a small ring, many times around.
func TestRingWraps(t *testing.T) {
	w, r := newRing(t, 1)
	random := rand.New(rand.NewPCG(1, 2))
	var want, got []byte
	for range 2000 {
		piece := make([]byte, random.IntN(5000))
		for i := range piece {
			piece[i] = byte(random.Uint32())
		}
		n, err := w.Write(piece)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, piece[:n]...)
		into := make([]byte, random.IntN(5000))
		n, err = r.Read(into)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, into[:n]...)
	}
	rest := make([]byte, 4096)
	n, _ := r.Read(rest)
	if got = append(got, rest[:n]...); len(got) < 100*4096 || !bytes.Equal(got, want) {
		t.Errorf("%d bytes went in, %d came out", len(want), len(got))
	}
}

func TestRingWrapsAtTheEndOfCursors(t *testing.T) {
	w, r := newRing(t, 4096)
	begin := uint64(math.MaxUint64 - 1000) // the cursors themselves overflow
	w.cursor(atWritten).Store(begin)
	w.cursor(atRead).Store(begin)
	w.own, r.own = begin, begin
	data := bytes.Repeat([]byte("0123456789"), 300)
	if n, err := w.Write(data); n != len(data) || err != nil {
		t.Fatal(n, err)
	}
	got := make([]byte, 4096)
	if n, err := r.Read(got); err != nil || !bytes.Equal(got[:n], data) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestRingCursorsOutOfRange(t *testing.T) {
	tests := []struct {
		name       string
		at         int
		value      uint64
		writerEnds bool
		readerEnds bool
	}{
		{"read ahead of written", atRead, 101, true, false},
		{"read far behind", atRead, math.MaxUint64 - 4096, true, false},
		{"read went back within range", atRead, 0, false, false},
		{"written beyond the capacity", atWritten, 50 + 4097, true, true},
		{"written behind read", atWritten, 49, true, true},
		{"written by the reader, within range", atWritten, 120, true, false},
		{"the end", atWritten, ended, true, true},
	}
	for _, tt := range tests {
		w, r := newRing(t, 4096)
		w.Write(make([]byte, 100))
		r.Read(make([]byte, 50))
		r.cursor(tt.at).Store(tt.value)
		if _, err := r.Read(make([]byte, 200)); errors.Is(err, ErrCursor) != tt.readerEnds {
			t.Errorf("%s: Read = %v", tt.name, err)
		}
		r.cursor(tt.at).Store(tt.value)
		_, err := w.Write([]byte("x"))
		if errors.Is(err, ErrCursor) != tt.writerEnds {
			t.Errorf("%s: Write = %v", tt.name, err)
		}
		if !tt.writerEnds {
			continue
		}
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: the reader was not told: %v", tt.name, err)
		}
		if _, err := w.Write([]byte("x")); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: not for good: %v", tt.name, err)
		}
	}
}

// TestRingWriterNeverWaits: a reader that fills the eventfd's counter, or clears
// O_NONBLOCK on it, does not stop the runner.
func TestRingWriterNeverWaits(t *testing.T) {
	w, files, err := NewRing(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	full := binary.NativeEndian.AppendUint64(nil, math.MaxUint64-1)
	if _, err := unix.Write(int(files[1].Fd()), full); err != nil {
		t.Fatal(err)
	}
	if err := unix.SetNonblock(int(files[1].Fd()), false); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := w.Write([]byte("x")); done <- err }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
	}
}

func TestRingAfterClose(t *testing.T) {
	w, r := newRing(t, 1)
	w.Close()
	r.Close()
	w.End()
	if _, err := w.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if w.Close() != nil || r.Close() != nil {
		t.Error("twice")
	}
}

func BenchmarkRing(b *testing.B) {
	w, r := newRing(b, 256<<10)
	piece := make([]byte, 4096)
	b.SetBytes(int64(len(piece)))
	go func() {
		for left := b.N; left > 0; {
			if n, err := w.Write(piece); err != nil {
				return
			} else if n == len(piece) {
				left--
			} else if n > 0 {
				panic("a part of a piece")
			} else {
				runtime.Gosched()
			}
		}
	}()
	into := make([]byte, 64<<10)
	for got := 0; got < b.N*len(piece); {
		n, err := r.Read(into)
		if err != nil {
			b.Fatal(err)
		}
		got += n
		if n == 0 {
			if err := r.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
