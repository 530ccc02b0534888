// Package wayland speaks the Wayland wire protocol in pure Go: messages,
// objects, events and file descriptors. It knows the few interfaces that Utter
// needs by name and number (protocols.go), draws nothing, and never lets a
// malformed message from the other side do more than end the connection.
package wayland

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
)

// An ID names an object on one connection. 0 is not an object.
type ID uint32

// Fixed is a signed 24.8 fixed-point number.
type Fixed int32

// ToFixed converts v, rounding to the nearest 1/256.
func ToFixed(v float64) Fixed { return Fixed(math.Round(v * 256)) }

const (
	headerSize = 8
	// MaxMessage is the largest message, header included, in bytes.
	MaxMessage = 1<<16 - 4
	// maxSend is the largest that libwayland's buffers take.
	maxSend = 4096
)

// ErrMalformed means that the other side sent bytes that are not a message.
var ErrMalformed = errors.New("wayland: malformed message")

// A Message is one request or event. FDs are owned by whoever holds it.
type Message struct {
	Object ID
	Opcode uint16
	Body   []byte
	FDs    []*os.File
}

// NewMessage builds a message from arguments of the types uint32, int32, Fixed,
// ID, string, []byte and *os.File. The caller keeps its files.
func NewMessage(object ID, opcode uint16, args ...any) (Message, error) {
	m := Message{Object: object, Opcode: opcode}
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			m.Body = binary.NativeEndian.AppendUint32(m.Body, a)
		case int32:
			m.Body = binary.NativeEndian.AppendUint32(m.Body, uint32(a))
		case Fixed:
			m.Body = binary.NativeEndian.AppendUint32(m.Body, uint32(a))
		case ID:
			m.Body = binary.NativeEndian.AppendUint32(m.Body, uint32(a))
		case string:
			if strings.IndexByte(a, 0) >= 0 {
				return Message{}, errors.New("wayland: a string with a NUL has no wire form")
			}
			m.Body = appendArray(m.Body, append([]byte(a), 0))
		case []byte:
			m.Body = appendArray(m.Body, a)
		case *os.File:
			m.FDs = append(m.FDs, a)
		default:
			return Message{}, fmt.Errorf("wayland: argument of type %T has no wire form", a)
		}
	}
	if headerSize+len(m.Body) > maxSend {
		return Message{}, fmt.Errorf("wayland: message of %d bytes is too long", headerSize+len(m.Body))
	}
	return m, nil
}

func appendArray(b, data []byte) []byte {
	b = binary.NativeEndian.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// append adds the wire form of m, without its descriptors, to b.
func (m Message) append(b []byte) []byte {
	b = binary.NativeEndian.AppendUint32(b, uint32(m.Object))
	b = binary.NativeEndian.AppendUint32(b, uint32(headerSize+len(m.Body))<<16|uint32(m.Opcode))
	return append(b, m.Body...)
}

// parse cuts the first message off b. ok is false while b holds only a part.
func parse(b []byte) (m Message, rest []byte, ok bool, err error) {
	if len(b) < headerSize {
		return Message{}, b, false, nil
	}
	word := binary.NativeEndian.Uint32(b[4:])
	size := int(word >> 16)
	if size < headerSize || size%4 != 0 {
		return Message{}, nil, false, fmt.Errorf("%w: size %d", ErrMalformed, size)
	}
	if len(b) < size {
		return Message{}, b, false, nil
	}
	m = Message{
		Object: ID(binary.NativeEndian.Uint32(b)),
		Opcode: uint16(word),
		Body:   append([]byte(nil), b[headerSize:size]...),
	}
	return m, b[size:], true, nil
}

// Args reads the arguments of a message in order. After the first argument that
// is not there, every other is zero and Err says so.
type Args struct {
	body []byte
	fds  []*os.File
	err  error
}

// Args returns a reader of m's arguments. It takes over m's descriptors.
func (m Message) Args() *Args { return &Args{body: m.Body, fds: m.FDs} }

// Err returns the first error met.
func (a *Args) Err() error { return a.err }

// Uint reads an unsigned number.
func (a *Args) Uint() uint32 {
	if a.err == nil && len(a.body) < 4 {
		a.err = fmt.Errorf("%w: argument missing", ErrMalformed)
	}
	if a.err != nil {
		return 0
	}
	v := binary.NativeEndian.Uint32(a.body)
	a.body = a.body[4:]
	return v
}

// Int reads a signed number.
func (a *Args) Int() int32 { return int32(a.Uint()) }

// Fixed reads a fixed-point number.
func (a *Args) Fixed() Fixed { return Fixed(a.Uint()) }

// ID reads an object.
func (a *Args) ID() ID { return ID(a.Uint()) }

// Array reads an array. The result is the caller's.
func (a *Args) Array() []byte {
	n := int64(a.Uint())
	padded := (n + 3) &^ 3
	if a.err == nil && padded > int64(len(a.body)) {
		a.err = fmt.Errorf("%w: array of %d bytes in %d", ErrMalformed, n, len(a.body))
	}
	if a.err != nil {
		return nil
	}
	data := a.body[:n:n]
	a.body = a.body[padded:]
	return data
}

// String reads a string without its final NUL. A null string is "".
func (a *Args) String() string {
	data := a.Array()
	if len(data) == 0 {
		return ""
	}
	if data[len(data)-1] != 0 {
		a.err = fmt.Errorf("%w: string without its end", ErrMalformed)
		return ""
	}
	return string(data[:len(data)-1])
}

// File takes a descriptor, which the caller must close. It is nil, and Err set,
// where none came.
func (a *Args) File() *os.File {
	if a.err == nil && len(a.fds) == 0 {
		a.err = fmt.Errorf("%w: descriptor missing", ErrMalformed)
	}
	if a.err != nil {
		return nil
	}
	f := a.fds[0]
	a.fds = a.fds[1:]
	return f
}

// Close closes the descriptors that were not taken.
func (a *Args) Close() {
	for _, f := range a.fds {
		f.Close()
	}
	a.fds = nil
}
