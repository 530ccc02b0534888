package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxHeader bounds the header of a frame in bytes, the blank line included.
const MaxHeader = 8192

// Default caps for the body of a frame, in bytes.
const (
	MaxFromClient = 4 << 20
	MaxFromPlugin = 16 << 20
)

// ErrTooLarge means that a frame is larger than its reader or writer allows.
var ErrTooLarge = errors.New("frame too large")

// A FrameError says why the bytes of a peer are not a frame, or its body no JSON.
// After it the position in the stream is lost, or not to be trusted.
type FrameError struct {
	Reason string
	Err    error // what it was found by, or nil
}

func (e *FrameError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("frame: %s: %v", e.Reason, e.Err)
	}
	return "frame: " + e.Reason
}

func (e *FrameError) Unwrap() error { return e.Err }

// ReadFrame returns the body of the next frame: valid UTF-8 of 1 to limit
// bytes. It returns io.EOF only where a frame would begin, a *FrameError where
// the bytes are wrong or end early, and else the error of r. Memory grows with
// what has arrived, never with what was announced.
func ReadFrame(r *bufio.Reader, limit int) ([]byte, error) {
	length, err := readHeader(r, limit)
	if err != nil {
		return nil, err
	}
	return readBody(r, length)
}

// readHeader reads up to the first blank line and returns the body's length.
func readHeader(r *bufio.Reader, limit int) (int, error) {
	header := make([]byte, 0, 128)
	for !bytes.HasSuffix(header, []byte("\r\n\r\n")) {
		piece, err := r.ReadSlice('\n')
		header = append(header, piece...)
		switch {
		case err == io.EOF && len(header) == 0:
			return 0, io.EOF
		case len(header) > MaxHeader:
			return 0, &FrameError{Reason: fmt.Sprintf("header over %d bytes", MaxHeader)}
		case err != nil && err != bufio.ErrBufferFull:
			return 0, broken("header", err)
		}
	}
	return contentLength(header, limit)
}

// contentLength reads the header: names in any case, unknown ones ignored.
func contentLength(header []byte, limit int) (int, error) {
	length := -1
	for line := range bytes.SplitSeq(header, []byte("\r\n")) {
		if len(line) == 0 {
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return 0, &FrameError{Reason: fmt.Sprintf("header line %.40q has no colon", string(line))}
		}
		if !bytes.EqualFold(bytes.Trim(name, " \t"), []byte("Content-Length")) {
			continue
		}
		n, err := number(string(bytes.Trim(value, " \t")))
		if err != nil {
			return 0, err
		}
		if length >= 0 && n != length {
			return 0, &FrameError{Reason: "two different Content-Length"}
		}
		length = n
	}
	switch {
	case length < 0:
		return 0, &FrameError{Reason: "no Content-Length"}
	case length == 0:
		return 0, &FrameError{Reason: "empty body"}
	case length > limit:
		return 0, &FrameError{fmt.Sprintf("body of %d bytes, at most %d are taken", length, limit), ErrTooLarge}
	}
	return length, nil
}

// number reads a number written with digits alone.
func number(s string) (int, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, &FrameError{Reason: fmt.Sprintf("Content-Length %.40q is not a number", strings.Clone(s))}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, &FrameError{"Content-Length", ErrTooLarge}
	}
	return n, nil
}

// readBody reads length bytes in steps that double.
func readBody(r io.Reader, length int) ([]byte, error) {
	body := make([]byte, 0, min(length, 64<<10))
	for len(body) < length {
		if len(body) == cap(body) {
			body = append(make([]byte, 0, min(length, 2*cap(body))), body...)
		}
		part := body[len(body):cap(body)]
		n, err := io.ReadFull(r, part)
		body = body[:len(body)+n]
		if err != nil {
			return nil, broken("body", err)
		}
	}
	if !utf8.Valid(body) {
		return nil, &FrameError{Reason: "body is not UTF-8"}
	}
	return body, nil
}

// broken keeps a frame cut short from looking like a clean end.
func broken(part string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &FrameError{"the stream ended in the " + part, io.ErrUnexpectedEOF}
	}
	return fmt.Errorf("read %s of a frame: %w", part, err)
}

// AppendFrame appends body to dst as a frame.
func AppendFrame(dst, body []byte) []byte {
	return append(appendHeader(dst, len(body)), body...)
}

func appendHeader(dst []byte, length int) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(length), 10)
	return append(dst, "\r\n\r\n"...)
}

// WriteFrame writes body as one frame with one call to w.Write.
func WriteFrame(w io.Writer, body []byte) error {
	if _, err := w.Write(AppendFrame(make([]byte, 0, len(body)+32), body)); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}
