package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

var processChecks = []check{
	{ID: "16.1", Title: "argv is executed as it stands, without a shell",
		Catches: "a shell, split or expanded arguments", Run: argvAsIs},
	{ID: "16.2", Title: "an entrypoint with a slash is found from the runner's folder, cwd is the plugin's",
		Catches: "entrypoints resolved in the plugin's folder", Run: workingFolders},
	{ID: "16.3", Title: "the environment is a short list, with pass_env and env of the entry",
		Catches: "secrets of the runner's environment in every plugin", Run: environments},
	{ID: "16.4", Title: "TMPDIR is the plugin's own and gone with it",
		Catches: "a folder shared or left behind", Run: privateTemporary},
	{ID: "16.5", Title: "a plugin is asked to shut down before its input ends",
		Catches: "an end without notice", Run: shutdownFirst},
	{ID: "16.6", Title: "a crash in a call is -32000 with outcome unknown; the plugin comes back with epoch + 1",
		Catches: "a call that hangs or is said not to have begun; a plugin that stays away", Run: crashInCall},
	{ID: "16.7", Title: "kill -9 in a call is the same", Catches: "only exits noticed", Run: killedInCall},
	{ID: "16.8", Title: "garbage on standard output is a crash",
		Catches: "a wedged plugin that is called alive", Run: garbageIsCrash},
	{ID: "16.9", Title: "a huge Content-Length is a crash at once",
		Catches: "waiting for 99,999,999,999 bytes, or making room for them", Run: hugeIsCrash},
	{ID: "16.10", Title: "a closed standard output is a crash, and the process is ended",
		Catches: "a plugin that is alive and cannot speak", Run: closedStdoutIsCrash},
	{ID: "16.11", Title: "a plugin that never answers harms nobody",
		Catches: "a runner or neighbour that waits for it", Run: silentPlugin},
	{ID: "16.12", Title: "a call that timed out holds the plugin's next until the late reply",
		Catches: "a plugin that is given a second task while it is stuck in the first", Run: lateReplyHolds},
	{ID: "16.13", Title: "without the late reply the plugin is restarted after 10 s",
		Catches: "a plugin that is stuck for ever", Run: neverRepliesRestarts},
	{ID: "16.14", Title: "a flood of notifications harms nobody", Catches: "memory or time lost to a plugin that shouts",
		Run: floodHarmless, Alone: true},
	{ID: "16.15", Title: "error output is logged line by line, cut at 4 KiB, control characters escaped",
		Catches: "a terminal driven by a plugin's log", Run: stderrLogged},
	{ID: "16.16", Title: "a plugin that ignores end of input and SIGTERM is killed in time, several at once",
		Catches: "a runner that does not end, or ends one after another", Run: deafKilled},
	{ID: "16.17", Title: "children of a plugin go with it", Catches: "grandchildren that survive", Run: childrenGo},
	{ID: "16.18", Title: "a plugin that keeps crashing is restarted ever later, and given up",
		Catches: "a restart loop", Run: backOff},
	{ID: "16.19", Title: "a program that is not there is that plugin's error alone",
		Catches: "a runner that ends with it", Run: spawnFails},
	{ID: "16.20", Title: "SIGTERM and SIGINT end the runner with 0 and every plugin with it",
		Catches: "another code, processes left behind", Run: signalsEnd},
	{ID: "16.21", Title: "a plugin that connects, and one that listens, work like one on stdio",
		Catches: "socket transports without effect", Run: socketTransports},
	{ID: "16.22", Title: "twenty crashes leave no process, descriptor or file",
		Catches: "anything leaked with a restart", Run: crashesLeakNothing},
	{ID: "16.23", Title: "a wrong id does not stand in for the answer",
		Catches: "answers matched by order instead of id", Run: wrongIDs},
	{ID: "16.24", Title: "a plugin that lies about its capabilities gets nothing that its entry does not give",
		Catches: "hello believed", Run: liarGetsNothing},
	{ID: "16.25", Title: "an idle plugin is asked for its health, a busy one is not",
		Catches: "no heartbeat; a heartbeat that takes work for silence", Run: heartbeat},
	{ID: "16.26", Title: "a call of a plugin that is down is -32000, not started",
		Catches: "an outcome that says unknown of what never began", Run: callsWhileDown},
}

func argvAsIs(c *C) {
	p := c.puppet("one", "action", "focus_app")
	odd := []string{"a b", "$HOME", "*", "; touch x", "'\"", "", "é", "--", "~"}
	p.entry.argv = append(p.entry.argv, odd...)
	c.up(config{plugins: []entry{p.entry}})
	c.equal("the arguments", p.only().args[3:], odd)
}

func workingFolders(c *C) {
	p := c.puppet("one", "action", "focus_app")
	base, own := filepath.Join(c.dir, "base"), filepath.Join(c.dir, "own")
	for _, dir := range []string{filepath.Join(base, "bin"), own} {
		c.must(os.MkdirAll(dir, 0o700))
	}
	c.must(os.Symlink(c.unruly, filepath.Join(base, "bin", "plugin")))
	p.entry.argv[0] = "bin/plugin"
	p.entry.more = fmt.Sprintf("cwd = %q", own)
	r := c.launch(launch{config: config{plugins: []entry{p.entry}}, cwd: base})
	r.becomes("one", "ok")
	c.equal("the plugin's folder", p.only().cwd, own)
	q := c.puppet("two", "action", "focus_app")
	second := c.launch(launch{config: config{plugins: []entry{q.entry}}, cwd: base, otherHome: true})
	second.becomes("two", "ok")
	c.equal("the folder of a plugin without cwd", q.only().cwd, base)
}

func environments(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.entry.more = "pass_env = [\"PASSED_ON\"]\n[plugin.env]\nOWN = \"é x\"\nLANG = \"de_DE.UTF-8\"\n"
	r := c.launch(launch{config: config{plugins: []entry{p.entry}},
		env: []string{"SECRET=geheim", "PASSED_ON=yes", "DBUS_SESSION_BUS_ADDRESS=unix:path=/x", "WAYLAND_DISPLAY=wayland-9",
			"LD_PRELOAD_X=1", "LC_TIME=C.UTF-8", "TZ=UTC", "PYTHONPATH=:/somewhere::", "SSH_AUTH_SOCK=/x"}})
	r.becomes("one", "ok")
	env := p.only().env
	for _, name := range []string{"SECRET", "DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "SSH_AUTH_SOCK",
		"LD_PRELOAD_X", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "UTTER_RUNNER_SOCK"} {
		_, there := env[name]
		c.want(!there, "%s=%s is in the plugin's environment", name, env[name])
	}
	for name, want := range map[string]string{"PASSED_ON": "yes", "OWN": "é x", "LANG": "de_DE.UTF-8",
		"LC_TIME": "C.UTF-8", "TZ": "UTC", "HOME": r.home, "UTTER_PLUGIN_ID": "one"} {
		c.equal(name, env[name], want)
	}
	c.want(env["UTTER_PLUGIN_COOKIE"] != "", "there is no UTTER_PLUGIN_COOKIE")
	parts := strings.Split(env["PYTHONPATH"], ":")
	c.want(len(parts) >= 2 && !slices.Contains(parts, ""),
		"PYTHONPATH is %q: the repository first, then the old one without its empty parts", env["PYTHONPATH"])
	c.equal("the end of PYTHONPATH", parts[len(parts)-1], "/somewhere")
}

func privateTemporary(c *C) {
	p, q := c.puppet("one", "action", "focus_app"), c.puppet("two", "action", "focus_app")
	r, _ := c.up(config{plugins: []entry{p.entry, q.entry}})
	tmp := p.only().env["TMPDIR"]
	info, err := os.Stat(tmp)
	c.want(err == nil && info.IsDir() && info.Mode().Perm() == 0o700,
		"TMPDIR %q must be a folder with mode 0700: %v", tmp, err)
	c.want(tmp != q.only().env["TMPDIR"] && tmp != filepath.Join(c.dir, "tmp"), "TMPDIR %q is not the plugin's own", tmp)
	c.must(os.WriteFile(filepath.Join(tmp, "x"), nil, 0o600))
	p.only().kill()
	p.instance(1)
	_, err = os.Stat(filepath.Join(tmp, "x"))
	c.want(os.IsNotExist(err), "what a process left in its TMPDIR is still there: %v", err)
	last := p.instance(1).env["TMPDIR"]
	r.signal(syscall.SIGTERM)
	r.exits(c.patience)
	for _, dir := range []string{last, q.only().env["TMPDIR"]} {
		_, err = os.Stat(dir)
		c.want(os.IsNotExist(err), "%s is left behind", dir)
	}
}

func shutdownFirst(c *C) {
	for _, answer := range []any{obj{}, failure{-32601, "method not found: shutdown", nil},
		failure{-32000, "method not found: shutdown", nil}} {
		c.worlds++
		p := c.puppet(fmt.Sprintf("one%d", c.worlds), "action", "focus_app")
		p.on["shutdown"] = func(*instance, *message) any { return answer }
		r := c.launch(launch{config: config{plugins: []entry{p.entry}}, otherHome: true})
		r.becomes(p.id, "ok")
		started := time.Now()
		r.signal(syscall.SIGTERM)
		m := p.only().next("shutdown")
		c.want(m.id() != "", "shutdown is a notification: %s", m.body)
		p.only().closes(c.patience)
		c.want(r.exits(c.patience) == 0, "the runner ends with %d", r.code)
		c.want(time.Since(started) < 1500*time.Millisecond,
			"a plugin that agreed to end was waited for %v", time.Since(started))
	}
}

func floodHarmless(c *C) {
	p := c.puppet("good", "action", "scroll")
	r, a := c.up(config{plugins: []entry{c.unrulyEntry("flood", "flood"), p.entry}})
	before := c.memory(r.cmd.Process.Pid)
	worst := time.Duration(0)
	for started := time.Now(); time.Since(started) < 3*time.Second; {
		asked := time.Now()
		a.ok("runner.invoke", invoke("good", "scroll", obj{}))
		worst = max(worst, time.Since(asked))
		time.Sleep(20 * time.Millisecond)
	}
	c.want(worst < 2*time.Second, "beside a flood a call took %v", worst)
	grown := c.memory(r.cmd.Process.Pid) - before
	c.want(grown < 64<<20, "a flood made the runner grow by %d MiB", grown>>20)
}

func stderrLogged(c *C) {
	r, _ := c.up(config{plugins: []entry{c.unrulyEntry("noisy", "noise")}})
	var line string
	c.within(c.patience, "the plugin's lines are in the runner's log", func() bool {
		for l := range strings.Lines(r.stderr.String()) {
			if strings.Contains(l, "unruly noise") && strings.HasSuffix(l, "\n") {
				line = l
				return true
			}
		}
		return false
	})
	c.want(strings.Contains(line, "noisy"), "the line does not say which plugin: %s", clip(line, 200))
	c.want(!strings.ContainsAny(line, "\x1b\a"), "the line has control characters: %q", clip(line, 200))
	c.want(len(line) < 6<<10, "a line of 20 KiB is logged with %d bytes", len(line))
}

func deafKilled(c *C) {
	pids := []int{}
	var plugins []entry
	for n := range 3 {
		pidFile := filepath.Join(c.dir, fmt.Sprintf("pid%d", n))
		e := c.unrulyEntry(fmt.Sprintf("deaf%d", n), "deaf")
		// The shell writes its number, which the plugin keeps.
		e.argv = []string{"/bin/sh", "-c", fmt.Sprintf("echo $$ > %s; exec %s deaf", pidFile, c.unruly)}
		plugins = append(plugins, e)
	}
	r, _ := c.up(config{plugins: plugins})
	for n := range 3 {
		pids = append(pids, c.pidIn(filepath.Join(c.dir, fmt.Sprintf("pid%d", n))))
	}
	started := time.Now()
	r.signal(syscall.SIGTERM)
	c.want(r.exits(12*time.Second) == 0, "the runner ends with %d", r.code)
	took := time.Since(started)
	c.want(took < 6*time.Second, "three plugins that ignore everything took %v, must be about 3 s", took)
	for _, pid := range pids {
		c.want(!alive(pid), "process %d is left behind", pid)
	}
}

func childrenGo(c *C) {
	file := filepath.Join(c.dir, "child")
	r, a := c.up(config{plugins: []entry{c.unrulyEntry("forker", "forker", file)}})
	first := c.pidIn(file)
	c.want(alive(first), "the child is gone before its time")
	c.must(os.Remove(file))
	a.ok("runner.plugin.restart", obj{"plugin": "forker"})
	c.gone("the child of a plugin that was restarted", first, 6*time.Second)
	second := c.pidIn(file)
	r.signal(syscall.SIGTERM)
	r.exits(c.patience)
	c.gone("the child of a plugin that was stopped", second, 2*time.Second)
}

func signalsEnd(c *C) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		c.worlds++
		p := c.puppet(fmt.Sprintf("one%d", c.worlds), "action", "focus_app")
		p.on["action.invoke"] = func(*instance, *message) any { return held{} }
		r := c.launch(launch{config: config{plugins: []entry{p.entry}}, otherHome: true})
		r.becomes(p.id, "ok")
		a := r.client()
		a.ask("runner.invoke", invoke(p.id, "focus_app", obj{}))
		p.only().next("action.invoke")
		r.signal(s)
		c.want(r.exits(c.patience) == 0, "%v ends the runner with %d", s, r.code)
		a.closes(time.Second)
		c.gone("the plugin", p.only().pid, time.Second)
	}
}

func socketTransports(c *C) {
	for _, transport := range []string{"connect", "listen"} {
		p := c.puppet(transport+"s", "action", "focus_app")
		p.entry.more = fmt.Sprintf("transport = %q", transport)
		r := c.launch(launch{config: config{plugins: []entry{p.entry}}, otherHome: true})
		r.becomes(p.id, "ok")
		env := p.only().env
		c.equal("UTTER_PLUGIN_TRANSPORT", env["UTTER_PLUGIN_TRANSPORT"], transport)
		c.want(mode(c, filepath.Dir(env["UTTER_PLUGIN_SOCKET"])) == 0o700, "its folder has mode %v",
			mode(c, filepath.Dir(env["UTTER_PLUGIN_SOCKET"])))
		a := r.client()
		a.ok("runner.invoke", invoke(p.id, "focus_app", obj{}))
		p.only().kill()
		p.instance(1)
		r.becomes(p.id, "ok")
		a.ok("runner.invoke", invoke(p.id, "focus_app", obj{}))
	}
}

func wrongIDs(c *C) {
	r := c.start(config{plugins: []entry{c.unrulyEntry("one", "bad-ids")}})
	r.becomes("one", "ok")
	got := r.client().ok("runner.invoke", invoke("one", "focus_app", obj{}))
	c.equal("the answer", at(got, "detail"), "unruly did focus_app")
}

func liarGetsNothing(c *C) {
	p := c.puppet("honest", "router").plans(step("terminal", obj{"command": "ls"}))
	liar := c.unrulyEntry("liar", "liar")
	r := c.start(config{plugins: []entry{liar, p.entry}})
	r.becomes("liar", "ok")
	r.becomes("honest", "ok")
	a := r.client()
	first := at(a.ok("runner.command", obj{"utterance": "x"}), "results", 0)
	c.equal("the code of a terminal step", at(first, "error", "code"), -32003)
	m := a.call("runner.invoke", invoke("liar", "close_app", obj{"app": "x"}))
	c.want(has(m.value, "error"), "close_app is served by a plugin whose entry does not provide it: %s", m.body)
	for _, perm := range list(at(r.row("liar"), "permissions")) {
		c.equal("granted", at(perm, "granted"), false)
		c.want(at(perm, "enforced") != true, "a permission that was not granted is enforced: %s", toJSON(perm))
	}
	a.refused(-32601, "runner.invoke",
		obj{"plugin": "liar", "method": "files.erase", "params": obj{"provenance": "user"}}) // it says so itself
}
