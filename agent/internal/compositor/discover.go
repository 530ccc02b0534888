package compositor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"utter/shared/peercred"
	"utter/shared/wayland"
)

// ErrNone means that no compositor of some kind runs in this session.
var ErrNone = errors.New("none is running")

// A Search says where the sockets of one kind of compositor may be.
type Search struct {
	Kind      string   // "sway", for messages
	Variables []string // environment variables that may name the socket
	Patterns  []string // file names in the runtime folder
	Dial      func(path string) (Backend, error)
}

// Find connects to the compositor that a variable names if it lives, else to
// the only one whose socket lies in the runtime folder. It returns ErrNone,
// wrapped, where there is none.
func (s Search) Find(getenv func(string) string, runtimeDir string) (Backend, error) {
	for _, name := range s.Variables {
		if path := getenv(name); path != "" {
			if b, err := s.Dial(path); err == nil {
				return b, nil
			}
		}
	}
	var alive Backend
	for _, pattern := range s.Patterns {
		found, err := filepath.Glob(filepath.Join(runtimeDir, pattern))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Kind, err)
		}
		for _, path := range found {
			b, err := s.Dial(path)
			if err != nil {
				continue // left behind by one that has died
			}
			if alive != nil {
				b.Close()
				alive.Close()
				return nil, fmt.Errorf("several %s sockets answer; set %s to the one to use", s.Kind, s.Variables[0])
			}
			alive = b
		}
	}
	if alive == nil {
		return nil, fmt.Errorf("%s: %w", s.Kind, ErrNone)
	}
	return alive, nil
}

// Connect finds the running compositor of one kind and connects to it. Its error
// is ErrNone, wrapped, where none runs.
type Connect func(ctx context.Context, getenv func(string) string, runtimeDir string) (Backend, error)

// FindAny connects to the compositor of this session. One may run nested in
// another: then the one whose display the session is on is meant, else the first
// of kinds that runs.
func FindAny(ctx context.Context, getenv func(string) string, runtimeDir string, kinds ...Connect) (Backend, error) {
	display := getenv("WAYLAND_DISPLAY")
	var chosen Backend
	var none, broken error
	for _, connect := range kinds {
		b, err := connect(ctx, getenv, runtimeDir)
		switch {
		case errors.Is(err, ErrNone):
			none = err
		case err != nil:
			broken = cmp.Or(broken, err)
		case chosen == nil:
			chosen = b
		case display != "" && b.Info().Env["WAYLAND_DISPLAY"] == display && chosen.Info().Env["WAYLAND_DISPLAY"] != display:
			chosen.Close()
			chosen = b
		default:
			b.Close()
		}
	}
	if chosen != nil {
		return chosen, nil
	}
	return nil, cmp.Or(broken, none)
}

// DisplayOf returns the name of the Wayland display that the process behind c
// serves, or "". It tries the name likely first; an old one in the environment
// outlives its compositor.
func DisplayOf(ctx context.Context, c *net.UnixConn, likely, runtimeDir string) string {
	who, err := peercred.Of(c)
	if err != nil {
		return ""
	}
	return displayOf(ctx, int(who.Pid), likely, runtimeDir)
}

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
	who, err := peercred.Of(c.(*net.UnixConn))
	return err == nil && int(who.Pid) == pid
}
