package profile

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// indentStep is the indentation of entries relative to their field, in spaces.
const indentStep = 2

// splice changes the bytes of one field. It is not ok, or gives nonsense, where
// the field is written in a rare form.
func (f *source) splice(path []string, value *yaml.Node) (data []byte, ok bool) {
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
func (f *source) cut(begin, end int, s string) ([]byte, bool) {
	if begin < 0 || end < begin || end > len(f.data) {
		return nil, false
	}
	return slices.Concat([]byte(f.mark), f.data[:begin], []byte(s), f.data[end:]), true
}

// replace writes a value in the place of an old one.
func (f *source) replace(key, old, value *yaml.Node) ([]byte, bool) {
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

// render writes a value in one line. Texts that are in the old value keep
// their quotes, and others are quoted as it is.
func (f *source) render(old, value *yaml.Node) string {
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

func (f *source) renderItem(old, item *yaml.Node) string {
	if old == nil || old.Kind != yaml.SequenceNode || len(old.Content) == 0 {
		return scalar(item.Value, 0)
	}
	same := func(o *yaml.Node) bool { return singleLine(o) && o.Value == item.Value }
	if i := slices.IndexFunc(old.Content, same); i >= 0 && old.Style&yaml.FlowStyle != 0 {
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
func (f *source) relist(below int, old, value *yaml.Node) (string, bool) {
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
func (f *source) addEntry(m *yaml.Node, key string, value *yaml.Node) ([]byte, bool) {
	s := scalar(key, 0) + ": " + f.render(nil, value)
	at := f.start(m) + 1
	if n := len(m.Content); n > 0 {
		at = f.end(m.Content[n-1])
		s = ", " + s
	}
	return f.cut(at, at, s)
}

// addLines adds a field behind the last one of a map with a line a field.
func (f *source) addLines(m *yaml.Node, key string, value *yaml.Node) ([]byte, bool) {
	if len(m.Content) == 0 {
		return nil, false
	}
	begin := f.start(m.Content[0])
	indent := string(f.data[f.lineStart(begin):begin])
	s := indent + scalar(key, 0) + ":"
	if value.Kind == yaml.MappingNode && slices.Contains(groups, key) {
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
func (f *source) cutEntry(m *yaml.Node, i int) ([]byte, bool) {
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
func (f *source) cutLines(m *yaml.Node, i int) ([]byte, bool) {
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
func (f *source) commented(line int, prefix []byte) int {
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
func (f *source) deeper(at, indent int) int {
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
