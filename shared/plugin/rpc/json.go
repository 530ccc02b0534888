package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
)

// MaxDepth is how deeply JSON may nest.
const MaxDepth = 64

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int // in bytes
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("JSON: byte %d: %s", e.Offset, e.Reason) }

// A StrictError says why JSON that others accept is refused: a name that
// occurs twice in one object, nesting over MaxDepth, half of a surrogate pair.
// Two parsers may read such a text differently.
type StrictError struct {
	Offset int // in bytes
	Reason string
	Name   string // the name that occurs twice, or ""
}

func (e *StrictError) Error() string { return fmt.Sprintf("JSON: byte %d: %s", e.Offset, e.Reason) }

// Compact checks data strictly and writes it anew: no blanks, strings with the
// fewest escapes, numbers digit for digit, members in their order. The error
// is a *SyntaxError or a *StrictError.
func Compact(data []byte) (json.RawMessage, error) { return guided(data, nil) }

// Unmarshal is json.Unmarshal for foreign bytes: strict like Compact, names of
// members match exactly and in case, numbers in an any are json.Number.
// Members that v does not have are ignored.
func Unmarshal(data []byte, v any) error {
	if p, ok := v.(*any); ok && p != nil && *p == nil {
		s := scanner{in: data}
		tree, err := s.tree(0)
		if err == nil {
			err = s.end()
		}
		if err == nil {
			*p = tree
		}
		return err
	}
	text, err := guided(data, reflect.TypeOf(v))
	if err != nil {
		return err
	}
	if !holdsAny(reflect.TypeOf(v)) {
		return json.Unmarshal(text, v) // it needs no copy of text
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// An encoder is kept with its buffer.
type encoder struct {
	*json.Encoder
	into bytes.Buffer
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.Encoder = json.NewEncoder(&e.into)
	e.SetEscapeHTML(false)
	return e
}}

// Marshal is json.Marshal without the escapes for HTML. JSON itself is compacted.
func Marshal(v any) (json.RawMessage, error) {
	if text, ok := v.(json.RawMessage); ok && text != nil {
		return Compact(text)
	}
	const keep = 64 << 10 // bytes; larger buffers are not worth it
	e := encoders.Get().(*encoder)
	e.into.Reset()
	err := e.Encode(v)
	text := json.RawMessage(bytes.Clone(bytes.TrimSuffix(e.into.Bytes(), []byte("\n"))))
	if e.into.Cap() <= keep {
		encoders.Put(e)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// A Member is one name of an object with its value.
type Member struct {
	Name  string
	Value json.RawMessage // compact
}

// Members returns the members of the object in data, in order. Anything but an
// object is a *StrictError.
func Members(data []byte) ([]Member, error) {
	s := newScanner(data)
	var all []Member
	err := s.document(func(name []byte, value json.RawMessage) { all = append(all, Member{string(name), value}) })
	return all, err
}

// AppendString appends s as a JSON string with the fewest escapes: the form of
// RFC 8785. s must be valid UTF-8.
func AppendString(dst []byte, s string) []byte { return appendText(dst, s) }

func appendText[T string | []byte](dst []byte, s T) []byte {
	const short = `btn_fr` // the letters for 8 to 13; 11 has none
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 8 && c <= 13 && c != 11:
			dst = append(dst, '\\', short[c-8])
		case c < 0x20:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

func guided(data []byte, t reflect.Type) (json.RawMessage, error) {
	s := newScanner(data)
	if err := s.value(0, t); err != nil {
		return nil, err
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return s.out, nil
}
