package sway

import (
	"context"

	"utter/agent/internal/compositor"
)

// Connect finds the sway or i3 of this session and connects to it, as
// compositor.Search does.
func Connect(ctx context.Context, getenv func(string) string, runtimeDir string) (compositor.Backend, error) {
	return compositor.Search{
		Kind: "sway", Variables: []string{"SWAYSOCK", "I3SOCK"},
		Patterns: []string{"sway-ipc.*.sock", "i3/ipc-socket.*"},
		Dial: func(path string) (compositor.Backend, error) {
			env := map[string]string{"SWAYSOCK": path, "I3SOCK": path}
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
