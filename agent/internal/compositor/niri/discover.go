package niri

import (
	"context"

	"utter/agent/internal/compositor"
)

// Connect finds the niri of this session and connects to it, as
// compositor.Search does.
func Connect(ctx context.Context, getenv func(string) string, runtimeDir string) (compositor.Backend, error) {
	return compositor.Search{
		Kind: "niri", Variables: []string{"NIRI_SOCKET"}, Patterns: []string{"niri.*.sock"},
		Dial: func(path string) (compositor.Backend, error) {
			env := map[string]string{"NIRI_SOCKET": path}
			b, err := Dial(ctx, path, env)
			if err != nil {
				return nil, err
			}
			if display := compositor.DisplayOf(ctx, b.commands.c, getenv("WAYLAND_DISPLAY"), runtimeDir); display != "" {
				env["WAYLAND_DISPLAY"] = display
			}
			return b, nil
		},
	}.Find(getenv, runtimeDir)
}
