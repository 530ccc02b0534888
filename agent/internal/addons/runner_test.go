package addons

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A fakeRunner plays the runner, for what a real one does not do on demand. The
// real one is asked in tests/e2e.
type fakeRunner struct {
	socket string
	serve  func(ctx context.Context, method string, params json.RawMessage) (any, error)

	mu    sync.Mutex
	calls []string
	peers []*rpc.Peer
}

const listed = `{"plugins":[
	{"id":"notes","status":"ok","epoch":0,"ops":["note","note.all","shop.order","ensure_url"],"permissions":[]},
	{"id":"gone","status":"error","epoch":0,"ops":["gone.do"],"permissions":[]}]}`

const able = `{"ops":[
	{"op":"note","side_effect":"x","args":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
	{"op":"note.all"},
	{"op":"shop.order","needs_confirm":true,"args":{"properties":{"n":{"type":"integer"},"x":{}},"required":["n"]}},
	{"op":"two","args":{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}},
	{"op":"odd","args":{"properties":{"a":{"type":["string","null"]}},"required":["a"]}},
	{"op":"list","args":{"properties":{"a":{"type":"array"}},"required":["a"]}},
	{"op":"ensure_url"},{"op":"bad\u202ename"}]}`

// newRunner listens. What serve answers with errNotMine is answered as a runner
// with one plugin, notes, would.
func newRunner(t *testing.T, serve func(ctx context.Context, method string, params json.RawMessage) (any,
	error)) (*fakeRunner, *Addons) {
	r := &fakeRunner{socket: filepath.Join(t.TempDir(), "runner.sock"), serve: serve}
	r.listen(t)
	p := newAddons(r.socket, nil)
	t.Cleanup(p.Close)
	return r, p
}

var errNotMine = errors.New("not mine")

// listen serves clients until stop, or the end of the test.
func (r *fakeRunner) listen(t *testing.T) (stop func()) {
	l, err := net.Listen("unix", r.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var peer *rpc.Peer
			peer = rpc.NewPeer(conn,
				rpc.Options{Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
					return r.handle(context.WithValue(ctx, peerKey{}, peer), method, params)
				}})
			r.mu.Lock()
			r.peers = append(r.peers, peer)
			r.mu.Unlock()
			go peer.Run(context.Background())
		}
	}()
	return func() { l.Close() }
}

type peerKey struct{}

func (r *fakeRunner) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	r.mu.Lock()
	r.calls = append(r.calls, method)
	r.mu.Unlock()
	if r.serve != nil {
		if result, err := r.serve(ctx, method, params); !errors.Is(err, errNotMine) {
			return result, err
		}
	}
	switch method {
	case protocol.MethodRunnerAuth, protocol.MethodRunnerConfirmerRegister:
		return struct{}{}, nil
	case protocol.MethodRunnerPlugins:
		return json.RawMessage(listed), nil
	case protocol.MethodRunnerInvoke:
		var p protocol.RunnerInvokeParams
		if err := protocol.DecodeParams(params, &p); err != nil {
			return nil, err
		}
		if p.Method == protocol.MethodActionCapabilities {
			return json.RawMessage(able), nil
		}
		return map[string]any{"ok": true, "detail": "did " + string(p.Params)}, nil
	}
	return nil, protocol.Errorf(protocol.CodeUnavailable, "there is no router")
}

func (r *fakeRunner) count(method string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(r.calls), func(m string) bool { return m != method }))
}

// drop ends every connection.
func (r *fakeRunner) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.peers {
		p.Close()
	}
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: ", what)
		}
	}
}

// first returns the connection that was made first.
func (r *fakeRunner) first() *rpc.Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peers[0]
}
