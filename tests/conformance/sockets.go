package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

var socketChecks = []check{
	{ID: "15.1", Title: "folder 0700, socket and token 0600, a new token at each start",
		Catches: "a socket or token that others can use; a token that outlives its runner", Run: socketModes},
	{ID: "15.2", Title: "without a [socket] table nothing is served before the right token",
		Catches: "every process of the user admitted", Run: tokenNeeded},
	{ID: "15.3", Title: "runner.auth works once and is unknown afterwards",
		Catches: "a token that can be tried on and on", Run: authOnce},
	{ID: "15.4", Title: "[socket] allow_same_uid admits without a token",
		Catches: "a setting without effect", Run: sameUID},
	{ID: "15.5", Title: "[socket] token admits with that token",
		Catches: "a setting without effect", Run: configuredToken},
	{ID: "15.6", Title: "[socket] that admits nobody closes at once",
		Catches: "a default that is open", Run: emptySocketTable},
	{ID: "15.7", Title: "[socket] allow_binaries closes to others, even with the token",
		Catches: "a list without effect", Run: allowBinaries},
	{ID: "15.8",
		Title:   "more than 1,000 requests in 10 s are -32003 rate_limited; stream.ack and notifications do not count",
		Catches: "no limit, or one that stops reliable streams", Run: rateLimit, Alone: true},
	{ID: "15.9", Title: "who connects and says nothing is closed after 10 s, an authenticated one is not",
		Catches: "connections held for nothing", Run: silentClosed},
	{ID: "15.10", Title: "a frame that is begun must be ended within 30 s",
		Catches: "a client that drips bytes", Run: slowFrame},
	{ID: "15.11", Title: "a second runner finds the first and leaves it alone",
		Catches: "a socket taken over", Run: secondRunner},
	{ID: "15.12", Title: "a socket that a dead runner left is replaced, and an end removes its own",
		Catches: "a runner that does not start after a crash; files left behind", Run: staleSocket},
	{ID: "15.13", Title: "--socket before socket_path before UTTER_RUNNER_SOCK before the runtime folder",
		Catches: "another order", Run: socketPaths},
	{ID: "15.14", Title: "without XDG_RUNTIME_DIR the folder in the temporary one must be ours, 0700 and no link",
		Catches: "a folder that somebody else prepared", Run: temporaryFolder},
	{ID: "15.15", Title: "1,000 clients at a time are all answered", Catches: "a runner that serves one after another",
		Run: thousandClients, Alone: true},
	{ID: "15.16", Title: "at most 2,048 connections, and the others go on", Catches: "descriptors used up by one process",
		Run: manyConnections, Alone: true},
	{ID: "15.17", Title: "bodies of all clients together stay under 128 MiB", Catches: "memory that clients decide about",
		Run: bodiesBounded, Alone: true},
	{ID: "15.18", Title: "a client that does not read harms nobody",
		Catches: "one full socket that blocks the runner", Run: deafClient},
}

func mode(c *C, path string) os.FileMode {
	info, err := os.Lstat(path)
	if err != nil {
		c.fail("%v", err)
	}
	return info.Mode().Perm()
}

func socketModes(c *C) {
	r := c.start(config{})
	r.client()
	c.want(mode(c, filepath.Join(r.runtime, "utter")) == 0o700, "the folder has mode %v",
		mode(c, filepath.Join(r.runtime, "utter")))
	c.want(mode(c, r.socket) == 0o600, "the socket has mode %v", mode(c, r.socket))
	first := r.token("token")
	c.want(mode(c, filepath.Join(r.runtime, "utter/token")) == 0o600, "the token has mode %v",
		mode(c, filepath.Join(r.runtime, "utter/token")))
	c.want(len(first) >= 22, "the token %q can be guessed", first)
	r.signal(syscall.SIGTERM)
	r.exits(c.patience)
	again := c.start(config{})
	again.connect().Close()
	c.within(c.patience, "the second start has another token", func() bool { return again.token("token") != first })
	l := again.dial()
	l.refused(-32003, "runner.auth", obj{"token": first})
}

func tokenNeeded(c *C) {
	p := c.puppet("one", "bundle", "focus_app").plans(step("focus_app", obj{}))
	r, _ := c.up(config{plugins: []entry{p.entry}})
	a := r.dial()
	for method, params := range map[string]obj{
		"runner.status": {}, "runner.plugins": {}, "runner.command": {"utterance": "x"},
		"runner.invoke": invoke("one", "focus_app", obj{}), "handle.create": {"data": "x"},
		"stream.subscribe": {"method": "runner.event"}, "fd.pass": {"kind": "memfd", "meta": obj{}},
		"runner.confirmer.register": {"token": r.token("confirm-token")}, "no.such.method": {},
	} {
		m := a.call(method, params)
		e := a.failure(-32003, m, method+" before runner.auth")
		c.equal("reason", at(e, "data", "reason"), "unauthenticated")
		c.want(len(m.files) == 0, "a descriptor came")
	}
	for _, wrong := range []any{"", nil, 7, "x", r.token("token") + "x", r.token("token")[1:], r.token("confirm-token"),
		strings.ToUpper(r.token("token")) + "Z"} {
		b := r.dial()
		m := b.call("runner.auth", obj{"token": wrong})
		c.want(has(m.value, "error"), "the token %v is taken", wrong)
		c.want(has(b.call("runner.status", obj{}).value, "error"), "a wrong token admits")
	}
	p.only().none(0, "action.invoke", "nobody was authenticated")
	p.only().none(0, "router.plan", "nobody was authenticated")
	a.ok("runner.auth", obj{"token": r.token("token")})
	a.served()
}

func authOnce(c *C) {
	r := c.start(config{})
	a := r.dial()
	c.equal("the answer to runner.auth", a.ok("runner.auth", obj{"token": r.token("token")}), obj{})
	a.refused(-32601, "runner.auth", obj{"token": r.token("token")})
	a.refused(-32601, "runner.auth", obj{"token": "x"})
	a.served()
}

func sameUID(c *C) {
	r := c.start(config{}.withSocket("allow_same_uid = true"))
	a := r.dial()
	a.served()
	a.refused(-32601, "runner.auth", obj{"token": "x"})
}

func configuredToken(c *C) {
	r := c.start(config{}.withSocket(`token = "geheim é"`))
	a := r.dial()
	e := a.refused(-32003, "runner.status", obj{})
	c.equal("reason", at(e, "data", "reason"), "unauthenticated")
	a.refused(-32003, "runner.auth", obj{"token": "geheim"})
	b := r.dial()
	b.ok("runner.auth", obj{"token": "geheim é"})
	b.served()
}

func emptySocketTable(c *C) {
	for _, lines := range []string{"", "allow_same_uid = false", "allow_binaries = []"} {
		r := c.launch(launch{config: config{}.withSocket(lines), otherHome: true})
		a := r.dial()
		_ = a.say(status(1))
		a.closes(5 * time.Second)
		c.want(a.wait(0, (*message).isReply) == nil, "a client that is not admitted gets an answer")
	}
}

func allowBinaries(c *C) {
	r := c.launch(launch{config: config{}.withSocket("allow_binaries = [\"/nonexistent/program\"]\ntoken = \"right\""),
		otherHome: true})
	a := r.dial()
	_ = a.say(`{"jsonrpc":"2.0","id":1,"method":"runner.auth","params":{"token":"right"}}`)
	a.closes(5 * time.Second)
	c.want(a.wait(0, (*message).isReply) == nil, "a program that is not on the list gets an answer")
	own, err := os.Readlink("/proc/self/exe")
	c.must(err)
	r = c.launch(launch{config: config{}.withSocket(fmt.Sprintf("allow_binaries = [%q, %q]", own, filepath.Base(own))),
		otherHome: true})
	r.dial().ok("runner.status", obj{})
}

func secondRunner(c *C) {
	r := c.start(config{})
	a := r.client()
	token := r.token("token")
	second := c.start(config{}) // the same world
	second.exits(c.patience)
	c.want(strings.Contains(second.stderr.String(), "runner"),
		"the second runner does not say why it ends: %q", second.stderr.String())
	a.served()
	c.want(r.token("token") == token, "the second runner replaced the token")
	r.client().served()
}

func staleSocket(c *C) {
	r := c.start(config{})
	r.client()
	c.must(r.cmd.Process.Kill())
	r.exits(c.patience)
	_, err := os.Lstat(r.socket)
	c.want(err == nil, "kill -9 cannot have removed the socket: %v", err)
	again := c.start(config{})
	c.within(c.patience, "a runner starts where a dead one left its socket", func() bool {
		conn, err := net.Dial("unix", again.socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	again.client().served()
	again.signal(syscall.SIGTERM)
	c.want(again.exits(c.patience) == 0, "SIGTERM ends the runner with %d", again.code)
	for _, name := range []string{"runner.sock", "token", "confirm-token"} {
		_, err := os.Lstat(filepath.Join(again.runtime, "utter", name))
		c.want(os.IsNotExist(err), "%s is left behind: %v", name, err)
	}
}

func socketPaths(c *C) {
	inArgs, inConfig, inEnv := filepath.Join(c.dir, "a", "args.sock"), filepath.Join(c.dir, "b", "config.sock"),
		filepath.Join(c.dir, "c", "env.sock")
	for _, path := range []string{inArgs, inConfig, inEnv} {
		c.must(os.Mkdir(filepath.Dir(path), 0o700))
	}
	file := filepath.Join(c.dir, "with.toml")
	c.must(os.WriteFile(file, []byte(config{runner: fmt.Sprintf("socket_path = %q", inConfig)}.toml()), 0o600))
	plain := filepath.Join(c.dir, "without.toml")
	c.must(os.WriteFile(plain, []byte(config{}.toml()), 0o600))
	env := []string{"UTTER_RUNNER_SOCK=" + inEnv}
	for _, tt := range []struct {
		want string
		args []string
		env  []string
	}{{inArgs, []string{"--config", file, "--socket", inArgs}, env}, {inConfig, []string{"--config", file}, env},
		{inEnv, []string{"--config", plain}, env}} {
		r := c.launch(launch{args: tt.args, env: tt.env, socket: tt.want, otherHome: true})
		r.connect().Close()
		for _, other := range []string{inArgs, inConfig, inEnv, filepath.Join(r.runtime, "utter/runner.sock")} {
			if _, err := os.Lstat(other); err == nil && other != tt.want {
				c.fail("the socket is at %s and not only at %s", other, tt.want)
			}
		}
		r.signal(syscall.SIGTERM)
		r.exits(c.patience)
	}
}

func temporaryFolder(c *C) {
	tmp := filepath.Join(c.dir, "t")
	c.must(os.Mkdir(tmp, 0o700))
	folder := filepath.Join(tmp, fmt.Sprintf("utter-%d", os.Getuid()))
	socket := filepath.Join(folder, "utter", "runner.sock")
	env := []string{"XDG_RUNTIME_DIR=", "TMPDIR=" + tmp}
	empty := filepath.Join(c.dir, "empty")
	c.must(os.Mkdir(empty, 0o700))
	for _, dir := range []string{"", "relative"} {
		r := c.launch(launch{env: append(slices.Clone(env), "XDG_RUNTIME_DIR="+dir), cwd: empty,
			socket: socket, otherHome: true})
		r.connect().Close()
		c.want(mode(c, folder) == 0o700, "the folder it made has mode %v", mode(c, folder))
		files, err := os.ReadDir(empty)
		c.must(err)
		c.want(len(files) == 0, "with XDG_RUNTIME_DIR=%q it made %v where it was started", dir, files)
		r.signal(syscall.SIGTERM)
		r.exits(c.patience)
		c.must(os.RemoveAll(folder))
	}
	elsewhere := filepath.Join(c.dir, "elsewhere")
	c.must(os.Mkdir(elsewhere, 0o700))
	for what, prepare := range map[string]func() error{
		"a link":          func() error { return os.Symlink(elsewhere, folder) },
		"open to all":     func() error { return os.Mkdir(folder, 0o700) },
		"somebody else's": func() error { return os.Mkdir(folder, 0o700) },
	} {
		c.must(prepare())
		switch what {
		case "open to all":
			c.must(os.Chmod(folder, 0o777))
		case "somebody else's":
			if os.Getuid() != 0 { // only root can show it
				c.must(os.RemoveAll(folder))
				continue
			}
			c.must(os.Chown(folder, 12345, 12345))
		}
		r := c.launch(launch{env: env, socket: socket, otherHome: true})
		c.want(r.exits(c.patience) != 0, "the folder is %s, and the runner ends with 0", what)
		if files, err := os.ReadDir(elsewhere); err == nil && len(files) > 0 {
			c.fail("the runner followed the link")
		}
		c.must(os.RemoveAll(folder))
	}
}
