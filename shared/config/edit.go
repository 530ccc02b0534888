package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A Change sets one key of the file.
type Change struct {
	Table string // "policy"
	Key   string // "enabled_ops"
	// Value is what the key becomes: a string, a bool, an int64 or a []string.
	// With nil its line goes, and the default applies again.
	Value any
}

// What keeps a file from being edited. Where an error is the reason, errors.As
// finds its FieldError.
var (
	ErrBroken  = errors.New("the file has an error")
	ErrRefused = errors.New("the change would make the file invalid")
	ErrForm    = errors.New("the file is written in a form that cannot be edited")
)

// Edit returns data with the changes made and every other byte as it was:
// comments, order and spacing. name is what errors call the file. All changes
// are made or none: what is returned reads as the old file with these keys
// changed, or there is an error.
func Edit(name string, data []byte, changes ...Change) ([]byte, error) {
	if _, err := Decode(name, data); err != nil {
		return nil, fmt.Errorf("edit the configuration: %w: %w", ErrBroken, err)
	}
	for _, c := range withoutOldNames(changes) {
		var err error
		if data, err = c.apply(data); err != nil {
			return nil, fmt.Errorf("edit the configuration: %s.%s: %w", c.Table, c.Key, err)
		}
	}
	if _, err := Decode(name, data); err != nil {
		return nil, fmt.Errorf("edit the configuration: %w: %w", ErrRefused, err)
	}
	return data, nil
}

// withoutOldNames has a key that is changed replace the key that it was called before.
func withoutOldNames(changes []Change) []Change {
	for _, c := range changes {
		if c.Table == "policy" && c.Key == "enabled_ops" {
			return append(slices.Clone(changes), Change{Table: "policy", Key: "enable_ops"})
		}
	}
	return changes
}

func (c Change) apply(data []byte) ([]byte, error) {
	if c.Table == "" || c.Key == "" {
		return nil, errors.New("a change needs a table and a key")
	}
	wanted, err := tree(data)
	if err != nil {
		return nil, err
	}
	if err := c.set(wanted); err != nil {
		return nil, err
	}
	if now, err := tree(data); err == nil && same(now, wanted) {
		return data, nil
	}
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	after := c.splice(d)
	if got, err := tree(after); err != nil || !same(got, wanted) {
		return nil, ErrForm
	}
	return after, nil
}

func tree(data []byte) (map[string]any, error) {
	t := map[string]any{}
	err := toml.Unmarshal(data, &t)
	return t, err
}

// same reports whether two trees say the same. An empty table says nothing.
func same(a, b map[string]any) bool { return reflect.DeepEqual(pruned(a), pruned(b)) }

func pruned(t map[string]any) map[string]any {
	full := map[string]any{}
	for name, value := range t {
		if below, ok := value.(map[string]any); ok {
			if below = pruned(below); len(below) == 0 {
				continue
			}
			value = below
		}
		full[name] = value
	}
	return full
}

// set changes the tree: what splice writes must read like it.
func (c Change) set(t map[string]any) error {
	for _, name := range strings.Split(c.Table, ".") {
		if _, there := t[name]; !there && c.Value == nil {
			return nil
		} else if !there {
			t[name] = map[string]any{}
		}
		below, ok := t[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%s is not a table", name)
		}
		t = below
	}
	switch v := c.Value.(type) {
	case nil:
		delete(t, c.Key)
	case string, bool, int64:
		t[c.Key] = v
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		t[c.Key] = list
	default:
		return fmt.Errorf("a key cannot be a %T", c.Value)
	}
	return nil
}

// splice changes the bytes of one key.
func (c Change) splice(d *document) []byte {
	table := strings.Split(c.Table, ".")
	if e := d.find(append(table[:len(table):len(table)], c.Key)); e != nil {
		if c.Value == nil {
			return d.remove(e)
		}
		return d.cut(e.value, e.end, d.renewed(e, c.Value))
	}
	pair := name(c.Key) + " = " + render(c.Value, '"')
	if e := d.find(table); e != nil {
		return d.addInside(e, pair)
	}
	if s := d.findSection(table); s != nil {
		return d.addLine(s.line, s.last, pair)
	}
	for _, e := range slices.Backward(d.entries) { // the table may be there in dotted keys alone
		if e.within == nil && len(e.section) < len(table) && len(e.path) > len(table) &&
			slices.Equal(e.path[:len(table)], table) {
			return d.addLine(e.begin, e.end, dotted(table[len(e.section):])+"."+pair)
		}
	}
	return d.addTable(table, pair)
}

// addTable adds a table at the end, behind a blank line.
func (d *document) addTable(table []string, pair string) []byte {
	gap := d.eol
	switch {
	case len(bytes.TrimSpace(d.data)) == 0:
		gap = ""
	case !bytes.HasSuffix(d.data, []byte("\n")):
		gap += d.eol
	}
	return d.cut(len(d.data), len(d.data), gap+"["+dotted(table)+"]"+d.eol+pair+d.eol)
}

// addLine adds a line below what lies between begin and end, indented like it.
func (d *document) addLine(begin, end int, line string) []byte {
	start, next := d.lineStart(begin), d.nextLine(end)
	line = string(d.data[start:skipBlanks(d.data, start)]) + line
	if !bytes.HasSuffix(d.data[:next], []byte("\n")) {
		return d.cut(next, next, d.eol+line)
	}
	return d.cut(next, next, line+d.eol)
}

// addInside adds a key to a table in braces.
func (d *document) addInside(e *entry, pair string) []byte {
	for _, last := range slices.Backward(d.entries) {
		if last.within == e {
			return d.cut(last.end, last.end, ", "+pair)
		}
	}
	return d.cut(e.value+1, e.value+1, pair)
}

// remove takes a key out, with its line or one comma.
func (d *document) remove(e *entry) []byte {
	if e.within == nil {
		begin, next := d.lineStart(e.begin), d.nextLine(e.end)
		if next == len(d.data) && !bytes.HasSuffix(d.data, []byte("\n")) && begin > 0 {
			begin = d.lineEnd(d.lineStart(begin - 1)) // the file goes on ending within a line
		}
		return d.cut(begin, next, "")
	}
	if after := skipBlanks(d.data, e.end); d.data[after] == ',' {
		return d.cut(e.begin, skipBlanks(d.data, after+1), "")
	}
	before := bytes.TrimRight(d.data[:e.begin], " \t\r\n")
	if bytes.HasSuffix(before, []byte(",")) {
		return d.cut(len(before)-1, e.end, "")
	}
	return d.cut(e.begin, e.end, "")
}

// renewed writes a value in the place of an old one: a list with a line an item
// stays one.
func (d *document) renewed(e *entry, value any) string {
	list, ok := value.([]string)
	if !ok {
		return render(value, d.quote(e.value))
	}
	quote := byte('"')
	if len(e.items) > 0 {
		quote = d.quote(e.items[0].begin)
	}
	if lines, ok := d.relist(e, list, quote); ok {
		return lines
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = text(s, quote)
		if k := slices.IndexFunc(e.items, func(it item) bool { return it.text == s }); k >= 0 {
			texts[i] = string(d.data[e.items[k].begin:e.items[k].end])
		}
	}
	open, shut := "[", "]"
	if n := len(e.items); n > 0 && len(list) > 0 && d.nextLine(e.value) >= e.end {
		open, shut = string(d.data[e.value:e.items[0].begin]), string(d.data[e.items[n-1].end:e.end])
	}
	return open + strings.Join(texts, ", ") + shut
}

func (d *document) quote(at int) byte {
	if d.data[at] == '\'' {
		return '\''
	}
	return '"'
}

// relist writes a list with a line an item: items that stay keep their lines,
// with the comments in and above them.
func (d *document) relist(e *entry, list []string, quote byte) (string, bool) {
	if len(e.items) == 0 || len(list) == 0 {
		return "", false
	}
	start, lastComma := d.nextLine(e.value), false
	first := start
	before, after := make([]string, len(e.items)), make([]string, len(e.items))
	for i, it := range e.items {
		if it.begin < start || len(bytes.Trim(d.data[d.lineStart(it.begin):it.begin], " \t")) > 0 {
			return "", false
		}
		before[i] = string(d.data[start:it.end])
		rest := string(d.data[it.end:d.lineEnd(it.end)])
		if after[i], lastComma = strings.CutPrefix(strings.TrimLeft(rest, " \t"), ","); !lastComma {
			after[i] = rest
		}
		start = d.nextLine(it.end)
	}
	if start > e.end { // the bracket is behind the last item
		return "", false
	}
	var b strings.Builder
	b.Write(d.data[e.value:first])
	indent := string(d.data[d.lineStart(e.items[0].begin):e.items[0].begin])
	for i, s := range list {
		head, tail := indent+text(s, quote), ""
		if k := slices.IndexFunc(e.items, func(it item) bool { return it.text == s }); k >= 0 && before[k] != "" {
			head, tail = before[k], after[k]
			before[k] = ""
		}
		b.WriteString(head)
		if i+1 < len(list) || lastComma {
			b.WriteByte(',')
		}
		b.WriteString(tail + d.eol)
	}
	b.Write(d.data[start:e.end])
	return b.String(), true
}

func render(value any, quote byte) string {
	switch v := value.(type) {
	case string:
		return text(v, quote)
	case []string:
		texts := make([]string, len(v))
		for i, s := range v {
			texts[i] = text(s, quote)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// text writes a TOML string, in the quotes that are liked if they can hold it.
func text(s string, quote byte) string {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if quote == '\'' && !strings.ContainsRune(s, '\'') && !strings.ContainsFunc(s, control) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case control(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// name writes a part of a key, in quotes where it needs them.
func name(s string) string {
	bare := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !bare(r) }) {
		return text(s, '"')
	}
	return s
}

func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, s := range path {
		parts[i] = name(s)
	}
	return strings.Join(parts, ".")
}
