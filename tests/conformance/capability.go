package main

import "slices"

var capabilityChecks = []check{
	{ID: "5.1", Title: "provides, requires are the sorted union of hello and entry",
		Catches: "one of both lost, duplicates, no order", Run: unions},
	{ID: "5.2", Title: "an unknown capability is a warning, experimental/ is none",
		Catches: "plugins refused for what they have more; warnings about experiments", Run: unknownCapability},
	{ID: "5.3", Title: "a missing requirement keeps the plugin out, and is named",
		Catches: "a plugin that runs without what it needs", Run: missingRequirement},
	{ID: "5.4", Title: "fs.tmp@1, host.fd.pass@1 and host.audio.ringbuffer@1 are the runner's own",
		Catches: "the seed's plugin refused", Run: runnersOwn},
	{ID: "5.5", Title: "@2 is not @1", Catches: "versions compared as a minimum or not at all",
		Run: versionsOfCapabilities},
	{ID: "5.6", Title: "requirements are met by a later plugin, and in a circle",
		Catches: "an order of the configuration that matters", Run: requirementGraph},
	{ID: "5.7", Title: "who needs a plugin that is left out is left out too",
		Catches: "requirements met by plugins that do not run", Run: requirementChain},
	{ID: "5.8", Title: "runner.validate_plugin says version, unknown, missing and permissions",
		Catches: "a report that is always fine", Run: validatePlugin},
	{ID: "5.9", Title: "the entry alone grants permissions; what hello names besides is reported as not granted",
		Catches: "a plugin that grants itself permissions", Run: permissionsGranted},
}

func unions(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.hello.(obj)["provides"] = arr{"context.live@1", "action.focus_app@1", "experimental/b@1"}
	p.hello.(obj)["requires"] = arr{"fs.tmp@1", "context.live@1"}
	p.entry.provides = []string{"experimental/a@1", "action.focus_app@1"}
	p.entry.requires = []string{"host.fd.pass@1", "fs.tmp@1"}
	r, _ := c.up(config{plugins: []entry{p.entry}})
	row := r.row("one")
	c.equal("provides", at(row, "provides"),
		arr{"action.focus_app@1", "context.live@1", "experimental/a@1", "experimental/b@1"})
	c.equal("requires", at(row, "requires"), arr{"context.live@1", "fs.tmp@1", "host.fd.pass@1"})
}

func unknownCapability(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.hello.(obj)["provides"] = arr{"made.up@7", "experimental/New@3", "context.live@1"}
	_, a := c.up(config{plugins: []entry{p.entry}})
	v := a.ok("runner.validate_plugin", obj{"plugin": "one"})
	unknown := list(at(v, "unknown_capabilities"))
	c.want(slices.ContainsFunc(unknown, func(s any) bool { return s == "made.up@7" }),
		"made.up@7 is not in unknown_capabilities: %s", toJSON(v))
	c.want(!slices.ContainsFunc(unknown, func(s any) bool { return s == "experimental/New@3" || s == "context.live@1" }),
		"unknown_capabilities has too much: %s", toJSON(v))
	c.equal("ok", at(v, "ok"), true)
}

func missingRequirement(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.hello.(obj)["requires"] = arr{"fs.tmp@1", "tts.speak@1"}
	r := c.start(config{plugins: []entry{p.entry}})
	row := r.becomes("one", "error")
	a := r.client()
	v := a.ok("runner.validate_plugin", obj{"plugin": "one"})
	c.equal("missing_requires", at(v, "missing_requires"), arr{"tts.speak@1"})
	c.equal("ok", at(v, "ok"), false)
	c.want(text(at(row, "reason")) != "", "no reason: %s", toJSON(row))
	m := a.call("runner.invoke", invoke("one", "focus_app", obj{}))
	c.want(has(m.value, "error"), "a plugin that lacks what it requires is used: %s", m.body)
	p.only().none(0, "action.invoke", "it must not run")
}

func runnersOwn(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.entry.requires = []string{"fs.tmp@1", "host.fd.pass@1", "host.audio.ringbuffer@1"}
	c.up(config{plugins: []entry{p.entry}})
}

func versionsOfCapabilities(c *C) {
	p, q := c.puppet("one", "action", "focus_app"), c.puppet("two", "action", "focus_app")
	p.hello.(obj)["provides"] = arr{"tts.speak@2"}
	q.hello.(obj)["requires"] = arr{"tts.speak@1"}
	r := c.start(config{plugins: []entry{p.entry, q.entry}})
	r.becomes("one", "ok")
	r.becomes("two", "error")
}

func requirementGraph(c *C) {
	first, second, third := c.puppet("first", "action", "focus_app"), c.puppet("second", "tts"), c.puppet("third", "llm")
	first.hello.(obj)["requires"] = arr{"tts.speak@1"}
	second.hello.(obj)["provides"] = arr{"tts.speak@1"}
	second.hello.(obj)["requires"] = arr{"llm.choose@1"}
	third.hello.(obj)["provides"] = arr{"llm.choose@1"}
	third.hello.(obj)["requires"] = arr{"tts.speak@1"} // a circle with the second
	c.up(config{plugins: []entry{first.entry, second.entry, third.entry}})
}

func requirementChain(c *C) {
	first, second, alone := c.puppet("first", "action", "focus_app"), c.puppet("second", "tts"),
		c.puppet("alone", "context")
	first.hello.(obj)["requires"] = arr{"tts.speak@1"}
	second.hello.(obj)["provides"] = arr{"tts.speak@1"}
	second.hello.(obj)["requires"] = arr{"llm.choose@1"} // nobody has it
	r := c.start(config{plugins: []entry{first.entry, second.entry, alone.entry}})
	r.becomes("alone", "ok")
	r.becomes("second", "error")
	r.becomes("first", "error")
	v := r.watcher.ok("runner.validate_plugin", obj{"plugin": "first"})
	c.equal("missing_requires", at(v, "missing_requires"), arr{"tts.speak@1"})
}

func validatePlugin(c *C) {
	p := c.puppet("one", "action", "open_url") // a capability that the registry knows
	p.entry.permissions = []string{"network"}
	r, a := c.up(config{plugins: []entry{p.entry}})
	v := a.ok("runner.validate_plugin", obj{"plugin": "one"})
	c.equal("ok", at(v, "ok"), true)
	c.equal("negotiated", at(v, "negotiated"), obj{"protocol": "1.0", "abi": 1})
	c.equal("unknown_capabilities", at(v, "unknown_capabilities"), arr{})
	c.equal("missing_requires", at(v, "missing_requires"), arr{})
	c.equal("the permission", at(v, "permissions", 0, "name"), "network")
	a.refused(-32602, "runner.validate_plugin", obj{"plugin": "nobody"})
	a.refused(-32602, "runner.validate_plugin", obj{})
	p.only().kill() // ok means live
	c.within(c.patience, "validate says that the plugin is not ok", func() bool {
		return at(r.watcher.ok("runner.validate_plugin", obj{"plugin": "one"}), "ok") == false
	})
}

func permissionsGranted(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.hello.(obj)["permissions"] = arr{"network", "keyring"}
	p.entry.permissions = []string{"network", "clipboard"}
	r, a := c.up(config{plugins: []entry{p.entry}})
	want := map[string]bool{"network": true, "clipboard": true, "keyring": false}
	for _, where := range []any{r.row("one"), a.ok("runner.validate_plugin", obj{"plugin": "one"})} {
		got := map[string]bool{}
		for _, perm := range list(at(where, "permissions")) {
			granted, isBool := at(perm, "granted").(bool)
			got[text(at(perm, "name"))] = granted || !isBool
		}
		c.equal("the permissions granted", got, want)
	}
}
