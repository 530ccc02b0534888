package plugin

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What is kept of what a plugin says.
const (
	maxLine  = 4 << 10 // bytes
	maxLines = 200
)

// Lines are the last lines that a plugin said.
type Lines struct {
	mu   sync.Mutex
	list []string
}

// Add adds a line.
func (l *Lines) Add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, line)
	if len(l.list) > maxLines {
		l.list = append([]string(nil), l.list[len(l.list)-maxLines:]...)
	}
}

// All returns the lines, the oldest first.
func (l *Lines) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.list...)
}

// readLines calls line for each line of r, cut at maxLine, until r ends.
func readLines(r io.Reader, line func(string)) {
	in := bufio.NewReaderSize(r, maxLine)
	for {
		text, isPrefix, err := in.ReadLine()
		if err != nil {
			return
		}
		line(escaped(string(text)))
		for isPrefix && err == nil {
			_, isPrefix, err = in.ReadLine()
		}
	}
}

// escaped makes a line harmless for a terminal and a log: one line, and only
// what can be printed.
func escaped(s string) string {
	if len(s) > maxLine {
		s = s[:maxLine]
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		if r == '\t' || strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// A meter lets so much through in a second, and counts the rest.
type meter struct {
	limit   int
	second  time.Time
	n, lost int
}

// admit reports whether one more may pass now, and how many were lost before.
func (m *meter) admit(now time.Time) (ok bool, lost int) {
	if now.Sub(m.second) >= time.Second {
		lost, m.lost = m.lost, 0
		m.second, m.n = now, 0
	}
	m.n++
	if m.n > m.limit {
		m.lost++
		return false, 0
	}
	return true, lost
}
