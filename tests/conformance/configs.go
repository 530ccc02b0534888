package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

var configChecks = []check{
	{ID: "17.1", Title: "--check-config says config OK or config INVALID, and ends with 0 or 1",
		Catches: "a check that is always fine", Run: checkConfig},
	{ID: "17.2", Title: "an unknown key or a wrong type is an error with the line and the nearest key",
		Catches: "typing errors ignored in silence", Run: unknownKeys},
	{ID: "17.3", Title: "what is odd but works is a warning", Catches: "warnings that forbid", Run: configWarnings},
	{ID: "17.4", Title: "--check-config starts nothing",
		Catches: "plugins or a socket started for a check", Run: checkStartsNothing},
	{ID: "17.5", Title: "usage errors end with 2, an unreadable file on a normal start with 1",
		Catches: "other codes", Run: exitCodes},
	{ID: "17.6", Title: "the file may be given as an argument",
		Catches: "the old form of the command line refused", Run: configArgument},
	{ID: "17.7", Title: "a bad [[plugin]] takes away that plugin alone",
		Catches: "a runner that does not start for one entry", Run: badEntry},
	{ID: "17.8", Title: "an entrypoint that is a text is an argv of one",
		Catches: "a text split into characters or words", Run: textEntrypoint},
	{ID: "17.9", Title: "[plugins] disabled and enabled = false keep a plugin away",
		Catches: "switches without effect", Run: disabledPlugins},
	{ID: "17.10", Title: "SIGHUP: unchanged entries go on, changed ones restart, new ones start, removed ones end",
		Catches: "everything restarted, or nothing", Run: reload},
	{ID: "17.11", Title: "SIGHUP with an invalid file changes nothing",
		Catches: "a runner that loses its plugins for a typing error", Run: reloadInvalid},
	{ID: "17.12", Title: "SIGHUP puts a new policy in force", Catches: "a policy that needs a restart", Run: reloadPolicy},
	{ID: "17.13", Title: "without a file there is no plugin, and the runner serves",
		Catches: "a runner that needs a file", Run: noFile},
}

const one = "[[plugin]]\nid = \"one\"\nkind = \"action\"\nentrypoint = [\"true\"]\n"

func checkConfig(c *C) {
	for _, good := range []string{
		one, "",
		"[runner]\nrpc_timeout_ms = 5000\nconfirm_timeout_ms = 1000\nhandle_ttl = 10\nhandle_root = \"\"\n" +
			"lossy_queue = 16\ncredit_window = 8\nsocket_path = \"\"\n[security]\nenforce = \"auto\"\n[policy]\n" +
			"enabled_ops = [\"terminal\"]\ndisabled_ops = [\"action.scroll\"]\n[plugins]\ndisabled = []\n" + one,
		"[socket]\nallow_same_uid = true\n" + one,
		one +
			"provides = [\"action.open_url@1\"]\nrequires = [\"fs.tmp@1\"]\npermissions = [\"network\"]\n" +
			"read_paths = [\"/usr/share\"]\nwrite_paths = []\nenabled = true\ncwd = \"/\"\nruntime = \"subprocess\"\n" +
			"transport = \"stdio\"\n[plugin.env]\nA = \"b\"\n",
	} {
		code, out := c.exec(launch{text: good + "\n", args: nil, config: config{}}.check(c, good))
		c.want(code == 0 && strings.Contains(out, "config OK"), "a good file gives %d: %s\n%s", code, out, good)
	}
	for what, bad := range map[string]string{
		"no TOML": "[runner\n", "no id": "[[plugin]]\nkind = \"action\"\nentrypoint = [\"x\"]\n",
		"the same id twice": one + one, "an unknown transport": one + "transport = \"carrier-pigeon\"\n",
		"an empty entrypoint":      strings.Replace(one, `["true"]`, `[]`, 1),
		"no entrypoint":            "[[plugin]]\nid = \"one\"\nkind = \"action\"\n",
		"the name of a kind as id": strings.Replace(one, `"one"`, `"router"`, 1),
		"a bad id":                 strings.Replace(one, `"one"`, `"One two"`, 1),
		"an id of one letter":      strings.Replace(one, `"one"`, `"x"`, 1),
		"an unknown kind":          strings.Replace(one, `"action"`, `"magic"`, 1),
		"a bad enforce":            "[security]\nenforce = \"perhaps\"\n" + one,
	} {
		code, out := c.exec(launch{}.check(c, bad))
		c.want(code == 1 && strings.Contains(out, "config INVALID"), "%s gives %d: %s", what, code, out)
		c.want(!strings.Contains(out, "config OK"), "%s is both: %s", what, out)
	}
	code, out := c.exec(launch{args: []string{"--check-config", "--config", filepath.Join(c.dir, "is-not-there.toml")}})
	c.want(code == 1 && strings.Contains(out, "config INVALID"), "a file that is not there gives %d: %s", code, out)
}

// check is a launch that checks a file with that text.
func (l launch) check(c *C, text string) launch {
	c.worlds++
	file := filepath.Join(c.dir, fmt.Sprintf("check%d.toml", c.worlds))
	c.must(os.WriteFile(file, []byte(text), 0o600))
	l.args = []string{"--check-config", "--config", file}
	return l
}

func unknownKeys(c *C) {
	for _, tt := range []struct {
		text, line, near string
	}{
		{"[runner]\nrpc_timeout = 5\n" + one, ":2", "rpc_timeout_ms"}, {one + "entry_point = [\"x\"]\n", ":5", "entrypoint"},
		{"[policy]\nenabled_op = []\n" + one, ":2", "enabled_ops"},
		{"[runner]\nrpc_timeout_ms = \"soon\"\n" + one, ":2", "rpc_timeout_ms"},
		{one + "enabled = \"yes\"\n", ":5", "enabled"}, {"[socket]\n\nallow_sameuid = true\n" + one, ":3", "allow_same_uid"},
	} {
		code, out := c.exec(launch{}.check(c, tt.text))
		c.want(code == 1, "%q gives %d", tt.text, code)
		c.want(strings.Contains(out, tt.line) && strings.Contains(out, tt.near),
			"the message must name %s and %s: %s", tt.line, tt.near, out)
	}
}

func configWarnings(c *C) {
	for what, odd := range map[string]string{
		"no plugins": "[runner]\n", "a cwd that is not a folder": one + "cwd = \"/no/such/folder\"\n",
		"a [socket] that admits nobody": "[socket]\n" + one,
	} {
		code, out := c.exec(launch{}.check(c, odd))
		c.want(code == 0 && strings.Contains(out, "config OK"), "%s gives %d: %s", what, code, out)
		c.want(strings.TrimSpace(strings.ReplaceAll(out, "config OK", "")) != "", "%s is not warned about", what)
	}
	_, out := c.exec(launch{}.check(c, "[socket]\n"+one))
	c.want(strings.Contains(out, "every client will be rejected"), "the warning about [socket] is %s", out)
}

func checkStartsNothing(c *C) {
	marker := filepath.Join(c.dir, "started")
	text := config{plugins: []entry{{id: "one", kind: "action",
		argv: []string{"/bin/sh", "-c", "touch " + marker}}}}.toml()
	how := launch{}.check(c, text)
	how.otherHome = true
	r := c.launch(how)
	c.want(r.exits(c.patience) == 0, "a good file gives %d: %s", r.code, r.stderr.String())
	_, err := os.Stat(marker)
	c.want(os.IsNotExist(err), "the plugin was started")
	_, err = os.Lstat(r.socket)
	c.want(os.IsNotExist(err), "the socket was made")
}

func exitCodes(c *C) {
	file := filepath.Join(c.dir, "good.toml")
	c.must(os.WriteFile(file, []byte(one), 0o600))
	for _, args := range [][]string{{"--no-such-flag"}, {"--config"}, {"--log-level", "LOUD", "--config", file},
		{"--config", file, "--socket"}} {
		code, out := c.exec(launch{args: args})
		c.want(code == 2, "%v gives %d: %s", args, code, out)
	}
	bad := filepath.Join(c.dir, "bad.toml")
	c.must(os.WriteFile(bad, []byte("[runner\n"), 0o600))
	for _, args := range [][]string{{"--config", filepath.Join(c.dir, "none.toml")},
		{"--config", bad}, {"--config", c.dir}} {
		code, out := c.exec(launch{args: args})
		c.want(code == 1, "%v gives %d: %s", args, code, out)
	}
	for _, level := range []string{"DEBUG", "INFO", "WARNING", "ERROR"} {
		code, out := c.exec(launch{args: []string{"--check-config", "--log-level", level, "--config", file}})
		c.want(code == 0, "--log-level %s gives %d: %s", level, code, out)
	}
}

func configArgument(c *C) {
	p := c.puppet("one", "action", "focus_app")
	file := filepath.Join(c.dir, "as-argument.toml")
	c.must(os.WriteFile(file, []byte(config{plugins: []entry{p.entry}}.toml()), 0o600))
	r := c.launch(launch{args: []string{file}})
	r.becomes("one", "ok")
	code, out := c.exec(launch{args: []string{"--check-config", file}})
	c.want(code == 0, "--check-config FILE gives %d: %s", code, out)
}

func badEntry(c *C) {
	p := c.puppet("good", "action", "focus_app")
	bad := config{plugins: []entry{
		{id: "bad1", kind: "action", argv: []string{}}, {id: "bad2", kind: "magic", argv: []string{"true"}},
		{id: "bad3", kind: "action", argv: []string{"true"}, more: `transport = "smoke"`},
		{id: "bad4", kind: "action", argv: []string{"true"}, more: `no_such_key = 1`},
		{id: "bad5", kind: "action", argv: []string{"true"}, more: `runtime = "wasm"`}, p.entry,
	}}
	r := c.start(bad)
	r.becomes("good", "ok")
	r.client().ok("runner.invoke", invoke("good", "focus_app", obj{}))
	for n := 1; n <= 5; n++ {
		id := fmt.Sprintf("bad%d", n)
		if row := r.row(id); row != nil {
			c.equal("the status of "+id, at(row, "status"), "error")
			c.want(text(at(row, "reason")) != "", "%s has no reason: %s", id, toJSON(row))
		}
	}
}

func textEntrypoint(c *C) {
	program := filepath.Join(c.dir, "my plugin")
	p := c.puppet("one", "action", "focus_app")
	c.must(os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\nexec %s puppet %s\n", c.unruly, p.socket), 0o700))
	text := strings.Replace(config{plugins: []entry{p.entry}}.toml(), "entrypoint = "+toJSON(p.entry.argv),
		fmt.Sprintf("entrypoint = %q", program), 1)
	r := c.launch(launch{text: text})
	r.becomes("one", "ok")
}

func disabledPlugins(c *C) {
	p, q, on := c.puppet("one", "action", "focus_app"), c.puppet("two", "action", "focus_app"),
		c.puppet("three", "action", "focus_app")
	p.entry.more, q.entry.more = "enabled = false", "enabled = true"
	r := c.start(config{plugins: []entry{p.entry, q.entry, on.entry}, more: "[plugins]\ndisabled = [\"two\"]\n"})
	r.becomes("three", "ok")
	time.Sleep(100 * time.Millisecond)
	c.want(p.count() == 0 && q.count() == 0, "a disabled plugin was started")
	c.want(r.row("one") == nil && r.row("two") == nil, "a disabled plugin has a row")
	a := r.client()
	a.refused(-32005, "runner.invoke", obj{"plugin": "one", "method": "plugin.health"})
}

func reload(c *C) {
	same1, changed, removed, added := c.puppet("same", "action", "focus_app"), c.puppet("changed", "action", "focus_app"),
		c.puppet("removed", "action", "focus_app"), c.puppet("added", "action", "focus_app")
	r, a := c.up(config{plugins: []entry{same1.entry, changed.entry, removed.entry}})
	changed.entry.more = "[plugin.settings]\nx = 1\n"
	c.must(os.WriteFile(r.config, []byte(config{plugins: []entry{same1.entry, changed.entry, added.entry}}.toml()), 0o600))
	r.signal(syscall.SIGHUP)
	c.equal("the epoch of the changed one", changed.instance(1).next("protocol.hello").at("params", "epoch"), 1)
	r.becomes("added", "ok")
	r.becomes("changed", "ok")
	c.gone("the removed one", removed.only().pid, 6*time.Second)
	c.gone("the old process of the changed one", changed.instance(0).pid, 6*time.Second)
	c.within(c.patience, "the removed one has no row", func() bool { return r.row("removed") == nil })
	c.want(same1.count() == 1 && alive(same1.only().pid), "an unchanged plugin was restarted")
	a.ok("runner.invoke", invoke("same", "focus_app", obj{})) // on the same connection
}

func reloadInvalid(c *C) {
	p := c.puppet("one", "action", "focus_app")
	r, a := c.up(config{plugins: []entry{p.entry}})
	for _, bad := range []string{"[runner\n", "[runner]\nno_such_key = 1\n",
		config{plugins: []entry{p.entry, p.entry}}.toml()} {
		c.must(os.WriteFile(r.config, []byte(bad), 0o600))
		before := len(r.stderr.String())
		r.signal(syscall.SIGHUP)
		c.within(c.patience, "the mistake is logged", func() bool { return len(r.stderr.String()) > before })
		time.Sleep(100 * time.Millisecond)
		a.ok("runner.invoke", invoke("one", "focus_app", obj{}))
		c.want(p.count() == 1, "an invalid file restarted a plugin")
	}
	c.must(os.Remove(r.config))
	r.signal(syscall.SIGHUP)
	time.Sleep(200 * time.Millisecond)
	a.ok("runner.invoke", invoke("one", "focus_app", obj{}))
}

func reloadPolicy(c *C) {
	p := c.puppet("one", "action", "focus_app")
	k := config{plugins: []entry{p.entry}}
	r, a := c.up(k)
	a.ok("runner.invoke", invoke("one", "focus_app", obj{}))
	k.policy = `disabled_ops = ["focus_app"]`
	c.must(os.WriteFile(r.config, []byte(k.toml()), 0o600))
	r.signal(syscall.SIGHUP)
	c.within(c.patience, "the op is off", func() bool {
		return whole(a.call("runner.invoke", invoke("one", "focus_app", obj{})).at("error", "code")) == -32003
	})
	time.Sleep(200 * time.Millisecond)
	c.want(p.count() == 1, "a new policy restarted a plugin")
}

func noFile(c *C) {
	r := c.launch(launch{args: []string{}})
	c.equal("the plugins", at(r.client().ok("runner.plugins", obj{}), "plugins"), arr{})
}
