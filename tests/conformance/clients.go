package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"
)

var clientChecks = []check{
	{ID: "8.1", Title: "runner.plugins and runner.status list every enabled plugin, failed ones too, disabled ones not",
		Catches: "rows left out, or without what they must have", Run: pluginRows},
	{ID: "8.2", Title: "runner.command runs the steps in order and reports each",
		Catches: "steps reordered, left out or reported for another", Run: commandRuns},
	{ID: "8.3", Title: "runner.command without words or with an unknown provenance is -32602, without a router -32005",
		Catches: "a command that cannot be understood and succeeds", Run: commandRefused},
	{ID: "8.4", Title: "a plan stops at its first failed step, the rest is reported and not run",
		Catches: "steps run after a failure", Run: planStops},
	{ID: "8.5", Title: "a step that is not an object or has no op is -32602 in its result",
		Catches: "steps skipped in silence", Run: badSteps},
	{ID: "8.6", Title: "a plan has at most 16 steps", Catches: "plans without a bound", Run: tooManySteps},
	{ID: "8.7", Title: "the error of a router is that of the command",
		Catches: "a failing router reported as no plan", Run: routerError},
	{ID: "8.8", Title: "runner.invoke finds a plugin by id, else by kind; what is missing or unknown is refused",
		Catches: "an id taken for a kind, refusals with other codes", Run: invokeFinds},
	{ID: "8.9", Title: "runner.invoke refuses protocol.*, plugin.describe, stream.*, handle.* and $/*",
		Catches: "a client that plays the runner", Run: invokeRefuses},
	{ID: "8.10", Title: "router.plan, action.capabilities, context.snapshot, llm.* and plugin.health need no provenance",
		Catches: "harmless methods refused", Run: invokeFree},
	{ID: "8.11", Title: "every other method is policed as an op, and must be described",
		Catches: "side effects behind a method's name", Run: invokePoliced},
	{ID: "8.12", Title: "runner.plan plans and carries out nothing", Catches: "a dry run that acts", Run: planOnly},
	{ID: "8.13", Title: "a handle in a result is fetched from the plugin, its digest verified",
		Catches: "bytes adopted under a digest they do not have", Run: handleAdopted},
	{ID: "8.14", Title: "runner.plugin.restart, enable and log", Catches: "administration that does nothing",
		Run: pluginAdministration},
}

func pluginRows(c *C) {
	good, bad, off := c.puppet("good", "action", "focus_app"), c.puppet("bad", "tts"), c.puppet("off", "llm")
	bad.hello = obj{"protocol": "0.1", "abi": 1}
	off.entry.more = "enabled = false"
	r := c.start(config{plugins: []entry{good.entry, bad.entry, off.entry}})
	r.becomes("good", "ok")
	r.becomes("bad", "error")
	for _, method := range []string{"runner.plugins", "runner.status"} {
		rows := list(at(r.client().ok(method, obj{}), "plugins"))
		c.want(len(rows) == 2, "%s has %d rows, must have 2: %s", method, len(rows), toJSON(rows))
		for _, row := range rows {
			for _, name := range []string{"id", "kind", "epoch", "status", "provides", "requires"} {
				c.want(has(row, name), "%s: a row without %s: %s", method, name, toJSON(row))
			}
		}
	}
	row := r.row("good")
	c.equal("kind", at(row, "kind"), "action")
	c.equal("epoch", at(row, "epoch"), 0)
	c.equal("version", at(row, "version"), "0.1.0")
	c.equal("ops", at(row, "ops"), arr{"focus_app"})
	c.want(off.count() == 0, "a disabled plugin was started")
}

// step is one of a router's.
func step(op string, args obj) obj { return obj{"op": op, "args": args, "provenance": "user"} }

func commandRuns(c *C) {
	p := c.puppet("one", "bundle", "focus_app", "scroll").plans(step("focus_app", obj{"app": "a"}),
		step("scroll", obj{"direction": "down"}), step("focus_app", obj{"app": "b"}))
	_, a := c.up(config{plugins: []entry{p.entry}})
	results := list(at(a.ok("runner.command", obj{"utterance": "do it"}), "results"))
	c.want(len(results) == 3, "%d results, must be 3", len(results))
	for n, want := range []obj{{"op": "focus_app", "args": obj{"app": "a"}},
		{"op": "scroll", "args": obj{"direction": "down"}}, {"op": "focus_app", "args": obj{"app": "b"}}} {
		c.equal("op of a result", at(results[n], "op"), want["op"])
		c.equal("ok", at(results[n], "ok"), true)
		c.want(!has(results[n], "error"), "a step that was done has an error: %s", toJSON(results[n]))
		got := p.only().next("action.invoke")
		c.equal("op", got.at("params", "op"), want["op"])
		c.equal("args", got.at("params", "args"), want["args"])
	}
}

func commandRefused(c *C) {
	p := c.puppet("one", "bundle", "focus_app").plans(step("focus_app", obj{}))
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, params := range []obj{{}, {"utterance": ""}, {"utterance": " \t"}, {"utterance": 7}, {"utterance": nil},
		{"utterance": "x", "provenance": "admin"}} {
		a.refused(-32602, "runner.command", params)
	}
	p.only().none(0, "router.plan", "no command was valid")
	q := c.puppet("two", "action", "focus_app")
	r := c.launch(launch{config: config{plugins: []entry{q.entry}}, otherHome: true})
	r.becomes("two", "ok")
	r.client().refused(-32005, "runner.command", obj{"utterance": "open youtube"})
}

func planStops(c *C) {
	p := c.puppet("one", "bundle", "focus_app", "scroll").plans(step("focus_app", obj{"n": 1}),
		step("focus_app", obj{"n": 2}), step("scroll", obj{"n": 3}), step("focus_app", obj{"n": 4}))
	p.on["action.invoke"] = func(i *instance, m *message) any {
		if whole(m.at("params", "args", "n")) == 2 {
			return failure{-32000, "no such window", nil}
		}
		return obj{"ok": true}
	}
	_, a := c.up(config{plugins: []entry{p.entry}})
	results := list(at(a.ok("runner.command", obj{"utterance": "x"}), "results"))
	c.want(len(results) == 4, "%d results, must be 4", len(results))
	c.equal("the first", at(results[0], "ok"), true)
	c.equal("the failing one", at(results[1], "error", "code"), -32000)
	for _, r := range results[1:] {
		c.equal("ok", at(r, "ok"), false)
	}
	c.want(text(at(results[2], "detail")) != "", "a step that was skipped says nothing: %s", toJSON(results[2]))
	c.want(len(p.only().all("action.invoke")) == 2, "steps behind the failed one were run")

	// ok false stops it too.
	p.on["action.invoke"] = func(*instance, *message) any { return obj{"ok": false, "detail": "no"} }
	a.ok("runner.command", obj{"utterance": "x"})
	c.want(len(p.only().all("action.invoke")) == 1, "steps behind one with ok false were run")
}

func badSteps(c *C) {
	var plan arr
	p := c.puppet("one", "bundle", "focus_app").plans()
	p.on["router.plan"] = func(*instance, *message) any { return obj{"steps": plan} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, bad := range []any{7, "focus_app", nil, arr{}, obj{}, obj{"args": obj{}}, obj{"op": ""}, obj{"op": 5},
		obj{"op": "focus_app", "args": arr{1}}, obj{"op": "focus_app", "args": "x"}, obj{"Op": "focus_app"}} {
		plan = arr{bad}
		first := at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0)
		c.equal("ok of the step "+toJSON(bad), at(first, "ok"), false)
		c.equal("code of the step "+toJSON(bad), at(first, "error", "code"), -32602)
	}
	p.only().none(0, "action.invoke", "no step was valid")
}

func tooManySteps(c *C) {
	var plan arr
	p := c.puppet("one", "bundle", "focus_app").plans()
	p.on["router.plan"] = func(*instance, *message) any { return obj{"steps": plan} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	for range 16 {
		plan = append(plan, step("focus_app", obj{}))
	}
	results := list(at(a.ok("runner.command", obj{"utterance": "x"}), "results"))
	c.want(len(results) == 16, "a plan of 16 steps has %d results", len(results))
	c.want(len(p.only().all("action.invoke")) == 16, "a plan of 16 steps is not carried out")
	plan = append(plan, step("focus_app", obj{}))
	m := a.call("runner.command", obj{"utterance": "x"})
	for _, r := range list(m.at("result", "results")) {
		c.equal("ok of a step of a plan of 17", at(r, "ok"), false)
	}
	c.want(has(m.value, "error") || len(list(m.at("result", "results"))) > 0,
		"a plan of 17 steps is not an error: %s", m.body)
	c.want(len(p.only().all("action.invoke")) == 0, "steps of a plan of 17 were run")
}

func routerError(c *C) {
	p := c.puppet("one", "router").plans()
	p.on["router.plan"] = func(*instance, *message) any { return failure{-31234, "out of ideas", obj{"n": 1}} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	e := a.refused(-31234, "runner.command", obj{"utterance": "x"})
	c.equal("message", at(e, "message"), "out of ideas")
}

func invokeFinds(c *C) {
	p, q := c.puppet("one", "llm").methods("llm.choose"), c.puppet("two", "tts").methods("llm.choose")
	for _, x := range []*puppet{p, q} {
		x.on["llm.choose"] = func(*instance, *message) any { return obj{"from": x.id} }
	}
	_, a := c.up(config{plugins: []entry{p.entry, q.entry}})
	for name, id := range map[string]string{"one": "one", "two": "two", "llm": "one", "tts": "two"} {
		c.equal("who answers for "+name, at(a.ok("runner.invoke", obj{"plugin": name, "method": "llm.choose"}), "from"), id)
	}
	a.refused(-32005, "runner.invoke", obj{"plugin": "nobody", "method": "llm.choose"})
	a.refused(-32005, "runner.invoke", obj{"plugin": "router", "method": "llm.choose"})
	for _, params := range []obj{{}, {"plugin": "one"}, {"method": "llm.choose"}, {"plugin": "", "method": "llm.choose"},
		{"plugin": "one", "method": ""}, {"plugin": 1, "method": "llm.choose"},
		{"plugin": "one", "method": "llm.choose", "params": arr{}},
		{"plugin": "one", "method": "llm.choose", "params": "x"}} {
		a.refused(-32602, "runner.invoke", params)
	}
}

func invokeRefuses(c *C) {
	methods := []string{"protocol.hello", "protocol.other", "plugin.hello", "plugin.describe", "stream.subscribe",
		"stream.ack", "stream.stop", "stream.anything", "handle.fetch", "handle.stat", "$/cancel", "$/anything"}
	p := c.puppet("one", "bundle").methods(methods...).streams("x")
	_, a := c.up(config{plugins: []entry{p.entry}})
	i := p.only()
	for _, method := range []string{"protocol.hello", "plugin.describe"} {
		i.next(method) // those of the handshake
	}
	for _, method := range methods {
		a.refused(-32601, "runner.invoke", obj{"plugin": "one", "method": method, "params": obj{"provenance": "user"}})
	}
	a.ok("runner.invoke", obj{"plugin": "one", "method": "plugin.health"})
	for _, method := range methods {
		i.none(0, method, "it was refused")
	}
	made := a.ok("runner.invoke", obj{"plugin": "one", "method": "handle.create", "params": obj{"data": "abc"}})
	c.equal("handle.create is served by the runner", at(made, "sha256"),
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
	i.none(0, "handle.create", "the runner serves it")
}

func invokeFree(c *C) {
	methods := []string{"router.plan", "action.capabilities", "context.snapshot", "llm.choose", "llm.complete",
		"llm.anything", "plugin.health"}
	p := c.puppet("one", "bundle").methods(methods...)
	for _, m := range methods {
		p.on[m] = func(_ *instance, m *message) any {
			return obj{"served": m.method(), "status": "ok", "ops": arr{}, "steps": arr{}}
		}
	}
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, m := range methods {
		c.equal("the answer",
			at(a.ok("runner.invoke", obj{"plugin": "one", "method": m, "params": obj{"utterance": "x"}}), "served"), m)
	}
}

func invokePoliced(c *C) {
	p := c.puppet("one", "bundle").methods("notes.add", "input.inject", "terminal.run", "tts.speak")
	for _, m := range []string{"notes.add", "input.inject", "terminal.run", "tts.speak", "notes.hidden"} {
		p.on[m] = func(_ *instance, m *message) any { return obj{"served": m.method()} }
	}
	_, a := c.up(config{plugins: []entry{p.entry}})
	call := func(method string, params obj) obj { return obj{"plugin": "one", "method": method, "params": params} }
	c.equal("a described method of the user",
		at(a.ok("runner.invoke", call("notes.add", obj{"text": "milk", "provenance": "user"})), "served"), "notes.add")
	a.ok("runner.invoke", call("notes.add", obj{"provenance": "screen"}))
	got := p.only().next("notes.add").at("params")
	c.equal("its params", at(got, "text"), "milk")
	p.only().next("notes.add")
	a.refused(-32601, "runner.invoke", call("notes.hidden", obj{"provenance": "user"}))
	e := a.refused(-32003, "runner.invoke", call("notes.add", obj{"text": "milk"}))
	c.equal("reason", at(e, "data", "reason"), "provenance")
	for _, odd := range []any{nil, "", "User", 1} {
		a.refused(-32602, "runner.invoke", call("notes.add", obj{"text": "milk", "provenance": odd}))
	}
	for _, method := range []string{"notes.add", "input.inject", "terminal.run", "notes.hidden"} {
		e := a.refused(-32006, "runner.invoke", call(method, obj{"text": "milk", "b": 1, "provenance": "screen"}))
		c.equal("fields", at(e, "data", "fields"), arr{"b", "text"})
	}
	for _, method := range []string{"input.inject", "terminal.run"} { // they count as input and terminal, which are off
		e := a.refused(-32003, "runner.invoke", call(method, obj{"text": "x", "provenance": "user"}))
		c.equal("reason for "+method, at(e, "data", "reason"), "disabled")
	}
	for _, method := range []string{"notes.add", "input.inject", "terminal.run", "notes.hidden"} {
		p.only().none(0, method, "it was refused")
	}
}

func planOnly(c *C) {
	p := c.puppet("one", "bundle", "focus_app").plans(step("focus_app", obj{"app": "a"}))
	_, a := c.up(config{plugins: []entry{p.entry}})
	got := a.ok("runner.plan", obj{"utterance": "x"})
	c.equal("op", at(got, "steps", 0, "op"), "focus_app")
	c.equal("args", at(got, "steps", 0, "args"), obj{"app": "a"})
	p.only().none(200*time.Millisecond, "action.invoke", "runner.plan only plans")
	a.refused(-32602, "runner.plan", obj{"utterance": " "})
}

func handleAdopted(c *C) {
	data := []byte("bytes of the plugin")
	sum := sha256.Sum256(data)
	right, wrong := "handle://"+hex.EncodeToString(sum[:]), "handle://"+strings.Repeat("ab", 32)
	p := c.puppet("one", "action", "focus_app").methods("handle.fetch")
	given := right
	p.on["action.invoke"] = func(*instance, *message) any { return obj{"ok": true, "handle": given} }
	p.on["handle.fetch"] = func(*instance, *message) any {
		return obj{"data_b64": base64.StdEncoding.EncodeToString(data)}
	}
	_, a := c.up(config{plugins: []entry{p.entry}})
	c.equal("the handle", at(a.ok("runner.invoke", invoke("one", "focus_app", obj{})), "handle"), right)
	got := a.ok("handle.fetch", obj{"handle": right})
	c.equal("its bytes", at(got, "data_b64"), base64.StdEncoding.EncodeToString(data))
	given = wrong
	a.call("runner.invoke", invoke("one", "focus_app", obj{}))
	a.refused(-32000, "handle.fetch", obj{"handle": wrong})
}

func pluginAdministration(c *C) {
	p, off := c.puppet("one", "action", "focus_app"), c.puppet("off", "llm")
	off.entry.more = "enabled = false"
	noisy := c.unrulyEntry("noisy", "noise")
	r := c.start(config{plugins: []entry{p.entry, off.entry, noisy}})
	r.becomes("one", "ok")
	r.becomes("noisy", "ok")
	a := r.client()
	first := p.only()
	a.ok("runner.plugin.restart", obj{"plugin": "one"})
	c.equal("the epoch after a restart", p.instance(1).next("protocol.hello").at("params", "epoch"), 1)
	c.gone("the first process", first.pid, 6*time.Second)
	r.becomes("one", "ok")
	a.ok("runner.plugin.enable", obj{"plugin": "off"})
	off.instance(0)
	r.becomes("off", "ok")
	c.within(c.patience, "the log has what the plugin wrote", func() bool {
		return strings.Contains(toJSON(a.ok("runner.plugin.log", obj{"plugin": "noisy"})), "unruly noise")
	})
	for _, method := range []string{"restart", "enable", "log"} {
		m := a.call("runner.plugin."+method, obj{"plugin": "nobody"})
		c.want(has(m.value, "error"), "runner.plugin.%s of an unknown plugin succeeds: %s", method, m.body)
	}
}
