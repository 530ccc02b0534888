package stdio

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"utter/shared/plugin/rpc"
)

// TestOutput: what is not a frame is told of, however it comes, and frames are not.
func TestOutput(t *testing.T) {
	const frame = "Content-Length: 2\r\n\r\n{}"
	long := strings.Repeat("x", 3*maxHead)
	printed := func(text string) string {
		return fmt.Sprintf("wrote %.80q to standard output, where only messages may go; print to standard error", text)
	}
	for _, tt := range []struct{ out, want string }{
		{"", ""}, {frame, ""}, {frame + "content-length:3\r\nX: y\r\n\r\n{ }" + frame, ""},
		{frame + "Content-Len", ""}, {"X: y\r\nContent-Length: 2\r\n\r\n{}" + frame, ""},
		{fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(long), long) + frame, ""},
		{"Content-Length: x\r\n\r\n", ""}, {"Content-Length: 99999999999999999999\r\n\r\n", ""},
		{"hello there\n", printed("hello there")}, {"hello there\n" + frame, printed("hello there")},
		{"hello" + frame, printed("hello")},
		{frame + "one\ntwo\n" + frame, printed("one")}, {"\n" + frame, printed("\n")}, {"\n\n  late\n", printed("late")},
		{"\x1b[2J\u202e\n", printed("\x1b[2J\u202e")}, {long, printed(long)}, {frame + long + "\n" + frame, printed(long)},
		{"{\"id\":1}\n", `wrote "{\"id\":1}" without the line Content-Length that each message begins with`},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.out), iotest.OneByteReader(strings.NewReader(tt.out))} {
			o := NewOutput(io.NopCloser(r))
			got, err := io.ReadAll(o)
			if err != nil || string(got) != tt.out {
				t.Errorf("%.80q was read as %.80q, %v", tt.out, got, err)
			}
			if got := o.Stray(); got != tt.want {
				t.Errorf("%.80q: %q, want %q", tt.out, got, tt.want)
			}
		}
	}
}

// FuzzOutput: of what package rpc takes, nothing is told.
func FuzzOutput(f *testing.F) {
	f.Add("Content-Length: 2\r\n\r\n{}content-length :1\r\nX:\r\n\r\n1")
	f.Add("hello\nContent-Length: 2\r\n\r\n{}")
	f.Fuzz(func(t *testing.T, out string) {
		o := NewOutput(io.NopCloser(strings.NewReader(out)))
		in := bufio.NewReader(o)
		for {
			_, err := rpc.ReadFrame(in, rpc.MaxFromPlugin)
			if err == io.EOF && o.Stray() != "" {
				t.Errorf("%q is frames alone, and it is said that it %s", out, o.Stray())
			}
			if err != nil {
				return
			}
		}
	})
}
