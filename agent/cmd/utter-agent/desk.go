package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/memory"
	"utter/agent/internal/compositor/niri"
	"utter/agent/internal/compositor/sway"
	"utter/agent/internal/knowledge"
	"utter/shared/wayland"
	"utter/shared/xdg"
)

// A desk is the desktop that runs and what the user's files say of it: all that
// planning needs. It needs no session bus.
type desk struct {
	knowledge *knowledge.Knowledge
	desktop   *compositor.Desktop
	log       *slog.Logger

	runtimeDir string
}

// newDesk returns a desk that has looked at nothing yet.
func newDesk(configFile string, dirs xdg.Dirs, log *slog.Logger) (*desk, error) {
	vocabulary, err := compositor.NewVocabulary()
	if err != nil {
		return nil, err
	}
	known, err := knowledge.New(configFile, dirs)
	if err != nil {
		return nil, err
	}
	find := func(ctx context.Context) (compositor.Backend, error) { return connect(ctx, dirs.Runtime) }
	return &desk{known, compositor.NewDesktop(find, vocabulary, log), log, dirs.Runtime}, nil
}

// compositors are the kinds that Utter can talk to, in the order of preference.
var compositors = []compositor.Connect{niri.Connect, sway.Connect}

// connect finds the compositor of this session. One that Utter cannot talk to is
// stood in for by a desktop that refuses everything by name.
func connect(ctx context.Context, runtimeDir string) (compositor.Backend, error) {
	b, err := compositor.FindAny(ctx, os.Getenv, runtimeDir, compositors...)
	if err == nil || !errors.Is(err, compositor.ErrNone) {
		return b, err
	}
	name := os.Getenv("WAYLAND_DISPLAY")
	if name == "" {
		return nil, fmt.Errorf("%w, and WAYLAND_DISPLAY is not set", err)
	}
	conn, dialErr := wayland.Dial(ctx, wayland.SocketPath(name, runtimeDir))
	if dialErr != nil {
		return nil, err
	}
	desktop, _, _ := strings.Cut(os.Getenv("XDG_CURRENT_DESKTOP"), ":")
	if desktop == "" {
		desktop = "this compositor"
	}
	unknown := memory.Unknown(desktop, map[string]string{"WAYLAND_DISPLAY": name})
	go func() { // the connection is kept to see the compositor go
		<-conn.Done()
		unknown.Close()
	}()
	context.AfterFunc(ctx, func() { conn.Close() })
	return unknown, nil
}
