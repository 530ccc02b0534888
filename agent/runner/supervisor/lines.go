package supervisor

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"time"

	"utter/shared/visible"
)

// What is kept of what a plugin says.
const (
	maxLine  = 4 << 10 // bytes
	maxLines = 200
)

// ofRunner begins the lines of a log that are the runner's.
const ofRunner = "[runner] "

// Lines are the last lines that a plugin said, and what the runner says of it.
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

// escaped makes a line harmless for a terminal and a log: one line, in which
// nothing is hidden. It keeps its blanks and tabs: the marker of an error is on the line below
// others.
func escaped(s string) string {
	if len(s) > maxLine {
		s = s[:maxLine]
	}
	var b strings.Builder
	for s != "" {
		n := strings.IndexAny(s, " \t")
		if n < 0 {
			n = len(s)
		}
		b.WriteString(visible.Text(s[:n]))
		end := min(n+1, len(s))
		b.WriteString(s[n:end])
		s = s[end:]
	}
	return b.String()
}

// bounded cuts a text that is in a sentence.
func bounded(s string) string {
	const most = 200 // bytes
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
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
