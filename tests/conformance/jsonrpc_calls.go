package main

import (
	"time"
)

// slowPuppet describes llm.complete and answers nothing until it is told.
func slowPuppet(c *C) *puppet {
	p := c.puppet("one", "llm").methods("llm.complete", "llm.choose")
	p.on["llm.complete"] = func(*instance, *message) any { return held{} }
	p.on["llm.choose"] = func(*instance, *message) any { return obj{"choice_id": "A"} }
	return p
}

// complete is the params of runner.invoke for a method without side effects.
func complete(params obj) obj {
	return obj{"plugin": "one", "method": "llm.complete", "params": params}
}

func outOfOrder(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	slow := a.ask("runner.invoke", complete(obj{}))
	held := p.only().next("llm.complete")
	a.served()
	a.ok("runner.invoke", obj{"plugin": "one", "method": "llm.choose", "params": obj{}})
	p.only().give(held, obj{"text": "at last"})
	c.equal("the slow answer", at(a.result(a.answer(slow), "the slow call"), "text"), "at last")
}

func callTimeout(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	started := time.Now()
	id := a.ask("runner.invoke", complete(obj{"timeout_ms": 300}))
	m := p.only().next("llm.complete")
	e := a.failure(-32001, a.answer(id), "a call that is not answered")
	took := time.Since(started)
	c.want(took >= 290*time.Millisecond && took < 300*time.Millisecond+c.patience/4, "timeout_ms 300 took %v", took)
	c.equal("data.id", at(e, "data", "id"), fromJSON(id))
	c.equal("data.outcome", at(e, "data", "outcome"), "unknown")
	c.equal("what is cancelled", p.only().next("$/cancel").at("params", "id"), m.at("id"))
}

func oddTimeouts(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{runner: "rpc_timeout_ms = 600", plugins: []entry{p.entry}})
	for _, odd := range []any{0, -5, "100", 1.5, nil, true} {
		started := time.Now()
		id := a.ask("runner.invoke", complete(obj{"timeout_ms": odd}))
		m := p.only().next("llm.complete")
		a.failure(-32001, a.answer(id), "a call that is not answered")
		took := time.Since(started)
		c.want(took > 550*time.Millisecond && took < 600*time.Millisecond+c.patience/4,
			"timeout_ms %v took %v, must take the configured 600 ms", odd, took)
		p.only().give(m, obj{}) // late: the next call waits for it
	}
}

func cancels(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.sayOrFail(`{"jsonrpc":"2.0","id":"mine","method":"runner.invoke","params":` + toJSON(complete(obj{})) + `}`)
	m := p.only().next("llm.complete")
	started := time.Now()
	a.notify("$/cancel", obj{"id": "mine"})
	e := a.failure(-32002, a.answer(`"mine"`), "a cancelled call")
	c.want(time.Since(started) < 2*time.Second, "the cancellation took %v", time.Since(started))
	c.equal("data.id", at(e, "data", "id"), "mine")
	c.equal("data.outcome", at(e, "data", "outcome"), "unknown")
	c.equal("what the plugin is told to cancel", p.only().next("$/cancel").at("params", "id"), m.at("id"))
	a.notify("$/cancel", obj{"id": "mine"}) // again: nothing happens
	p.only().give(m, obj{"text": "too late"})
	a.ok("runner.invoke", obj{"plugin": "one", "method": "llm.choose", "params": obj{}})
	p.only().none(0, "$/cancel", "the call was over")
}

func cancelRequest(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	id := a.ask("runner.invoke", complete(obj{}))
	p.only().next("llm.complete")
	a.notify("$/cancelRequest", obj{"id": fromJSON(id)})
	a.failure(-32002, a.answer(id), "a call cancelled by $/cancelRequest")
	p.only().next("$/cancel")
}

func cancelUnknown(c *C) {
	a := c.start(config{}).client()
	a.notify("$/cancel", obj{"id": "nobody"})
	a.notify("$/cancel", obj{})
	a.loose = true
	a.sayOrFail(`{"jsonrpc":"2.0","id":"own","method":"$/cancel","params":{"id":"nobody"}}`)
	a.served()
	if m := a.wait(100*time.Millisecond, (*message).isReply); m != nil {
		c.fail("a cancellation was answered: %s", m.body)
	}
}

func inFlight(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	const limit = 64
	var ids []string
	for range limit {
		ids = append(ids, a.ask("runner.invoke", complete(obj{})))
	}
	e := a.refused(-32005, "runner.invoke", complete(obj{}))
	c.equal("data.reason", at(e, "data", "reason"), "busy")
	for range limit {
		m := p.only().next("llm.complete")
		p.only().give(m, obj{"text": "x"})
	}
	for _, id := range ids {
		a.result(a.answer(id), "a call within the limit")
	}
	a.ok("runner.invoke", obj{"plugin": "one", "method": "llm.choose", "params": obj{}})
}

func lateReply(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	id := a.ask("runner.invoke", complete(obj{"timeout_ms": 100}))
	m := p.only().next("llm.complete")
	a.failure(-32001, a.answer(id), "a call that is not answered")
	p.only().give(m, obj{"text": "late"})
	a.ok("runner.invoke", obj{"plugin": "one", "method": "llm.choose", "params": obj{}})
	a.checkForm() // a second reply to id would be a breach
	c.want(p.count() == 1, "a late reply is not a crash")
}
