package main

import (
	"strings"
	"time"
)

var pluginSideChecks = []check{
	{ID: "6.1", Title: "action.invoke carries op, args and provenance, once",
		Catches: "a call delivered twice, or in another form", Run: invokeForm},
	{ID: "6.2", Title: "router.plan carries utterance, provenance and context",
		Catches: "words or provenance lost on the way to a router", Run: planForm},
	{ID: "6.3", Title: "a result without ok counts as true, ok false as failed, message stands in for detail",
		Catches: "a failure reported as success; an old plugin's success as failure", Run: resultForms},
	{ID: "6.4", Title: "the plugin's result reaches who invoked it whole",
		Catches: "members dropped or added", Run: resultWhole},
	{ID: "7.1", Title: "requests of a plugin that the runner does not serve are -32601",
		Catches: "host.action by a plugin", Run: pluginRequests},
	{ID: "7.2", Title: "host.context gives the snapshot without titles and clipboard, unless granted",
		Catches: "screen text given to a plugin that may not read it", Run: hostContext},
	{ID: "7.3", Title: "host.emit reaches subscribers of runner.event, with the plugin's id",
		Catches: "events lost, or under a name of the plugin's choice", Run: hostEmit},
	{ID: "7.4", Title: "host.emit is bounded to 64 KiB and 100 a second",
		Catches: "a plugin that fills the clients' queues", Run: hostEmitBounds},
	{ID: "7.5", Title: "notifications of a plugin that nobody knows are ignored",
		Catches: "a crash for a notification", Run: strayNotifications},
	{ID: "7.6", Title: "capabilities.changed makes the runner ask action.capabilities again",
		Catches: "ops cached for ever", Run: capabilitiesChanged},
}

func invokeForm(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.ok("runner.invoke", invoke("one", "focus_app", obj{"app": "firefox", "deep": obj{"x": arr{1, nil, true}}}))
	params := p.only().next("action.invoke").at("params")
	c.equal("op", at(params, "op"), "focus_app")
	c.equal("args", at(params, "args"), obj{"app": "firefox", "deep": obj{"x": arr{1, nil, true}}})
	c.equal("provenance", at(params, "provenance"), "user")
	p.only().none(100*time.Millisecond, "action.invoke", "the op was asked for once")
}

func planForm(c *C) {
	p := c.puppet("one", "router").plans()
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.call("runner.command", obj{"utterance": "Open YouTube, é!", "provenance": "screen",
		"context": obj{"monitors": arr{}, "note": "x"}})
	params := p.only().next("router.plan").at("params")
	c.equal("utterance", at(params, "utterance"), "Open YouTube, é!")
	c.equal("provenance", at(params, "provenance"), "screen")
	c.equal("context", at(params, "context", "monitors"), arr{})
	a.call("runner.command", obj{"utterance": "again"})
	c.equal("provenance of a command that says none", p.only().next("router.plan").at("params", "provenance"), "user")
}

func resultForms(c *C) {
	p := c.puppet("one", "bundle", "focus_app").plans(obj{"op": "focus_app", "args": obj{}})
	var result any
	p.on["action.invoke"] = func(*instance, *message) any { return result }
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, tt := range []struct {
		says   any
		ok     bool
		detail string
	}{
		{obj{"detail": "d"}, true, "d"}, {obj{"ok": true, "message": "m"}, true, "m"},
		{obj{"ok": true, "detail": "d", "message": "m"}, true, "d"},
		{obj{"ok": false, "detail": "no"}, false, "no"}, {obj{}, true, ""},
	} {
		result = tt.says
		first := at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0)
		c.equal("ok of "+toJSON(tt.says), at(first, "ok"), tt.ok)
		if tt.detail != "" {
			c.equal("detail of "+toJSON(tt.says), at(first, "detail"), tt.detail)
		}
		c.equal("op", at(first, "op"), "focus_app")
	}
}

func resultWhole(c *C) {
	p := c.puppet("one", "action", "focus_app")
	said := obj{"ok": true, "op": "focus_app", "detail": "é",
		"window": obj{"id": 9007199254740993}, "list": arr{1, nil, "x"}}
	p.on["action.invoke"] = func(*instance, *message) any { return said }
	_, a := c.up(config{plugins: []entry{p.entry}})
	got := a.ok("runner.invoke", invoke("one", "focus_app", obj{}))
	for name, value := range said {
		c.equal(name, at(got, name), value)
	}
}

func pluginRequests(c *C) {
	p := c.puppet("one", "action", "focus_app")
	c.up(config{plugins: []entry{p.entry}})
	i := p.only()
	for _, method := range []string{"host.action", "host.perceive", "host.confirm", "runner.invoke", "runner.command",
		"handle.create", "no.such"} {
		i.refused(-32601, method, obj{"op": "terminal", "args": obj{}})
	}
}

// desktop is a snapshot with screen text in every place.
func desktop() obj {
	window := obj{"app_id": "firefox", "title": "SECRET title", "pid": 7, "window_id": 11, "workspace_id": 2}
	return obj{"focused": window, "windows": arr{window}, "monitors": arr{},
		"clipboard": "SECRET clipboard", "timestamp": 1}
}

func hostContext(c *C) {
	source := c.puppet("source", "context").methods("context.snapshot")
	source.on["context.snapshot"] = func(*instance, *message) any { return desktop() }
	plain, titles, board := c.puppet("plain", "router").plans(), c.puppet("titles", "router").plans(),
		c.puppet("board", "router").plans()
	titles.entry.permissions = []string{"accessibility"}
	board.entry.permissions = []string{"clipboard"}
	c.up(config{plugins: []entry{source.entry, plain.entry, titles.entry, board.entry}})
	for _, tt := range []struct {
		p            *puppet
		title, board bool
	}{{plain, false, false}, {titles, true, false}, {board, false, true}} {
		got := tt.p.only().ok("host.context", obj{})
		c.equal("the app that "+tt.p.id+" sees", at(got, "focused", "app_id"), "firefox")
		said := toJSON(got)
		c.want(strings.Contains(said, "SECRET title") == tt.title, "%s sees titles: %v, must be %v: %s",
			tt.p.id, !tt.title, tt.title, said)
		c.want(strings.Contains(said, "SECRET clipboard") == tt.board, "%s sees the clipboard: %v, must be %v: %s",
			tt.p.id, !tt.board, tt.board, said)
	}
}

func hostEmit(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	sub := a.ok("stream.subscribe", obj{"method": "runner.event"})
	c.equal("the answer to host.emit",
		p.only().ok("host.emit", obj{"event": "note.saved", "data": obj{"plugin": "two", "n": 1}}), obj{})
	m := a.next("runner.event")
	c.equal("the stream", m.at("params", "stream_id"), at(sub, "stream_id"))
	c.equal("the event", m.at("params", "data"),
		obj{"plugin": "one", "event": "note.saved", "data": obj{"plugin": "two", "n": 1}})
}

func hostEmitBounds(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.ok("stream.subscribe", obj{"method": "runner.event"})
	i := p.only()
	i.ok("host.emit", obj{"event": "x", "data": strings.Repeat("x", 60<<10)})
	m := i.call("host.emit", obj{"event": "x", "data": strings.Repeat("x", 65<<10)})
	c.want(has(m.value, "error"), "host.emit of 65 KiB is taken")
	c.want(len(text(a.next("runner.event").at("params", "data", "data"))) == 60<<10, "60 KiB did not arrive")
	time.Sleep(1100 * time.Millisecond)
	refused, started := 0, time.Now()
	for range 300 {
		if has(i.call("host.emit", obj{"event": "x"}).value, "error") {
			refused++
		}
	}
	if took := time.Since(started); took > time.Second {
		c.block("300 calls took %v, too long to see a bound of 100 a second", took)
	}
	c.want(refused >= 100 && refused <= 201, "of 300 events in a second %d were refused, must be about 200", refused)
}

func strayNotifications(c *C) {
	p := c.puppet("one", "action", "focus_app")
	_, a := c.up(config{plugins: []entry{p.entry}})
	i := p.only()
	for _, method := range []string{"no.such", "$/unknown", "host.action", "stream.end",
		"runner.event", "nobodys.stream"} {
		i.notify(method, obj{"stream_id": "stream-1", "seq": 1, "data": obj{}})
	}
	i.sayOrFail(`{"jsonrpc":"2.0","method":"$/log","params":{"level":"info","message":"hello from the plugin"}}`)
	a.ok("runner.invoke", invoke("one", "focus_app", obj{}))
	c.want(p.count() == 1, "the plugin was restarted for a notification")
}

func capabilitiesChanged(c *C) {
	p := c.puppet("one", "action", "focus_app")
	served := make(chan arr, 8)
	served <- arr{obj{"op": "one.first", "side_effect": "test", "needs_confirm": false}}
	current := arr{}
	p.on["action.capabilities"] = func(*instance, *message) any {
		select {
		case current = <-served:
		default:
		}
		return obj{"ops": current}
	}
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.ok("runner.invoke", invoke("one", "one.first", obj{}))
	a.refused(-32601, "runner.invoke", invoke("one", "one.second", obj{}))
	served <- arr{obj{"op": "one.second", "side_effect": "test", "needs_confirm": false}}
	p.only().notify("capabilities.changed", obj{})
	c.within(c.patience, "the new op is known",
		func() bool { return has(a.call("runner.invoke", invoke("one", "one.second", obj{})).value, "result") })
	a.refused(-32601, "runner.invoke", invoke("one", "one.first", obj{}))
}
