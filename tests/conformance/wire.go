package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// obj and arr are JSON on its way out.
type (
	obj = map[string]any
	arr = []any
)

// A message is one frame that somebody sent us, with what came along with it.
type message struct {
	header string
	body   []byte
	value  any        // decoded; numbers keep their digits
	files  []*os.File // descriptors that came with the frame's first byte
	late   int        // descriptors that came with any other byte
	when   time.Time
}

// at walks into v by member names and indexes. What is not there is nil.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			members, _ := v.(map[string]any)
			v = members[step]
		case int:
			items, _ := v.([]any)
			if step >= len(items) {
				return nil
			}
			v = items[step]
		}
	}
	return v
}

func (m *message) at(path ...any) any { return at(m.value, path...) }

// has tells an absent member from one that is null.
func has(v any, name string) bool {
	members, _ := v.(map[string]any)
	_, there := members[name]
	return there
}

func (m *message) method() string { return text(m.at("method")) }

func (m *message) isReply() bool { return !has(m.value, "method") }

// id returns the id as JSON, or "" if there is none or it is null.
func (m *message) id() string {
	if m.at("id") == nil {
		return ""
	}
	return toJSON(m.at("id"))
}

// text returns v if it is a string.
func text(v any) string { s, _ := v.(string); return s }

// whole returns v if it is a whole number, else a number nobody uses.
func whole(v any) int64 {
	n, _ := v.(json.Number)
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		return -1 << 62
	}
	return i
}

// list returns v if it is an array.
func list(v any) []any { l, _ := v.([]any); return l }

// same compares JSON by value; numbers by their digits.
func same(got, want any) bool {
	return reflect.DeepEqual(fromJSON(toJSON(got)), fromJSON(toJSON(want)))
}

// toJSON is compact and leaves every character that JSON lets alone.
func toJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("conformance: %v is not JSON: %v", v, err))
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

func fromJSON(s string) any {
	v, err := decode([]byte(s))
	if err != nil {
		panic(fmt.Sprintf("conformance: %s is not JSON: %v", s, err))
	}
	return v
}

// decode reads JSON strictly: names are told apart by case, none twice in an
// object, nothing behind the value.
func decode(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("no UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	v, err := decodeValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something behind the value")
	}
	return v, nil
}

func decodeValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		members := map[string]any{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			key := name.(string)
			if _, twice := members[key]; twice {
				return nil, fmt.Errorf("the name %q twice in an object", key)
			}
			if members[key], err = decodeValue(dec); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return members, err
	case json.Delim('['):
		items := []any{}
		for dec.More() {
			item, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err = dec.Token()
		return items, err
	}
	return token, nil
}

// frame puts the usual header before body.
func frame(body string) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// maxFrame is the largest body we take, over every limit of the protocol.
const maxFrame = 20 << 20

var headerForm = regexp.MustCompile(`^Content-Length: ([1-9][0-9]*)\r\n\r\n$`)

// errHeader is a frame of ours-to-read that is not exactly in the form that the
// protocol tells the runner to write.
var errHeader = errors.New("the header is not exactly \"Content-Length: N\\r\\n\\r\\n\"")

// readFrame reads one frame byte by byte up to its body, so that what comes
// along with the first byte is told from what comes later.
func readFrame(conn *net.UnixConn) (*message, error) {
	m := &message{}
	var header []byte
	one := make([]byte, 1)
	for !bytes.HasSuffix(header, []byte("\r\n\r\n")) {
		if len(header) > 8192 {
			return nil, errHeader
		}
		_, files, err := receive(conn, one)
		if err == io.EOF && len(header) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if len(header) == 0 {
			m.files, m.when = files, time.Now()
		} else {
			m.drop(files)
		}
		header = append(header, one[0])
	}
	m.header = string(header)
	form := headerForm.FindStringSubmatch(m.header)
	if form == nil {
		return m, errHeader
	}
	n, err := strconv.Atoi(form[1])
	if err != nil || n > maxFrame {
		return m, fmt.Errorf("a body of %s bytes is announced", form[1])
	}
	m.body = make([]byte, n)
	for have := 0; have < n; {
		k, files, err := receive(conn, m.body[have:])
		m.drop(files)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			m.body = m.body[:have]
			return m, err
		}
		have += k
	}
	return m, nil
}

func (m *message) drop(files []*os.File) {
	m.late += len(files)
	for _, f := range files {
		f.Close()
	}
}

// receive is recvmsg: bytes, and the descriptors that came with them.
func receive(conn *net.UnixConn, into []byte) (int, []*os.File, error) {
	oob := make([]byte, unix.CmsgSpace(4*8))
	n, oobn, flags, _, err := conn.ReadMsgUnix(into, oob)
	if err != nil {
		return 0, nil, err
	}
	if n == 0 && oobn == 0 {
		return 0, nil, io.EOF
	}
	if flags&unix.MSG_CTRUNC != 0 {
		return n, nil, errors.New("more descriptors than the protocol knows")
	}
	controls, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return n, nil, err
	}
	var files []*os.File
	for _, control := range controls {
		fds, err := unix.ParseUnixRights(&control)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return n, files, nil
}
