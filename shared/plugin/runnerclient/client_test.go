package runnerclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
	"utter/shared/plugin/runnerclient"
)

func TestFind(t *testing.T) {
	env := map[string]string{"XDG_RUNTIME_DIR": "/run/me"}
	find := func(socket string, cfg config.Config) runnerclient.Address {
		return runnerclient.Find(socket, cfg, func(name string) string { return env[name] })
	}
	want := func(what string, got runnerclient.Address, socket, token string) {
		t.Helper()
		if got.Socket != socket || got.Token != token || got.Folder != "/run/me/utter" {
			t.Errorf("%s: %+v, want the socket %s and the token %q", what, got, socket, token)
		}
	}
	want("nothing said", find("", config.Config{}), "/run/me/utter/runner.sock", "")
	env[protocol.EnvRunnerSocket] = "/tmp/env.sock"
	want("the environment", find("", config.Config{}), "/tmp/env.sock", "")
	cfg := config.Config{Runner: config.Runner{SocketPath: "/tmp/config.sock"}, Socket: &config.Socket{Token: "t"}}
	want("the configuration", find("", cfg), "/tmp/config.sock", "t")
	want("the argument", find("/tmp/arg.sock", cfg), "/tmp/arg.sock", "t")
}

func TestTheTokenFile(t *testing.T) {
	dir := t.TempDir()
	a := runnerclient.Address{Socket: filepath.Join(dir, "other.sock"), Folder: filepath.Join(dir, "utter")}
	if got, want := a.TokenFile("token"), filepath.Join(dir, "utter/token"); got != want {
		t.Errorf("of the first runner %s, want %s", got, want)
	}
	own := filepath.Join(dir, "other.sock.d/token")
	write(t, own, "x")
	if got := a.TokenFile("token"); got != own {
		t.Errorf("of another runner %s, want %s", got, own)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// listen plays a runner until the test ends.
func listen(t *testing.T, serve func(method string, params json.RawMessage) (any, error)) runnerclient.Address {
	t.Helper()
	dir, err := os.MkdirTemp("", "rc") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	a := runnerclient.Address{Socket: filepath.Join(dir, "runner.sock"), Folder: dir}
	listener, err := net.Listen("unix", a.Socket)
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	conns.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				_ = rpc.NewPeer(conn.(*net.UnixConn),
					rpc.Options{Handle: func(_ context.Context, method string, params json.RawMessage) (any, error) {
						return serve(method, params)
					}}).Run(ctx) // that the client goes is its end
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		cancel()
		conns.Wait()
		os.RemoveAll(dir)
	})
	return a
}

func dial(t *testing.T, a runnerclient.Address) *runnerclient.Client {
	t.Helper()
	c, err := runnerclient.Dial(t.Context(), a, runnerclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// admits wants a token before anything else, as the runner does.
func admits(token string) func(string, json.RawMessage) (any, error) {
	return func(method string, params json.RawMessage) (any, error) {
		switch method {
		case protocol.MethodRunnerAuth:
			var p protocol.AuthParams
			if err := rpc.Unmarshal(params, &p); err != nil {
				return nil, err
			}
			if p.Token != token {
				return nil, protocol.Denied(protocol.ReasonUnauthenticated, "this is not the token")
			}
			return struct{}{}, nil
		case protocol.MethodRunnerPlugins:
			return protocol.PluginsResult{Plugins: []protocol.PluginRow{{ID: "note"}}}, nil
		}
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "there is no method %q", method)
	}
}

func TestACallWithTheTokenOfTheFile(t *testing.T) {
	a := listen(t, admits("secret"))
	write(t, a.TokenFile("token"), "secret\n")
	c := dial(t, a)
	var rows protocol.PluginsResult
	if err := c.Call(t.Context(), protocol.MethodRunnerPlugins, nil, &rows); err != nil || len(rows.Plugins) != 1 ||
		rows.Plugins[0].ID != "note" {
		t.Errorf("%+v, %v", rows, err)
	}
	var wrong []string
	if err := c.Call(t.Context(), protocol.MethodRunnerPlugins, nil, &wrong); err == nil ||
		!strings.Contains(err.Error(), "the answer of the runner") {
		t.Errorf("an answer of another form: %v", err)
	}
	if err := c.Call(t.Context(), "runner.fly", nil, nil); protocol.CodeOf(err) != protocol.CodeMethodNotFound {
		t.Errorf("err = %v", err)
	}
}

func TestTheTokenDecides(t *testing.T) {
	a := listen(t, admits("secret"))
	if _, err := runnerclient.Dial(t.Context(), a, runnerclient.Options{}); protocol.CodeOf(err) != protocol.CodeDenied {
		t.Errorf("without a token: %v", err)
	}
	write(t, a.TokenFile("token"), "wrong")
	if _, err := runnerclient.Dial(t.Context(), a, runnerclient.Options{}); protocol.CodeOf(err) != protocol.CodeDenied {
		t.Errorf("with a wrong one: %v", err)
	}
	a.Token = "secret" // of the configuration
	dial(t, a)
}

// TestARunnerThatKnowsUs needs no token.
func TestARunnerThatKnowsUs(t *testing.T) {
	a := listen(t, func(method string, _ json.RawMessage) (any, error) {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "there is no method %q", method)
	})
	dial(t, a)
}

func TestNoRunner(t *testing.T) {
	dir := t.TempDir()
	a := runnerclient.Address{Socket: filepath.Join(dir, "runner.sock"), Folder: dir}
	if _, err := runnerclient.Dial(t.Context(), a, runnerclient.Options{}); !errors.Is(err, runnerclient.ErrNoRunner) {
		t.Errorf("without a socket: %v", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: a.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	if _, err := runnerclient.Dial(t.Context(), a, runnerclient.Options{}); !errors.Is(err, runnerclient.ErrNoRunner) {
		t.Errorf("with the socket of a runner that ended: %v", err)
	}
	a.Socket = filepath.Join(dir, strings.Repeat("long", 40))
	if _, err := runnerclient.Dial(t.Context(), a, runnerclient.Options{}); err == nil ||
		errors.Is(err, runnerclient.ErrNoRunner) {
		t.Errorf("with a path that is none of a socket: %v", err)
	}
}

func TestTheEndIsTold(t *testing.T) {
	c := dial(t, listen(t, admits("")))
	select {
	case <-c.Done():
		t.Error("it has ended at once")
	default:
	}
	c.Close()
	select {
	case <-c.Done():
	case <-time.After(time.Minute):
		t.Error("the end was not told")
	}
}
