package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var sandboxChecks = []check{
	{ID: "19.1", Title: "without a sandbox nothing is called enforced",
		Catches: "a claim that depends on the setting instead of on what is applied", Run: nothingEnforced},
	{ID: "19.2", Title: "enforce = true without a working sandbox: the plugin is not started",
		Catches: "a sandbox that is wished for", Run: enforceWithout},
	{ID: "19.3", Title: "enforce = \"auto\" without a working sandbox: it runs, and everything is advisory",
		Catches: "auto that means off in silence, or refuses", Run: autoWithout},
	{ID: "19.4", Title: "what is called enforced cannot be done from inside, and can be done outside",
		Catches: "a permission called enforced that is not", Run: enforcedIsEnforced},
	{ID: "19.5", Title: "a sandboxed plugin sees no token, socket, home or session bus",
		Catches: "a sandbox with the whole root in it", Run: sandboxHides},
	{ID: "19.6", Title: "what is granted works inside: network, write_paths, read_paths",
		Catches: "a sandbox that takes what was granted", Run: grantedWorks},
	{ID: "19.7", Title: "a child that left its process group goes with a sandboxed plugin",
		Catches: "a plugin that outlives its end", Run: sandboxedChildGoes, Alone: true},
}

// claims returns what is said of each permission of a plugin.
func claims(c *C, row any) map[string]any {
	said := map[string]any{}
	for _, p := range list(at(row, "permissions")) {
		said[text(at(p, "name"))] = p
		c.want(at(p, "enforced") != at(p, "advisory") || at(p, "enforced") == false, "%s is both enforced and advisory: %s",
			text(at(p, "name")), toJSON(p))
	}
	return said
}

func nothingEnforced(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.entry.permissions = []string{"network", "microphone", "filesystem.read", "filesystem.write", "keyring"}
	r, a := c.up(config{security: "enforce = false", plugins: []entry{p.entry}})
	for _, row := range []any{r.row("one"), a.ok("runner.validate_plugin", obj{"plugin": "one"})} {
		c.want(len(claims(c, row)) >= 5, "not every permission is reported: %s", toJSON(row))
		for name, said := range claims(c, row) {
			c.equal("enforced of "+name, at(said, "enforced"), false)
		}
	}
}

// noSandbox is an environment in which no sandbox program is found.
func noSandbox(c *C) []string {
	dir := filepath.Join(c.dir, "bin")
	c.must(os.MkdirAll(dir, 0o700))
	for _, program := range []string{"sh", "true", "env"} {
		path, err := exec.LookPath(program)
		c.must(err)
		c.must(os.Symlink(path, filepath.Join(dir, program)))
	}
	return []string{"PATH=" + dir}
}

func enforceWithout(c *C) {
	p := c.puppet("one", "action", "focus_app")
	r := c.launch(launch{config: config{security: "enforce = true", plugins: []entry{p.entry}}, env: noSandbox(c)})
	row := r.becomes("one", "error")
	c.want(text(at(row, "reason")) != "", "no reason: %s", toJSON(row))
	c.want(p.count() == 0, "the plugin was started without a sandbox")
	r.client().served()
}

func autoWithout(c *C) {
	p := c.puppet("one", "action", "focus_app")
	p.entry.permissions = []string{"network"}
	r := c.launch(launch{config: config{security: `enforce = "auto"`, plugins: []entry{p.entry}}, env: noSandbox(c)})
	for name, said := range claims(c, r.becomes("one", "ok")) {
		c.equal("enforced of "+name, at(said, "enforced"), false)
		c.equal("advisory of "+name, at(said, "advisory"), true)
	}
}

// outsideTemporary is a folder that a private /tmp does not hide by itself.
func outsideTemporary(c *C) string {
	dir, err := os.MkdirTemp("/var/tmp", "uc")
	c.must(err)
	if !c.keep {
		c.later(func() { c.must(removeAll(dir)) })
	}
	return dir
}

// sandboxed starts the plugin that tries things, in a sandbox, and returns what
// it may ask for.
func sandboxed(c *C, permissions []string, more string) (*runner, func(args obj) any) {
	outside := outsideTemporary(c)
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		c.skip("there is no bwrap")
	}
	if out, err := exec.Command(bwrap, "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc",
		"true").CombinedOutput(); err != nil {
		c.skip("bwrap does not work here: %s", strings.TrimSpace(string(out)))
	}
	e := c.unrulyEntry("inside", "attempt")
	e.permissions = permissions
	e.more = fmt.Sprintf("cwd = %q\n%s", filepath.Dir(c.unruly), more)
	r := c.launch(launch{config: config{security: "enforce = true", plugins: []entry{e}}, base: outside})
	r.becomes("inside", "ok")
	a := r.client()
	return r, func(args obj) any {
		return at(a.ok("runner.invoke", invoke("inside", "focus_app", args)), "attempts")
	}
}

func enforcedIsEnforced(c *C) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	c.must(err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	dir := outsideTemporary(c)
	secret, outside := filepath.Join(dir, "secret"), filepath.Join(dir, "written")
	c.must(os.WriteFile(secret, []byte("secret"), 0o600))
	r, try := sandboxed(c, nil, "")
	attempts := obj{"dial": "tcp " + listener.Addr().String(), "read": secret, "write": outside}
	got := try(attempts)
	said := claims(c, r.row("inside"))
	for permission, attempt := range map[string]string{"network": "dial", "filesystem.read": "read",
		"filesystem.write": "write"} {
		result := text(at(got, attempt))
		if at(said[permission], "enforced") == true {
			c.want(result != "done", "%s is called enforced, and the plugin did %s", permission, toJSON(attempts[attempt]))
		}
		c.want(result != "done", "%s was not granted, and the plugin did %s in a sandbox",
			permission, toJSON(attempts[attempt]))
	}
	conn, err := net.Dial("tcp", listener.Addr().String()) // outside it works
	c.must(err)
	conn.Close()
	_, err = os.Stat(outside)
	c.want(os.IsNotExist(err), "the plugin wrote %s", outside)
}

func sandboxHides(c *C) {
	r, try := sandboxed(c, nil, "")
	got := try(obj{"read token": r.token("token"), "read-token": filepath.Join(r.runtime, "utter", "token"),
		"read-confirm": filepath.Join(r.runtime, "utter", "confirm-token"), "dial-runner": "unix " + r.socket,
		"list-home": r.home, "list-root": "/root", "list-homes": "/home", "read-config": r.config, "list-run": "/run"})
	for name, result := range got.(map[string]any) {
		if name == "list-run" {
			continue // an empty folder would be as good as none
		}
		c.want(result != "done", "inside the sandbox %s succeeded", name)
	}
}

func grantedWorks(c *C) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	c.must(err)
	defer listener.Close()
	writable, readable := filepath.Join(c.dir, "writable"), filepath.Join(c.dir, "readable")
	for _, dir := range []string{writable, readable} {
		c.must(os.Mkdir(dir, 0o700))
		c.must(os.WriteFile(filepath.Join(dir, "x"), nil, 0o600))
	}
	_, try := sandboxed(c, []string{"network", "filesystem.read", "filesystem.write"},
		fmt.Sprintf("read_paths = [%q]\nwrite_paths = [%q]", readable, writable))
	got := try(obj{"dial": "tcp " + listener.Addr().String(), "write": filepath.Join(writable, "y"),
		"read": filepath.Join(readable, "x"), "write-readable": filepath.Join(readable, "y"),
		"write-own": filepath.Join(filepath.Dir(c.unruly), "y")})
	for _, name := range []string{"dial", "write", "read"} {
		c.equal(name+" of what is granted", at(got, name), "done")
	}
	c.want(at(got, "write-readable") != "done", "a read path can be written")
}

func sandboxedChildGoes(c *C) {
	if _, err := exec.LookPath("bwrap"); err != nil {
		c.skip("there is no bwrap")
	}
	writable := filepath.Join(c.dir, "writable")
	c.must(os.Mkdir(writable, 0o700))
	e := c.unrulyEntry("forker", "forker-away", filepath.Join(writable, "child"))
	e.permissions = []string{"filesystem.write"}
	e.more = fmt.Sprintf("cwd = %q\nwrite_paths = [%q]", filepath.Dir(c.unruly), writable)
	r := c.start(config{security: "enforce = true", plugins: []entry{e}})
	r.becomes("forker", "ok")
	children := func() (n int) {
		found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range found {
			if line, err := os.ReadFile(path); err == nil && string(line) == c.unruly+"\x00child\x00" {
				n++
			}
		}
		return n
	}
	c.want(children() == 1, "there are %d children, must be 1", children())
	r.client().ok("runner.plugin.restart", obj{"plugin": "forker"})
	r.becomes("forker", "ok")
	c.within(c.patience, "the first child is gone", func() bool { return children() == 1 })
}
