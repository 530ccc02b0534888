package xkb

import "strings"

// A token is one word, number, string, key name or mark of a keymap.
type token struct {
	kind tokenKind
	text string // without quotes or angle brackets
	pos  int    // where it is in the text
}

type tokenKind int

const (
	end tokenKind = iota
	word
	quoted
	keyName
	mark
)

// A scanner cuts a keymap into tokens. It never fails: what it does not know is
// a mark of one byte.
type scanner struct {
	text string
	pos  int
}

func (s *scanner) next() token {
	s.skipSpace()
	start := s.pos
	if start >= len(s.text) {
		return token{end, "", start}
	}
	switch c := s.text[start]; {
	case isWordByte(c):
		for s.pos < len(s.text) && isWordByte(s.text[s.pos]) {
			s.pos++
		}
		return token{word, s.text[start:s.pos], start}
	case c == '"':
		return s.until('"', quoted)
	case c == '<':
		return s.until('>', keyName)
	}
	s.pos++
	return token{mark, s.text[start:s.pos], start}
}

func (s *scanner) until(close byte, kind tokenKind) token {
	start := s.pos
	n := strings.IndexByte(s.text[start+1:], close)
	if n < 0 {
		s.pos = len(s.text)
		return token{end, "", start}
	}
	s.pos = start + 1 + n + 1
	return token{kind, s.text[start+1 : start+1+n], start}
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.pos++
		case c == '#' || c == '/' && strings.HasPrefix(s.text[s.pos:], "//"):
			n := strings.IndexByte(s.text[s.pos:], '\n')
			if n < 0 {
				n = len(s.text) - s.pos
			}
			s.pos += n
		default:
			return
		}
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// statement reads up to the next semicolon outside braces, brackets and
// parentheses. It is empty at the end of the block or the text.
func (s *scanner) statement() []token {
	var tokens []token
	depth := 0
	for {
		t := s.next()
		if t.kind == end {
			return tokens
		}
		if t.kind == mark {
			switch t.text {
			case "{", "[", "(":
				depth++
			case "}", "]", ")":
				depth--
				if depth < 0 {
					return tokens
				}
			case ";":
				if depth == 0 {
					if len(tokens) > 0 {
						return tokens
					}
					continue
				}
			}
		}
		tokens = append(tokens, t)
	}
}

// block returns the tokens inside the first pair of braces of a statement.
func block(tokens []token) []token {
	from, depth := -1, 0
	for i, t := range tokens {
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "{":
			if depth == 0 && from < 0 {
				from = i + 1
			}
			depth++
		case "}":
			depth--
			if depth == 0 && from >= 0 {
				return tokens[from:i]
			}
		}
	}
	return nil
}

func isMark(t token, text string) bool { return t.kind == mark && t.text == text }

// section reads the statements of the block that follows.
func (s *scanner) section() [][]token {
	for t := s.next(); !isMark(t, "{"); t = s.next() {
		if t.kind == end || isMark(t, ";") {
			return nil
		}
	}
	var all [][]token
	for {
		st := s.statement()
		if len(st) == 0 {
			return all
		}
		all = append(all, st)
	}
}
