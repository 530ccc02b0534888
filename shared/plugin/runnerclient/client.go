// Package runnerclient connects to a running plugin runner and authenticates with its
// token. It decides nothing; the runner checks every request.
package runnerclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"utter/shared/config"
	"utter/shared/peercred"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
	"utter/shared/xdg"
)

// ErrNoRunner means that no runner listens.
var ErrNoRunner = errors.New("no plugin runner is running")

// An Address is where a runner is, and how it is told who asks.
type Address struct {
	Socket string
	Folder string // the usual folder of the runner
	Token  string // of the configuration; "" reads the file
}

// Find returns the address of this user's runner: socket if it is not "", else
// what the configuration and the environment say.
func Find(socket string, cfg config.Config, getenv func(string) string) Address {
	a := Address{Folder: xdg.RunnerFolder(getenv, os.Getuid(), os.TempDir())}
	for _, path := range []string{socket, cfg.Runner.SocketPath, getenv(protocol.EnvRunnerSocket),
		filepath.Join(a.Folder, "runner.sock")} {
		if path != "" {
			a.Socket = path
			break
		}
	}
	if cfg.Socket != nil {
		a.Token = cfg.Socket.Token
	}
	return a
}

// TokenFile returns the file with a token: "token", or "confirm-token".
func (a Address) TokenFile(name string) string {
	own := filepath.Join(a.Socket+".d", name) // of a runner that is not the first
	if _, err := os.Lstat(own); err == nil {
		return own
	}
	return filepath.Join(a.Folder, name)
}

// Options are what a client answers and hears. Every zero value is usable.
type Options struct {
	Handle   rpc.Handler // serves host.confirm
	Notified func(ctx context.Context, method string, params json.RawMessage)
}

// A Client is a connection to a runner.
type Client struct {
	peer *rpc.Peer
	done sync.WaitGroup
}

// Dial connects and authenticates. An error is ErrNoRunner where none listens.
func Dial(ctx context.Context, a Address, o Options) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", a.Socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w at %s", ErrNoRunner, a.Socket)
	}
	if err != nil {
		return nil, fmt.Errorf("plugin runner: %w", err)
	}
	if err := ours(conn.(*net.UnixConn)); err != nil { // it is going to see the token
		conn.Close()
		return nil, fmt.Errorf("plugin runner at %s: %w", a.Socket, err)
	}
	c := &Client{}
	c.peer = rpc.NewPeer(conn, rpc.Options{MaxBody: rpc.MaxFromPlugin, MaxSend: rpc.MaxFromClient,
		Handle: o.Handle, Notified: o.Notified})
	c.done.Go(func() { _ = c.peer.Run(context.WithoutCancel(ctx)) }) // peer.Err says the same
	if err := c.authenticate(ctx, a); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// ours returns an error unless the other end of a connection is this user's.
func ours(conn *net.UnixConn) error {
	who, err := peercred.Of(conn)
	if err != nil {
		return err
	}
	if int(who.Uid) != os.Getuid() {
		return fmt.Errorf("it is a program of the user %d", who.Uid)
	}
	return nil
}

func (c *Client) authenticate(ctx context.Context, a Address) error {
	token := a.Token
	if token == "" {
		text, err := os.ReadFile(a.TokenFile("token"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("token of the plugin runner: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	_, err := c.peer.Call(ctx, protocol.MethodRunnerAuth, protocol.AuthParams{Token: token})
	if protocol.CodeOf(err) == protocol.CodeMethodNotFound {
		return nil // it knows us already
	}
	if err != nil {
		return fmt.Errorf("plugin runner at %s: %w", a.Socket, err)
	}
	return nil
}

// Call asks the runner and reads its answer into result, if that is not nil.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	text, err := c.peer.Call(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	if err := rpc.Unmarshal(text, result); err != nil {
		return fmt.Errorf("%s: the answer of the runner: %w", method, err)
	}
	return nil
}

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.peer.Done() }

// Close ends the connection.
func (c *Client) Close() {
	c.peer.Close()
	c.done.Wait()
}
