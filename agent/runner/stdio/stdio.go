// Package stdio explains what is wrong with the output of a plugin that
// communicates over standard input and output, before its messages are parsed.
package stdio

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A LateError is a plugin that does not answer what it must.
type LateError struct {
	Method string
	Within time.Duration
}

func (e *LateError) Error() string {
	return fmt.Sprintf("it did not answer %s within %g s", e.Method, e.Within.Seconds())
}

// An Output reads the standard output of a plugin, which carries frames, and
// keeps what else is written there: who wrote a plugin that prints wants to know
// what it printed.
type Output struct {
	from io.ReadCloser

	mu   sync.Mutex
	body int    // bytes of a body that are still to come
	head []byte // of the header that is being read
	lost bool   // head is none, and where a frame begins is not known any more
}

// NewOutput returns an Output that reads from a pipe.
func NewOutput(from io.ReadCloser) *Output { return &Output{from: from} }

// Read is as that of an io.Reader.
func (o *Output) Read(b []byte) (int, error) {
	n, err := o.from.Read(b)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.follow(b[:n])
	return n, err
}

// Close closes the pipe.
func (o *Output) Close() error { return o.from.Close() }

// maxHead bounds what is kept of a header, in bytes.
const maxHead = 8 << 10

// follow finds where frames begin. Package rpc judges them; this only has to know
// the same of those that it takes.
func (o *Output) follow(b []byte) {
	for len(b) > 0 && !o.lost {
		if o.body > 0 {
			n := min(o.body, len(b))
			o.body, b = o.body-n, b[n:]
			continue
		}
		before := len(o.head)
		o.head = append(o.head, b[:min(len(b), maxHead)]...)
		end := bytes.Index(o.head, []byte("\r\n\r\n"))
		if end < 0 {
			o.lost = len(o.head) >= maxHead
			return
		}
		found := field().FindSubmatch(o.head[:end+2])
		if found == nil {
			o.lost = true
			return
		}
		o.body, _ = strconv.Atoi(string(found[1])) // too long a number is not a frame
		b = b[end+4-before:]
		o.head = o.head[:0]
	}
}

// field is what a header must have; named is how it begins.
var (
	field = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|\r\n)[ \t]*content-length[ \t]*:[ \t]*([0-9]+)[ \t]*\r\n`)
	})
	named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)[ \t]*content-length[ \t]*:`) })
)

// Stray says what the plugin wrote where a frame should begin, and what to do
// about it. It is "" where that is not known, or where it wrote none but frames.
func (o *Output) Stray() string {
	o.mu.Lock()
	text := stray(string(o.head))
	o.mu.Unlock()
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, `{"`):
		return fmt.Sprintf("wrote %.80q without the line Content-Length that each message begins with", text)
	}
	return fmt.Sprintf("wrote %.80q to standard output, where only messages may go; print to standard error", text)
}

// stray returns the first line of a header that is none of it.
func stray(head string) string {
	blank := ""
	for line := range strings.Lines(head) {
		at := named().FindStringIndex(line)
		if at != nil {
			line = line[:at[0]]
		}
		switch line = strings.TrimSpace(line); {
		case line != "" && !strings.HasPrefix("Content-Length:", line): // else it is perhaps cut short
			return line
		case at != nil:
			return blank
		}
		blank = "\n"
	}
	return ""
}
