package main

import (
	"fmt"
	"slices"
	"time"
)

var handshakeChecks = []check{
	{ID: "4.1", Title: "hello, describe and health are asked in this order, hello with protocol, abi, runner and epoch",
		Catches: "another order, a handshake cut short", Run: handshakeOrder},
	{ID: "4.2",
		Title:   "another protocol or abi, a hello that is not an object or an error: status error, the runner goes on",
		Catches: "a lenient or a fatal version check", Run: versionsRefused},
	{ID: "4.3", Title: "describe and health that are null or odd count as empty",
		Catches: "a plugin refused for an optional answer", Run: oddDescribe},
	{ID: "4.4", Title: "health other than ok is degraded, which is usable",
		Catches: "degraded plugins left out of routing", Run: degraded},
	{ID: "4.5", Title: "the socket is open at once, and a plugin in its handshake is starting",
		Catches: "a silent plugin that delays the whole runner", Run: startingStatus},
	{ID: "4.6", Title: "plugins start side by side", Catches: "one start after another", Run: parallelStart},
	{ID: "4.7", Title: "each call of the handshake has its own time, and a plugin that misses it is ended",
		Catches: "a handshake that waits for ever; a process left behind", Run: handshakeTimeout},
	{ID: "4.8", Title: "a restart is a whole handshake with epoch + 1",
		Catches: "an epoch that stays, a handshake cut short", Run: epochs},
	{ID: "4.9", Title: "hello carries the settings of the entry", Catches: "settings lost", Run: settingsInHello},
	{ID: "4.10", Title: "a plugin that is refused is not left running",
		Catches: "processes of refused plugins", Run: refusedIsEnded},
	{ID: "4.11", Title: "calls of a plugin that is not live are refused, and not started",
		Catches: "calls sent into the handshake", Run: callsBeforeLive},
}

func handshakeOrder(c *C) {
	p := c.puppet("one", "action", "focus_app")
	c.up(config{plugins: []entry{p.entry}})
	i := p.only()
	var order []string
	for range 3 {
		order = append(order, i.await("the handshake", func(m *message) bool { return m.id() != "" }).method())
	}
	c.equal("the order", order, arr{"protocol.hello", "plugin.describe", "plugin.health"})

	q := c.puppet("two", "action", "focus_app")
	hello := make(chan *message, 1)
	q.on["protocol.hello"] = func(i *instance, m *message) any { hello <- m; return q.hello }
	r := c.launch(launch{config: config{plugins: []entry{q.entry}}, otherHome: true})
	r.becomes("two", "ok")
	params := (<-hello).at("params")
	c.equal("protocol", at(params, "protocol"), "1.0")
	c.equal("abi", at(params, "abi"), 1)
	c.equal("epoch", at(params, "epoch"), 0)
	c.want(text(at(params, "runner")) != "", "hello has no runner: %s", toJSON(params))
}

func versionsRefused(c *C) {
	good := c.puppet("good", "action", "focus_app")
	plugins := []entry{good.entry}
	hellos := []any{
		"1.0", nil, arr{}, failure{-32000, "not today", nil},
		obj{"abi": 1}, obj{"protocol": "1.1", "abi": 1}, obj{"protocol": "1", "abi": 1}, obj{"protocol": "2.0", "abi": 1},
		obj{"protocol": 1.0, "abi": 1},
		obj{"protocol": "1.0"}, obj{"protocol": "1.0", "abi": 2}, obj{"protocol": "1.0", "abi": 0},
		obj{"protocol": "1.0", "abi": "1"},
		obj{"Protocol": "1.0", "ABI": 1},
	}
	for n, hello := range hellos {
		p := c.puppet(fmt.Sprintf("bad%d", n), "action", "focus_app")
		p.on["protocol.hello"] = func(*instance, *message) any { return hello }
		plugins = append(plugins, p.entry)
	}
	r := c.start(config{plugins: plugins})
	r.becomes("good", "ok")
	for n, hello := range hellos {
		id := fmt.Sprintf("bad%d", n)
		row := r.becomes(id, "error")
		c.want(text(at(row, "reason")) != "", "no reason is given why hello %s is refused: %s", toJSON(hello), toJSON(row))
		v := r.watcher.ok("runner.validate_plugin", obj{"plugin": id})
		c.equal("ok of a refused plugin", at(v, "ok"), false)
	}
	r.client().ok("runner.invoke", invoke("good", "focus_app", obj{}))
}

func oddDescribe(c *C) {
	var plugins []entry
	for n, odd := range []any{nil, arr{}, "x", obj{"methods": nil, "streams": nil}, obj{}} {
		p := c.puppet(fmt.Sprintf("odd%d", n), "context")
		p.on["plugin.describe"] = func(*instance, *message) any { return odd }
		plugins = append(plugins, p.entry)
	}
	p := c.puppet("nohealth", "context")
	p.on["plugin.health"] = func(*instance, *message) any { return nil }
	plugins = append(plugins, p.entry)
	r := c.start(config{plugins: plugins})
	for _, e := range plugins {
		c.within(c.patience, e.id+" is ok or degraded",
			func() bool { return slices.Contains([]string{"ok", "degraded"}, r.status(e.id)) })
	}
}

func degraded(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.on["plugin.health"] = func(*instance, *message) any { return obj{"status": "tired", "detail": "no microphone"} }
	r := c.start(config{plugins: []entry{p.entry}})
	r.becomes("one", "degraded")
	r.client().ok("runner.invoke", invoke("one", "focus_app", obj{}))
}

func startingStatus(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.on["protocol.hello"] = func(*instance, *message) any { return held{} }
	r := c.start(config{plugins: []entry{p.entry}})
	hello := p.only().next("protocol.hello")
	a := r.client()
	a.served()
	c.equal("the status", r.status("one"), "starting")
	p.only().give(hello, p.hello)
	r.becomes("one", "ok")
}

func parallelStart(c *C) {
	p, q := c.puppet("one", "action", "focus_app"), c.puppet("two", "action", "focus_app")
	p.on["protocol.hello"] = func(*instance, *message) any { return held{} }
	r := c.start(config{plugins: []entry{p.entry, q.entry}})
	r.becomes("two", "ok") // while one has not answered
	c.equal("the status of the first", r.status("one"), "starting")
	p.only().give(p.only().next("protocol.hello"), p.hello)
	r.becomes("one", "ok")
}

func handshakeTimeout(c *C) {
	// Two calls that take 0.6 s each are in time where a call may take 1 s.
	p, q := c.puppet("one", "action", "focus_app"), c.puppet("two", "action", "focus_app")
	for _, method := range []string{"protocol.hello", "plugin.describe"} {
		p.on[method] = func(i *instance, m *message) any {
			time.Sleep(600 * time.Millisecond)
			if m.method() == "protocol.hello" {
				return p.hello
			}
			return p.describe
		}
	}
	q.on["plugin.describe"] = func(*instance, *message) any { return held{} }
	r := c.start(config{runner: "rpc_timeout_ms = 1000", plugins: []entry{p.entry, q.entry}})
	i := q.only()
	i.next("plugin.describe")
	r.becomes("one", "ok")
	c.gone("a plugin that does not describe itself", i.pid, 10*time.Second)
	c.want(r.status("two") != "ok", "a plugin that never described itself is ok")
}

func epochs(c *C) {
	p := c.puppet("one", "action", "focus_app")
	r := c.start(config{plugins: []entry{p.entry}})
	r.becomes("one", "ok")
	for epoch := range 3 {
		i := p.instance(epoch)
		c.equal("the epoch in hello", i.next("protocol.hello").at("params", "epoch"), epoch)
		i.next("plugin.describe")
		i.next("plugin.health")
		c.within(c.patience, "the new process is ok",
			func() bool { return whole(at(r.row("one"), "epoch")) == int64(epoch) && r.status("one") == "ok" })
		if epoch < 2 {
			i.kill()
		}
	}
}

func settingsInHello(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.entry.more = "[plugin.settings]\nvoice = \"é\"\nspeed = 3\nwords = [\"a\", \"b\"]\n"
	c.up(config{plugins: []entry{p.entry}})
	c.equal("settings", p.only().next("protocol.hello").at("params", "settings"),
		obj{"voice": "é", "speed": 3, "words": arr{"a", "b"}})
}

func refusedIsEnded(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.hello = obj{"protocol": "9.9", "abi": 1}
	r := c.start(config{plugins: []entry{p.entry}})
	i := p.only()
	r.becomes("one", "error")
	c.gone("the refused plugin", i.pid, 5*time.Second)
}

func callsBeforeLive(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.on["plugin.health"] = func(*instance, *message) any { return held{} }
	r := c.start(config{plugins: []entry{p.entry}})
	p.only().next("plugin.health")
	m := r.client().call("runner.invoke",
		obj{"plugin": "one", "method": "action.capabilities", "params": obj{"timeout_ms": 300}})
	c.want(has(m.value, "error"), "a call of a starting plugin gives %s", m.body)
	p.only().none(0, "action.capabilities", "the handshake is not over")
}
