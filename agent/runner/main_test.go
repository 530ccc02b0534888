package runner

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
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
