package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

const (
	payload = 160 // bytes of a request of the measured kind on the wire
	calls   = 900 // of one client: the runner takes 1000 in ten seconds
	frames  = 20_000
	crowd   = 50 // plugins beside each other
)

// plugins measures the plugin runner and hello_go, which lie in bin, against bare
// pipes of the same run.
func plugins(ctx context.Context, bin string, out io.Writer) error {
	dir, err := os.MkdirTemp("", "ub") // short: it holds sockets
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := &pluginsBench{ctx: ctx, out: out, bin: bin, dir: dir, notes: filepath.Join(dir, "notes.txt")}
	for _, step := range []func() error{p.roundTrips, p.streams, p.memory} {
		if err := step(); err != nil {
			return fmt.Errorf("plugins: %w", err)
		}
	}
	return nil
}

type pluginsBench struct {
	ctx   context.Context
	out   io.Writer
	bin   string
	dir   string
	notes string // of hello_go
}

func (p *pluginsBench) row(what, value, against, target string, ok bool) {
	row{"plugins: " + what, value, against, target, ok}.print(p.out)
}

// bareEcho sends back what it reads: the least that a process at the other end of
// two pipes can do.
func bareEcho(stdin io.Reader, stdout io.Writer) error {
	buf := make([]byte, payload)
	for {
		if _, err := io.ReadFull(stdin, buf); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := stdout.Write(buf); err != nil {
			return err
		}
	}
}

var (
	noteText  = strings.Repeat("milk ", 30)
	noteFrame = json.RawMessage(`{"text":"` + noteText + `"}`)
)

// piped starts a program with pipes. end closes its input and waits for it.
func (p *pluginsBench) piped(argv ...string) (in io.WriteCloser, out io.ReadCloser, end func(), err error) {
	cmd := exec.CommandContext(p.ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "UTTER_PLUGIN_COOKIE=bench")
	cmd.Stderr = os.Stderr
	if in, err = cmd.StdinPipe(); err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	return in, out, func() { in.Close(); _ = cmd.Wait() }, err
}

// A trip is one kind of request.
type trip struct {
	name, method string
	params       any
}

var trips = []trip{
	{"health", protocol.MethodHealth, nil},
	{"a plan", protocol.MethodRouterPlan, protocol.PlanParams{Utterance: "note buy milk", Provenance: protocol.FromUser}},
	{"an op", protocol.MethodActionInvoke,
		protocol.InvokeParams{Op: "note", Args: json.RawMessage(`{"text":"buy milk"}`), Provenance: protocol.FromUser}},
}

// roundTrips times requests to hello_go, over its pipes and through the runner,
// by turns with a bare echo, so that all meet the same machine.
func (p *pluginsBench) roundTrips() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	echoIn, echoOut, end, err := p.piped(self, "echo")
	if err != nil {
		return err
	}
	defer end()
	buf := make([]byte, payload)
	echo := func() error {
		_, err := echoIn.Write(buf)
		if err == nil {
			_, err = io.ReadFull(echoOut, buf)
		}
		return err
	}
	for _, t := range trips {
		if err := p.overPipes(t, echo); err != nil {
			return fmt.Errorf("%s over pipes: %w", t.name, err)
		}
	}
	r, err := p.start(1)
	if err != nil {
		return err
	}
	defer r.stop()
	for _, t := range trips {
		if err := p.throughRunner(r, t, echo); err != nil {
			return fmt.Errorf("%s through the runner: %w", t.name, err)
		}
	}
	return nil
}

// byTurns times call and echo, n times each, after some that do not count.
func byTurns(n int, echo, call func() error) (bare, own sample, err error) {
	for i := range n {
		both := make([]time.Duration, 2)
		for k, f := range []func() error{echo, call} {
			one, err := measure(1, f)
			if err != nil {
				return nil, nil, err
			}
			both[k] = one[0]
		}
		if i >= n/10 {
			bare, own = append(bare, both[0]), append(own, both[1])
		}
	}
	return bare, own, nil
}

func (p *pluginsBench) tripRow(what string, bare, own sample, target string) {
	r50, r99 := float64(own.at(50))/float64(bare.at(50)), float64(own.at(99))/float64(bare.at(99))
	p.row(what, fmt.Sprintf("p50 %d µs, %.1f ×; p99 %d µs, %.1f ×", own.at(50).Microseconds(), r50,
		own.at(99).Microseconds(), r99),
		fmt.Sprintf("bare pipe: p50 %d µs, p99 %d µs", bare.at(50).Microseconds(), bare.at(99).Microseconds()),
		target, r50 <= 5)
}

func (p *pluginsBench) overPipes(t trip, echo func() error) error {
	in, out, end, err := p.piped(filepath.Join(p.bin, "hello_go"))
	if err != nil {
		return err
	}
	defer end()
	peer := rpc.NewPeer(rpc.Pipe(out, in), rpc.Options{MaxBody: rpc.MaxFromPlugin})
	ended := make(chan error, 1)
	go func() { ended <- peer.Run(p.ctx) }()
	defer func() { peer.Close(); <-ended }()
	hello := protocol.HelloParams{Protocol: protocol.Version, ABI: protocol.ABI, Settings: map[string]any{"file": p.notes}}
	if _, err := peer.Call(p.ctx, protocol.MethodHello, hello); err != nil {
		return err
	}
	bare, own, err := byTurns(10_000, echo, func() error { _, err := peer.Call(p.ctx, t.method, t.params); return err })
	if err == nil {
		p.tripRow(t.name+" over pipes", bare, own, "p50 ≤ 5 ×")
	}
	return err
}

func (p *pluginsBench) throughRunner(r *running, t trip, echo func() error) error {
	client, err := r.dial(p.ctx, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	text, err := rpc.Marshal(t.params)
	if err != nil {
		return err
	}
	if t.params == nil {
		text = json.RawMessage("{}")
	}
	params := protocol.RunnerInvokeParams{Plugin: "p0", Method: t.method, Params: text}
	bare, own, err := byTurns(calls, echo,
		func() error { return client.Call(p.ctx, protocol.MethodRunnerInvoke, params, nil) })
	if err == nil {
		p.tripRow(t.name+" through the runner's socket", bare, own, "")
	}
	return err
}
