package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"utter/agent/runner/sandbox"
	"utter/agent/runner/supervisor"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// actEnv names what the test binary plays.
const actEnv = "UTTER_TEST_ACT"

// TestMain lets the test binary play the plugins, so that the tests run real
// processes without building any.
func TestMain(m *testing.M) {
	sandbox.BecomeProbe()
	if name := os.Getenv(actEnv); name != "" {
		actors[name]()
		os.Exit(0)
	}
	if r, w, err := os.Pipe(); err == nil { // the runtime opens its poller
		r.Close()
		w.Close()
	}
	before := census()
	status := m.Run()
	if f := flag.Lookup("test.fuzz"); f != nil && f.Value.String() != "" {
		os.Exit(status) // a fuzzer leaves its own things behind
	}
	if left := before.left(); left != "" && status == 0 {
		fmt.Fprintln(os.Stderr, "left behind:", left)
		status = 1
	}
	os.Exit(status)
}

// A count is what this process has of each kind.
type count struct{ goroutines, files, children int }

func census() count {
	files, _ := os.ReadDir("/proc/self/fd")
	return count{runtime.NumGoroutine(), len(files), len(children())}
}

// children are the processes that this one has started, and theirs.
func children() (pids []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && bytes.Contains(env, []byte(actEnv+"=")) {
			pids = append(pids, e.Name())
		}
	}
	return pids
}

// left says what there is more than before, once it has settled.
func (before count) left() string {
	var now count
	for range 200 {
		now = census()
		if now.goroutines <= before.goroutines && now.files <= before.files && now.children == 0 {
			return ""
		}
		time.Sleep(10 * time.Millisecond) // no event tells that the kernel is done
	}
	stacks := make([]byte, 1<<16)
	return fmt.Sprintf("%+v, before %+v\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
}

// A bed is a runner under test.
type bed struct {
	t      *testing.T
	runner *Runner
	dir    string
	socket string
	config string
	log    *lockedBuffer
	stop   func()
}

// quick is a pace at which nobody has to wait.
var quick = supervisor.Pace{
	FirstPause: 10 * time.Millisecond, LongestPause: 50 * time.Millisecond, GiveUp: 3, Steady: time.Minute,
	Beat: 50 * time.Millisecond, LateReply: 300 * time.Millisecond,
}

// start runs a runner with a configuration. entry of actors fills in the program.
func start(t *testing.T, text string, change ...func(*Options)) *bed {
	t.Helper()
	dir := shortTemp(t)
	b := &bed{t: t, dir: dir, socket: filepath.Join(dir, "utter", "runner.sock"),
		config: filepath.Join(dir, "config.toml"), log: &lockedBuffer{}}
	b.write(text)
	load := func() (config.Config, error) { return config.Load(b.config) }
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Config: c, Load: load, Socket: b.socket, Folder: filepath.Join(dir, "utter"), Dir: dir,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GORACE=atexit_sleep_ms=0"},
		Version: "test", Pace: quick, Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&o)
	}
	b.runner = New(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.runner.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	t.Cleanup(func() {
		b.stop()
		if t.Failed() {
			t.Logf("log of the runner:\n%s", b.log)
		}
	})
	return b
}

// shortTemp is a folder whose path leaves room for a socket's name.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ur")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (b *bed) write(text string) {
	b.t.Helper()
	if err := os.WriteFile(b.config, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// reload has the runner read its configuration.
func (b *bed) reload() {
	b.t.Helper()
	if err := b.runner.Reload(); err != nil {
		b.t.Fatal(err)
	}
}

// entry is the [[plugin]] of an actor.
func entry(id, actor string, more ...string) string {
	return fmt.Sprintf(
		"[[plugin]]\nid = %q\nkind = \"bundle\"\nentrypoint = [%q]\n%s\nenv = { %s = %q, GORACE = \"atexit_sleep_ms=0\" }\n",
		id, os.Args[0], strings.Join(more, "\n"), actEnv, actor)
}

// A user is a client of the runner.
type user struct {
	t     *testing.T
	peer  *rpc.Peer
	notes chan note
}

type note struct {
	method string
	params json.RawMessage
}

// connect connects until the test ends.
func (b *bed) connect(confirm func(protocol.ConfirmParams) any) *user {
	b.t.Helper()
	u, leave := b.dial(confirm)
	b.t.Cleanup(leave)
	return u
}

// dial connects once the socket is there, without a word.
func (b *bed) dial(confirm func(protocol.ConfirmParams) any) (u *user, leave func()) {
	b.t.Helper()
	var conn net.Conn
	b.until("the socket is there", func() bool {
		var err error
		conn, err = net.Dial("unix", b.socket)
		return err == nil
	})
	u = &user{t: b.t, notes: make(chan note, 1000)}
	u.peer = rpc.NewPeer(conn, rpc.Options{
		MaxBody: rpc.MaxFromPlugin,
		Handle: func(_ context.Context, method string, params json.RawMessage) (any, error) {
			var p protocol.ConfirmParams
			if confirm == nil || method != protocol.MethodHostConfirm || rpc.Unmarshal(params, &p) != nil {
				return nil, rpc.Errorf(-32601, "no")
			}
			return confirm(p), nil
		},
		Notified: func(_ context.Context, method string, params json.RawMessage) { u.notes <- note{method, params} },
	})
	done := make(chan struct{})
	go func() { defer close(done); _ = u.peer.Run(context.Background()) }()
	return u, func() { u.peer.Close(); <-done }
}

// user connects and authenticates.
func (b *bed) user() *user { return b.confirming(nil) }

func (b *bed) confirming(confirm func(protocol.ConfirmParams) any) *user {
	b.t.Helper()
	u := b.connect(confirm)
	u.ok(protocol.MethodRunnerAuth, protocol.AuthParams{Token: b.token("token")})
	return u
}

func (b *bed) token(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, "utter", name))
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// until waits for something that no event tells.
func (b *bed) until(what string, is func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if is() {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("never: %s", what)
		}
	}
}

// reaches waits until a plugin has a status, and returns its row.
func (b *bed) reaches(id, status string, more ...func(protocol.PluginRow) bool) (row protocol.PluginRow) {
	b.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		var changed <-chan struct{}
		b.until("the runner has begun", func() bool { changed = b.runner.plugins.watch(); return changed != nil })
		ok := false
		for _, r := range b.runner.plugins.rows(b.t.Context()) {
			if r.ID == id {
				row = r
				ok = r.Status == status
				for _, f := range more {
					ok = ok && f(r)
				}
			}
		}
		if ok {
			return row
		}
		select {
		case <-changed:
		case <-deadline:
			b.t.Fatalf("%s does not become %s: %+v", id, status, row)
		}
	}
}

// call calls and returns both.
func (u *user) call(method string, params any) (json.RawMessage, error) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), 30*time.Second)
	defer cancel()
	return u.peer.Call(ctx, method, params)
}

// ok calls what must succeed.
func (u *user) ok(method string, params any) json.RawMessage {
	u.t.Helper()
	result, err := u.call(method, params)
	if err != nil {
		u.t.Fatalf("%s %v: %v", method, params, err)
	}
	return result
}

// fails calls what must fail with a code, and returns the data.
func (u *user) fails(code protocol.Code, method string, params any) protocol.Data {
	u.t.Helper()
	result, err := u.call(method, params)
	if protocol.CodeOf(err) != code || err == nil {
		u.t.Errorf("%s %v = %s, %v; want code %d", method, params, result, err, code)
	}
	return protocol.ErrorData(err)
}

// log is runner.plugin.log.
func (u *user) log(plugin string) []string {
	u.t.Helper()
	var said struct {
		Lines []string `json:"lines"`
	}
	if err := rpc.Unmarshal(u.ok(protocol.MethodRunnerPluginLog, protocol.PluginParams{Plugin: plugin}),
		&said); err != nil {
		u.t.Fatal(err)
	}
	return said.Lines
}

// invoke is runner.invoke of action.invoke.
func invoke(plugin, op, args string) map[string]any {
	return through(plugin, "action.invoke", fmt.Sprintf(`{"op":%q,"args":%s,"provenance":"user"}`, op, args))
}

func through(plugin, method, params string) map[string]any {
	return map[string]any{"plugin": plugin, "method": method, "params": json.RawMessage(params)}
}

// say is runner.command.
func (u *user) say(text string) []protocol.StepResult {
	u.t.Helper()
	var r protocol.CommandResult
	if err := rpc.Unmarshal(u.ok(protocol.MethodRunnerCommand, protocol.CommandParams{Utterance: text}), &r); err != nil {
		u.t.Fatal(err)
	}
	return r.Results
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
