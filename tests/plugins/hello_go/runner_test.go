package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// runner starts a real runner with hello_go, and what more entries name, and
// returns a client of it, and where the notes go. frames gets what is notified.
func runner(t *testing.T, frames chan<- string, more string) (client *rpc.Peer, file string) {
	t.Helper()
	bin := t.TempDir()
	for _, pkg := range []string{"./agent/cmd/utter-runner", "./tests/plugins/hello_go"} {
		cmd := exec.Command("go", "build", "-o", bin+"/", pkg)
		cmd.Dir = "../../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build %s: %v\n%s", pkg, err, out)
		}
	}
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(notes, "notes.txt")
	config := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf(`
[[plugin]]
id = "hello_go"
kind = "bundle"
entrypoint = [%q]
permissions = ["filesystem.write"]
write_paths = [%q]

[plugin.settings]
file = %q
`, filepath.Join(bin, "hello_go"), notes, file) + more
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := os.MkdirTemp("/tmp", "hello") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	var said strings.Builder
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "utter-runner"), "--config", config)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "XDG_RUNTIME_DIR=" + run}
	cmd.Stderr = &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if cmd.Wait(); cmd.ProcessState.ExitCode() != 0 || t.Failed() {
			t.Errorf("%v; the runner said\n%s", cmd.ProcessState, said.String())
		}
	})
	return connect(t, filepath.Join(run, "utter"), frames), file
}

// connect waits until the runner serves and its plugin is ready.
func connect(t *testing.T, folder string, frames chan<- string) *rpc.Peer {
	t.Helper()
	var conn net.Conn
	eventually(t, "the runner serves", func() (err error) {
		conn, err = net.Dial("unix", filepath.Join(folder, "runner.sock"))
		return err
	})
	client := rpc.NewPeer(conn.(*net.UnixConn),
		rpc.Options{Notified: func(_ context.Context, method string, params json.RawMessage) {
			if frames != nil {
				frames <- method + " " + string(params)
			}
		}})
	ended := make(chan error, 1)
	go func() { ended <- client.Run(context.Background()) }()
	t.Cleanup(func() { client.Close(); <-ended })
	token, err := os.ReadFile(filepath.Join(folder, "token"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Call(t.Context(), protocol.MethodRunnerAuth,
		protocol.AuthParams{Token: strings.TrimSpace(string(token))}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the plugins are ready", func() error {
		said, err := client.Call(t.Context(), protocol.MethodRunnerStatus, nil)
		var all protocol.PluginsResult
		if err == nil {
			err = rpc.Unmarshal(said, &all)
		}
		if len(all.Plugins) == 0 ||
			slices.ContainsFunc(all.Plugins, func(p protocol.PluginRow) bool { return p.Status != protocol.StatusOK }) {
			err = fmt.Errorf("%s", said)
		}
		return err
	})
	return client
}

func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	var err error
	for range 1000 {
		if err = try(); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: %v", what, err)
}

func TestTheRunnerTakesANote(t *testing.T) {
	client, file := runner(t, nil, "")
	said, err := client.Call(t.Context(), protocol.MethodRunnerCommand, protocol.CommandParams{Utterance: "note buy milk"})
	if err != nil || !strings.Contains(string(said), `"ok":true`) || !strings.Contains(string(said), "noted buy milk") {
		t.Errorf("%s, %v", said, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "buy milk\n" {
		t.Errorf("the file has %q, %v", got, err)
	}
	for params, want := range map[string]protocol.Code{
		`{"op":"note","args":{"txet":"x"},"provenance":"user"}`:   protocol.CodeInvalidParams,
		`{"op":"note","args":{"text":"x"},"provenance":"screen"}`: protocol.CodeUntrusted,
		`{"op":"note","args":{"text":"x"}}`:                       protocol.CodeDenied,
	} {
		_, err := client.Call(t.Context(), protocol.MethodRunnerInvoke, protocol.RunnerInvokeParams{
			Plugin: "hello_go", Method: protocol.MethodActionInvoke, Params: json.RawMessage(params)})
		if protocol.CodeOf(err) != want {
			t.Errorf("%s: %v", params, err)
		}
	}
}

// A viewer is a client that looks at the streams of the plugin.
type viewer struct {
	t      *testing.T
	client *rpc.Peer
	frames <-chan string
}

func (v viewer) subscribe(name, mode string, params any) string {
	v.t.Helper()
	text, err := rpc.Marshal(params)
	if err != nil {
		v.t.Fatal(err)
	}
	said, err := v.client.Call(v.t.Context(), protocol.MethodStreamSubscribe,
		protocol.SubscribeParams{Method: name, Mode: mode, Params: text})
	var result protocol.SubscribeResult
	if err == nil {
		err = rpc.Unmarshal(said, &result)
	}
	if err != nil {
		v.t.Fatalf("subscribe to %s: %v", name, err)
	}
	return result.StreamID
}

// next returns the next frame of any stream.
func (v viewer) next() (f protocol.StreamFrame) {
	v.t.Helper()
	select {
	case said := <-v.frames:
		_, params, _ := strings.Cut(said, " ")
		if err := rpc.Unmarshal([]byte(params), &f); err != nil {
			v.t.Fatalf("%s: %v", said, err)
		}
	case <-time.After(10 * time.Second):
		v.t.Fatal("no frame")
	}
	return f
}

func TestTheRunnerPassesStreamsOn(t *testing.T) {
	frames := make(chan string, 2000)
	client, file := runner(t, frames, "")
	const notes = 300
	if err := os.WriteFile(file, []byte(strings.Repeat("buy milk\n", notes)), 0o600); err != nil {
		t.Fatal(err)
	}
	v := viewer{t, client, frames}

	id := v.subscribe("hello_go.notes", protocol.ModeReliable, map[string]any{})
	for i := int64(1); i <= protocol.DefaultCredit; i++ {
		if f := v.next(); f.Seq == nil || *f.Seq != i {
			t.Fatalf("frame %d is %+v", i, f)
		}
	}
	select {
	case f := <-frames:
		t.Errorf("a frame over the credit: %s", f)
	case <-time.After(200 * time.Millisecond):
	}
	for i := int64(protocol.DefaultCredit + 1); i <= notes; i++ {
		if _, err := client.Call(t.Context(), protocol.MethodStreamAck,
			protocol.AckParams{StreamID: id, Seq: i - 1}); err != nil {
			t.Fatal(err)
		}
		if f := v.next(); f.Seq == nil || *f.Seq != i || string(f.Data) != `{"text":"buy milk"}` {
			t.Fatalf("frame %d is %+v", i, f)
		}
	}
	if end := <-frames; !strings.HasPrefix(end, "stream.end ") ||
		!strings.Contains(end, fmt.Sprintf(`"last_seq":%d`, notes)) {
		t.Errorf("the last word is %s", end)
	}

	id = v.subscribe("hello_go.ticks", protocol.ModeLossy, map[string]any{"every_ms": 5})
	last := int64(0)
	for range 10 {
		f := v.next()
		if f.Seq == nil || *f.Seq <= last {
			t.Fatalf("after %d comes %+v", last, f)
		}
		last = *f.Seq
	}
	if _, err := client.Call(t.Context(), protocol.MethodStreamStop, protocol.StopParams{StreamID: id}); err != nil {
		t.Error(err)
	}
}
