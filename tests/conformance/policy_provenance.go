package main

import (
	"fmt"
)

var oddProvenance = arr{nil, "", "User", "USER", "system", " user", 1, true, arr{"user"}, obj{}}

func provenanceStrict(c *C) {
	var plan obj
	p := c.puppet("hands", "bundle", "focus_app").plans()
	p.on["router.plan"] = func(*instance, *message) any { return obj{"steps": arr{plan}} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, odd := range oddProvenance {
		a.refused(-32602, "runner.command", obj{"utterance": "x", "provenance": odd})
		a.refused(-32602, "runner.invoke", obj{"plugin": "hands", "method": "action.invoke",
			"params": obj{"op": "focus_app", "args": obj{}, "provenance": odd}})
		plan = obj{"op": "focus_app", "args": obj{}, "provenance": odd}
		first := at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0)
		c.equal("the code of a step with provenance "+toJSON(odd), at(first, "error", "code"), -32602)
	}
	p.only().none(0, "action.invoke", "no provenance was valid")
}

func effectiveProvenance(c *C) {
	var plan obj
	p := c.puppet("hands", "bundle", "focus_app").plans()
	p.on["router.plan"] = func(*instance, *message) any { return obj{"steps": arr{plan}} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, tt := range []struct{ command, step, effective string }{
		{"user", "user", "user"}, {"user", "", "user"}, {"", "", "user"}, {"", "user", "user"},
		{"user", "screen", "screen"}, {"", "screen", "screen"}, {"screen", "user", "screen"}, {"screen", "", "screen"},
		{"screen", "screen", "screen"},
	} {
		command := obj{"utterance": "x"}
		plan = obj{"op": "focus_app", "args": obj{}}
		if tt.command != "" {
			command["provenance"] = tt.command
		}
		if tt.step != "" {
			plan["provenance"] = tt.step
		}
		a.ok("runner.command", command)
		c.equal(fmt.Sprintf("the provenance of a %q step in a %q command", tt.step, tt.command),
			p.only().next("action.invoke").at("params", "provenance"), tt.effective)
		plan["args"] = obj{"app": "x"}
		first := at(a.ok("runner.command", command), "results", 0)
		if tt.effective == "screen" {
			c.equal("the code of the same with an argument", at(first, "error", "code"), -32006)
			p.only().none(0, "action.invoke", "the screen authored its argument")
		} else {
			c.equal("ok of the same with an argument", at(first, "ok"), true)
			p.only().next("action.invoke")
		}
	}
}

func provenanceAbsent(c *C) {
	p := hands(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	e := a.refused(-32003, "runner.invoke",
		obj{"plugin": "hands", "method": "action.invoke", "params": obj{"op": "focus_app", "args": obj{}}})
	c.equal("reason", at(e, "data", "reason"), "provenance")
	a.refused(-32602, "runner.invoke",
		obj{"plugin": "hands", "method": "action.invoke", "params": obj{"args": obj{}, "provenance": "user"}})
	p.only().none(0, "action.invoke", "it was refused")
}

func niriCommands(c *C) {
	p := hands(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, command := range []string{"spawn", "spawn-sh"} {
		e := a.refused(-32003, "runner.invoke", from("user", "niri", obj{"command": command, "args": arr{"sh", "-c", "x"}}))
		c.equal("reason for "+command, at(e, "data", "reason"), "disabled")
	}
	for _, bad := range []any{"", nil, "no-such-command", "Quit", 7} {
		m := a.call("runner.invoke", from("user", "niri", obj{"command": bad}))
		c.want(has(m.value, "error"), "niri takes the command %v: %s", bad, m.body)
	}
	p.only().none(0, "action.invoke", "all were refused")
	for _, command := range []string{"quit", "power-off-monitors"} {
		id := a.ask("runner.invoke", from("user", "niri", obj{"command": command}))
		a.approve(a.next("host.confirm"))
		a.result(a.answer(id), command)
		p.only().next("action.invoke")
	}
	a.ok("runner.invoke", from("user", "niri", obj{"command": "move-column-right"}))
	a.none(0, "host.confirm", "moving a column is harmless")
}

func launchCommands(c *C) {
	p := hands(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, op := range []string{"launch_app", "ensure_app"} {
		for _, args := range []obj{{"argv": arr{"sh"}}, {"command": "sh"}, {"app": "firefox", "argv": arr{}},
			{"app": "firefox", "command": nil}} {
			e := a.refused(-32003, "runner.invoke", from("user", op, args))
			c.equal("reason", at(e, "data", "reason"), "disabled")
		}
		a.ok("runner.invoke", from("user", op, obj{"app": "firefox"}))
	}
	c.want(len(p.only().all("action.invoke")) == 2, "a command line was passed on")
	second := c.launch(launch{config: config{policy: `enabled_ops = ["terminal"]`, plugins: []entry{p.entry}},
		otherHome: true})
	second.becomes("hands", "ok")
	b := second.client()
	id := b.ask("runner.invoke", from("user", "launch_app", obj{"argv": arr{"sh"}}))
	b.approve(b.next("host.confirm")) // as terminal
	b.result(b.answer(id), "a confirmed command line")
}
