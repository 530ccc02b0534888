package main

import (
	"fmt"
	"slices"
	"time"
)

// pick removes and returns the first message that fits; nil if there is none.
func (l *link) pick(fits func(*message) bool) *message {
	i := slices.IndexFunc(l.in, fits)
	if i < 0 {
		return nil
	}
	m := l.in[i]
	l.in = slices.Delete(l.in, i, i+1)
	return m
}

// wait returns the first message that fits, waiting for it if need be; nil if
// none came in time or the connection ended before.
func (l *link) wait(patience time.Duration, fits func(*message) bool) *message {
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		m, ended, changed := l.pick(fits), l.ended, l.changed
		l.mu.Unlock()
		if m != nil || ended != nil {
			return m
		}
		select {
		case <-changed:
		case <-deadline:
			return nil
		}
	}
}

// await is wait that fails the check.
func (l *link) await(what string, fits func(*message) bool) *message {
	m := l.wait(l.c.patience, fits)
	l.checkForm()
	if m == nil {
		l.c.fail("%s: %s did not come%s", l.name, what, l.fate())
	}
	return m
}

func (l *link) fate() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return "; the connection ended"
	}
	return fmt.Sprintf(" within %v", l.c.patience)
}

// checkForm fails the check if anything that came was malformed.
func (l *link) checkForm() {
	l.mu.Lock()
	broken := l.broken
	l.mu.Unlock()
	if broken != "" {
		l.c.fail("%s", broken)
	}
}

// answer waits for the reply to id, a JSON text.
func (l *link) answer(id string) *message {
	return l.await("the reply to "+id, func(m *message) bool { return m.isReply() && m.id() == id })
}

// call asks and waits.
func (l *link) call(method string, params any) *message { return l.answer(l.ask(method, params)) }

// ok is call that must succeed. It returns the result.
func (l *link) ok(method string, params any) any {
	return l.result(l.call(method, params), method)
}

func (l *link) result(m *message, what string) any {
	if e := m.at("error"); e != nil {
		l.c.fail("%s: %s is refused: %s", l.name, what, toJSON(e))
	}
	return m.at("result")
}

// served asks for the status and fails the check unless that is what comes.
func (l *link) served() { l.isStatus(l.call("runner.status", obj{}), "runner.status") }

func (l *link) isStatus(m *message, what string) {
	if _, isList := at(l.result(m, what), "plugins").([]any); !isList {
		l.c.fail("%s: %s is answered without plugins: %s", l.name, what, clip(string(m.body), 300))
	}
}

// refused is call that must give the error code. It returns the error.
func (l *link) refused(code int64, method string, params any) any {
	return l.failure(code, l.call(method, params), method+" "+clip(toJSON(params), 200))
}

func (l *link) failure(code int64, m *message, what string) any {
	e := m.at("error")
	if whole(at(e, "code")) != code {
		l.c.fail("%s: %s must be refused with %d, the answer is %s", l.name, what, code, clip(toJSON(m.value), 300))
	}
	return e
}

// nullReply waits for a reply whose id is null.
func (l *link) nullReply(code int64) *message {
	m := l.await(fmt.Sprintf("a reply with id null and %d", code),
		func(m *message) bool { return m.isReply() && m.id() == "" })
	l.failure(code, m, "what we sent")
	return m
}

// next waits for a request or notification of that method.
func (l *link) next(method string) *message {
	return l.await(method, func(m *message) bool { return m.method() == method })
}

// nextWithin is next that returns nil if none came.
func (l *link) nextWithin(patience time.Duration, method string) *message {
	return l.wait(patience, func(m *message) bool { return m.method() == method })
}

// all takes out what has come of that method.
func (l *link) all(method string) (found []*message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		m := l.pick(func(m *message) bool { return m.method() == method })
		if m == nil {
			return found
		}
		found = append(found, m)
	}
}

// none fails the check if a message of that method comes within the time. It
// is for what must not happen, after the last thing that could cause it.
func (l *link) none(within time.Duration, method, why string) {
	if m := l.nextWithin(within, method); m != nil {
		l.c.fail("%s: %s came, but %s: %s", l.name, method, why, clip(string(m.body), 300))
	}
}

// closes fails the check unless the peer ends the connection.
func (l *link) closes(within time.Duration) {
	l.wait(within, func(*message) bool { return false })
	l.checkForm()
	l.mu.Lock()
	ended := l.ended
	l.mu.Unlock()
	if ended == nil {
		l.c.fail("%s: the connection must end, and is open after %v", l.name, within)
	}
}

// open fails the check if the peer has ended the connection.
func (l *link) open(why string) {
	l.mu.Lock()
	ended := l.ended
	l.mu.Unlock()
	if ended != nil {
		l.c.fail("%s: the connection has ended, but %s", l.name, why)
	}
}
