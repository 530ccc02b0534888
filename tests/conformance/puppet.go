package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A puppet is a plugin that the suite plays itself: the process that the runner
// starts (tests/plugins/unruly) does nothing but pass its standard input and
// output to us. So a check sees every byte that a plugin is sent, and says
// every byte that it answers.
type puppet struct {
	c      *C
	id     string
	kind   string
	socket string
	entry  entry

	// What it answers by itself.
	hello    any // the result of protocol.hello
	describe any
	ops      []any // of action.capabilities
	// on answers a method, instead of the usual. It returns a result, a failure
	// or held; it runs in the reader of the instance, so it must not wait.
	on map[string]func(i *instance, m *message) any

	lastOwn int // of the stream ids it gave out, own-<n>

	born chan *instance
	seen []*instance
}

// A failure is an error reply.
type failure struct {
	code    int
	message string
	data    any
}

// held is not a reply, or a later one.
type held struct{}

// An instance is one process of a puppet.
type instance struct {
	*link
	puppet *puppet
	pid    int
	args   []string
	env    map[string]string
	cwd    string
}

// puppet makes a plugin that the suite plays. Its ops are advertised and its
// methods described; it answers action.invoke with ok.
func (c *C) puppet(id, kind string, ops ...string) *puppet {
	p := &puppet{c: c, id: id, kind: kind, socket: filepath.Join(c.dir, id+".sock"),
		on: map[string]func(*instance, *message) any{}, born: make(chan *instance, 64)}
	p.hello = obj{"protocol": "1.0", "abi": 1, "plugin": obj{"name": id, "version": "0.1.0", "kind": kind},
		"transport": "stdio",
		"provides":  arr{}, "requires": arr{}, "permissions": arr{}}
	p.describe = obj{"methods": arr{"protocol.hello", "plugin.describe", "plugin.health"}, "streams": arr{}}
	if len(ops) > 0 {
		p.methods("action.capabilities", "action.invoke")
	}
	p.entry = entry{id: id, kind: kind, argv: []string{c.unruly, "puppet", p.socket}}
	for _, op := range ops {
		p.ops = append(p.ops, obj{"op": op, "side_effect": "test", "needs_confirm": false})
		p.entry.provides = append(p.entry.provides, "action."+op+"@1")
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.socket})
	c.must(err)
	c.later(func() { listener.Close() })
	go p.accept(listener)
	return p
}

// methods adds to what plugin.describe says.
func (p *puppet) methods(names ...string) *puppet {
	d := p.describe.(obj)
	for _, n := range names {
		d["methods"] = append(d["methods"].(arr), n)
	}
	return p
}

// plans makes it a router that answers every utterance with these steps.
func (p *puppet) plans(steps ...any) *puppet {
	p.methods("router.plan")
	p.on["router.plan"] = func(*instance, *message) any { return obj{"steps": steps} }
	return p
}

// streams makes it a source of streams, whose frames the check sends.
func (p *puppet) streams(names ...string) *puppet {
	p.methods("stream.subscribe", "stream.stop", "stream.ack")
	d := p.describe.(obj)
	for _, n := range names {
		d["streams"] = append(d["streams"].(arr), n)
	}
	n := 0
	p.on["stream.subscribe"] = func(*instance, *message) any {
		n++
		return obj{"stream_id": fmt.Sprintf("own-%d", n)}
	}
	return p
}

func (p *puppet) accept(listener *net.UnixListener) {
	for n := 0; ; n++ {
		conn, err := listener.AcceptUnix()
		if err != nil {
			return
		}
		i := &instance{puppet: p, env: map[string]string{}}
		if !i.greet(conn) {
			conn.Close()
			continue
		}
		i.link = newLink(p.c, fmt.Sprintf("%s#%d", p.id, n), conn)
		i.serve = i.answerUsually
		p.c.note(i.name, "$", fmt.Sprintf("(process %d: %v)", i.pid, i.args))
		p.born <- i
		go func() {
			i.run()
			i.close() // its input has ended, so it ends
		}()
	}
}

// greet reads the line in which the process says who it is. A reader of our
// own must not take a byte too many.
func (i *instance) greet(conn *net.UnixConn) bool {
	var line []byte
	one := make([]byte, 1)
	for {
		if n, err := conn.Read(one); n == 0 || err != nil {
			return false
		}
		if one[0] == '\n' {
			break
		}
		line = append(line, one[0])
	}
	var said struct {
		PID  int
		Args []string
		Env  map[string]string
		CWD  string
	}
	if json.Unmarshal(line, &said) != nil {
		return false
	}
	i.pid, i.args, i.env, i.cwd = said.PID, said.Args, said.Env, said.CWD
	return true
}

// answerUsually runs in the reader of the link.
func (i *instance) answerUsually(m *message) {
	if m.id() == "" {
		return
	}
	p := i.puppet
	var result any
	on := p.on[m.method()]
	switch {
	case on != nil:
		result = on(i, m)
	case m.method() == "protocol.hello":
		result = p.hello
	case m.method() == "plugin.describe":
		result = p.describe
	case m.method() == "plugin.health":
		result = obj{"status": "ok", "detail": p.id + " ready"}
	case m.method() == "action.capabilities":
		result = obj{"ops": append(arr{}, p.ops...)}
	case m.method() == "action.invoke":
		result = obj{"ok": true, "op": m.at("params", "op"), "detail": "done by " + p.id}
	case m.method() == "shutdown" || m.method() == "stream.stop" || m.method() == "stream.ack":
		result = obj{}
	default:
		result = failure{-32601, "no method " + m.method(), nil}
	}
	switch r := result.(type) {
	case held:
	case failure:
		e := obj{"code": r.code, "message": r.message}
		if r.data != nil {
			e["data"] = r.data
		}
		_ = i.say(toJSON(obj{"jsonrpc": "2.0", "id": m.at("id"), "error": e}))
	default:
		_ = i.reply(m, r)
	}
}

// instance waits for the nth process, from 0.
func (p *puppet) instance(n int) *instance {
	deadline := time.After(p.c.patience)
	for len(p.seen) <= n {
		select {
		case i := <-p.born:
			p.seen = append(p.seen, i)
		case <-deadline:
			p.c.fail("plugin %s: process %d was not started within %v", p.id, n, p.c.patience)
		}
	}
	return p.seen[n]
}

// only returns the first process.
func (p *puppet) only() *instance { return p.instance(0) }

// restarted fails the check if there is another process than the first n, and
// returns how many there are.
func (p *puppet) count() int {
	for {
		select {
		case i := <-p.born:
			p.seen = append(p.seen, i)
		default:
			return len(p.seen)
		}
	}
}

// kill ends the process the hard way.
func (i *instance) kill() {
	i.c.note(i.name, "$", "(kill -9)")
	i.c.must(syscall.Kill(i.pid, syscall.SIGKILL))
}

// emit sends a frame of a stream; seq 0 is left out.
func (i *instance) emit(method, stream string, seq int, data any) error {
	params := obj{"stream_id": stream, "data": data}
	if seq != 0 {
		params["seq"] = seq
	}
	return i.say(toJSON(obj{"jsonrpc": "2.0", "method": method, "params": params}))
}

// unruly is an entry for a plugin that misbehaves by itself.
func (c *C) unrulyEntry(id, mode string, args ...string) entry {
	return entry{id: id, kind: "action", argv: append([]string{c.unruly, mode}, args...),
		provides: []string{"action.focus_app@1"}}
}

// pidIn waits for a file with the number of a process.
func (c *C) pidIn(path string) (pid int) {
	c.within(c.patience, path+" names a process", func() bool {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		_, err = fmt.Fscanf(bufio.NewReader(f), "%d\n", &pid)
		return err == nil
	})
	return pid
}
