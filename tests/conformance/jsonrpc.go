package main

import (
	"fmt"
	"strings"
	"time"
)

var rpcChecks = []check{
	{ID: "3.1", Title: "request ids are echoed exactly as they came",
		Catches: "ids turned into another type, case or spelling", Run: idsEchoed},
	{ID: "3.2", Title: "a batch is answered -32600", Catches: "batches dropped, or served", Run: batches},
	{ID: "3.3", Title: "what is not an object is answered -32600",
		Catches: "a number or a text dropped in silence", Run: nonObjects},
	{ID: "3.4", Title: "an id that is not a string or number is -32600, and the connection goes on",
		Catches: "an id that ends the connection", Run: badIDs},
	{ID: "3.5", Title: "params that are not an object are -32602",
		Catches: "positional arguments lost in silence", Run: badParams},
	{ID: "3.6", Title: "notifications are not answered", Catches: "a reply to a message without an id",
		Run: notificationsUnanswered},
	{ID: "3.7", Title: "an unknown method is -32601", Catches: "another code, or a result", Run: unknownMethods},
	{ID: "3.8", Title: "names of members count in case",
		Catches: "a decoder that takes METHOD for method: two parsers that disagree are a hole", Run: caseCounts},
	{ID: "3.9", Title: "a name twice in an object is -32600, wherever it is",
		Catches: "the last or first one winning, so that policy reads another op than the plugin", Run: duplicateNames},
	{ID: "3.10", Title: "nesting of 64 is read, more is -32600", Catches: "no bound, or a smaller one", Run: depth},
	{ID: "3.11", Title: "a slow request does not hold a fast one",
		Catches: "requests served one after another", Run: outOfOrder},
	{ID: "3.12", Title: "the runner's ids are \"<epoch>:<n>\", n from 1",
		Catches: "another numbering, an epoch that stays 0", Run: runnerIDs},
	{ID: "3.13", Title: "answers with another epoch, an unknown id or for the second time are dropped",
		Catches: "a process that is answered for by its predecessor", Run: foreignAnswers},
	{ID: "3.14", Title: "a client's own id may equal the runner's",
		Catches: "one id space for both directions", Run: idSpaces},
	{ID: "3.15", Title: "error objects of a plugin pass with code, message and data",
		Catches: "errors wrapped or renumbered", Run: errorsPass},
	{ID: "3.16", Title: "jsonrpc is not checked on input",
		Catches: "a runner that refuses what existing clients send", Run: versionUnchecked},
	{ID: "3.17", Title: "numbers keep their value on the way through",
		Catches: "numbers made floating on the way to the plugin", Run: numbersKept},
	{ID: "3.18", Title: "a call over timeout_ms is -32001 with the id, and the plugin is told $/cancel",
		Catches: "timeout_ms ignored, the plugin not told, or told another id", Run: callTimeout},
	{ID: "3.19", Title: "timeout_ms that is not a positive whole number means the configured one",
		Catches: "a call that never or at once times out", Run: oddTimeouts},
	{ID: "3.20", Title: "$/cancel ends the call with -32002 and the id, and reaches the plugin with the runner's id",
		Catches: "cancel ignored, not passed on, or passed on with the client's id", Run: cancels},
	{ID: "3.21", Title: "$/cancelRequest is read as $/cancel",
		Catches: "clients of other protocols left waiting", Run: cancelRequest},
	{ID: "3.22", Title: "$/cancel of an unknown id, or with an id of its own, gets no answer",
		Catches: "a reply to a cancellation", Run: cancelUnknown},
	{ID: "3.23", Title: "over 64 requests in flight are -32005 busy, and the place is free again afterwards",
		Catches: "no bound for one client, or one that never recovers", Run: inFlight},
	{ID: "3.24", Title: "a late reply is dropped",
		Catches: "a late reply given to the client as a second answer", Run: lateReply},
}

// invokeAsItIs is a runner.invoke of the plugin one's action, with the JSON of
// its id and its params as they are.
func invokeAsItIs(id, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"runner.invoke",` +
		`"params":{"plugin":"one","method":"action.invoke","params":` + params + `}}`
}

func idsEchoed(c *C) {
	a := c.start(config{}).client()
	for _, id := range []string{`1`, `-3`, `0`, `1.5`, `1e2`, `12345678901234567890123`, `"a"`, `"A"`, `"Ab-É"`,
		`"0:1"`, `""`, `" "`, `"1"`} {
		a.sayOrFail(`{"jsonrpc":"2.0","id":` + id + `,"method":"runner.status","params":{}}`)
		m := a.await("the reply to the id "+id, (*message).isReply)
		c.want(strings.Contains(string(m.body), `"id":`+id), "the id %s must come back as it is: %s", id, m.body)
		a.isStatus(m, "the request with id "+id)
	}
}

func batches(c *C) {
	a := c.start(config{}).client()
	for _, batch := range []string{"[" + status(1) + "," + status(2) + "]", "[" + status(3) + "]", "[]"} {
		a.sayOrFail(batch)
		a.nullReply(-32600)
	}
	a.served() // nothing of the batches was served in between: its ids were never asked
	if m := a.wait(0, (*message).isReply); m != nil {
		c.fail("a request of a batch was served: %s", m.body)
	}
}

func nonObjects(c *C) {
	a := c.start(config{}).client()
	for _, v := range []string{`1`, `"runner.status"`, `true`, `null`} {
		a.sayOrFail(v)
		a.nullReply(-32600)
	}
	a.served()
}

func badIDs(c *C) {
	a := c.start(config{}).client()
	for _, id := range []string{`{}`, `[1]`, `true`, `{"id":1}`} {
		a.sayOrFail(`{"jsonrpc":"2.0","id":` + id + `,"method":"runner.status","params":{}}`)
		m := a.await("the answer to a bad id", (*message).isReply)
		a.failure(-32600, m, "the id "+id)
	}
	a.served()
}

func badParams(c *C) {
	a := c.start(config{}).client()
	for _, params := range []any{arr{}, arr{1}, "x", 7, true} {
		a.refused(-32602, "runner.status", params)
	}
	a.sayOrFail(`{"jsonrpc":"2.0","id":"left out","method":"runner.status"}`)
	a.isStatus(a.answer(`"left out"`), "a request without params")
}

func notificationsUnanswered(c *C) {
	a := c.start(config{}).client()
	for _, method := range []string{"runner.status", "no.such.method", "stream.ack", "$/unknown", "runner.command"} {
		a.notify(method, obj{})
		a.sayOrFail(`{"jsonrpc":"2.0","id":null,"method":"` + method + `","params":{}}`)
	}
	a.served()
	if m := a.wait(100*time.Millisecond, (*message).isReply); m != nil {
		c.fail("a notification was answered: %s", m.body)
	}
}

func unknownMethods(c *C) {
	a := c.start(config{}).client()
	for _, method := range []string{"no.such.method", "runner.Status", "plugin.health",
		"host.confirm", "action.invoke", ""} {
		if method == "" { // neither request nor reply: only that it is refused is sure
			a.sayOrFail(`{"jsonrpc":"2.0","id":"empty","method":"","params":{}}`)
			m := a.answer(`"empty"`)
			c.want(has(m.value, "error"), "an empty method gives a result: %s", m.body)
			continue
		}
		a.refused(-32601, method, obj{})
	}
}

func caseCounts(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.sayOrFail(`{"jsonrpc":"2.0","id":"upper","METHOD":"runner.status","params":{}}`)
	if m := a.wait(200*time.Millisecond,
		func(m *message) bool { return m.isReply() && has(m.value, "result") }); m != nil {
		c.fail("METHOD is read as method: %s", m.body)
	}
	a.refused(-32602, "runner.invoke", obj{"Plugin": "one", "method": "plugin.health"})
	a.refused(-32602, "runner.invoke", obj{"plugin": "one", "Method": "plugin.health"})
	a.refused(-32003, "runner.invoke", obj{"plugin": "one", "method": "action.invoke",
		"params": obj{"op": "focus_app", "args": obj{}, "Provenance": "user"}})
	a.refused(-32602, "runner.invoke", obj{"plugin": "one", "method": "action.invoke",
		"params": obj{"Op": "focus_app", "args": obj{}, "provenance": "user"}})
	a.ok("runner.invoke", invoke("one", "focus_app", obj{"App": "A", "app": "b"}))
	c.equal("what the plugin gets", p.only().next("action.invoke").at("params", "args"), obj{"App": "A", "app": "b"})
}

func duplicateNames(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.mu.Lock()
	a.loose = true // our own decoder refuses these too
	a.mu.Unlock()
	for i, body := range []string{
		`{"jsonrpc":"2.0","id":%d,"method":"runner.status","method":"runner.plugins","params":{}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"runner.status","params":{"a":1,"b":2,"a":3}}`,
		invokeAsItIs("%d", `{"op":"focus_app","op":"terminal","args":{},"provenance":"user"}`),
		invokeAsItIs("%d", `{"op":"focus_app","args":{"app":"a","\u0061pp":"b"},"provenance":"user"}`),
		`{"jsonrpc":"2.0","id":%d,"method":"runner.status","params":{"x":[{"deep":{"a":1,"a":1}}]}}`,
	} {
		a.sayOrFail(fmt.Sprintf(body, 700+i))
		m := a.await("an answer", (*message).isReply)
		a.failure(-32600, m, body)
	}
	a.served()
	p.only().none(0, "action.invoke", "no request was valid")
}

func depth(c *C) {
	a := c.start(config{}).client()
	// The message and its params are two levels.
	nested := func(levels int) string {
		return strings.Repeat("[", levels-2) + strings.Repeat("]", levels-2)
	}
	a.sayOrFail(`{"jsonrpc":"2.0","id":64,"method":"runner.status","params":{"x":` + nested(64) + `}}`)
	a.isStatus(a.answer("64"), "a message 64 deep")
	a.loose = true
	for _, levels := range []int{65, 1000, 100_000} {
		a.sayOrFail(`{"jsonrpc":"2.0","id":65,"method":"runner.status","params":{"x":` + nested(levels) + `}}`)
		m := a.await("an answer", (*message).isReply)
		a.failure(-32600, m, fmt.Sprintf("a message %d deep", levels))
	}
	a.served()
}

func runnerIDs(c *C) {
	p := c.puppet("one", "action", "focus_app")
	r, a := c.up(config{plugins: []entry{p.entry}})
	for epoch := range 2 {
		i := p.instance(epoch)
		for n, method := range []string{"protocol.hello", "plugin.describe", "plugin.health"} {
			c.equal("the id of "+method, i.next(method).at("id"), fmt.Sprintf("%d:%d", epoch, n+1))
		}
		if epoch == 0 {
			i.kill()
			p.instance(1)
			c.within(c.patience, "epoch 1 is ok",
				func() bool { return whole(at(r.row("one"), "epoch")) == 1 && r.status("one") == "ok" })
		}
	}
	a.ok("runner.invoke", invoke("one", "focus_app", obj{}))
	id := text(p.instance(1).next("action.invoke").at("id"))
	c.want(strings.HasPrefix(id, "1:"), "the id in the second process is %q", id)
}

func foreignAnswers(c *C) {
	p := slowPuppet(c)
	r, a := c.up(config{plugins: []entry{p.entry}})
	p.only().kill()
	i := p.instance(1)
	r.becomes("one", "ok")
	id := a.ask("runner.invoke", complete(obj{}))
	m := i.next("llm.complete")
	right := text(m.at("id"))
	_, n, _ := strings.Cut(right, ":")
	for _, wrong := range []string{`"0:` + n + `"`, `"2:` + n + `"`, `"` + n + `"`, n, `"1:999"`,
		`"` + right + ` "`, `null`} {
		i.sayOrFail(`{"jsonrpc":"2.0","id":` + wrong + `,"result":{"text":"from nobody"}}`)
	}
	i.give(m, obj{"text": "right"})
	i.sayOrFail(`{"jsonrpc":"2.0","id":` + toJSON(right) + `,"result":{"text":"again"}}`)
	c.equal("the answer", at(a.result(a.answer(id), "the call"), "text"), "right")
	a.ok("runner.invoke", obj{"plugin": "one", "method": "llm.choose", "params": obj{}})
	c.want(p.count() == 2, "stray answers are not a crash, but the plugin was restarted")
}

func idSpaces(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	for n := 1; n <= 2; n++ {
		id := fmt.Sprintf(`"0:%d"`, n)
		params := invoke("one", "focus_app", obj{"app": "x"})
		params["params"].(obj)["confirm"] = true
		a.sayOrFail(`{"jsonrpc":"2.0","id":` + id + `,"method":"runner.invoke","params":` + toJSON(params) + `}`)
		ask := a.next("host.confirm")
		c.equal("the id of host.confirm", ask.at("id"), fmt.Sprintf("0:%d", n))
		a.approve(ask)
		a.result(a.answer(id), "the confirmed call")
	}
}

func errorsPass(c *C) {
	p := slowPuppet(c)
	e := failure{-31999, "my own é", obj{"a": arr{1, "two", nil}, "big": 5}}
	p.on["llm.complete"] = func(*instance, *message) any { return e }
	_, a := c.up(config{plugins: []entry{p.entry}})
	got := a.refused(-31999, "runner.invoke", complete(obj{}))
	c.equal("the error", got, obj{"code": e.code, "message": e.message, "data": e.data})
}

func versionUnchecked(c *C) {
	a := c.start(config{}).client()
	for i, body := range []string{`{"id":%d,"method":"runner.status","params":{}}`,
		`{"jsonrpc":"1.0","id":%d,"method":"runner.status"}`} {
		a.sayOrFail(fmt.Sprintf(body, 300+i))
		a.isStatus(a.answer(fmt.Sprint(300+i)), body)
	}
}

func numbersKept(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	args := `{"big":9007199254740993,"huge":123456789012345678901234567890,"tenth":0.1}`
	a.sayOrFail(invokeAsItIs(`"n"`, `{"op":"focus_app","args":`+args+`,"provenance":"user"}`))
	a.result(a.answer(`"n"`), "the call")
	got := p.only().next("action.invoke").at("params", "args")
	c.equal("what the plugin gets", got, fromJSON(args))
}
