package protocol

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// linesOf maps every dotted key to its line. Members of [[x]] are x.0.key, …
func linesOf(text []byte) map[string]int {
	l := &lineMap{text: text, lines: map[string]int{}, count: map[string]int{}}
	p := unstable.Parser{}
	p.Reset(text)
	var table string
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.KeyValue:
			l.pair(n, table)
		case unstable.Table:
			table = l.note(n, "")
		case unstable.ArrayTable:
			name := l.note(n, "")
			table = fmt.Sprintf("%s.%d", name, l.count[name])
			l.count[name]++
		}
	}
	return l.lines
}

type lineMap struct {
	text  []byte
	lines map[string]int
	count map[string]int
}

// pair notes a key and those inside its value.
func (l *lineMap) pair(n *unstable.Node, above string) {
	key := l.note(n, above)
	l.inside(n.Value(), key)
}

func (l *lineMap) inside(v *unstable.Node, key string) {
	if v.Kind != unstable.InlineTable && v.Kind != unstable.Array {
		return
	}
	i := 0
	for it := v.Children(); it.Next(); i++ {
		switch child := it.Node(); child.Kind {
		case unstable.KeyValue:
			l.pair(child, key)
		case unstable.InlineTable, unstable.Array:
			l.inside(child, fmt.Sprintf("%s.%d", key, i))
		}
	}
}

// note enters the key of n and returns it, dotted.
func (l *lineMap) note(n *unstable.Node, above string) string {
	parts := []string{}
	if above != "" {
		parts = append(parts, above)
	}
	at := 0
	for it := n.Key(); it.Next(); {
		at = int(it.Node().Raw.Offset)
		parts = append(parts, string(it.Node().Data))
	}
	key := strings.Join(parts, ".")
	l.lines[key] = 1 + bytes.Count(l.text[:at], []byte("\n"))
	return key
}
