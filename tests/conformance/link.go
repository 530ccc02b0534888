package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A link is our end of one connection with the runner: a client's, or that of a
// plugin we play. Whatever arrives is checked for form, written into the
// transcript, and kept until a check asks for it; nothing is trimmed.
type link struct {
	c    *C
	name string
	conn *net.UnixConn

	// serve answers a request that came, if it wants to. It runs before the next
	// frame is read.
	serve func(m *message)

	writing sync.Mutex

	mu       sync.Mutex
	lastID   int
	asked    map[string]int // requests that we sent, by id
	answered map[string]int
	loose    bool // we sent what is not a request on purpose: ids cannot be matched
	in       []*message
	changed  chan struct{} // closed and replaced at each change
	ended    error         // io.EOF after a clean end
	broken   string        // the first breach of form
	reading  *sync.Cond    // waited for while paused
	paused   bool
}

func newLink(c *C, name string, conn *net.UnixConn) *link {
	l := &link{c: c, name: name, conn: conn, asked: map[string]int{}, answered: map[string]int{},
		changed: make(chan struct{})}
	l.reading = sync.NewCond(&l.mu)
	c.adopt(l)
	return l
}

// run reads until the connection ends.
func (l *link) run() {
	for {
		l.mu.Lock()
		for l.paused {
			l.reading.Wait()
		}
		l.mu.Unlock()
		m, err := readFrame(l.conn)
		if err != nil {
			l.finish(m, err)
			return
		}
		l.take(m)
		if l.serve != nil && !m.isReply() {
			l.serve(m)
		}
	}
}

func (l *link) finish(m *message, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		l.breach("the connection ends inside a frame")
	case errors.Is(err, errHeader) || m != nil && !errors.Is(err, net.ErrClosed):
		if m != nil {
			l.c.note(l.name, "<", m.header)
		}
		l.breach(err.Error())
	default:
		l.c.note(l.name, "<", "(end)")
	}
	l.ended = err
	l.signal()
}

// take checks the form of what came and keeps it.
func (l *link) take(m *message) {
	l.c.note(l.name, "<", string(m.body))
	l.mu.Lock()
	defer l.mu.Unlock()
	v, err := decode(m.body)
	m.value = v
	if m.late > 0 {
		l.breach("a descriptor came in the middle of a frame")
	}
	switch {
	case err != nil:
		l.breach("the body is not strict JSON: " + err.Error())
	case !compact(m.body):
		l.breach("the body is not compact")
	case text(at(v, "jsonrpc")) != "2.0":
		l.breach(`a message without "jsonrpc":"2.0"`)
	case has(v, "method") && text(at(v, "method")) == "":
		l.breach("a method that is not a text")
	case !has(v, "method"):
		l.checkReply(m)
	}
	l.in = append(l.in, m)
	l.signal()
}

// checkReply is called with l.mu held.
func (l *link) checkReply(m *message) {
	failed, ok := has(m.value, "error"), has(m.value, "result")
	if failed == ok {
		l.breach("a reply must have a result or an error, and not both")
	}
	if e := m.at("error"); failed && (whole(at(e, "code")) < -1<<60 || text(at(e, "message")) == "") {
		l.breach("an error needs a whole number as code, and a message")
	}
	if !has(m.value, "id") {
		l.breach("a reply without an id")
	}
	id := m.id()
	if id == "" || l.loose {
		return
	}
	if l.answered[id]++; l.answered[id] > l.asked[id] {
		l.breach(fmt.Sprintf("%d requests had the id %s, this is reply %d", l.asked[id], id, l.answered[id]))
	}
}

// compact reports whether body has no white space outside of texts, and no
// escape where the character itself would do.
func compact(body []byte) bool {
	inText := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
			if i+4 < len(body) && body[i] == 'u' && escapedForNothing(string(body[i+1:i+5])) {
				return false
			}
		case c == '"':
			inText = !inText
		case !inText && strings.IndexByte(" \t\r\n", c) >= 0:
			return false
		}
	}
	return true
}

// escapedForNothing is true of characters outside ASCII that could stand as
// UTF-8. U+2028 and U+2029 are escaped by careful writers.
func escapedForNothing(hex string) bool {
	var r rune
	if _, err := fmt.Sscanf(hex, "%04x", &r); err != nil {
		return false
	}
	return r >= utf8.RuneSelf && r != 0x2028 && r != 0x2029 && r != utf8.RuneError && (r < 0xd800 || r > 0xdfff)
}

// breach is called with l.mu held.
func (l *link) breach(what string) {
	l.c.note(l.name, "!", what)
	if l.broken == "" {
		l.broken = fmt.Sprintf("%s: %s", l.name, what)
	}
}

// signal is called with l.mu held.
func (l *link) signal() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// pause stops reading: the peer's writes fill the socket's buffers. The frame
// that is being waited for is still read.
func (l *link) pause() { l.mu.Lock(); l.paused = true; l.mu.Unlock() }

func (l *link) resume() { l.mu.Lock(); l.paused = false; l.mu.Unlock(); l.reading.Broadcast() }

// raw writes bytes as they are. The peer may have hung up on the first of them,
// so that is not judged here.
func (l *link) raw(bytes []byte) {
	l.c.note(l.name, ">", string(bytes))
	if err := l.write(bytes); err != nil {
		l.c.note(l.name, "!", err.Error())
	}
}

func (l *link) write(bytes []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(l.c.patience)); err != nil {
		return err
	}
	_, err := l.conn.Write(bytes)
	return err
}

// say sends body as a frame, whatever it is.
func (l *link) say(body string) error {
	l.mu.Lock()
	v, err := decode([]byte(body))
	id := at(v, "id")
	switch {
	case err != nil || !has(v, "method"):
		l.loose = l.loose || !has(v, "result") && !has(v, "error")
	case id != nil:
		l.asked[toJSON(id)]++
	}
	l.mu.Unlock()
	l.c.note(l.name, ">", body)
	return l.write(frame(body))
}

// sayOrFail is say where the peer must be listening.
func (l *link) sayOrFail(body string) {
	if err := l.say(body); err != nil {
		l.c.fail("%s: cannot write: %v", l.name, err)
	}
}

// notify sends a notification.
func (l *link) notify(method string, params any) {
	l.sayOrFail(toJSON(obj{"jsonrpc": "2.0", "method": method, "params": params}))
}

// ask sends a request with an id of ours and returns the id.
func (l *link) ask(method string, params any) string {
	l.mu.Lock()
	l.lastID++
	id := l.lastID
	l.mu.Unlock()
	l.sayOrFail(toJSON(obj{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
	return toJSON(id)
}

// reply answers m with a result.
func (l *link) reply(m *message, result any) error {
	return l.say(toJSON(obj{"jsonrpc": "2.0", "id": m.at("id"), "result": result}))
}

// give is reply where the peer must be listening.
func (l *link) give(m *message, result any) {
	if err := l.reply(m, result); err != nil {
		l.c.fail("%s: cannot answer: %v", l.name, err)
	}
}

// approve answers host.confirm with yes.
func (l *link) approve(asked *message) {
	yes := obj{"approved": true}
	for _, name := range []string{"nonce", "digest"} {
		if v := asked.at("params", name); v != nil {
			yes[name] = v
		}
	}
	l.give(asked, yes)
}

// refuse answers m with an error.
func (l *link) refuse(m *message, code int, message string) error {
	return l.say(toJSON(obj{"jsonrpc": "2.0", "id": m.at("id"), "error": obj{"code": code, "message": message}}))
}

// close ends our side.
func (l *link) close() { l.resume(); l.conn.Close() }

func clip(s string, n int) string {
	if len(s) > n {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:n], ""), len(s))
	}
	return s
}
