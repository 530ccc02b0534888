package sway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"utter/shared/wayland"
)

// ErrNone means that no sway or i3 runs in this session.
var ErrNone = errors.New("no sway or i3 is running")

// Connect finds the sway or i3 of this session and connects to it: the one that
// SWAYSOCK or I3SOCK names if it lives, else the only one whose socket lies in
// the runtime folder.
func Connect(ctx context.Context, getenv func(string) string, runtimeDir string) (*Backend, error) {
	for _, name := range []string{"SWAYSOCK", "I3SOCK"} {
		if path := getenv(name); path != "" {
			if b, err := connectAt(ctx, path, getenv, runtimeDir); err == nil {
				return b, nil
			}
		}
	}
	found, err := filepath.Glob(filepath.Join(runtimeDir, "sway-ipc.*.sock"))
	if err != nil {
		return nil, fmt.Errorf("sway: %w", err)
	}
	i3, err := filepath.Glob(filepath.Join(runtimeDir, "i3", "ipc-socket.*"))
	if err != nil {
		return nil, fmt.Errorf("sway: %w", err)
	}
	var alive *Backend
	for _, path := range slices.Concat(found, i3) {
		b, err := connectAt(ctx, path, getenv, runtimeDir)
		if err != nil {
			continue // left behind by one that has died
		}
		if alive != nil {
			b.Close()
			alive.Close()
			return nil, errors.New("several sway sockets answer; set SWAYSOCK to the one to use")
		}
		alive = b
	}
	if alive == nil {
		return nil, ErrNone
	}
	return alive, nil
}

func connectAt(ctx context.Context, path string, getenv func(string) string, runtimeDir string) (*Backend, error) {
	env := map[string]string{"SWAYSOCK": path, "I3SOCK": path}
	b, err := Dial(ctx, path, env)
	if err != nil {
		return nil, err
	}
	pid, err := peerPID(b.commands.c)
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("sway: %w", err)
	}
	if display := displayOf(ctx, pid, getenv("WAYLAND_DISPLAY"), runtimeDir); display != "" {
		env["WAYLAND_DISPLAY"] = display
	}
	return b, nil
}

// displayOf returns the name of the Wayland display that process pid serves; it
// tries likely first. An old value in the environment outlives its compositor.
func displayOf(ctx context.Context, pid int, likely, runtimeDir string) string {
	found, err := filepath.Glob(filepath.Join(runtimeDir, "wayland-*"))
	if err != nil {
		return ""
	}
	names := []string{}
	if likely != "" {
		names = append(names, likely)
	}
	for _, path := range found {
		if !strings.HasSuffix(path, ".lock") && filepath.Base(path) != likely {
			names = append(names, filepath.Base(path))
		}
	}
	for _, name := range names {
		if servedBy(ctx, wayland.SocketPath(name, runtimeDir), pid) {
			return name
		}
	}
	return ""
}

func servedBy(ctx context.Context, path string, pid int) bool {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return false
	}
	defer c.Close()
	peer, err := peerPID(c.(*net.UnixConn))
	return err == nil && peer == pid
}
