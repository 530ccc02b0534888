package main

import (
	"fmt"
	"slices"
	"strings"
)

// A rule is a row of the table in section 11.
type rule struct {
	op      string
	off     bool // until enabled_ops names it
	confirm bool
	args    obj // that are allowed of the user
	keys    []string
}

var rules = []rule{
	{op: "ensure_url", args: obj{"url": "https://example.org/"}, keys: []string{"url", "site"}},
	{op: "open_url", args: obj{"url": "https://example.org/"}, keys: []string{"url", "new_tab"}},
	{op: "terminal", off: true, confirm: true, args: obj{"command": "ls"}, keys: []string{"command", "argv"}},
	{op: "input", off: true, confirm: true, args: obj{"text": "x"},
		keys: []string{"text", "key", "chord", "action", "button"}},
	{op: "niri", args: obj{"command": "focus-column-left"}, keys: []string{"app_id", "window_id", "command", "args"}},
	{op: "launch_app", args: obj{"app": "firefox"}, keys: []string{"app_id", "command", "app", "argv"}},
	{op: "ensure_app", args: obj{"app": "firefox"}, keys: []string{"app", "argv"}},
	{op: "focus_app", args: obj{"app": "firefox"}, keys: []string{"app", "window_id"}},
	{op: "key", args: obj{"chord": "ctrl+t"}, keys: []string{"chord", "key", "app", "window_id"}},
	{op: "type_text", args: obj{"text": "hello"}, keys: []string{"text", "app", "window_id"}},
	{op: "scroll", args: obj{"direction": "down"}, keys: []string{"direction", "amount"}},
	{op: "media", args: obj{"command": "play"}, keys: []string{"command", "app"}},
	{op: "click_element", args: obj{"description": "OK"}, keys: []string{"description"}},
	{op: "click_point", args: obj{"x": 1, "y": 2}, keys: []string{"x", "y"}},
	{op: "search", args: obj{"query": "cats"}, keys: []string{"query", "q"}},
	{op: "close_app", confirm: true, args: obj{"app": "firefox"}, keys: []string{"app", "window_id"}},
}

func policyChecks() []check {
	var all []check
	for n, r := range rules {
		what := "allowed"
		switch {
		case r.off:
			what = "off, then confirmed"
		case r.confirm:
			what = "confirmed"
		}
		all = append(all, check{
			ID:      fmt.Sprintf("11.%d", n+1),
			Title:   fmt.Sprintf("%s: %s for the user, every argument refused from the screen", r.op, what),
			Catches: "a row of the policy table that is wrong for " + r.op, Run: func(c *C) { policyRow(c, r) },
		})
	}
	for n, k := range []check{
		{Title: "the screen is refused first: before an unknown op, one that is off, and a bad url",
			Catches: "the order of the tests; -32003 for what -32006 must say", Run: screenFirst},
		{Title: "from the screen any argument counts, not only those somebody thought of",
			Catches: "a list of guarded keys", Run: screenAnyKey},
		{Title: "an unknown op is -32601, and enabled_ops makes none", Catches: "ops without a rule", Run: unknownOps},
		{Title: "disabled_ops wins over enabled_ops, in either spelling",
			Catches: "a switch that does not switch", Run: disabledWins},
		{Title: "only http, https and mailto may be opened", Catches: "javascript: and file: addresses", Run: schemes},
		{Title: "provenance that is null, empty or another word is -32602 everywhere",
			Catches: "a default that is trusted", Run: provenanceStrict},
		{Title: "the less trusted of command and step counts, and is stamped on action.invoke",
			Catches: "a plugin that raises trust", Run: effectiveProvenance},
		{Title: "runner.invoke of an op without provenance is -32003",
			Catches: "the caller trusted by default", Run: provenanceAbsent},
		{Title: "niri: spawn counts as terminal, quit is confirmed, what is not a command is refused",
			Catches: "a shell behind the compositor", Run: niriCommands},
		{Title: "launch_app and ensure_app with argv or command count as terminal",
			Catches: "a shell behind the launcher", Run: launchCommands},
		{Title: "an advertised op is open to the user, and to the screen without arguments",
			Catches: "plugins' own ops refused, or guarded by nothing", Run: advertisedOps},
		{Title: "arguments are checked against the plugin's schema",
			Catches: "arguments that a plugin said it cannot take", Run: schemaChecked},
		{Title: "a bad schema takes away that op alone",
			Catches: "a plugin lost, or an op unchecked, for a bad schema", Run: badSchema},
		{Title: "confirm in a step, and needs_confirm of the plugin, add a confirmation and take none away",
			Catches: "a hint that is ignored, or trusted to lower the bar", Run: confirmHints},
		{Title: "in runner.command the refusal stands in the result of the step",
			Catches: "a refused step that fails the request or is reported as done", Run: refusalInResults},
		{Title: "the spelling action.<op> is the op itself", Catches: "a way around the table", Run: actionPrefix},
	} {
		k.ID = fmt.Sprintf("11.%d", len(rules)+n+1)
		all = append(all, k)
	}
	return all
}

// hands is a plugin that serves every op of the table.
func hands(c *C) *puppet {
	var ops []string
	for _, r := range rules {
		ops = append(ops, r.op)
	}
	return c.puppet("hands", "action", ops...)
}

func policyRow(c *C, r rule) {
	p := hands(c)
	k := config{plugins: []entry{p.entry}}
	_, a := c.up(k)
	i := p.only()
	for _, key := range r.keys {
		e := a.refused(-32006, "runner.invoke", from("screen", r.op, obj{key: "x"}))
		c.equal("data.op", at(e, "data", "op"), r.op)
		c.equal("data.fields", at(e, "data", "fields"), arr{key})
	}
	all := obj{}
	for _, key := range r.keys {
		all[key] = "x"
	}
	sorted := slices.Sorted(slices.Values(r.keys))
	e := a.refused(-32006, "runner.invoke", from("screen", r.op, all))
	c.equal("data.fields", at(e, "data", "fields"), sorted)
	i.none(0, "action.invoke", "the screen authored its arguments")

	if r.off {
		e := a.refused(-32003, "runner.invoke", from("user", r.op, r.args))
		c.equal("reason", at(e, "data", "reason"), "disabled")
		e = a.refused(-32003, "runner.invoke", from("screen", r.op, obj{}))
		c.equal("reason", at(e, "data", "reason"), "disabled")
		i.none(0, "action.invoke", "the op is off")
		k.policy = fmt.Sprintf("enabled_ops = [%q]", r.op)
		second := c.launch(launch{config: k, otherHome: true})
		second.becomes("hands", "ok")
		i, a = p.instance(1), second.client()
	}
	id := a.ask("runner.invoke", from("user", r.op, r.args))
	if r.confirm {
		ask := a.next("host.confirm")
		c.equal("what is to be confirmed", ask.at("params", "op"), r.op)
		c.equal("with which arguments", ask.at("params", "args"), r.args)
		i.none(100e6, "action.invoke", "nobody has confirmed it")
		a.approve(ask)
	}
	a.result(a.answer(id), r.op+" of the user")
	m := i.next("action.invoke")
	c.equal("op", m.at("params", "op"), r.op)
	c.equal("args", m.at("params", "args"), r.args)
	c.equal("provenance", m.at("params", "provenance"), "user")
	if !r.confirm {
		a.none(0, "host.confirm", "the op needs no confirmation")
	}
}

// from is the params of runner.invoke of an op.
func from(provenance, op string, args obj) obj {
	return obj{"plugin": "hands", "method": "action.invoke",
		"params": obj{"op": op, "args": args, "provenance": provenance}}
}

func screenFirst(c *C) {
	p := hands(c)
	_, a := c.up(config{policy: `disabled_ops = ["scroll"]`, plugins: []entry{p.entry}})
	for _, op := range []string{"no.such.op", "terminal", "input", "scroll", "ensure_url"} {
		a.refused(-32006, "runner.invoke", from("screen", op, obj{"url": "javascript:x"}))
	}
	p.only().none(0, "action.invoke", "all were refused")
}

func screenAnyKey(c *C) {
	p := hands(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	for op, key := range map[string]string{"focus_app": "made_up", "scroll": "App", "click_point": "button", "media": "",
		"search": "engine", "key": "é"} {
		for _, value := range []any{"x", nil, false, 0, "", obj{}, arr{}} {
			e := a.refused(-32006, "runner.invoke", from("screen", op, obj{key: value}))
			c.equal("data.fields", at(e, "data", "fields"), arr{key})
		}
	}
	a.ok("runner.invoke", from("screen", "scroll", obj{})) // no argument: it may select
	c.equal("provenance", p.only().next("action.invoke").at("params", "provenance"), "screen")
}

func unknownOps(c *C) {
	p := hands(c)
	_, a := c.up(config{policy: `enabled_ops = ["rm_rf", "wait_for_it"]`, plugins: []entry{p.entry}})
	for _, op := range []string{"rm_rf", "wait_for_it", "no.such.op", "Terminal", "focus_app ", "actionfocus_app",
		"action.action.focus_app"} {
		a.refused(-32601, "runner.invoke", from("user", op, obj{}))
	}
	p.only().none(0, "action.invoke", "no op was known")
}

func disabledWins(c *C) {
	p := hands(c)
	_,
		a := c.up(config{plugins: []entry{p.entry}, policy: `enabled_ops = ["action.terminal", "scroll", "input"]
disabled_ops = ["action.scroll", "input", "media"]`})
	for _, op := range []string{"scroll", "input", "media", "action.media"} {
		e := a.refused(-32003, "runner.invoke", from("user", op, obj{}))
		c.equal("reason", at(e, "data", "reason"), "disabled")
	}
	id := a.ask("runner.invoke", from("user", "terminal", obj{"command": "ls"}))
	ask := a.next("host.confirm") // enabled, but still confirmed
	c.equal("op", ask.at("params", "op"), "terminal")
	a.approve(ask)
	a.result(a.answer(id), "an enabled terminal")
	c.want(len(p.only().all("action.invoke")) == 1, "an op that is off was run")
}

func schemes(c *C) {
	p := hands(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, op := range []string{"ensure_url", "open_url"} {
		for _, url := range []any{"", nil, 7, arr{"https://example.org"}} {
			a.refused(-32602, "runner.invoke", from("user", op, obj{"url": url}))
		}
		a.refused(-32602, "runner.invoke", from("user", op, obj{}))
		for _, url := range []string{"javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "FILE:///x",
			"ftp://example.org", "chrome://settings", "example.org", "//example.org", "httpsx://example.org"} {
			e := a.refused(-32003, "runner.invoke", from("user", op, obj{"url": url}))
			c.equal("reason", at(e, "data", "reason"), "scheme")
			allowed := fmt.Sprint(at(e, "data", "allowed"))
			c.want(strings.Contains(allowed, "https") && strings.Contains(allowed, "mailto"), "data.allowed is %s", allowed)
		}
	}
	p.only().none(0, "action.invoke", "all were refused")
	for _, url := range []string{"http://example.org", "HTTPS://EXAMPLE.ORG/é?q=a b", "MailTo:a@example.org"} {
		a.ok("runner.invoke", from("user", "ensure_url", obj{"url": url}))
		c.equal("the address", p.only().next("action.invoke").at("params", "args", "url"), url)
	}
}

func advertisedOps(c *C) {
	p := c.puppet("hands", "action", "notes.add")
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.ok("runner.invoke", from("user", "notes.add", obj{"text": "milk"}))
	a.none(0, "host.confirm", "nothing asks for a confirmation")
	a.refused(-32006, "runner.invoke", from("screen", "notes.add", obj{"text": "milk"}))
	a.ok("runner.invoke", from("screen", "notes.add", obj{}))
	c.want(len(p.only().all("action.invoke")) == 2, "the plugin was not asked twice")
}

func schemaChecked(c *C) {
	p := c.puppet("hands", "action", "notes.add")
	p.ops = arr{obj{"op": "notes.add", "side_effect": "note", "needs_confirm": false, "args": obj{
		"type": "object", "required": arr{"text"}, "additionalProperties": false,
		"properties": obj{"text": obj{"type": "string", "minLength": 1, "maxLength": 5},
			"count": obj{"type": "integer", "minimum": 1}, "kind": obj{"enum": arr{"a", "b"}},
			"tags": obj{"type": "array", "items": obj{"type": "string"}}},
	}}}
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, bad := range []obj{{}, {"text": ""}, {"text": "milk and"}, {"text": 7}, {"text": nil},
		{"text": "x", "more": 1}, {"text": "x", "count": 0}, {"text": "x", "count": 1.5}, {"text": "x", "kind": "c"},
		{"text": "x", "tags": arr{1}}, {"Text": "x"}} {
		a.refused(-32602, "runner.invoke", from("user", "notes.add", bad))
	}
	p.only().none(0, "action.invoke", "no arguments were valid")
	for _, good := range []obj{{"text": "éééé"}, {"text": "x", "count": 3, "kind": "b", "tags": arr{"t"}},
		{"text": "x", "count": 2.0}} {
		a.ok("runner.invoke", from("user", "notes.add", good))
		p.only().next("action.invoke")
	}
}

func badSchema(c *C) {
	p := c.puppet("hands", "action", "fine")
	p.ops = arr{}
	bad := map[string]any{
		"bad.type": obj{"type": "nonsense"}, "bad.text": "a schema", "bad.list": arr{},
		"bad.ref": obj{"$ref": "https://example.org/schema.json"}, "bad.file": obj{"$ref": "file:///etc/passwd"},
		"bad.big":     obj{"type": "object", "description": strings.Repeat("x", 65<<10)},
		"bad.pattern": obj{"properties": obj{"x": obj{"pattern": "("}}},
	}
	for op, schema := range bad {
		p.ops = append(p.ops, obj{"op": op, "side_effect": "test", "needs_confirm": false, "args": schema})
	}
	p.ops = append(p.ops, obj{"op": "fine", "side_effect": "test", "needs_confirm": false})
	_, a := c.up(config{plugins: []entry{p.entry}})
	for op := range bad {
		m := a.call("runner.invoke", from("user", op, obj{"x": "y"}))
		c.want(has(m.value, "error"), "the op %s is served although its schema is bad", op)
	}
	p.only().none(0, "action.invoke", "no schema was good")
	a.ok("runner.invoke", from("user", "fine", obj{"x": "y"}))
}

func confirmHints(c *C) {
	p := c.puppet("hands", "bundle", "notes.erase", "notes.add", "close_app").plans(obj{"op": "notes.add",
		"args": obj{"text": "x"}, "confirm": true})
	p.ops[0].(obj)["needs_confirm"] = true
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, op := range []string{"notes.erase", "close_app"} { // close_app says false, and is asked for all the same
		id := a.ask("runner.invoke", from("user", op, obj{}))
		ask := a.next("host.confirm")
		c.equal("op", ask.at("params", "op"), op)
		a.approve(ask)
		a.result(a.answer(id), op)
	}
	id := a.ask("runner.command", obj{"utterance": "x"})
	ask := a.next("host.confirm")
	c.equal("args", ask.at("params", "args"), obj{"text": "x"})
	a.approve(ask)
	c.equal("ok", at(a.result(a.answer(id), "the command"), "results", 0, "ok"), true)
	a.ok("runner.invoke", from("user", "notes.add", obj{"text": "y"}))
	a.none(0, "host.confirm", "nothing asks for a confirmation")
}

func refusalInResults(c *C) {
	var plan obj
	p := c.puppet("hands", "bundle", "focus_app", "terminal").plans()
	p.on["router.plan"] = func(*instance, *message) any { return obj{"steps": arr{plan}} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	for _, tt := range []struct {
		command string
		step    obj
		code    int
	}{
		{"user", step("terminal", obj{"command": "ls"}), -32003}, {"screen", step("terminal", obj{"command": "ls"}), -32006},
		{"user", step("no.such.op", obj{}), -32601}, {"user", step("ensure_url", obj{"url": "file:///x"}), -32003},
		{"user", step("ensure_url", obj{}), -32602},
	} {
		plan = tt.step
		first := at(a.ok("runner.command", obj{"utterance": "x", "provenance": tt.command}), "results", 0)
		c.equal("ok of "+toJSON(tt.step), at(first, "ok"), false)
		c.equal("code of "+toJSON(tt.step), at(first, "error", "code"), tt.code)
		c.equal("op", at(first, "op"), tt.step["op"])
	}
	p.only().none(0, "action.invoke", "all were refused")
}

func actionPrefix(c *C) {
	p := hands(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	a.refused(-32006, "runner.invoke", from("screen", "action.terminal", obj{"command": "ls"}))
	e := a.refused(-32003, "runner.invoke", from("user", "action.terminal", obj{"command": "ls"}))
	c.equal("reason", at(e, "data", "reason"), "disabled")
	e = a.refused(-32003, "runner.invoke", from("user", "action.ensure_url", obj{"url": "file:///x"}))
	c.equal("reason", at(e, "data", "reason"), "scheme")
	id := a.ask("runner.invoke", from("user", "action.close_app", obj{"app": "x"}))
	a.approve(a.next("host.confirm"))
	a.result(a.answer(id), "action.close_app")
	a.ok("runner.invoke", from("user", "action.focus_app", obj{"app": "x"}))
}
