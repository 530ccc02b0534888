package plugin_test

import (
	"context"

	"utter/shared/plugin"
)

type greeting struct {
	Name string `json:"name" doc:"whom to greet"`
}

func greet(_ context.Context, g greeting) (string, error) {
	return "Hello, " + g.Name, nil
}

// The smallest plugin: one op. The body of the example is its main.
func Example() {
	plugin.Main(plugin.Plugin{
		ID:  "greeter",
		Ops: []plugin.Op{{Name: "greet", Do: plugin.Do(greet)}},
	})
}
