// Unruly is a plugin that misbehaves in the way its first argument says. It is
// what the conformance suite and the tests of the runner put up with, and an
// example of what not to do. It knows nothing of the product and has a framing
// of its own.
//
//	honest           behaves
//	puppet SOCKET    passes its input and output to a test, which plays the plugin
//	garbage          writes what is not a frame when it is asked to act
//	garbage-first    writes it instead of the answer to hello
//	huge             announces a body of 99,999,999,999 bytes when it is asked to act
//	silent           reads and never answers
//	mute             answers everything but action.invoke
//	crash            ends with code 3 when it is asked to act
//	crash-start      ends as soon as the handshake is over
//	close-stdout     closes its output when it is asked to act, and stays
//	flood            writes notifications without end after the handshake
//	noise            writes long lines with escape sequences to its error output
//	liar             provides, describes and advertises what it does not have
//	deaf             ignores end of input and SIGTERM
//	forker FILE      starts a child that stays, and writes its number into FILE
//	forker-away FILE the same in a session of its own
//	slow MS          answers after MS milliseconds
//	bad-ids          answers with ids of nobody's before it answers with the right one
//	late-reply MS    answers action.invoke MS milliseconds late, everything else at once
//	no-credit N      sends N frames of a stream whatever its credit is
//	attempt          tries the network, files, devices and sockets that the op's args name
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "unruly: say how: see the comment at the top of main.go")
		os.Exit(2)
	}
	mode, args := os.Args[1], os.Args[2:]
	switch {
	case mode == "puppet" && len(args) > 0:
		os.Exit(puppet(args[0]))
	case mode == "child":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		time.Sleep(time.Hour)
		return
	}
	p := &plugin{mode: mode, args: args, out: os.Stdout}
	os.Exit(p.run(os.Stdin))
}

// puppet connects its input and output with a test's socket. Where the runner
// gave a socket instead, it takes that.
func puppet(path string) int {
	conn, err := net.Dial("unix", path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "unruly:", err)
		return 1
	}
	in, out, err := transport()
	if err != nil {
		fmt.Fprintln(os.Stderr, "unruly:", err)
		return 1
	}
	env := map[string]string{}
	for _, e := range os.Environ() {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	cwd, _ := os.Getwd()
	greeting, err := json.Marshal(map[string]any{"PID": os.Getpid(), "Args": os.Args, "Env": env, "CWD": cwd})
	if err != nil {
		fmt.Fprintln(os.Stderr, "unruly:", err)
		return 1
	}
	if _, err := conn.Write(append(greeting, '\n')); err != nil {
		return 1
	}
	go func() {
		_, _ = io.Copy(conn, in)
		_ = conn.(*net.UnixConn).CloseWrite()
	}()
	_, _ = io.Copy(out, conn)
	return 0
}

type object = map[string]any

// A plugin is one that behaves but for its mode.
type plugin struct {
	mode string
	args []string

	mu  sync.Mutex
	out *os.File
}

func (p *plugin) run(stdin io.Reader) int {
	in := bufio.NewReader(stdin)
	switch p.mode {
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	case "forker", "forker-away":
		if err := p.fork(); err != nil {
			fmt.Fprintln(os.Stderr, "unruly:", err)
			return 1
		}
	case "noise":
		go p.noise()
	}
	for {
		body, err := read(in)
		if err != nil {
			break
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params object
		}
		if json.Unmarshal(body, &m) != nil || len(m.ID) == 0 || m.Method == "" {
			continue
		}
		p.serve(m.ID, m.Method, m.Params)
	}
	if p.mode == "deaf" {
		time.Sleep(time.Hour)
	}
	return 0
}

// serve answers a request, or does what the mode is named for.
func (p *plugin) serve(id json.RawMessage, method string, params object) {
	acting := method == "action.invoke"
	switch {
	case p.mode == "silent", p.mode == "mute" && acting:
		return
	case p.mode == "garbage" && acting, p.mode == "garbage-first":
		p.write([]byte("Traceback (most recent call last):\r\n\r\nthis is not a frame\r\n\r\n"))
		return
	case p.mode == "huge" && acting:
		p.write([]byte("Content-Length: 99999999999\r\n\r\n{"))
		return
	case p.mode == "crash" && acting:
		os.Exit(3)
	case p.mode == "close-stdout" && acting:
		p.out.Close()
		return
	case p.mode == "slow":
		time.Sleep(p.milliseconds())
	case p.mode == "late-reply" && acting:
		time.Sleep(p.milliseconds())
	case p.mode == "bad-ids":
		for _, wrong := range []string{`"9:1"`, `"nobody"`, `17`, `true`, `[]`} {
			p.answer(json.RawMessage(wrong), object{"ok": false, "detail": "an answer to nobody", "steps": []any{}})
		}
	}
	result, ok := p.result(method, params)
	if !ok {
		p.send(object{"jsonrpc": "2.0", "id": id, "error": object{"code": -32601, "message": "no method " + method}})
		return
	}
	p.answer(id, result)
	p.after(method, params)
}

// after is what follows an answer.
func (p *plugin) after(method string, params object) {
	switch {
	case p.mode == "crash-start" && method == "action.capabilities":
		os.Exit(4)
	case p.mode == "flood" && method == "action.capabilities":
		go func() {
			for n := 1; ; n++ {
				p.send(object{"jsonrpc": "2.0", "method": "flood", "params": object{"n": n, "padding": strings.Repeat("x", 1000)}})
			}
		}()
	case p.mode == "no-credit" && method == "stream.subscribe":
		name, _ := params["method"].(string)
		for n := 1; n <= p.number(); n++ {
			p.send(object{"jsonrpc": "2.0", "method": name,
				"params": object{"stream_id": "unruly", "seq": n, "data": object{"n": n}}})
		}
	}
}

func (p *plugin) result(method string, params object) (any, bool) {
	switch method {
	case "protocol.hello":
		hello := object{"protocol": "1.0", "abi": 1,
			"plugin": object{"name": "unruly", "version": "0.0.1", "kind": "action"}, "transport": "stdio",
			"provides": []string{"action.focus_app@1"}, "requires": []string{}, "permissions": []string{}}
		if p.mode == "liar" {
			hello["provides"] = []string{"action.terminal@1", "action.input@1", "router.plan@1", "made.up@7"}
			hello["permissions"] = []string{"network", "keyring", "input-injection"}
		}
		return hello, true
	case "plugin.describe":
		methods := []string{"protocol.hello", "plugin.describe", "plugin.health", "action.capabilities", "action.invoke",
			"stream.subscribe", "stream.stop"}
		if p.mode == "liar" {
			methods = append(methods, "router.plan", "context.snapshot", "files.erase")
		}
		return object{"methods": methods, "streams": []string{"unruly.frames"}}, true
	case "plugin.health":
		return object{"status": "ok", "detail": "so far"}, true
	case "action.capabilities":
		ops := []any{object{"op": "focus_app", "side_effect": "focus", "needs_confirm": false}}
		if p.mode == "liar" {
			ops = append(ops, object{"op": "terminal", "side_effect": "none", "needs_confirm": false},
				object{"op": "close_app", "side_effect": "none", "needs_confirm": false}, object{"op": 7}, "nonsense")
		}
		return object{"ops": ops}, true
	case "action.invoke":
		if p.mode == "attempt" {
			return attempts(params), true
		}
		return object{"ok": true, "op": params["op"], "detail": "unruly did " + fmt.Sprint(params["op"])}, true
	case "stream.subscribe":
		return object{"stream_id": "unruly"}, true
	case "stream.stop", "stream.ack", "shutdown":
		return object{}, true
	}
	return nil, false
}

// attempts tries what args name, and says of each "done" or why not.
func attempts(params object) object {
	args, _ := params["args"].(object)
	said := object{}
	for name, value := range args {
		target := fmt.Sprint(value)
		var err error
		switch {
		case strings.HasPrefix(name, "dial"):
			network, address, _ := strings.Cut(target, " ")
			var conn net.Conn
			if conn, err = net.DialTimeout(network, address, time.Second); err == nil {
				conn.Close()
			}
		case strings.HasPrefix(name, "read"):
			_, err = os.ReadFile(target)
		case strings.HasPrefix(name, "list"):
			_, err = os.ReadDir(target)
		case strings.HasPrefix(name, "write"):
			err = os.WriteFile(target, []byte("unruly was here\n"), 0o600)
		case strings.HasPrefix(name, "open"):
			var f *os.File
			if f, err = os.OpenFile(target, os.O_RDWR, 0); err == nil {
				f.Close()
			}
		default:
			continue
		}
		said[name] = "done"
		if err != nil {
			said[name] = err.Error()
		}
	}
	return object{"ok": true, "op": params["op"], "detail": "tried", "attempts": said}
}

// fork starts a child that holds none of our descriptors and does not end.
func (p *plugin) fork() error {
	if len(p.args) == 0 {
		return fmt.Errorf("%s needs a file", p.mode)
	}
	child := exec.Command(os.Args[0], "child")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: p.mode == "forker-away"}
	if err := child.Start(); err != nil {
		return err
	}
	return os.WriteFile(p.args[0], fmt.Appendln(nil, child.Process.Pid), 0o600)
}

func (p *plugin) noise() {
	long := strings.Repeat("long ", 4000)
	for n := 0; ; n++ {
		fmt.Fprintf(os.Stderr, "unruly noise %d \x1b[31mred\x1b[0m \x1b]0;title\a %s\n", n, long)
		time.Sleep(50 * time.Millisecond)
	}
}

func (p *plugin) number() int {
	if len(p.args) == 0 {
		return 0
	}
	n, err := strconv.Atoi(p.args[0])
	if err != nil {
		return 0
	}
	return n
}

func (p *plugin) milliseconds() time.Duration { return time.Duration(p.number()) * time.Millisecond }
