package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadFrame(t *testing.T) {
	long := func(n int) string { return "X: " + strings.Repeat("x", n-len("X: \r\n")) + "\r\n" }
	const tail = "Content-Length: 2\r\n\r\n" // the last bytes of a header
	tests := []struct {
		in, want string
		err      string // what a *FrameError says, "" for a body
	}{
		{"Content-Length: 2\r\n\r\n{}", "{}", ""},
		{"content-length:2\r\n\r\n{}", "{}", ""},
		{"CONTENT-LENGTH :\t2 \r\nX-Other: y\r\n\r\n{}", "{}", ""},
		{"Content-Length: 2\r\ncontent-length: 02\r\n\r\n{}", "{}", ""},
		{"Content-Length: 4\r\n\r\n\"ü\"", "\"ü\"", ""},
		{long(MaxHeader-len(tail)) + tail + "{}", "{}", ""},
		{long(MaxHeader-len(tail)+1) + tail + "{}", "", "header over 8192"},
		{strings.Repeat("x", 1<<20), "", "header over 8192"},
		{"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "", "two different"},
		{"Content-Length: +2\r\n\r\n{}", "", "not a number"},
		{"Content-Length: 1_0\r\n\r\n{}", "", "not a number"},
		{"Content-Length: -1\r\n\r\n", "", "not a number"},
		{"Content-Length: 0x2\r\n\r\n{}", "", "not a number"},
		{"Content-Length: ٢\r\n\r\n{}", "", "not a number"},
		{"Content-Length: \r\n\r\n{}", "", "not a number"},
		{"Content-Length: 2 2\r\n\r\n{}", "", "not a number"},
		{"Content-Length: 99999999999999999999\r\n\r\n", "", "too large"},
		{"Content-Length: 101\r\n\r\n", "", "at most 100"},
		{"Content-Length: 0\r\n\r\n", "", "empty body"},
		{"\r\n\r\n{}", "", "no Content-Length"},
		{"X: 2\r\n\r\n{}", "", "no Content-Length"},
		{"garbage\r\n\r\n{}", "", "no colon"},
		{"Content-Length: 2\n\n{}", "", "ended in the header"},
		{"Content-Length: 2\r\n", "", "ended in the header"},
		{"Content-Length: 3\r\n\r\n{}", "", "ended in the body"},
		{"Content-Length: 3\r\n\r\n\"\xff\"", "", "not UTF-8"},
	}
	for _, tt := range tests {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := ReadFrame(bufio.NewReader(r), 100)
			if tt.err == "" {
				if err != nil || string(got) != tt.want {
					t.Errorf("%.60q: %q, %v", tt.in, got, err)
				}
				continue
			}
			if _, ok := errors.AsType[*FrameError](err); !ok || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%.60q: %v, want %s", tt.in, err, tt.err)
			}
		}
	}
	if _, err := ReadFrame(bufio.NewReader(strings.NewReader("")), 1); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if _, err := ReadFrame(bufio.NewReader(strings.NewReader("Content-Length: 9\r\n\r\n")),
		1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestFramesFollowEachOther(t *testing.T) {
	var b bytes.Buffer
	bodies := []string{"{}", strings.Repeat("x", 300<<10), "ü"}
	for _, s := range bodies {
		if err := WriteFrame(&b, []byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	r := bufio.NewReader(&b)
	for i, want := range bodies {
		if got, err := ReadFrame(r, 1<<20); err != nil || string(got) != want {
			t.Errorf("%d: %d bytes, %v", i, len(got), err)
		}
	}
	if _, err := ReadFrame(r, 1); err != io.EOF {
		t.Error(err)
	}
}

// TestAnAnnouncedLengthCostsNothing: memory follows what has come.
func TestAnAnnouncedLengthCostsNothing(t *testing.T) {
	n := testing.AllocsPerRun(1, func() {})
	in := "Content-Length: 1073741824\r\n\r\n{"
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			ReadFrame(bufio.NewReader(strings.NewReader(in)), 1<<30)
		}
	})
	if bytes := result.AllocedBytesPerOp(); bytes > 1<<20 || n != 0 {
		t.Errorf("%d bytes", bytes)
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("content-length:2\r\nX:\r\n\r\n{}Content-Length: 1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReader(bytes.NewReader(in))
		for {
			body, err := ReadFrame(r, 1000)
			if err != nil {
				if _, ok := errors.AsType[*FrameError](err); !ok && err != io.EOF {
					t.Errorf("%q: %v", in, err)
				}
				return
			}
			again, err := ReadFrame(bufio.NewReader(bytes.NewReader(AppendFrame(nil, body))), 1000)
			if err != nil || !bytes.Equal(body, again) || len(body) == 0 {
				t.Errorf("%q: %q, %v", in, again, err)
			}
		}
	})
}

func BenchmarkFrame(b *testing.B) {
	body := []byte(
		`{"jsonrpc":"2.0","id":"0:1","method":"router.plan","params":{"utterance":"open youtube","provenance":"user"}}`)
	var buf bytes.Buffer
	r := bufio.NewReader(&buf)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		WriteFrame(&buf, body)
		if _, err := ReadFrame(r, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
