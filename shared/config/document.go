package config

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A document is a configuration file whose bytes can be found by its keys.
type document struct {
	data     []byte
	eol      string
	sections []*section
	entries  []*entry // in the order of the file
}

// A section is a [table]; the first one has no header.
type section struct {
	path  []string
	last  int  // where the line of its last key ends, or its header's
	line  int  // where that line's text begins
	first int  // where the header's line begins
	array bool // [[table]]
}

// An entry is one key with its value.
type entry struct {
	path       []string // from the root
	section    []string // the header that it is under
	within     *entry   // the table in braces that it is in, or nil
	begin      int      // of the key
	value, end int      // of the value
	items      []item   // of a list of texts
}

// An item is a text of a list.
type item struct {
	text       string
	begin, end int
}

func parse(data []byte) (*document, error) {
	d := &document{data: data, eol: "\n", sections: []*section{{}}}
	if first := bytes.IndexByte(data, '\n'); first > 0 && data[first-1] == '\r' {
		d.eol = "\r\n"
	}
	p := unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind == unstable.KeyValue {
			s := d.sections[len(d.sections)-1]
			d.enter(n, s.path, s.path, nil)
			s.line, s.last = int(n.Raw.Offset), end(n.Raw)
			continue
		}
		path, first, last := names(n)
		d.sections = append(d.sections,
			&section{path: path, line: first, last: last, first: d.lineStart(first), array: n.Kind == unstable.ArrayTable})
	}
	return d, p.Error()
}

// enter notes a key and those of its value. above is the path to it.
func (d *document) enter(n *unstable.Node, section, above []string, within *entry) {
	path, first, last := names(n)
	value := skipBlanks(d.data, skipBlanks(d.data, last)+1) // behind the equals sign
	e := &entry{
		path: slices.Concat(above, path), section: section, within: within,
		begin: first, value: value, end: end(n.Raw),
	}
	d.entries = append(d.entries, e)
	for it := n.Value().Children(); it.Next(); {
		switch child := it.Node(); child.Kind {
		case unstable.KeyValue:
			d.enter(child, section, e.path, e)
		case unstable.String:
			e.items = append(e.items, item{string(child.Data), int(child.Raw.Offset), end(child.Raw)})
		}
	}
}

// names returns the parts of a key or header, and where they begin and end.
func names(n *unstable.Node) (path []string, first, last int) {
	for it := n.Key(); it.Next(); {
		raw := it.Node().Raw
		if path == nil {
			first = int(raw.Offset)
		}
		path, last = append(path, string(it.Node().Data)), end(raw)
	}
	return path, first, last
}

func end(r unstable.Range) int { return int(r.Offset) + int(r.Length) }

// find returns the entry at path, or nil.
func (d *document) find(path []string) *entry {
	for _, e := range d.entries {
		if slices.Equal(e.path, path) {
			return e
		}
	}
	return nil
}

// findSection returns the section of a table that has a header, or nil.
func (d *document) findSection(path []string) *section {
	for _, s := range d.sections[1:] {
		if slices.Equal(s.path, path) {
			return s
		}
	}
	return nil
}

// cut returns the document with the bytes from begin to end replaced.
func (d *document) cut(begin, end int, s string) []byte {
	return slices.Concat(d.data[:begin], []byte(s), d.data[end:])
}

func (d *document) lineStart(at int) int { return bytes.LastIndexByte(d.data[:at], '\n') + 1 }

func (d *document) nextLine(at int) int {
	if i := bytes.IndexByte(d.data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.data)
}

// lineEnd returns where the line of a byte ends, before its line break.
func (d *document) lineEnd(at int) int {
	return at + len(bytes.TrimRight(d.data[at:d.nextLine(at)], "\r\n"))
}

// position returns the line and the column of a byte, from 1.
func (d *document) position(at int) (line, column int) {
	return 1 + bytes.Count(d.data[:at], []byte("\n")), 1 + at - d.lineStart(at)
}

func skipBlanks(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\t') {
		at++
	}
	return at
}
