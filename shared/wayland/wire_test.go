package wayland

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
)

// words returns the wire form of some 32-bit words.
func words(w ...uint32) (b []byte) {
	for _, v := range w {
		b = binary.NativeEndian.AppendUint32(b, v)
	}
	return b
}

func TestMessageSurvivesTheWire(t *testing.T) {
	m, err := NewMessage(7, 3, uint32(1), int32(-2), ToFixed(1.5), ID(9), "héllo", "", []byte{1, 2, 3}, []byte(nil))
	if err != nil {
		t.Fatal(err)
	}
	next, err := NewMessage(8, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, rest, ok, err := parse(next.append(m.append(nil)))
	if err != nil || !ok || !bytes.Equal(rest, next.append(nil)) {
		t.Fatalf("parse = %v, %d bytes left, %v, %v", got, len(rest), ok, err)
	}
	if got.Object != 7 || got.Opcode != 3 {
		t.Errorf("message for object %d, opcode %d", got.Object, got.Opcode)
	}
	a := got.Args()
	if u, i, f, id := a.Uint(), a.Int(), a.Fixed(), a.ID(); u != 1 || i != -2 || f != 384 || id != 9 {
		t.Errorf("numbers = %d, %d, %d, %d", u, i, f, id)
	}
	if s, empty := a.String(), a.String(); s != "héllo" || empty != "" {
		t.Errorf("strings = %q, %q", s, empty)
	}
	if full, empty := a.Array(), a.Array(); !bytes.Equal(full, []byte{1, 2, 3}) || len(empty) != 0 {
		t.Errorf("arrays = %v, %v", full, empty)
	}
	if a.Err() != nil || a.Uint() != 0 || !errors.Is(a.Err(), ErrMalformed) {
		t.Errorf("after the last argument: %v, want ErrMalformed", a.Err())
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		in   []byte
		ok   bool
		bad  bool
	}{
		{"nothing", nil, false, false},
		{"half a header", words(1), false, false},
		{"no body", words(1, 8<<16), true, false},
		{"half a body", words(1, 16<<16, 5), false, false},
		{"size below the header", words(1, 4<<16), false, true},
		{"size 0", words(1, 0), false, true},
		{"size between words", words(1, 11<<16, 5), false, true},
		{"the largest", append(words(1, MaxMessage<<16), make([]byte, MaxMessage-8)...), true, false},
	}
	for _, tt := range tests {
		_, _, ok, err := parse(tt.in)
		if ok != tt.ok || errors.Is(err, ErrMalformed) != tt.bad {
			t.Errorf("%s: parse = %v, %v; want %v, malformed %v", tt.name, ok, err, tt.ok, tt.bad)
		}
	}
}

func TestArgsThatLie(t *testing.T) {
	tests := []struct {
		name string
		body []byte
		read func(a *Args)
	}{
		{"no number", nil, func(a *Args) { a.Uint() }},
		{"array longer than the message", words(5, 0), func(a *Args) { a.Array() }},
		{"array of 4 GiB", words(0xffffffff), func(a *Args) { a.Array() }},
		{"array whose padding is missing", append(words(1), 1), func(a *Args) { a.Array() }},
		{"string without NUL", append(words(4), "abcd"...), func(a *Args) { _ = a.String() }},
		{"no descriptor", nil, func(a *Args) { a.File() }},
	}
	for _, tt := range tests {
		a := Message{Body: tt.body}.Args()
		tt.read(a)
		first := a.Err()
		if !errors.Is(first, ErrMalformed) {
			t.Errorf("%s: Err = %v, want ErrMalformed", tt.name, first)
		}
		if a.Uint() != 0 || a.String() != "" || a.Array() != nil || a.File() != nil || a.Err() != first {
			t.Errorf("%s: something was read after the mistake", tt.name)
		}
	}
}

func TestNullStringIsEmpty(t *testing.T) {
	a := Message{Body: words(0, 42)}.Args()
	if s, n := a.String(), a.Uint(); s != "" || n != 42 || a.Err() != nil {
		t.Errorf("String = %q, Uint = %d, Err = %v", s, n, a.Err())
	}
}

func TestNewMessageRefuses(t *testing.T) {
	tests := []struct {
		name string
		arg  any
	}{
		{"int", 1},
		{"bool", true},
		{"nil", nil},
		{"a string longer than a message", strings.Repeat("x", MaxMessage)},
	}
	for _, tt := range tests {
		if _, err := NewMessage(1, 0, tt.arg); err == nil {
			t.Errorf("%s: NewMessage = nil, want an error", tt.name)
		}
	}
}

// A C string ends at its first NUL: compositors refuse such a string, which
// ends the connection, or cut it.
func TestNewMessageRefusesNUL(t *testing.T) {
	if _, err := NewMessage(1, 0, "a\x00b"); err == nil {
		t.Error("NewMessage of a string with a NUL inside = nil, want an error")
	}
}

// libwayland's buffers hold 4,096 bytes. A longer request ends the connection
// without a word, so the client must refuse it.
func TestNewMessageRefusesWhatNoCompositorReads(t *testing.T) {
	if _, err := NewMessage(1, 0, strings.Repeat("x", 4000)); err != nil {
		t.Errorf("NewMessage of 4,000 bytes = %v", err)
	}
	if _, err := NewMessage(1, 0, strings.Repeat("x", 4096)); err == nil {
		t.Error("NewMessage of over 4,096 bytes = nil, want an error")
	}
}

func TestToFixed(t *testing.T) {
	tests := []struct {
		in   float64
		want Fixed
	}{{0, 0}, {1, 256}, {-1.5, -384}, {1.0 / 512, 1}, {15, 3840}}
	for _, tt := range tests {
		if got := ToFixed(tt.in); got != tt.want {
			t.Errorf("ToFixed(%v) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

// FuzzArgs reads foreign bytes in every order, and checks that what this side
// writes it can read.
func FuzzArgs(f *testing.F) {
	f.Add([]byte("usa"), words(1, 2, 0x61, 0), "text", []byte{1}, int32(-1))
	f.Add([]byte("afsufn"), words(0xffffffff, 0), "", []byte(nil), int32(0))
	f.Fuzz(func(t *testing.T, script, body []byte, text string, array []byte, number int32) {
		readBy(t, script, body)

		m, err := NewMessage(1, 2, text, number, array, text)
		if err != nil {
			return // too long, or no string
		}
		wire := m.append(nil)
		if len(wire)%4 != 0 || len(wire) > MaxMessage {
			t.Fatalf("a message of %d bytes", len(wire))
		}
		got, rest, ok, err := parse(wire)
		if err != nil || !ok || len(rest) != 0 {
			t.Fatalf("parse = %v, %d bytes left, %v", ok, len(rest), err)
		}
		a := got.Args()
		if s, n, b, again := a.String(), a.Int(), a.Array(), a.String(); s != text || n != number ||
			!bytes.Equal(b, array) || again != text {
			t.Errorf("read %q, %d, %v, %q; wrote %q, %d, %v", s, n, b, again, text, number, array)
		}
		if a.Err() != nil || len(a.body) != 0 {
			t.Errorf("%d bytes left, %v", len(a.body), a.Err())
		}
	})
}

// readBy reads the arguments that script names and checks what Args promises.
func readBy(t *testing.T, script, body []byte) {
	a := Message{Body: bytes.Clone(body), FDs: []*os.File{nil}}.Args()
	for _, c := range script {
		failed := a.Err()
		zero := false
		switch c % 6 {
		case 0:
			zero = a.Uint() == 0
		case 1:
			zero = a.Int() == 0
		case 2:
			zero = a.Fixed() == 0
		case 3:
			zero = a.String() == ""
		case 4:
			zero = a.Array() == nil
		case 5:
			zero = a.File() == nil
		}
		if failed != nil && (!zero || a.Err() != failed) {
			t.Errorf("after %v an argument was read, or it became %v", failed, a.Err())
		}
	}
	if err := a.Err(); err != nil && !errors.Is(err, ErrMalformed) {
		t.Errorf("Err = %v, want ErrMalformed", err)
	}
}
