package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner reads JSON from in and writes it anew to out, without building a
// tree: what foreign bytes cost is bounded by their length.
type scanner struct {
	in  []byte
	at  int
	out []byte
}

func newScanner(data []byte) *scanner {
	return &scanner{in: data, out: make([]byte, 0, len(data))}
}

// textOf returns what a JSON string says that stands alone.
func textOf(value json.RawMessage) (text string, ok bool) {
	s := scanner{in: value}
	if s.peek() != '"' {
		return "", false
	}
	said, err := s.text()
	if err != nil || s.end() != nil {
		return "", false
	}
	return string(said), true
}

func (s *scanner) wrong(format string, args ...any) error {
	return &SyntaxError{s.at, fmt.Sprintf(format, args...)}
}

func (s *scanner) refuse(format string, args ...any) error {
	return &StrictError{Offset: s.at, Reason: fmt.Sprintf(format, args...)}
}

// peek returns the next byte that is no blank, or 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.in) {
		switch c := s.in[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// expect takes c, which must come next.
func (s *scanner) expect(c byte) error {
	if s.peek() != c || s.at == len(s.in) {
		return s.wrong("expected %q", c)
	}
	s.at++
	return nil
}

// end checks that only blanks are left.
func (s *scanner) end() error {
	if s.peek(); s.at < len(s.in) {
		return s.wrong("text after the value")
	}
	return nil
}

// value copies one value. Members of objects that the type t has not are left
// out; without t all are kept.
func (s *scanner) value(depth int, t reflect.Type) error {
	switch c := s.peek(); {
	case c == '{' || c == '[':
		if depth == MaxDepth {
			return s.refuse("nested more than %d deep", MaxDepth)
		}
		if c == '[' {
			return s.array(depth, elem(t))
		}
		return s.object(depth, t)
	case c == '"':
		text, err := s.text()
		if err == nil {
			s.out = appendText(s.out, text)
		}
		return err
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return s.wrong("expected a value")
}

// tree reads one value as encoding/json does into an any, numbers as json.Number.
func (s *scanner) tree(depth int) (any, error) {
	c := s.peek()
	if (c == '{' || c == '[') && depth == MaxDepth {
		return nil, s.refuse("nested more than %d deep", MaxDepth)
	}
	switch c {
	case '{':
		all := map[string]any{}
		err := s.members(func(name []byte) error {
			v, err := s.tree(depth + 1)
			all[string(name)] = v
			return err
		})
		return all, err
	case '[':
		all := []any{}
		err := s.elements(func() error {
			v, err := s.tree(depth + 1)
			all = append(all, v)
			return err
		})
		return all, err
	case '"':
		text, err := s.text()
		return string(text), err
	}
	s.out = s.out[:0]
	if err := s.value(depth, nil); err != nil {
		return nil, err
	}
	switch c {
	case 't', 'f':
		return c == 't', nil
	case 'n':
		return nil, nil
	}
	return json.Number(s.out), nil
}

func (s *scanner) word(w string) error {
	if !bytes.HasPrefix(s.in[s.at:], []byte(w)) {
		return s.wrong("expected a value")
	}
	s.at += len(w)
	s.out = append(s.out, w...)
	return nil
}

func (s *scanner) array(depth int, t reflect.Type) error {
	s.out = append(s.out, '[')
	first := true
	err := s.elements(func() error {
		if !first {
			s.out = append(s.out, ',')
		}
		first = false
		return s.value(depth+1, t)
	})
	s.out = append(s.out, ']')
	return err
}

// elements takes an array. It calls each where every element begins.
func (s *scanner) elements(each func() error) error {
	s.at++
	if s.peek() == ']' {
		s.at++
		return nil
	}
	for {
		if err := each(); err != nil {
			return err
		}
		c := s.peek()
		if c != ',' && c != ']' {
			return s.wrong("expected ',' or ']'")
		}
		s.at++
		if c == ']' {
			return nil
		}
	}
}

func (s *scanner) object(depth int, t reflect.Type) error {
	s.out = append(s.out, '{')
	first := true
	err := s.members(func(name []byte) error {
		mark := len(s.out)
		if !first {
			s.out = append(s.out, ',')
		}
		s.out = append(appendText(s.out, name), ':')
		inner, keep := member(t, name)
		if err := s.value(depth+1, inner); err != nil {
			return err
		}
		if keep {
			first = false
		} else {
			s.out = s.out[:mark]
		}
		return nil
	})
	s.out = append(s.out, '}')
	return err
}

// document reads one object and calls each with every member of it.
func (s *scanner) document(each func(name []byte, value json.RawMessage)) error {
	if s.peek() != '{' {
		if err := s.value(0, nil); err != nil {
			return err
		}
		if err := s.end(); err != nil {
			return err
		}
		return s.refuse("not an object")
	}
	err := s.members(func(name []byte) error {
		mark := len(s.out)
		err := s.value(1, nil)
		if err == nil {
			each(name, json.RawMessage(s.out[mark:len(s.out):len(s.out)]))
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.end()
}

// members takes an object. It calls each behind the colon of every member.
func (s *scanner) members(each func(name []byte) error) error {
	s.at++
	if s.peek() == '}' {
		s.at++
		return nil
	}
	var seen names
	for {
		if s.peek() != '"' {
			return s.wrong("expected a name")
		}
		name, err := s.text()
		if err != nil {
			return err
		}
		if !seen.add(name) {
			return &StrictError{Offset: s.at, Reason: fmt.Sprintf("the name %.40q occurs twice", name), Name: string(name)}
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := each(name); err != nil {
			return err
		}
		c := s.peek()
		if c != ',' && c != '}' {
			return s.wrong("expected ',' or '}'")
		}
		s.at++
		if c == '}' {
			return nil
		}
	}
}

// names is the set of an object's names. Small ones need no map.
type names struct {
	few  [16][]byte
	n    int // of few
	many map[string]bool
}

// add reports whether name is new. It keeps name.
func (n *names) add(name []byte) bool {
	if n.many == nil {
		for _, f := range n.few[:n.n] {
			if bytes.Equal(f, name) {
				return false
			}
		}
		if n.n < len(n.few) {
			n.few[n.n] = name
			n.n++
			return true
		}
		n.many = make(map[string]bool, 2*len(n.few))
		for _, f := range n.few {
			n.many[string(f)] = true
		}
	}
	if n.many[string(name)] {
		return false
	}
	n.many[string(name)] = true
	return true
}

// text takes a string and returns what it says, which may be a part of in.
func (s *scanner) text() ([]byte, error) {
	begin := s.at + 1
	for i := begin; i < len(s.in); i++ {
		switch c := s.in[i]; {
		case c == '"':
			s.at = i + 1
			return s.valid(s.in[begin:i])
		case c == '\\':
			return s.escaped(begin, i)
		case c < 0x20:
			s.at = i
			return nil, s.wrong("control character in a string")
		}
	}
	s.at = len(s.in)
	return nil, s.wrong("string without end")
}

func (s *scanner) valid(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, s.wrong("string is no UTF-8")
	}
	return text, nil
}

// escaped reads a string that begins at begin and whose first escape is at i.
func (s *scanner) escaped(begin, i int) ([]byte, error) {
	text := slices.Clone(s.in[begin:i])
	for s.at = i; s.at < len(s.in); {
		switch c := s.in[s.at]; {
		case c == '"':
			s.at++
			return s.valid(text)
		case c < 0x20:
			return nil, s.wrong("control character in a string")
		case c != '\\':
			text = append(text, c)
			s.at++
		default:
			r, err := s.escape()
			if err != nil {
				return nil, err
			}
			text = utf8.AppendRune(text, r)
		}
	}
	return nil, s.wrong("string without end")
}

// escape takes one escape, or the two of a surrogate pair.
func (s *scanner) escape() (rune, error) {
	const letters, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if s.at+1 == len(s.in) {
		return 0, s.wrong("string without end")
	}
	c := s.in[s.at+1]
	if i := strings.IndexByte(letters, c); i >= 0 {
		s.at += 2
		return rune(meaning[i]), nil
	}
	r, ok := s.unit(s.at)
	if !ok {
		return 0, s.wrong("unknown escape")
	}
	s.at += 6
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	second, ok := s.unit(s.at)
	pair := utf16.DecodeRune(r, second)
	if !ok || pair == utf8.RuneError {
		return 0, s.refuse("half of a surrogate pair")
	}
	s.at += 6
	return pair, nil
}

// unit reads \uXXXX at i.
func (s *scanner) unit(i int) (rune, bool) {
	if i+6 > len(s.in) || s.in[i] != '\\' || s.in[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.in[i+2:i+6]), 16, 16)
	return rune(n), err == nil
}

// number copies a number digit for digit.
func (s *scanner) number() error {
	begin := s.at
	s.skip('-')
	switch {
	case s.skip('0'):
	case !s.digits():
		return s.wrong("expected a digit")
	}
	if s.skip('.') && !s.digits() {
		return s.wrong("expected a digit")
	}
	if s.skip('e') || s.skip('E') {
		_ = s.skip('+') || s.skip('-')
		if !s.digits() {
			return s.wrong("expected a digit")
		}
	}
	s.out = append(s.out, s.in[begin:s.at]...)
	return nil
}

func (s *scanner) skip(c byte) bool {
	if s.at < len(s.in) && s.in[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) digits() bool {
	begin := s.at
	for s.at < len(s.in) && s.in[s.at] >= '0' && s.in[s.at] <= '9' {
		s.at++
	}
	return s.at > begin
}
