package main

import (
	"strings"
	"time"
)

var routingChecks = []check{
	{ID: "9.1", Title: "routers are asked in the order of the configuration until one gives steps",
		Catches: "another order; routers asked after the answer is known", Run: routerOrder},
	{ID: "9.2", Title: "a failing router does not hide the next, and none at all gives its error",
		Catches: "a plan lost to a failing neighbour; an error lost", Run: routerErrors},
	{ID: "9.3", Title: "an earlier router that is still starting is waited for",
		Catches: "an order that depends on who starts faster", Run: routerStarting},
	{ID: "9.4", Title: "an earlier router that never starts is not waited for beyond the deadline",
		Catches: "a command that hangs with a plugin", Run: routerDeadline},
	{ID: "9.5", Title: "a core op goes to a plugin only if its entry provides it",
		Catches: "a plugin that takes over focus_app by advertising it", Run: coreOpsByEntry},
	{ID: "9.6", Title: "the seed's plugin provides action.open_url and lists ensure_url: ensure_url is served",
		Catches: "the seed's plugin refused", Run: openURLServesEnsureURL},
	{ID: "9.7", Title: "an op that nobody advertises goes to nobody",
		Catches: "the first plugin given what it never heard of", Run: unadvertised},
	{ID: "9.8", Title: "what is on the screen is taken out of context, unless the entry grants it",
		Catches: "titles and clipboard given to every router", Run: contextCut},
	{ID: "9.9", Title: "steps of a router that may read the screen count as the screen's",
		Catches: "screen text laundered through a plugin", Run: grantedRouterIsScreen},
	{ID: "9.10", Title: "a plan of no steps is a result without steps", Catches: "an invented step or error", Run: noPlan},
	{ID: "9.11", Title: "a plugin's ok is reported as plugin_reported", Catches: "a claim sold as proof", Run: evidence},
	{ID: "9.12", Title: "acting calls go one after another, over all plugins",
		Catches: "steps of two commands mixed on one desktop", Run: actingQueue},
	{ID: "9.13", Title: "the queue of acting calls is 8 deep, in the order they came, then busy; " +
		"what waits and is cancelled was not started",
		Catches: "an endless queue; calls that overtake others; not_started said of what ran", Run: actingQueueBound},
}

func routerOrder(c *C) {
	none, first, second := c.puppet("none", "router").plans(),
		c.puppet("first", "bundle", "focus_app").plans(step("focus_app", obj{"by": "first"})),
		c.puppet("second", "bundle", "scroll").plans(step("scroll", obj{"by": "second"}))
	_, a := c.up(config{plugins: []entry{none.entry, first.entry, second.entry}})
	c.equal("who routed", at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0, "op"), "focus_app")
	none.only().next("router.plan")
	first.only().next("router.plan")
	second.only().none(100*time.Millisecond, "router.plan", "an earlier router gave steps")
}

func routerErrors(c *C) {
	bad, good := c.puppet("bad", "router").plans(), c.puppet("good", "bundle", "focus_app").plans(step("focus_app", obj{}))
	bad.on["router.plan"] = func(*instance, *message) any { return failure{-31111, "broken", nil} }
	steps := arr{step("focus_app", obj{})}
	good.on["router.plan"] = func(*instance, *message) any { return obj{"steps": steps} }
	_, a := c.up(config{plugins: []entry{bad.entry, good.entry}})
	got := a.ok("runner.command", obj{"utterance": "x"})
	c.equal("ok", at(got, "results", 0, "ok"), true)
	c.want(!strings.Contains(toJSON(got), "-31111"),
		"an error is reported although another router gave steps: %s", toJSON(got))
	steps = arr{}
	m := a.call("runner.command", obj{"utterance": "x"})
	c.want(strings.Contains(string(m.body), "broken"),
		"no router gave steps, and the error of the failing one is not in the answer: %s", m.body)
}

func routerStarting(c *C) {
	slow, fast := c.puppet("slow", "bundle", "focus_app").plans(step("focus_app", obj{})),
		c.puppet("fast", "bundle", "scroll").plans(step("scroll", obj{}))
	slow.on["protocol.hello"] = func(*instance, *message) any { return held{} }
	r := c.start(config{plugins: []entry{slow.entry, fast.entry}})
	hello := slow.only().next("protocol.hello")
	r.becomes("fast", "ok")
	a := r.client()
	id := a.ask("runner.command", obj{"utterance": "x"})
	time.Sleep(300 * time.Millisecond)
	slow.only().give(hello, slow.hello)
	c.equal("who routed", at(a.result(a.answer(id), "the command"), "results", 0, "op"), "focus_app")
}

func routerDeadline(c *C) {
	slow, fast := c.puppet("slow", "bundle", "focus_app").plans(step("focus_app", obj{})),
		c.puppet("fast", "bundle", "scroll").plans(step("scroll", obj{}))
	slow.on["protocol.hello"] = func(*instance, *message) any { return held{} }
	r := c.start(config{plugins: []entry{slow.entry, fast.entry}})
	slow.only().next("protocol.hello")
	r.becomes("fast", "ok")
	started := time.Now()
	r.client().call("runner.command", obj{"utterance": "x", "timeout_ms": 500})
	c.want(time.Since(started) < 5*time.Second, "a command with timeout_ms 500 took %v", time.Since(started))
}

func coreOpsByEntry(c *C) {
	thief, owner := c.puppet("thief", "action", "focus_app", "thief.own"), c.puppet("owner", "action", "focus_app")
	thief.entry.provides = nil
	thief.hello.(obj)["provides"] = arr{"action.focus_app@1"}
	router := c.puppet("router1", "router").plans(step("focus_app", obj{"app": "a"}))
	_, a := c.up(config{plugins: []entry{thief.entry, owner.entry, router.entry}})
	c.equal("ok", at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0, "ok"), true)
	owner.only().next("action.invoke")
	m := a.call("runner.invoke", invoke("thief", "focus_app", obj{}))
	c.want(has(m.value, "error"), "a plugin whose entry does not provide focus_app is asked for it: %s", m.body)
	thief.only().none(0, "action.invoke", "its entry does not provide focus_app")
	a.ok("runner.invoke", invoke("thief", "thief.own", obj{})) // its own op needs no entry
}

func openURLServesEnsureURL(c *C) {
	p := c.puppet("one", "bundle", "ensure_url").plans(step("ensure_url", obj{"url": "https://www.youtube.com"}))
	p.entry.provides = []string{"action.open_url@1", "context.live@1", "fs.tmp@1"}
	_, a := c.up(config{plugins: []entry{p.entry}})
	first := at(a.ok("runner.command", obj{"utterance": "open youtube"}), "results", 0)
	c.equal("ok", at(first, "ok"), true)
	c.equal("the address", p.only().next("action.invoke").at("params", "args", "url"), "https://www.youtube.com")
}

func unadvertised(c *C) {
	p := c.puppet("one", "bundle", "focus_app").plans(step("scroll", obj{}))
	p.entry.provides = append(p.entry.provides, "action.scroll@1")
	_, a := c.up(config{plugins: []entry{p.entry}})
	first := at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0)
	c.equal("ok", at(first, "ok"), false)
	c.want(has(first, "error"), "no error: %s", toJSON(first))
	p.only().none(0, "action.invoke", "it does not advertise scroll")
}

func contextCut(c *C) {
	plain, titles, board := c.puppet("plain", "router").plans(), c.puppet("titles", "router").plans(),
		c.puppet("board", "router").plans()
	titles.entry.permissions = []string{"accessibility"}
	board.entry.permissions = []string{"clipboard"}
	_, a := c.up(config{plugins: []entry{plain.entry, titles.entry, board.entry}})
	a.call("runner.command", obj{"utterance": "x", "context": desktop()})
	for _, tt := range []struct {
		p            *puppet
		title, board bool
	}{{plain, false, false}, {titles, true, false}, {board, false, true}} {
		seen := tt.p.only().next("router.plan").at("params", "context")
		c.equal("the app that "+tt.p.id+" sees", at(seen, "focused", "app_id"), "firefox")
		c.want(strings.Contains(toJSON(seen), "SECRET title") == tt.title, "%s sees titles: %v, must be %v: %s", tt.p.id,
			!tt.title, tt.title, toJSON(seen))
		c.want(strings.Contains(toJSON(seen), "SECRET clipboard") == tt.board, "%s sees the clipboard: %v, must be %v: %s",
			tt.p.id, !tt.board, tt.board, toJSON(seen))
	}
}

func grantedRouterIsScreen(c *C) {
	router, hand := c.puppet("reader", "router").plans(step("focus_app", obj{"app": "from a title"})),
		c.puppet("hand", "action", "focus_app")
	router.entry.permissions = []string{"accessibility"}
	_, a := c.up(config{plugins: []entry{router.entry, hand.entry}})
	first := at(a.ok("runner.command", obj{"utterance": "x", "context": desktop()}), "results", 0)
	c.equal("the code of its step with an argument", at(first, "error", "code"), -32006)
	router.on["router.plan"] = func(*instance, *message) any { return obj{"steps": arr{step("focus_app", obj{})}} }
	a.ok("runner.command", obj{"utterance": "x", "context": desktop()})
	c.equal("the provenance of its step without one",
		hand.only().next("action.invoke").at("params", "provenance"), "screen")
}

func noPlan(c *C) {
	p := c.puppet("one", "router").plans()
	_, a := c.up(config{plugins: []entry{p.entry}})
	c.equal("results", at(a.ok("runner.command", obj{"utterance": "gibberish"}), "results"), arr{})
}

func evidence(c *C) {
	p := c.puppet("one", "bundle", "focus_app").plans(step("focus_app", obj{}))
	p.on["action.invoke"] = func(*instance, *message) any { return obj{"ok": true, "evidence": "read_back"} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	c.equal("evidence", at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0, "evidence"), "plugin_reported")
}

func actingQueue(c *C) {
	p, q := c.puppet("one", "action", "focus_app"), c.puppet("two", "action", "scroll")
	p.on["action.invoke"] = func(*instance, *message) any { return held{} }
	r, a := c.up(config{plugins: []entry{p.entry, q.entry}})
	first := a.ask("runner.invoke", invoke("one", "focus_app", obj{}))
	m := p.only().next("action.invoke")
	second := r.client()
	id := second.ask("runner.invoke", invoke("two", "scroll", obj{}))
	q.only().none(300*time.Millisecond, "action.invoke", "another acting call has not ended")
	second.served()
	p.only().give(m, obj{"ok": true})
	a.result(a.answer(first), "the first call")
	q.only().next("action.invoke")
	second.result(second.answer(id), "the second call")
}

func actingQueueBound(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.on["action.invoke"] = func(*instance, *message) any { return held{} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	first := a.ask("runner.invoke", invoke("one", "focus_app", obj{"n": 0}))
	m := p.only().next("action.invoke")
	var waiting []string
	for n := range 8 {
		waiting = append(waiting, a.ask("runner.invoke", invoke("one", "focus_app", obj{"n": n + 1})))
	}
	e := a.refused(-32005, "runner.invoke", invoke("one", "focus_app", obj{"n": 9}))
	c.equal("reason", at(e, "data", "reason"), "busy")
	a.notify("$/cancel", obj{"id": fromJSON(waiting[7])})
	e = a.failure(-32002, a.answer(waiting[7]), "a call that waited and was cancelled")
	c.equal("outcome", at(e, "data", "outcome"), "not_started")
	p.only().give(m, obj{"ok": true})
	a.result(a.answer(first), "the first call")
	for n := range 7 {
		m := p.only().next("action.invoke")
		c.equal("the turn", m.at("params", "args", "n"), n+1)
		p.only().give(m, obj{"ok": true})
		a.result(a.answer(waiting[n]), "a call that waited")
	}
	p.only().none(100*time.Millisecond, "action.invoke", "the last one was cancelled, and one was refused")
}
