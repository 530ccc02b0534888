package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// actors are the plugins that the test binary plays.
var actors = map[string]func(){
	"note":    func() { (&actor{}).play() },
	"silent":  func() { time.Sleep(time.Hour) },
	"garbage": func() { fmt.Print("hello, I am a plugin\r\n\r\n"); time.Sleep(time.Hour) },
	"huge":    func() { fmt.Print("Content-Length: 99999999999\r\n\r\n"); time.Sleep(time.Hour) },
	"prints": func() {
		_, _ = os.Stdin.Read(make([]byte, 1)) // until it is asked
		fmt.Println("usage: prints")
		os.Stderr.WriteString("bad arguments\n")
		os.Exit(4)
	},
	"stuck":  func() { fmt.Println("waiting"); time.Sleep(time.Hour) },
	"bare":   func() { fmt.Print("\n{\"id\":1}\n\r\n\r\n"); time.Sleep(time.Hour) },
	"exits":  func() { os.Stderr.WriteString("[runner] all is well\nmy last \x1b[31mwords\n"); os.Exit(3) },
	"future": func() { (&actor{protocol: "2.0"}).play() },
	"needs": func() {
		(&actor{requires: []string{"experimental/a@1"}, provides: []string{"experimental/b@1"}}).play()
	},
	"gives": func() {
		(&actor{provides: []string{"experimental/a@1"}, requires: []string{"experimental/b@1"}}).play()
	},
	"lacks":   func() { (&actor{requires: []string{"experimental/nobody@1"}}).play() },
	"connect": func() { dial().play() },
	"listen":  func() { listen().play() },
	"unwell":  func() { (&actor{health: "degraded"}).play() },
	"dead":    func() { (&actor{mute: true}).play() },
	"child":   func() { time.Sleep(time.Hour) },
}

func ignore() {
	for {
		time.Sleep(time.Hour)
	}
}

// An actor is a plugin that does what its ops say.
type actor struct {
	stream             rpc.Stream
	peer               *rpc.Peer
	protocol, health   string
	provides, requires []string
	mute               bool // after the handshake
	asked              int
	counted            atomic.Int64
	changed            bool
}

func dial() *actor {
	conn, err := net.Dial("unix", os.Getenv(protocol.EnvPluginSocket))
	if err != nil {
		panic(err)
	}
	return &actor{stream: conn}
}

func listen() *actor {
	l, err := net.Listen("unix", os.Getenv(protocol.EnvPluginSocket))
	if err != nil {
		panic(err)
	}
	conn, err := l.Accept()
	if err != nil {
		panic(err)
	}
	return &actor{stream: conn}
}

func (a *actor) play() {
	if a.stream == nil {
		a.stream = rpc.Pipe(os.Stdin, os.Stdout)
	}
	a.peer = rpc.NewPeer(a.stream, rpc.Options{Handle: a.handle, MaxBody: rpc.MaxFromPlugin, Drain: time.Second})
	_ = a.peer.Run(context.Background())
}

var actorOps = `{"ops":[
	{"op":"note","side_effect":"file","args":{"type":"object","properties":{"text":{"type":"string","maxLength":20}}}},
	{"op":"careful","side_effect":"file","needs_confirm":true},
	{"op":"crash"},{"op":"count"},{"op":"fork"},{"op":"progress"},{"op":"log"},{"op":"change"},{"op":"garble"},{"op":"mute"},
	{"op":"look"},{"op":"keep"},{"op":"key"}]}`

func (a *actor) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case protocol.MethodHello:
		p := a.protocol
		if p == "" {
			p = protocol.Version
		}
		return protocol.HelloResult{
			Protocol: p, ABI: 1, Provides: a.provides, Requires: a.requires, Permissions: []string{"network"},
			Plugin: protocol.PluginInfo{Name: "actor", Version: "1.2.3"},
		}, nil
	case protocol.MethodDescribe:
		return json.RawMessage(`{"methods":["router.plan","action.capabilities","action.invoke","context.snapshot"]}`), nil
	case protocol.MethodHealth:
		if a.asked++; a.mute && a.asked > 1 {
			<-ctx.Done()
		}
		status := a.health
		if status == "" {
			status = "ok"
		}
		return protocol.HealthResult{Status: status, Detail: "as told"}, nil
	case protocol.MethodRouterPlan:
		return a.plan(params)
	case protocol.MethodActionCapabilities:
		if a.changed {
			return json.RawMessage(`{"ops":[{"op":"new"}]}`), nil
		}
		return json.RawMessage(actorOps), nil
	case protocol.MethodActionInvoke:
		return a.invoke(ctx, params)
	case protocol.MethodContextSnapshot:
		return json.RawMessage(`{"focused":{"app_id":"foot","pid":1,"window_id":7,"workspace_id":1}}`), nil
	}
	return nil, rpc.Errorf(protocol.CodeMethodNotFound, "no %s", method)
}

func (a *actor) plan(params json.RawMessage) (any, error) {
	var p protocol.PlanParams
	if err := protocol.DecodeParams(params, &p); err != nil {
		return nil, err
	}
	if steps, ok := strings.CutPrefix(p.Utterance, "steps "); ok {
		return json.RawMessage(`{"steps":` + steps + `}`), nil
	}
	return json.RawMessage(`{"steps":[]}`), nil
}

func (a *actor) invoke(ctx context.Context, params json.RawMessage) (any, error) {
	var p protocol.InvokeParams
	if err := protocol.DecodeParams(params, &p); err != nil {
		return nil, err
	}
	done := map[string]any{"ok": true, "op": p.Op, "detail": string(p.Args) + " " + string(p.Provenance)}
	switch p.Op {
	case "crash":
		os.Stderr.WriteString("\x1b[31mmy last words\n  \n")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		ignore()
	case "count":
		done["detail"] = fmt.Sprint(a.counted.Add(1))
	case "fork":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), actEnv+"=child")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		done["detail"] = fmt.Sprint(cmd.Process.Pid)
	case "look":
		var at struct {
			Path string `json:"path"`
		}
		_ = rpc.Unmarshal(p.Args, &at)
		_, err := os.Stat(at.Path)
		done["detail"] = fmt.Sprint(err == nil)
	case "keep":
		done["detail"] = fmt.Sprint(os.WriteFile(os.TempDir()+"/kept", nil, 0o600))
	case "progress":
		return done, a.peer.Notify(ctx, protocol.NotifyProgress, protocol.Progress{ID: rpc.RequestID(ctx), Message: "half"})
	case "log":
		return done, a.peer.Notify(ctx, protocol.NotifyLog, protocol.LogLine{Level: "info", Message: "logged\nline"})
	case "change":
		a.changed = true
		return done, a.peer.Notify(ctx, protocol.NotifyCapabilitiesChanged, nil)
	case "garble":
		os.Stdout.WriteString("not a frame at all\r\n\r\n")
		ignore()
	case "mute":
		syscall.Close(1)
		ignore()
	}
	return done, nil
}
