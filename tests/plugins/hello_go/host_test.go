package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"utter/shared/plugin"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// eyes tells of a desktop.
var eyes = plugin.Plugin{ID: "eyes", Kind: protocol.KindContext,
	Desktop: func(context.Context, []string) (plugin.Snapshot, error) {
		return plugin.Snapshot{Windows: []plugin.Window{{AppID: "foot", Title: "secret", WindowID: 7}},
			Clipboard: "secret"}, nil
	}}

// looker asks the runner for all that the SDK lets it ask for.
var looker = plugin.Plugin{ID: "looker", Ops: []plugin.Op{{Name: "looker.look", Do: plugin.Do(
	func(ctx context.Context, _ plugin.None) (map[string]any, error) {
		all, err := plugin.Windows(ctx)
		if err != nil {
			return nil, err
		}
		plugin.Progress(ctx, 50, "looking")
		slog.InfoContext(ctx, "looked", "windows", len(all.Windows))
		fmt.Println("printed")
		if err := plugin.Emit(ctx, "looker.looked", map[string]int{"windows": len(all.Windows)}); err != nil {
			return nil, err
		}
		handle, err := plugin.NewHandle(ctx, []byte("what was seen"))
		return map[string]any{"handle": handle, "seen": all}, err
	})}}}

// TestThePluginReachesTheRunner: what the SDK asks a real runner for is there,
// and cut to what was granted.
func TestThePluginReachesTheRunner(t *testing.T) {
	frames := make(chan string, 100)
	client, _ := runner(t, frames, fmt.Sprintf(`
[[plugin]]
id = "eyes"
kind = "context"
entrypoint = [%[1]q]
env = { HELLO_TEST = "eyes" }

[[plugin]]
id = "looker"
entrypoint = [%[1]q]
env = { HELLO_TEST = "looker" }
`, os.Args[0]))
	call := func(method string, params any) string {
		t.Helper()
		said, err := client.Call(t.Context(), method, params)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		return string(said)
	}
	call(protocol.MethodStreamSubscribe, protocol.SubscribeParams{Method: protocol.NotifyRunnerEvent})
	said := call(protocol.MethodRunnerInvoke, protocol.RunnerInvokeParams{
		Plugin: "looker", Method: protocol.MethodActionInvoke,
		Params: json.RawMessage(`{"op":"looker.look","args":{},"provenance":"user"}`)})
	if !strings.Contains(said, `"app_id":"foot"`) || strings.Contains(said, "secret") {
		t.Errorf("it saw %s", said)
	}
	var result protocol.HandleParams
	if err := rpc.Unmarshal([]byte(said), &result); err != nil {
		t.Fatal(err)
	}
	if said := call(protocol.MethodHandleFetch, result); !strings.Contains(said, `"data_b64":"d2hhdCB3YXMgc2Vlbg=="`) {
		t.Errorf("the handle has %s", said)
	}
	for _, want := range []string{"$/progress", `"event":"looker.looked"`} {
		eventually(t, want, func() error {
			select {
			case f := <-frames:
				if strings.Contains(f, want) {
					return nil
				}
				return fmt.Errorf("got %s", f)
			default:
				return fmt.Errorf("no frame")
			}
		})
	}
	eventually(t, "the log", func() error {
		log := call(protocol.MethodRunnerPluginLog, protocol.PluginParams{Plugin: "looker"})
		if !strings.Contains(log, "looked windows=1") || !strings.Contains(log, "printed") {
			return fmt.Errorf("it is %s", log)
		}
		return nil
	})
}
