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

// indentStep is how many blanks entries stand behind the field they belong to.
const indentStep = 2

// A file is a profile file whose bytes can be found by its nodes. YAML tells
// where a node begins and not where it ends; end finds that out.
type file struct {
	mark  string // the byte order mark, or nothing
	data  []byte // without mark
	eol   string
	lines []int // where each line begins
	doc   *yaml.Node
	root  *yaml.Node // nil in an empty file
}

// parse reads a file. One that is no YAML has no root, like an empty one.
func parse(data []byte) *file {
	f := &file{data: data, eol: "\n"}
	if rest, ok := bytes.CutPrefix(data, []byte(byteOrderMark)); ok {
		f.mark, f.data = byteOrderMark, rest
	}
	f.lines = lineStarts(f.data)
	if len(f.lines) > 1 && bytes.HasSuffix(f.data[:f.lines[1]], []byte("\r\n")) {
		f.eol = "\r\n"
	}
	f.doc = new(yaml.Node)
	if yaml.NewDecoder(bytes.NewReader(f.data)).Decode(f.doc) == nil && !isNull(f.doc.Content[0]) {
		f.root = f.doc.Content[0]
	}
	return f
}

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

func (f *file) bytes() []byte { return append([]byte(f.mark), f.data...) }

// begun returns an empty file with the first line of a profile.
func (f *file) begun(id string) []byte {
	data := f.bytes()
	if len(f.data) > 0 && f.lines[len(f.lines)-1] < len(f.data) {
		data = append(data, f.eol...)
	}
	return append(data, "id: "+scalar(id, 0)+f.eol...)
}

// profile returns the path to the profile of id; patches are what f says.
func (f *file) profile(patches []Patch, id string) (path []string, ok bool) {
	i := slices.IndexFunc(patches, func(p Patch) bool { return p.ID == id })
	if i < 0 {
		i = slices.IndexFunc(patches, func(p Patch) bool { return strings.EqualFold(p.ID, id) })
	}
	if i < 0 {
		return nil, false
	}
	all := valueOf(f.root, "profiles")
	if all == nil {
		return nil, true
	}
	return []string{"profiles", all.Content[2*i].Value}, true
}

// splice changes the bytes of one field. It is not ok, or gives nonsense, where
// the field is written in a rare form.
func (f *file) splice(path []string, value *yaml.Node) (data []byte, ok bool) {
	last := len(path) - 1
	m := at(f.root, path[:last])
	i := keyIndex(m, path[last])
	flow := m.Style&yaml.FlowStyle != 0
	switch {
	case value == nil && flow:
		return f.cutEntry(m, i)
	case value == nil:
		return f.cutLines(m, i)
	case i < 0 && flow:
		return f.addEntry(m, path[last], value)
	case i < 0:
		return f.addLines(m, path[last], value)
	}
	return f.replace(m.Content[i], m.Content[i+1], value)
}

// cut returns the file with the bytes from begin to end replaced.
func (f *file) cut(begin, end int, s string) ([]byte, bool) {
	if begin < 0 || end < begin || end > len(f.data) {
		return nil, false
	}
	return slices.Concat([]byte(f.mark), f.data[:begin], []byte(s), f.data[end:]), true
}

// replace writes a value in the place of an old one.
func (f *file) replace(key, old, value *yaml.Node) ([]byte, bool) {
	colon := f.blanks(f.end(key)) + 1
	if colon > len(f.data) || f.data[colon-1] != ':' {
		return nil, false
	}
	if old.Kind != yaml.ScalarNode && old.Style&yaml.FlowStyle == 0 { // lines below the key
		below, end := f.nextLine(colon), f.lineEnd(f.end(old))
		if lines, ok := f.relist(below, old, value); ok {
			return f.cut(below, end, lines)
		}
		return f.cut(colon, end, " "+f.render(old, value)+string(f.data[colon:f.lineEnd(colon)]))
	}
	begin := f.start(old)
	s := f.render(old, value)
	if begin == colon {
		s = " " + s
	}
	return f.cut(begin, f.end(old), s)
}

// render writes a value in one line. Texts that stand in the old value keep
// their quotes, and others are quoted as it is.
func (f *file) render(old, value *yaml.Node) string {
	switch value.Kind {
	case yaml.SequenceNode:
		items := make([]string, len(value.Content))
		for i, item := range value.Content {
			items[i] = f.renderItem(old, item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case yaml.MappingNode:
		var pairs []string
		for i := 0; i < len(value.Content); i += 2 {
			pairs = append(pairs, scalar(value.Content[i].Value, 0)+": "+f.render(nil, value.Content[i+1]))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	}
	if value.Tag == "!!bool" {
		return value.Value
	}
	return scalar(value.Value, styleOf(old))
}

func (f *file) renderItem(old, item *yaml.Node) string {
	if old == nil || old.Kind != yaml.SequenceNode || len(old.Content) == 0 {
		return scalar(item.Value, 0)
	}
	if i := slices.IndexFunc(old.Content, func(o *yaml.Node) bool { return singleLine(o) && o.Value == item.Value }); i >= 0 && old.Style&yaml.FlowStyle != 0 {
		o := old.Content[i]
		return string(f.data[f.start(o):max(f.start(o), f.end(o))])
	}
	return scalar(item.Value, styleOf(old.Content[len(old.Content)-1]))
}

func singleLine(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value != "" && !strings.ContainsFunc(n.Value, isBreak)
}

// styleOf returns the quotes that whoever wrote n likes. Those that scalar would
// put there say nothing.
func styleOf(n *yaml.Node) yaml.Style {
	switch {
	case n == nil || n.Kind != yaml.ScalarNode:
		return 0
	case n.Style&yaml.DoubleQuotedStyle != 0 && scalar(n.Value, 0) == n.Value:
		return yaml.DoubleQuotedStyle
	}
	return n.Style & yaml.SingleQuotedStyle
}

// scalar writes a text, in quotes where YAML would read another thing without.
func scalar(s string, style yaml.Style) string {
	if style == 0 && s != "<<" {
		plain, err := yaml.Marshal(&struct {
			V []string `yaml:"v,flow"`
		}{[]string{s}})
		if err == nil && string(plain) == "v: ["+s+"]\n" {
			return s
		}
	}
	if style == 0 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		style = yaml.DoubleQuotedStyle
	}
	n := text(s)
	n.Style = style
	quoted, err := yaml.Marshal(n)
	if err != nil {
		return `""` // no text that YAML can hold: it is found not to read as wanted
	}
	return strings.TrimSuffix(string(quoted), "\n")
}

// relist writes a list with a line an item in the place of such a list, from the
// line that begins at below on: items that stay keep their lines, with the
// comments at and above them.
func (f *file) relist(below int, old, value *yaml.Node) (string, bool) {
	if old.Kind != yaml.SequenceNode || value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
		return "", false
	}
	kept := make([]string, len(old.Content))
	for i, o := range old.Content {
		end := f.lineEnd(f.end(o))
		if !singleLine(o) || end < below {
			return "", false
		}
		kept[i] = string(f.data[below:end])
		below = f.nextLine(end)
	}
	dash := string(f.data[f.lineStart(f.start(old)):f.start(old)]) + "- "
	lines := make([]string, len(value.Content))
	for i, item := range value.Content {
		lines[i] = dash + f.renderItem(old, item)
		for k, o := range old.Content {
			if o != nil && o.Value == item.Value {
				lines[i] = kept[k]
				kept[k] = dash + f.renderItem(old, item) // the comments once
				break
			}
		}
	}
	return strings.Join(lines, f.eol), true
}

// addEntry adds a field to a map in braces.
func (f *file) addEntry(m *yaml.Node, key string, value *yaml.Node) ([]byte, bool) {
	s := scalar(key, 0) + ": " + f.render(nil, value)
	at := f.start(m) + 1
	if n := len(m.Content); n > 0 {
		at = f.end(m.Content[n-1])
		s = ", " + s
	}
	return f.cut(at, at, s)
}

// addLines adds a field behind the last one of a map with a line a field.
func (f *file) addLines(m *yaml.Node, key string, value *yaml.Node) ([]byte, bool) {
	if len(m.Content) == 0 {
		return nil, false
	}
	begin := f.start(m.Content[0])
	indent := string(f.data[f.lineStart(begin):begin])
	s := indent + scalar(key, 0) + ":"
	if value.Kind == yaml.MappingNode && slices.Contains(parents, key) {
		for i := 0; i < len(value.Content); i += 2 {
			s += f.eol + indent + strings.Repeat(" ", indentStep) +
				scalar(value.Content[i].Value, 0) + ": " + f.render(nil, value.Content[i+1])
		}
	} else {
		s += " " + f.render(nil, value)
	}
	at := f.deeper(f.nextLine(f.end(m)), len(indent))
	if at == len(f.data) && f.lineStart(at) < at { // the file ends within a line
		return f.cut(at, at, f.eol+s)
	}
	return f.cut(at, at, s+f.eol)
}

// cutEntry takes a field out of a map in braces, with one comma.
func (f *file) cutEntry(m *yaml.Node, i int) ([]byte, bool) {
	begin, end := f.start(m.Content[i]), f.end(m.Content[i+1])
	if i+2 < len(m.Content) {
		return f.cut(begin, f.start(m.Content[i+2]), "")
	}
	if i > 0 {
		before := bytes.TrimRightFunc(f.data[:begin], unicode.IsSpace)
		if bytes.HasSuffix(before, []byte(",")) {
			begin = len(before) - 1
		}
	}
	return f.cut(begin, end, "")
}

// cutLines takes a field out of a map with a line a field. With a whole profile
// goes the comment above it.
func (f *file) cutLines(m *yaml.Node, i int) ([]byte, bool) {
	key := f.start(m.Content[i])
	begin := f.lineStart(key)
	indent := f.data[begin:key]
	if len(bytes.Trim(indent, " ")) > 0 {
		return nil, false
	}
	end := f.deeper(f.nextLine(f.end(m.Content[i+1])), len(indent))
	if m == valueOf(f.root, "profiles") {
		begin = f.commented(begin, append(indent[:len(indent):len(indent)], '#'))
	}
	if end == len(f.data) && f.lineStart(end) < end {
		begin = f.lineEnd(begin - 1) // the file goes on ending within a line
	}
	return f.cut(begin, end, "")
}

// commented returns the beginning of the comment lines right above a line.
func (f *file) commented(line int, prefix []byte) int {
	for line > 0 {
		above := f.lineStart(line - 1)
		if !bytes.HasPrefix(f.data[above:], prefix) {
			break
		}
		line = above
	}
	return line
}

// deeper passes over the comment lines from at on that are indented by more
// than indent blanks and so belong to the field above.
func (f *file) deeper(at, indent int) int {
	for next := at; next < len(f.data); {
		first := f.blanks(next)
		next = f.nextLine(next)
		if first == f.lineEnd(first) {
			continue
		}
		if f.data[first] != '#' || first-f.lineStart(first) <= indent {
			break
		}
		at = next
	}
	return at
}

// line returns the number of the line, from 0, in which a byte lies.
func (f *file) line(at int) int {
	i, found := slices.BinarySearch(f.lines, at)
	if !found {
		i--
	}
	return i
}

func (f *file) lineStart(at int) int { return f.lines[max(0, f.line(at))] }

func (f *file) nextLine(at int) int {
	if i := f.line(at) + 1; i < len(f.lines) {
		return f.lines[i]
	}
	return len(f.data)
}

// lineEnd returns where the line of a byte ends, before its line break.
func (f *file) lineEnd(at int) int {
	start := f.lineStart(at)
	return start + len(bytes.TrimRightFunc(f.data[start:f.nextLine(at)], isBreak))
}

// blanks passes over blanks and tabs.
func (f *file) blanks(at int) int {
	for at < len(f.data) && (f.data[at] == ' ' || f.data[at] == '\t') {
		at++
	}
	return at
}

// gap passes over blanks, line breaks, comments and the bytes of more.
func (f *file) gap(at int, more string) int {
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
func (f *file) start(n *yaml.Node) int {
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
func (f *file) end(n *yaml.Node) int {
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

func (f *file) endOfScalar(n *yaml.Node, at int) int {
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
func (f *file) pass(s string, at int) int {
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
