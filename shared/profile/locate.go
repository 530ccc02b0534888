package profile

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const byteOrderMark = "\ufeff"

// A source is the content of a profile file whose bytes can be found by its
// nodes. YAML tells where a node begins and not where it ends; end finds that out.
type source struct {
	whole []byte
	mark  string // the byte order mark, or nothing
	data  []byte // whole without mark
	eol   string
	lines []int // where each line begins
	doc   *yaml.Node
	root  *yaml.Node // nil in an empty file, and in one that is not YAML
}

// newSource returns the source of data, which doc, nil if there is none, was
// read from.
func newSource(data []byte, doc *yaml.Node) source {
	f := source{whole: data, data: data, eol: "\n", doc: doc}
	if rest, ok := bytes.CutPrefix(data, []byte(byteOrderMark)); ok {
		f.mark, f.data = byteOrderMark, rest
	}
	f.lines = lineStarts(f.data)
	if len(f.lines) > 1 && bytes.HasSuffix(f.data[:f.lines[1]], []byte("\r\n")) {
		f.eol = "\r\n"
	}
	if doc != nil && !isNull(doc.Content[0]) {
		f.root = doc.Content[0]
	}
	return f
}

// Bytes returns the content of the file, which must not be changed.
func (f *source) Bytes() []byte { return f.whole }

// lineStarts counts lines as YAML does.
func lineStarts(data []byte) []int {
	starts := []int{0}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		i += size
		if r == '\r' && i < len(data) && data[i] == '\n' {
			i++
		}
		if isBreak(r) {
			starts = append(starts, i)
		}
	}
	return starts
}

func isBreak(r rune) bool { return strings.ContainsRune("\n\r\u0085\u2028\u2029", r) }

// line returns the number of the line, from 0, in which a byte lies.
func (f *source) line(at int) int {
	i, found := slices.BinarySearch(f.lines, at)
	if !found {
		i--
	}
	return i
}

func (f *source) lineStart(at int) int { return f.lines[max(0, f.line(at))] }

func (f *source) nextLine(at int) int {
	if i := f.line(at) + 1; i < len(f.lines) {
		return f.lines[i]
	}
	return len(f.data)
}

// lineEnd returns where the line of a byte ends, before its line break.
func (f *source) lineEnd(at int) int {
	start := f.lineStart(at)
	return start + len(bytes.TrimRightFunc(f.data[start:f.nextLine(at)], isBreak))
}

// blanks passes over blanks and tabs.
func (f *source) blanks(at int) int {
	for at < len(f.data) && (f.data[at] == ' ' || f.data[at] == '\t') {
		at++
	}
	return at
}

// gap passes over blanks, line breaks, comments and the bytes of more.
func (f *source) gap(at int, more string) int {
	for at < len(f.data) {
		r, size := utf8.DecodeRune(f.data[at:])
		switch {
		case r == '#':
			at = f.lineEnd(at)
		case unicode.IsSpace(r) || isBreak(r) || strings.ContainsRune(more, r):
			at += size
		default:
			return at
		}
	}
	return at
}

// start returns where a node begins, behind its tag and anchor.
func (f *source) start(n *yaml.Node) int {
	at := len(f.data)
	if n.Line >= 1 && n.Line <= len(f.lines) {
		at = f.lines[n.Line-1]
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(f.data[at:])
		at += size
	}
	for at < len(f.data) && (f.data[at] == '!' || f.data[at] == '&') {
		space := bytes.IndexFunc(f.data[at:], unicode.IsSpace)
		if space < 0 {
			return len(f.data)
		}
		at = f.gap(at+space, "")
	}
	return at
}

// end returns where a node ends, without what follows in its line.
func (f *source) end(n *yaml.Node) int {
	at := f.start(n)
	switch {
	case n.Kind == yaml.AliasNode:
		return min(len(f.data), at+1+len(n.Value))
	case n.Kind == yaml.ScalarNode:
		return f.endOfScalar(n, at)
	case n.Style&yaml.FlowStyle == 0 || at == len(f.data) || f.data[at] != '[' && f.data[at] != '{':
		if len(n.Content) == 0 {
			return at
		}
		return f.end(n.Content[len(n.Content)-1])
	}
	at++
	if len(n.Content) > 0 {
		at = f.end(n.Content[len(n.Content)-1])
	}
	return min(len(f.data), f.gap(at, ",")+1)
}

func (f *source) endOfScalar(n *yaml.Node, at int) int {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for at++; at < len(f.data) && f.data[at] != '"'; at++ {
			if f.data[at] == '\\' {
				at++
			}
		}
		return min(len(f.data), at+1)
	case n.Style&yaml.SingleQuotedStyle != 0:
		for at++; at < len(f.data) && (f.data[at] != '\'' || bytes.HasPrefix(f.data[at:], []byte("''"))); at++ {
			if f.data[at] == '\'' {
				at++
			}
		}
		return min(len(f.data), at+1)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		at = f.lineEnd(at)
	}
	return f.pass(n.Value, at)
}

// pass passes over a text whose line breaks and blanks may be others.
func (f *source) pass(s string, at int) int {
	for _, want := range s {
		if unicode.IsSpace(want) || isBreak(want) {
			continue
		}
		next := at
		for next < len(f.data) {
			r, size := utf8.DecodeRune(f.data[next:])
			next += size
			if r == want {
				at = next
				break
			}
			if !unicode.IsSpace(r) && !isBreak(r) {
				return at
			}
		}
	}
	return at
}
