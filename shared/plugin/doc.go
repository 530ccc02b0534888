// Package plugin is for who writes a plugin of Utter in Go. A Plugin says what
// it does, and Main is the whole main:
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
// The package speaks the protocol (see package protocol), tells the runner what
// there is, checks arguments before a function sees them, handles the credit of
// streams, and ends when the runner says so. What a function returns as an
// error is told to the user; a panic is one too and does not end the plugin.
//
// The ctx that a function gets ends when nobody waits for it any more. It also
// leads to the runner: Progress, Log, Windows, Emit and NewHandle take it.
//
// Package plugintest runs a plugin in a test, without a runner.
//
// It does not decide what is allowed. The user grants permissions to a plugin,
// and the runner enforces them and asks for confirmations.
package plugin
