package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// crashes starts an unruly plugin, lets it act, and waits for what must follow.
func crashes(c *C, mode string) (*runner, any) {
	r, a := c.up(config{plugins: []entry{c.unrulyEntry("one", mode)}})
	started := time.Now()
	e := a.refused(-32000, "runner.invoke", invoke("one", "focus_app", obj{"app": "x"}))
	c.want(time.Since(started) < 5*time.Second, "the crash was noticed after %v", time.Since(started))
	c.equal("outcome", at(e, "data", "outcome"), "unknown")
	c.within(c.patience, "the plugin is back with epoch 1",
		func() bool { return whole(at(r.row("one"), "epoch")) == 1 && r.status("one") == "ok" })
	return r, e
}

func crashInCall(c *C) { crashes(c, "crash") }

func garbageIsCrash(c *C) {
	crashes(c, "garbage")
	first := c.launch(launch{config: config{plugins: []entry{c.unrulyEntry("two", "garbage-first")}}, otherHome: true})
	c.within(c.patience, "garbage instead of a hello is an error", func() bool {
		s := first.status("two")
		return s == "error" || whole(at(first.row("two"), "epoch")) > 0
	})
}

func hugeIsCrash(c *C) {
	r, _ := crashes(c, "huge")
	c.want(c.memory(r.cmd.Process.Pid) < 200<<20, "the runner holds %d MiB", c.memory(r.cmd.Process.Pid)>>20)
}

func closedStdoutIsCrash(c *C) { crashes(c, "close-stdout") }

func killedInCall(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.on["action.invoke"] = func(*instance, *message) any { return held{} }
	_, a := c.up(config{plugins: []entry{p.entry}})
	id := a.ask("runner.invoke", invoke("one", "focus_app", obj{}))
	p.only().next("action.invoke")
	p.only().kill()
	e := a.failure(-32000, a.answer(id), "a call whose plugin was killed")
	c.equal("outcome", at(e, "data", "outcome"), "unknown")
	c.equal("the next epoch", p.instance(1).next("protocol.hello").at("params", "epoch"), 1)
	p.instance(1).none(300*time.Millisecond, "action.invoke", "a call is never repeated by itself")
}

func silentPlugin(c *C) {
	p := c.puppet("good", "action", "focus_app")
	silent := c.unrulyEntry("silent", "silent")
	silent.provides = nil
	r := c.start(config{runner: "rpc_timeout_ms = 500", plugins: []entry{silent, p.entry}})
	r.becomes("good", "ok")
	r.client().ok("runner.invoke", invoke("good", "focus_app", obj{}))
	c.within(c.patience, "a plugin that never answered is not starting for ever", func() bool {
		return r.status("silent") == "error" || whole(at(r.row("silent"), "epoch")) > 0
	})
}

func lateReplyHolds(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	id := a.ask("runner.invoke", complete(obj{"timeout_ms": 200}))
	first := p.only().next("llm.complete")
	a.failure(-32001, a.answer(id), "a call that is not answered")
	second := a.ask("runner.invoke", obj{"plugin": "one", "method": "llm.choose", "params": obj{"timeout_ms": 20_000}})
	p.only().none(700*time.Millisecond, "llm.choose", "the plugin has not ended the call before")
	p.only().give(first, obj{"text": "late"})
	a.result(a.answer(second), "the call behind the late reply")
	p.only().next("llm.choose")
	c.want(p.count() == 1, "a late reply is not a crash")
}

func neverRepliesRestarts(c *C) {
	p := slowPuppet(c)
	_, a := c.up(config{plugins: []entry{p.entry}})
	started := time.Now()
	id := a.ask("runner.invoke", complete(obj{"timeout_ms": 200}))
	p.only().next("llm.complete")
	a.failure(-32001, a.answer(id), "a call that is not answered")
	a.ask("runner.invoke", obj{"plugin": "one", "method": "llm.choose", "params": obj{"timeout_ms": 30_000}})
	first := p.only().pid
	c.within(20*time.Second, "the plugin is restarted", func() bool { return p.count() > 1 })
	c.want(time.Since(started) > 9*time.Second, "it was restarted after %v, must be 10 s", time.Since(started))
	c.gone("the process that hung", first, 6*time.Second)
}

func backOff(c *C) {
	p := c.puppet("one", "action", "focus_app")
	r := c.start(config{plugins: []entry{p.entry}})
	var births []time.Time
	var pauses []time.Duration
	// Given up is: no further start in three times the last pause, where the next
	// is not longer than twice that.
	for {
		patience := c.patience
		if n := len(pauses); n > 0 {
			patience = min(max(3*pauses[n-1], 3*time.Second), 90*time.Second)
		}
		started := time.Now()
		for p.count() == len(births) && time.Since(started) < patience {
			time.Sleep(5 * time.Millisecond)
			if time.Since(started) > 15*time.Second && time.Since(started)%time.Second < 10*time.Millisecond &&
				strings.Contains(text(at(r.row("one"), "reason")), "given up") {
				break // it says so itself, and has kept to it
			}
		}
		if p.count() == len(births) {
			break
		}
		births = append(births, time.Now())
		if n := len(births); n > 1 {
			pauses = append(pauses, births[n-1].Sub(births[n-2]).Round(time.Millisecond))
		}
		c.want(len(births) <= 20, "a plugin that crashes at once was started 20 times, after %v", pauses)
		i := p.instance(len(births) - 1)
		i.nextWithin(time.Second, "plugin.health")
		i.kill()
	}
	c.want(len(births) >= 3, "a plugin that crashed was started %d times", len(births))
	c.equal("the status of a plugin that was given up", r.status("one"), "error")
	for n := 2; n < len(pauses); n++ {
		c.want(pauses[n] > pauses[n-1]*5/4 || pauses[n] > 5*time.Second, "the pauses do not grow: %v", pauses)
	}
	r.client().ok("runner.plugin.restart", obj{"plugin": "one"}) // by hand it is tried again
	c.within(c.patience, "a restart by hand starts it", func() bool { return p.count() > len(births) })
}

func spawnFails(c *C) {
	p := c.puppet("good", "action", "focus_app")
	missing, folder := c.unrulyEntry("missing", "honest"), c.unrulyEntry("folder", "honest")
	missing.argv, folder.argv = []string{"/no/such/program"}, []string{c.dir}
	r := c.start(config{plugins: []entry{missing, folder, p.entry}})
	r.becomes("good", "ok")
	for _, id := range []string{"missing", "folder"} {
		c.want(text(at(r.becomes(id, "error"), "reason")) != "", "%s has no reason", id)
	}
	r.client().ok("runner.invoke", invoke("good", "focus_app", obj{}))
}

func crashesLeakNothing(c *C) {
	p := c.puppet("one", "action", "focus_app")
	r, a := c.up(config{plugins: []entry{p.entry}})
	pid := r.cmd.Process.Pid
	files := func() (n int) {
		_ = filepath.Walk(filepath.Join(c.dir), func(path string, _ os.FileInfo, err error) error {
			if err == nil && path != r.config {
				n++
			}
			return nil
		})
		return n
	}
	time.Sleep(100 * time.Millisecond)
	descriptors, before := c.descriptors(pid), files()
	var pids []int
	for n := range 20 {
		i := p.instance(n)
		pids = append(pids, i.pid)
		c.within(c.patience, "the new process is live",
			func() bool { return whole(at(r.row("one"), "epoch")) == int64(n) && r.status("one") == "ok" })
		i.kill()
		c.within(c.patience, "the crash is noticed", func() bool { return r.status("one") != "ok" })
		a.ok("runner.plugin.restart", obj{"plugin": "one"}) // by hand, or the pauses would take minutes
	}
	p.instance(20)
	r.becomes("one", "ok")
	for _, pid := range pids {
		c.gone("a process that crashed", pid, 2*time.Second)
	}
	c.within(5*time.Second, fmt.Sprintf("the runner has again the %d descriptors it had, has %d", descriptors,
		c.descriptors(pid)), func() bool { return c.descriptors(pid) <= descriptors+2 })
	c.want(files() <= before+1, "%d files and folders are left, there were %d", files(), before)
	zombies := 0
	entries, err := os.ReadDir("/proc")
	c.must(err)
	for _, e := range entries {
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		if _, rest, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(rest, fmt.Sprintf("Z %d ", pid)) {
			zombies++
		}
	}
	c.want(zombies == 0, "the runner has %d zombies", zombies)
}

func heartbeat(c *C) {
	p := c.puppet("idle", "llm").methods("llm.complete")
	q := c.puppet("busy", "tts").methods("llm.complete")
	q.on["llm.complete"] = func(*instance, *message) any { return held{} }
	_, a := c.up(config{plugins: []entry{p.entry, q.entry}})
	p.only().next("plugin.health")
	q.only().next("plugin.health") // those of the handshake
	id := a.ask("runner.invoke", obj{"plugin": "busy", "method": "llm.complete", "params": obj{"timeout_ms": 60_000}})
	m := q.only().next("llm.complete")
	if p.only().nextWithin(50*time.Second, "plugin.health") == nil {
		c.fail("an idle plugin was not asked for its health within 50 s")
	}
	q.only().none(0, "plugin.health", "a call is in flight")
	q.only().give(m, obj{"text": "done"})
	a.result(a.answer(id), "the long call")
	c.want(p.count() == 1 && q.count() == 1, "a plugin that was well was restarted")
}

func callsWhileDown(c *C) {
	p := c.puppet("one", "action", "focus_app")
	r, a := c.up(config{plugins: []entry{p.entry}})
	p.on["protocol.hello"] = func(*instance, *message) any { return held{} }
	p.only().kill()
	c.within(c.patience, "the crash is noticed", func() bool { return r.status("one") != "ok" })
	params := invoke("one", "focus_app", obj{})
	params["params"].(obj)["timeout_ms"] = 300
	e := a.call("runner.invoke", params).at("error")
	code := whole(at(e, "code"))
	c.want(code == -32000 || code == -32001, "a call of a plugin that is down gives %s", toJSON(e))
	if outcome := at(e, "data", "outcome"); outcome != nil {
		c.equal("outcome", outcome, "not_started")
	}
}
