// Package plugin is the SDK for plugins in Go. A Plugin describes what it offers,
// and Main is all that func main needs:
//
//	type note struct {
//		Text string `json:"text" doc:"what to remember"`
//	}
//
//	func add(ctx context.Context, n note) (string, error) {
//		return "noted " + n.Text, os.WriteFile(…)
//	}
//
//	func main() {
//		plugin.Main(plugin.Plugin{
//			ID:  "notes",
//			Ops: []plugin.Op{{Name: "note", Do: plugin.Do(add)}},
//		})
//	}
//
// The package implements the protocol (see package protocol), describes the plugin
// to the runner, checks arguments before a function sees them, handles the flow
// control of streams, and exits when the runner asks it to. The user sees the error
// that a function returns; a panic is reported as an error too and does not end the
// plugin.
//
// The ctx of a function ends when nobody is waiting for the result any more.
// Progress, Log, Windows, Emit and NewHandle take it to reach the runner.
//
// Package plugintest runs a plugin in a test, without a runner.
//
// The package does not decide what is allowed. The user grants permissions to a
// plugin, and the runner enforces them and asks for confirmations.
package plugin
