package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// payload is what a request of the measured kind takes on the wire.
const payload = 160

// bareEcho sends back what it reads, payload by payload: the least that a
// process on the other end of two pipes can do.
func bareEcho() {
	buf := make([]byte, payload)
	for {
		if _, err := io.ReadFull(os.Stdin, buf); err != nil {
			os.Exit(0)
		}
		if _, err := os.Stdout.Write(buf); err != nil {
			os.Exit(1)
		}
	}
}

// spawn starts the test binary in a role, with pipes.
func spawn(b *testing.B, role string) (in io.WriteCloser, out io.ReadCloser) {
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "HELLO_TEST="+role, "UTTER_PLUGIN_COOKIE=bench", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	return in, out
}

// BenchmarkRoundTrip measures a request to hello_go over its standard input and
// output, by a rpc.Peer as the runner's, and a bare echo of as many bytes beside
// it: one of each by turns, so that both meet the same machine.
func BenchmarkRoundTrip(b *testing.B) {
	for _, tt := range []struct {
		name   string
		method string
		params any
	}{
		{"health", protocol.MethodHealth, nil},
		{"route", protocol.MethodRouterPlan, protocol.PlanParams{Utterance: "note buy milk", Provenance: protocol.FromUser}},
		{"note", protocol.MethodActionInvoke,
			protocol.InvokeParams{Op: "note", Args: json.RawMessage(`{"text":"buy milk"}`), Provenance: protocol.FromUser}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			echoIn, echoOut := spawn(b, "echo")
			in, out := spawn(b, "plugin")
			peer := rpc.NewPeer(rpc.Pipe(out, in), rpc.Options{MaxBody: rpc.MaxFromPlugin})
			ended := make(chan error, 1)
			go func() { ended <- peer.Run(context.Background()) }()
			settings := map[string]any{"file": filepath.Join(b.TempDir(), "notes.txt")}
			if _, err := peer.Call(b.Context(), protocol.MethodHello,
				protocol.HelloParams{Protocol: protocol.Version, ABI: protocol.ABI, Settings: settings}); err != nil {
				b.Fatal(err)
			}
			buf := make([]byte, payload)
			echo := func() error {
				if _, err := echoIn.Write(buf); err != nil {
					return err
				}
				_, err := io.ReadFull(echoOut, buf)
				return err
			}
			call := func() error { _, err := peer.Call(b.Context(), tt.method, tt.params); return err }
			var bare, plugin []time.Duration
			for b.Loop() {
				bare = append(bare, timed(b, echo))
				plugin = append(plugin, timed(b, call))
			}
			in.Close()
			<-ended
			for _, p := range []int{50, 99} {
				base, own := percentile(bare, p), percentile(plugin, p)
				b.ReportMetric(float64(base), fmt.Sprintf("bare-p%d-ns", p))
				b.ReportMetric(float64(own), fmt.Sprintf("plugin-p%d-ns", p))
				b.ReportMetric(float64(own)/float64(base), fmt.Sprintf("ratio-p%d", p))
			}
		})
	}
}

func timed(b *testing.B, do func() error) time.Duration {
	begin := time.Now()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

func percentile(all []time.Duration, p int) time.Duration {
	slices.Sort(all)
	return all[min(len(all)-1, len(all)*p/100)]
}
