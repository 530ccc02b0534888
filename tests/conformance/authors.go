package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var authorChecks = []check{
	{ID: "A.1", Title: "the guide's skeleton, with only its header split mended, runs with the guide's configuration",
		Catches: "a runner that existing plugins do not run on", Run: func(c *C) { skeleton(c, "seed_py") }},
	{ID: "A.2", Title: "a plugin that knows Content-Length in that very case alone runs too",
		Catches: "a header of another case to plugins", Run: func(c *C) { skeleton(c, "strict_py") }},
	{ID: "A.3", Title: "hello_py: plans, acts, streams both ways, ends with its input",
		Catches: "a runner that only the suite's own plugins run on", Run: helloPython},
	{ID: "A.4", Title: "hello_rs: the same in Rust", Catches: "a runner that Python alone runs on", Run: helloRust},
	{ID: "A.5", Title: "where only python3 is, an entrypoint python is an error that says so",
		Catches: "a plugin that does not start and nobody knows why", Run: onlyPython3},
}

// python is the interpreter itself: a shim in PATH wants a home of its own.
func python(c *C) string {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		c.skip("there is no python3")
	}
	return strings.TrimSpace(string(out))
}

// authored is an entry for a plugin of ours, with what its manifest says.
func authored(c *C, name string, argv ...string) entry {
	manifest, err := os.ReadFile(filepath.Join(c.repo, "tests/plugins", name, "utter-plugin.toml"))
	c.must(err)
	var more []string
	for line := range strings.Lines(string(manifest)) {
		for _, key := range []string{"runtime", "transport", "provides", "requires"} {
			if strings.HasPrefix(line, key+" ") {
				more = append(more, strings.TrimSpace(line))
			}
		}
	}
	return entry{id: "hello", kind: "bundle", argv: argv, more: strings.Join(more, "\n")}
}

// youtube is the thread that the guide builds.
func youtube(c *C, a *link) {
	got := a.ok("runner.command", obj{"utterance": "open youtube"})
	c.want(len(list(at(got, "results"))) == 1, "open youtube gives %s", toJSON(got))
	c.equal("op", at(got, "results", 0, "op"), "ensure_url")
	c.equal("ok", at(got, "results", 0, "ok"), true)
	c.equal("detail", at(got, "results", 0, "detail"), "opened https://www.youtube.com")
	c.equal("results of gibberish", at(a.ok("runner.command", obj{"utterance": "xyzzy"}), "results"), arr{})
	screen := at(a.ok("runner.command", obj{"utterance": "open youtube", "provenance": "screen"}), "results", 0)
	c.equal("the code from the screen", at(screen, "error", "code"), -32006)
	c.equal("ok of validate", at(a.ok("runner.validate_plugin", obj{"plugin": "hello"}), "ok"), true)
}

// ends fails the check unless the plugin went by itself when it was asked.
func ends(c *C, r *runner) {
	started := time.Now()
	c.must(r.cmd.Process.Signal(os.Interrupt))
	c.want(r.exits(c.patience) == 0, "the runner ends with %d", r.code)
	c.want(time.Since(started) < 2*time.Second,
		"the plugin did not end with its input: the runner took %v", time.Since(started))
}

func skeleton(c *C, name string) {
	e := authored(c, name, python(c), "tests/plugins/"+name+"/plugin.py")
	r, a := c.up(config{plugins: []entry{e}})
	row := r.row("hello")
	shared := 0
	for _, p := range list(at(row, "provides")) {
		for _, q := range list(at(row, "requires")) {
			if same(p, q) {
				shared++
			}
		}
	}
	c.want(shared > 0, "provides and requires have nothing in common: %s", toJSON(row))
	youtube(c, a)
	c.equal("health", at(a.ok("runner.invoke", obj{"plugin": "hello", "method": "plugin.health"}), "status"), "ok")
	c.equal("a snapshot", at(a.ok("runner.invoke", obj{"plugin": "hello", "method": "context.snapshot"}), "clipboard"), "")
	terminal := a.refused(-32003, "runner.invoke", obj{"plugin": "hello", "method": "action.invoke",
		"params": obj{"op": "terminal", "args": obj{"command": "ls"}, "provenance": "user"}})
	c.equal("reason", at(terminal, "data", "reason"), "disabled")
	ends(c, r)
}

// counts reads both kinds of stream from a plugin that counts.
func counts(c *C, a *link) {
	const frames = 500
	sub := a.ok("stream.subscribe", obj{"method": "hello.count", "mode": "reliable", "params": obj{"frames": frames}})
	for n := 1; n <= frames; n++ {
		m := a.next("hello.count")
		c.equal("seq", m.at("params", "seq"), n)
		c.equal("count", m.at("params", "data", "count"), n)
		if n == 64 {
			a.none(100*time.Millisecond, "hello.count", "nothing is acknowledged")
		}
		if n >= 64 && n%32 == 0 {
			a.ok("stream.ack", obj{"stream_id": at(sub, "stream_id"), "seq": n})
		}
	}
	c.equal("last_seq", a.next("stream.end").at("params", "last_seq"), frames)
	a.ok("stream.subscribe", obj{"method": "hello.ticks", "params": obj{"frames": frames}})
	last := 0
	for last < frames {
		m := a.next("hello.ticks")
		seq := int(whole(m.at("params", "seq")))
		c.want(seq > last, "seq %d behind %d", seq, last)
		last = seq
	}
}

func helloPython(c *C) {
	e := authored(c, "hello_py", python(c), "plugin.py")
	e.more += fmt.Sprintf("\ncwd = %q\n[plugin.settings]\nnotes = %q", filepath.Join(c.repo, "tests/plugins/hello_py"),
		filepath.Join(c.dir, "notes"))
	r, a := c.up(config{plugins: []entry{e}})
	youtube(c, a)
	c.equal("ok", at(a.ok("runner.command", obj{"utterance": "note buy milk, é"}), "results", 0, "ok"), true)
	note, err := os.ReadFile(filepath.Join(c.dir, "notes"))
	c.want(err == nil && string(note) == "buy milk, é\n", "the note is %q, %v", note, err)
	counts(c, a)
	ends(c, r)
}

func helloRust(c *C) {
	program := filepath.Join(c.repo, "tests/plugins/hello_rs/target/release/hello_rs")
	if _, err := os.Stat(program); err != nil {
		c.skip("it is not built: cargo build --release --manifest-path tests/plugins/hello_rs/Cargo.toml")
	}
	r, a := c.up(config{plugins: []entry{authored(c, "hello_rs", program)}})
	youtube(c, a)
	counts(c, a)
	ends(c, r)
}

func onlyPython3(c *C) {
	dir := filepath.Join(c.dir, "bin")
	c.must(os.Mkdir(dir, 0o700))
	c.must(os.Symlink(python(c), filepath.Join(dir, "python3")))
	e := authored(c, "seed_py", "python", "tests/plugins/seed_py/plugin.py")
	r := c.launch(launch{config: config{plugins: []entry{e}}, env: []string{"PATH=" + dir}})
	reason := text(at(r.becomes("hello", "error"), "reason"))
	c.want(strings.Contains(reason, "python3"), "the reason does not name python3: %q", reason)
}
