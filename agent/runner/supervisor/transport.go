package supervisor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"utter/shared/peercred"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A transport is the way to a plugin that has a socket: it dials in, or it
// listens. The zero transport is that of standard input and output.
type transport struct {
	plugin   *Plugin
	path     string // of the socket, for us
	inside   string // its name for the plugin
	listener *net.UnixListener
}

// newTransport makes what must be there before the process is. In a sandbox the
// only folder that both sides see is the plugin's private one.
func (p *Plugin) newTransport(proc *process, boxed bool) (*transport, error) {
	t := &transport{plugin: p}
	if !proc.socket {
		return t, nil
	}
	name := p.ID() + ".sock"
	dir := filepath.Join(p.shared.Folder, "plugins")
	if boxed {
		dir = proc.temp
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder for sockets: %w", err)
	}
	t.path, t.inside = filepath.Join(dir, name), filepath.Join(dir, name)
	if boxed {
		t.inside = filepath.Join(tempInside, name)
	}
	if err := os.Remove(t.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("socket of the plugin: %w", err)
	}
	if p.Entry.Transport != protocol.TransportConnect {
		return t, nil
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: t.path, Net: "unix"})
	if err == nil {
		t.listener, err = l, os.Chmod(t.path, 0o600)
	}
	if err != nil {
		t.close()
		return nil, fmt.Errorf("socket of the plugin: %w", err)
	}
	return t, nil
}

func (t *transport) close() {
	if t.listener != nil {
		t.listener.Close()
	}
	if t.path != "" {
		os.Remove(t.path)
	}
}

// connect waits for the connection, as long as a call may take.
func (t *transport) connect(ctx context.Context, proc *process) (rpc.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, t.plugin.shared.Timeout())
	defer cancel()
	ended := make(chan struct{})
	defer func() { <-ended }()
	stop := make(chan struct{})
	defer close(stop)
	go func() { // a process that has ended will never connect
		defer close(ended)
		select {
		case <-proc.exited:
			cancel()
		case <-stop:
		}
	}()
	conn, err := t.dialled(ctx, proc)
	if err == nil {
		return conn, nil
	}
	select {
	case <-proc.exited:
		return nil, &crashError{"the plugin ended before it was connected: " + proc.how()}
	default:
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, protocol.Errorf(protocol.CodeTimeout, "the plugin's socket did not appear in time")
	}
	return nil, err
}

// dialled returns the first connection that is the plugin's.
func (t *transport) dialled(ctx context.Context, proc *process) (*net.UnixConn, error) {
	if t.listener != nil {
		defer context.AfterFunc(ctx, func() { t.listener.Close() })()
	}
	for {
		conn, err := t.once(ctx)
		if err != nil {
			return nil, err
		}
		if err = isOf(conn, proc); err == nil {
			return conn, nil
		}
		conn.Close()
		t.plugin.log.Warn("another process is at the plugin's socket", "error", err)
		if t.listener == nil {
			return nil, err
		}
	}
}

// once accepts a connection, or dials until somebody listens.
func (t *transport) once(ctx context.Context) (*net.UnixConn, error) {
	if t.listener != nil {
		return t.listener.AcceptUnix()
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: t.path, Net: "unix"})
		if err == nil {
			return conn, nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// isOf checks that a process of the plugin is at the other end.
func isOf(conn *net.UnixConn, proc *process) error {
	who, err := peercred.Of(conn)
	switch {
	case err != nil:
		return err
	case int(who.Uid) != os.Getuid():
		return fmt.Errorf("user %d", who.Uid)
	case !slices.Contains(proc.cmd.Alive(), int(who.Pid)):
		return fmt.Errorf("process %d, which does not belong to this plugin", who.Pid)
	}
	return nil
}
