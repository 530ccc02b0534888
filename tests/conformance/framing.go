package main

import (
	"fmt"
	"strings"
	"time"
)

var framingChecks = []check{
	{ID: "2.1", Title: "frames to a client: the usual header, bytes counted, UTF-8 left as it is, compact",
		Catches: "another header form, characters counted for bytes, \\u escapes", Run: framesToClient},
	{ID: "2.2", Title: "frames to a plugin have the very same form",
		Catches: "a lower-case header, which breaks plugins that look for Content-Length", Run: framesToPlugin},
	{ID: "2.3", Title: "header names in any case, unknown headers, white space around values, equal lengths twice",
		Catches: "a reader that knows one spelling only", Run: headersTolerated},
	{ID: "2.4", Title: "frames in pieces and several in one write are read",
		Catches: "a reader that takes a read for a frame", Run: framesInPieces},
	{ID: "2.5", Title: "what is not a frame is answered -32700 with id null, and the connection ends",
		Catches: "a silent end, a guess at the length (+5, 1_0, 0x5), LF for CRLF, a connection that goes on",
		Run:     badFrames},
	{ID: "2.6", Title: "a header of 8,192 bytes is read, one of 8,193 is not",
		Catches: "headers without a bound, or a smaller one", Run: headerBound},
	{ID: "2.7", Title: "a body that is not UTF-8 or no JSON is -32700, and the connection ends",
		Catches: "lenient decoding, or none of an answer", Run: badBodies},
	{ID: "2.8", Title: "4 MiB from a client are taken, more is refused at the header",
		Catches: "no cap, a smaller one, or one that is noticed when it is all in memory", Run: clientCap},
	{ID: "2.9", Title: "a client that leaves inside a frame harms nobody",
		Catches: "a runner that ends, or stops accepting, with one bad client", Run: leftInside},
	{ID: "2.10", Title: "16 MiB from a plugin are taken and reach the client whole",
		Catches: "the client's cap on plugins, a body cut short", Run: pluginCap, Alone: true},
	{ID: "2.11", Title: "more than 16 MiB from a plugin is a crash",
		Catches: "memory that a plugin decides about", Run: pluginOverCap},
}

func framesToClient(c *C) {
	r := c.start(config{})
	a := r.dial()
	id := `"é ✓ 😀 \" \\ \u0001"`
	a.sayOrFail(`{"jsonrpc":"2.0","id":` + id + `,"method":"runner.auth","params":{"token":"` + r.token("token") + `"}}`)
	m := a.await("a reply", (*message).isReply)
	c.equal("the id of the reply", m.at("id"), fromJSON(id))
	c.want(strings.Contains(string(m.body), "é ✓ 😀"), "what is not ASCII must stand as UTF-8: %s", m.body)
	c.want(m.header == fmt.Sprintf("Content-Length: %d\r\n\r\n", len(m.body)), "the header is %q", m.header)
}

func framesToPlugin(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.ok("runner.invoke", invoke("one", "focus_app", obj{"app": "é ✓ 😀"}))
	m := p.only().next("action.invoke")
	c.want(m.header == fmt.Sprintf("Content-Length: %d\r\n\r\n", len(m.body)), "the header is %q", m.header)
	c.want(strings.Contains(string(m.body), "é ✓ 😀"), "what is not ASCII must stand as UTF-8: %s", m.body)
	for _, method := range []string{"protocol.hello", "plugin.describe", "plugin.health"} {
		h := p.only().next(method)
		c.want(h.header == fmt.Sprintf("Content-Length: %d\r\n\r\n", len(h.body)), "the header of %s is %q", method, h.header)
	}
}

// invoke is the params of runner.invoke for an op that the user asks for.
func invoke(plugin, op string, args any) obj {
	return obj{"plugin": plugin, "method": "action.invoke", "params": obj{"op": op, "args": args, "provenance": "user"}}
}

// status is a request that every client may make.
func status(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"runner.status","params":{}}`, id)
}

func headersTolerated(c *C) {
	a := c.start(config{}).client()
	for i, form := range []string{
		"content-length: %d\r\n\r\n", "CONTENT-LENGTH:%d\r\n\r\n", "Content-Length:   %d  \r\n\r\n",
		"Content-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\nX-Trace: a:b\r\n\r\n",
	} {
		body := status(1000 + i)
		a.asking(1000 + i)
		a.raw(fmt.Appendf(nil, form+"%s", len(body), body))
		a.expectStatus(1000 + i)
	}
	body := status(2000)
	a.asking(2000)
	a.raw(fmt.Appendf(nil, "Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s", len(body), len(body), body))
	a.expectStatus(2000)
}

// asking notes that a request is about to be written raw: its reply may come before the write returns.
func (l *link) asking(ids ...int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.asked[toJSON(id)]++
	}
}

// expectStatus waits for the reply to a request that was written raw.
func (l *link) expectStatus(id int) { l.isStatus(l.answer(toJSON(id)), "what was written") }

func framesInPieces(c *C) {
	a := c.start(config{}).client()
	a.asking(501, 502, 503)
	for _, b := range frame(status(501)) {
		a.raw([]byte{b})
		time.Sleep(200 * time.Microsecond)
	}
	a.isStatus(a.answer("501"), "a request in single bytes")
	a.raw(append(frame(status(502)), frame(status(503))...))
	a.isStatus(a.answer("502"), "the first request of one write")
	a.isStatus(a.answer("503"), "the second request of one write")
}

func badFrames(c *C) {
	r := c.start(config{})
	body := status(9)
	for _, bad := range []string{
		"Content-Length\r\n\r\n" + body,
		"Content-Type: application/json\r\n\r\n" + body,
		"Content-Length: \r\n\r\n" + body,
		fmt.Sprintf("Content-Length: +%d\r\n\r\n%s", len(body), body),
		fmt.Sprintf("Content-Length: -%d\r\n\r\n%s", len(body), body),
		fmt.Sprintf("Content-Length: %d_%d\r\n\r\n%s", len(body)/10, len(body)%10, body),
		fmt.Sprintf("Content-Length: 0x%x\r\n\r\n%s", len(body), body),
		fmt.Sprintf("Content-Length: %d.0\r\n\r\n%s", len(body), body),
		fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s", len(body), len(body)-1, body),
		fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s", len(body)-1, len(body), body),
		"Content-Length: 0\r\n\r\n",
		"Content-Length: 99999999999999999999999999\r\n\r\n" + body,
		fmt.Sprintf("Content-Length: %d\n\n%s%s", len(body), body, frame(body)), // LF LF ends no header
	} {
		a := r.client()
		c.note(a.name, "-", "what follows is not a frame")
		a.raw([]byte(bad))
		a.nullReply(-32700)
		a.closes(c.patience)
		if m := a.wait(0, (*message).isReply); m != nil {
			c.fail("after -32700 nothing more may be answered: %s", m.body)
		}
	}
}

func headerBound(c *C) {
	r := c.start(config{})
	header := func(id, size int) []byte {
		body := status(id)
		plain := fmt.Sprintf("Content-Length: %d\r\nX: \r\n\r\n", len(body))
		return fmt.Appendf(nil, "Content-Length: %d\r\nX: %s\r\n\r\n%s", len(body),
			strings.Repeat("x", size-len(plain)), body)
	}
	a := r.client()
	a.asking(77)
	a.raw(header(77, 8192))
	a.expectStatus(77)
	a.raw(header(78, 8193))
	a.nullReply(-32700)
	a.closes(c.patience)
}

func badBodies(c *C) {
	r := c.start(config{})
	for _, bad := range []string{
		"{", `{"jsonrpc":"2.0","id":1,"method":"runner.status"}}`, "nonsense", `{'id':1}`, "\xef\xbb\xbf{}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"runner.status\",\"params\":{\"x\":\"\xff\xfe\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"runner.status\",\"params\":{\"x\":\"\xed\xa0\x80\"}}", // a surrogate
		`{"id":1,"method":"runner.status","params":{"x":NaN}}`, `{"id":01,"method":"runner.status"}`,
	} {
		a := r.client()
		a.mu.Lock()
		a.loose = true
		a.mu.Unlock()
		a.raw(frame(bad))
		a.nullReply(-32700)
		a.closes(c.patience)
	}
}

func clientCap(c *C) {
	r := c.start(config{})
	const limit = 4 << 20
	a := r.client()
	empty := `{"jsonrpc":"2.0","id":71,"method":"runner.status","params":{"x":""}}`
	body := strings.Replace(empty, `""`, `"`+strings.Repeat("x", limit-len(empty))+`"`, 1)
	a.sayOrFail(body)
	a.isStatus(a.answer("71"), "a request of exactly 4 MiB")
	a.raw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n{", limit+1))
	a.nullReply(-32700) // without the body being sent
	a.closes(c.patience)
}

func leftInside(c *C) {
	r := c.start(config{})
	for _, part := range []string{"Content-Le", "Content-Length: 100\r\n\r\n", "Content-Length: 100\r\n\r\n{\"jsonrpc\""} {
		a := r.client()
		a.raw([]byte(part))
		a.close()
	}
	r.client().served()
}

func pluginCap(c *C) {
	const limit = 16 << 20
	p := c.puppet("one", "llm").methods("llm.complete")
	p.on["llm.complete"] = func(i *instance, m *message) any {
		empty := toJSON(obj{"jsonrpc": "2.0", "id": m.at("id"), "result": obj{"text": ""}})
		_ = i.say(strings.Replace(empty, `"text":""`, `"text":"`+strings.Repeat("x", limit-len(empty))+`"`, 1))
		return held{}
	}
	_, a := c.up(config{plugins: []entry{p.entry}})
	got := a.ok("runner.invoke", obj{"plugin": "one", "method": "llm.complete", "params": obj{}})
	p.only().checkForm()
	empty := len(`{"jsonrpc":"2.0","id":"0:5","result":{"text":""}}`)
	n := len(text(at(got, "text")))
	c.want(n >= limit-empty-8 && n <= limit-empty+8 && strings.Trim(text(at(got, "text")), "x") == "",
		"the client got %d bytes of about %d", n, limit-empty)
	c.want(p.count() == 1, "the plugin was restarted for a body of exactly 16 MiB")
}

func pluginOverCap(c *C) {
	p := c.puppet("one", "llm").methods("llm.complete")
	p.on["llm.complete"] = func(i *instance, m *message) any {
		i.raw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n{", 16<<20+1))
		return held{}
	}
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.refused(-32000, "runner.invoke", obj{"plugin": "one", "method": "llm.complete", "params": obj{}})
	p.instance(1)
	c.gone("the first process", p.instance(0).pid, c.patience)
}
