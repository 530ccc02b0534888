package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"utter/shared/protocol"
	"utter/shared/rpc"
	"utter/shared/runnerclient"
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

// bareFrames writes n frames as a stream does, each by itself.
func bareFrames(n int, stdout io.Writer) error {
	for i := range int64(n) {
		seq := i + 1
		data, err := rpc.Marshal(protocol.StreamFrame{StreamID: "hello_go.notes-1", Seq: &seq, Data: noteFrame})
		if err != nil {
			return err
		}
		if err := rpc.WriteFrame(stdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"hello_go.notes","params":%s}`, data)); err != nil {
			return err
		}
	}
	return nil
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
	{"an op", protocol.MethodActionInvoke, protocol.InvokeParams{Op: "note", Args: json.RawMessage(`{"text":"buy milk"}`), Provenance: protocol.FromUser}},
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
	p.row(what, fmt.Sprintf("p50 %d µs, %.1f ×; p99 %d µs, %.1f ×", own.at(50).Microseconds(), r50, own.at(99).Microseconds(), r99),
		fmt.Sprintf("bare pipe: p50 %d µs, p99 %d µs", bare.at(50).Microseconds(), bare.at(99).Microseconds()), target, r50 <= 5)
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
	bare, own, err := byTurns(calls, echo, func() error { return client.Call(p.ctx, protocol.MethodRunnerInvoke, params, nil) })
	if err == nil {
		p.tripRow(t.name+" through the runner's socket", bare, own, "")
	}
	return err
}

// streams sends notes to a client that pauses, and the same frames through a bare
// pipe to one that does not.
func (p *pluginsBench) streams() error {
	if err := os.WriteFile(p.notes, bytes.Repeat([]byte(noteText+"\n"), frames), 0o600); err != nil {
		return err
	}
	defer os.Remove(p.notes)
	bare, err := p.rawFrames()
	if err != nil {
		return err
	}
	r, err := p.start(1)
	if err != nil {
		return err
	}
	defer r.stop()
	for _, mode := range []string{protocol.ModeReliable, protocol.ModeLossy} {
		seen, took, err := p.stream(r, mode)
		if err != nil {
			return fmt.Errorf("%s stream: %w", mode, err)
		}
		rate := frames / took.Seconds()
		target := ""
		if mode == protocol.ModeReliable {
			target = "none lost"
		}
		p.row(mode+" stream, slow reader", fmt.Sprintf("%.0f frames/s, %.2f ×; %d of %d seen", rate, rate/bare, seen, frames),
			fmt.Sprintf("bare pipe: %.0f frames/s", bare), target, seen == frames)
	}
	return nil
}

// rawFrames returns how many frames a second a pipe carries.
func (p *pluginsBench) rawFrames() (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	_, out, end, err := p.piped(self, "frames", strconv.Itoa(frames))
	if err != nil {
		return 0, err
	}
	defer end()
	in := bufio.NewReader(out)
	began := time.Now()
	for n := range frames {
		if _, err := rpc.ReadFrame(in, rpc.MaxFromPlugin); err != nil {
			return 0, fmt.Errorf("frame %d of a bare pipe: %w", n, err)
		}
	}
	return frames / time.Since(began).Seconds(), nil
}

// stream reads all notes, with a pause of a millisecond after every 32, and
// returns how many frames came and how long the stream took.
func (p *pluginsBench) stream(r *running, mode string) (seen int64, took time.Duration, err error) {
	const together = 32
	var count, newest atomic.Int64
	arrived, ended := make(chan struct{}, 1), make(chan protocol.StreamEnd, 1)
	client, err := r.dial(p.ctx, func(_ context.Context, method string, params json.RawMessage) {
		if method == protocol.NotifyStreamEnd {
			var end protocol.StreamEnd
			_ = protocol.DecodeParams(params, &end) // the runner's own
			ended <- end
			return
		}
		var f protocol.StreamFrame
		if protocol.DecodeParams(params, &f) != nil || f.Seq == nil {
			return
		}
		newest.Store(*f.Seq)
		if count.Add(1)%together == 0 {
			time.Sleep(time.Millisecond)
		}
		select {
		case arrived <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	began := time.Now()
	var sub protocol.SubscribeResult
	if err := client.Call(p.ctx, protocol.MethodStreamSubscribe, protocol.SubscribeParams{Method: "hello_go.notes", Mode: mode}, &sub); err != nil {
		return 0, 0, err
	}
	for acked := int64(0); ; {
		select {
		case <-arrived:
			if seq := newest.Load(); mode == protocol.ModeReliable && seq >= acked+together {
				acked = seq
				if err := client.Call(p.ctx, protocol.MethodStreamAck, protocol.AckParams{StreamID: sub.StreamID, Seq: seq}, nil); err != nil {
					return 0, 0, err
				}
			}
		case end := <-ended:
			if end.Error != nil || end.LastSeq != frames {
				return 0, 0, fmt.Errorf("it ended with %+v", end)
			}
			return count.Load(), time.Since(began), nil
		case <-client.Done():
			return 0, 0, fmt.Errorf("the runner hung up")
		case <-time.After(time.Minute):
			return 0, 0, fmt.Errorf("nothing comes after %d frames", count.Load())
		}
	}
}

// memory holds a runner with many plugins against one with a single one.
func (p *pluginsBench) memory() error {
	var runner, plugin [2]float64
	for i, n := range []int{1, crowd} {
		r, err := p.start(n)
		if err != nil {
			return err
		}
		time.Sleep(3 * time.Second) // let it come to rest
		runner[i], err = megabytes(r.cmd.Process.Pid)
		if err == nil {
			plugin[i], err = ofEachChild(r.cmd.Process.Pid, n)
		}
		r.stop()
		if err != nil {
			return err
		}
	}
	p.row(fmt.Sprintf("runner with %d plugins", crowd), fmt.Sprintf("%.1f MB, %.2f ×", runner[1], runner[1]/runner[0]),
		fmt.Sprintf("with 1: %.1f MB", runner[0]), "", false)
	p.row("each further plugin", fmt.Sprintf("%.0f kB in the runner, %.1f MB of its own", (runner[1]-runner[0])/(crowd-1)*1024, plugin[1]),
		fmt.Sprintf("one alone: %.1f MB", plugin[0]), "", false)
	return nil
}

func megabytes(pid int) (float64, error) {
	n, err := proportional(pid)
	return float64(n) / (1 << 20), err
}

// ofEachChild returns what each of the n children of a process has in memory.
func ofEachChild(pid, n int) (float64, error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	sum, count := 0.0, 0
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for _, child := range strings.Fields(string(text)) {
			id, err := strconv.Atoi(child)
			if err != nil {
				return 0, err
			}
			mb, err := megabytes(id)
			if err != nil {
				return 0, err
			}
			sum, count = sum+mb, count+1
		}
	}
	if count != n {
		return 0, fmt.Errorf("the runner has %d children, not %d", count, n)
	}
	return sum / float64(n), nil
}

// A running is a runner that was started.
type running struct {
	cmd    *exec.Cmd
	folder string
}

// start starts a runner with n plugins, p0 and so on, and waits until all are
// ready.
func (p *pluginsBench) start(n int) (*running, error) {
	var text strings.Builder
	text.WriteString("[security]\nenforce = false\n")
	for i := range n {
		fmt.Fprintf(&text, "\n[[plugin]]\nid = \"p%d\"\nkind = \"bundle\"\nentrypoint = [%q]\n[plugin.settings]\nfile = %q\n",
			i, filepath.Join(p.bin, "hello_go"), p.notes)
	}
	file := filepath.Join(p.dir, "config.toml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return nil, err
	}
	r := &running{folder: filepath.Join(p.dir, "utter")}
	r.cmd = exec.CommandContext(p.ctx, filepath.Join(p.bin, "utter-runner"), "--config", file)
	r.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "XDG_RUNTIME_DIR=" + p.dir}
	var said bytes.Buffer
	r.cmd.Stderr = &said
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	if err := await(func() bool { return r.ready(p.ctx, n) }); err != nil {
		r.stop()
		return nil, fmt.Errorf("the runner with %d plugins: %w\n%s", n, err, said.String())
	}
	return r, nil
}

func (r *running) stop() {
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	_ = r.cmd.Wait()
}

func (r *running) dial(ctx context.Context, notified func(context.Context, string, json.RawMessage)) (*runnerclient.Client, error) {
	at := runnerclient.Address{Socket: filepath.Join(r.folder, "runner.sock"), Folder: r.folder}
	return runnerclient.Dial(ctx, at, runnerclient.Options{Notified: notified})
}

// ready reports whether n plugins are.
func (r *running) ready(ctx context.Context, n int) bool {
	client, err := r.dial(ctx, nil)
	if err != nil {
		return false
	}
	defer client.Close()
	var all protocol.PluginsResult
	if client.Call(ctx, protocol.MethodRunnerPlugins, nil, &all) != nil {
		return false
	}
	for _, row := range all.Plugins {
		if row.Status != protocol.StatusOK {
			return false
		}
	}
	return len(all.Plugins) == n
}
