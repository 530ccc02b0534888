package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	Twice  string // the JSON pointer of the name that occurs twice, or ""
}

func (e *StrictError) Error() string { return fmt.Sprintf("JSON: byte %d: %s", e.Offset, e.Reason) }

// The options of jsontext: strict is what it does by itself.
var (
	strict = jsontext.AllowDuplicateNames(false)
	loose  = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
)

// Compact checks data strictly and writes it again: no blanks, strings with the
// fewest escapes, numbers digit for digit, members in their order. The error
// is a *SyntaxError or a *StrictError.
func Compact(data []byte) (json.RawMessage, error) {
	if err := shallow(data); err != nil {
		return nil, err
	}
	text, err := jsontext.AppendFormat(make([]byte, 0, len(data)), data, strict)
	if err != nil {
		return nil, refusal(data, err)
	}
	return text, nil
}

// Unmarshal is json.Unmarshal for foreign bytes: strict like Compact, names of
// members match exactly and in case, numbers in an any are json.Number.
// Members that v does not have are ignored. After an error v may hold a part.
// A value that v cannot hold is a *json.UnmarshalTypeError.
func Unmarshal(data []byte, v any) error {
	if err := shallow(data); err != nil {
		return err
	}
	if err := jsonv2.Unmarshal(data, v, strict, digits); err != nil {
		return refusal(data, err)
	}
	return nil
}

// digits keeps the digits of numbers where the type is left open.
var digits = jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) (err error) {
	*v, err = tree(d)
	return err
}))

// tree reads one value, its numbers as json.Number.
func tree(d *jsontext.Decoder) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '{':
		all := map[string]any{}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String() // name is good until the next is read
			if all[key], err = tree(d); err != nil {
				return nil, err
			}
		}
		_, err = d.ReadToken()
		return all, err
	case '[':
		all := []any{}
		for d.PeekKind() != ']' {
			v, err := tree(d)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		_, err = d.ReadToken()
		return all, err
	case '"':
		return t.String(), nil
	case '0':
		return json.Number(t.String()), nil
	case 'n':
		return nil, nil
	}
	return t.Bool(), nil
}

// shallow refuses data that nests more than MaxDepth deep.
func shallow(data []byte) error {
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= MaxDepth {
		return nil // nearly always
	}
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return tooDeep(data, i)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// tooDeep says what is wrong with data, which nests too deep at an offset: that,
// or that it is not JSON even before.
func tooDeep(data []byte, at int) error {
	_, err := jsontext.NewDecoder(bytes.NewReader(data[:at])).ReadValue()
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return refusal(data, err)
	}
	return &StrictError{Offset: at, Reason: fmt.Sprintf("nested more than %d deep", MaxDepth)}
}

// refusal says what err, met while reading data, means to a peer.
func refusal(data []byte, err error) error {
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return misfit(err)
	}
	at := int(wrong.ByteOffset)
	switch {
	case !utf8.Valid(data) || !jsontext.Value(data).IsValid(loose):
		return &SyntaxError{at, wrong.Err.Error()}
	case wrong.Err == jsontext.ErrDuplicateName:
		reason := fmt.Sprintf("the name %.40q occurs twice", wrong.JSONPointer.LastToken())
		return &StrictError{at, reason, string(wrong.JSONPointer)}
	}
	return &StrictError{Offset: at, Reason: wrong.Err.Error()}
}

// misfit says which value does not fit, without the text in it: it may be private.
func misfit(err error) error {
	wrong, ok := errors.AsType[*jsonv2.SemanticError](err)
	if !ok {
		return err
	}
	if wrong.Err != nil && !errors.Is(err, strconv.ErrRange) && !errors.Is(err, strconv.ErrSyntax) {
		return wrong.Err // of a type that reads itself
	}
	kind := wrong.JSONKind.String()
	switch wrong.JSONKind {
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case 't', 'f':
		kind = "bool"
	case '0':
		kind = strings.TrimSpace("number " + string(wrong.JSONValue))
	}
	field := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
	return &json.UnmarshalTypeError{Value: kind, Type: wrong.GoType, Offset: wrong.ByteOffset, Field: field}
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
	text, err := Compact(data)
	if err == nil && text[0] != '{' {
		err = errNoObject
	}
	if err != nil {
		return nil, err
	}
	var all []Member
	for name, value := range members(text) {
		said, _ := unquote(name)
		all = append(all, Member{said, value})
	}
	return all, nil
}

var errNoObject = &StrictError{Reason: "not an object"}

// members yields the members of an object that is compact, their names in quotes.
func members(object json.RawMessage) iter.Seq2[json.RawMessage, json.RawMessage] {
	return func(yield func(name, value json.RawMessage) bool) {
		for at := 1; object[at] != '}'; {
			colon := at + extent(object[at:])
			end := colon + 1 + extent(object[colon+1:])
			if !yield(object[at:colon], object[colon+1:end:end]) {
				return
			}
			at = end
			if object[at] == ',' {
				at++
			}
		}
	}
}

// extent is the length of the value that compact text begins with.
func extent(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth == 0 && (c == ',' || c == ':' || c == '}'):
			return i
		case c == '}' || c == ']':
			depth--
		}
	}
	return len(text)
}

// unquote returns what a compact JSON string says.
func unquote(value json.RawMessage) (said string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	if !bytes.Contains(value, []byte(`\`)) {
		return string(value[1 : len(value)-1]), true
	}
	b, err := jsontext.AppendUnquote(nil, value)
	return string(b), err == nil
}

// AppendString appends s as a JSON string with the fewest escapes: the form of
// RFC 8785. s must be valid UTF-8.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
