package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A user is a client of the runner.
type user struct {
	t     *testing.T
	peer  *rpc.Peer
	notes chan note
}

type note struct {
	method string
	params json.RawMessage
}

// connect connects until the test ends.
func (b *bed) connect(confirm func(protocol.ConfirmParams) any) *user {
	b.t.Helper()
	u, leave := b.dial(confirm)
	b.t.Cleanup(leave)
	return u
}

// dial connects once the socket is there, without a word.
func (b *bed) dial(confirm func(protocol.ConfirmParams) any) (u *user, leave func()) {
	b.t.Helper()
	var conn net.Conn
	b.until("the socket is there", func() bool {
		var err error
		conn, err = net.Dial("unix", b.socket)
		return err == nil
	})
	u = &user{t: b.t, notes: make(chan note, 1000)}
	u.peer = rpc.NewPeer(conn, rpc.Options{
		MaxBody: rpc.MaxFromPlugin,
		Handle: func(_ context.Context, method string, params json.RawMessage) (any, error) {
			var p protocol.ConfirmParams
			if confirm == nil || method != protocol.MethodHostConfirm || rpc.Unmarshal(params, &p) != nil {
				return nil, rpc.Errorf(-32601, "no")
			}
			return confirm(p), nil
		},
		Notified: func(_ context.Context, method string, params json.RawMessage) { u.notes <- note{method, params} },
	})
	done := make(chan struct{})
	go func() { defer close(done); _ = u.peer.Run(context.Background()) }()
	return u, func() { u.peer.Close(); <-done }
}

// user connects and authenticates.
func (b *bed) user() *user { return b.confirming(nil) }

func (b *bed) confirming(confirm func(protocol.ConfirmParams) any) *user {
	b.t.Helper()
	u := b.connect(confirm)
	u.ok(protocol.MethodRunnerAuth, protocol.AuthParams{Token: b.token("token")})
	return u
}

// call calls and returns both.
func (u *user) call(method string, params any) (json.RawMessage, error) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), 30*time.Second)
	defer cancel()
	return u.peer.Call(ctx, method, params)
}

// ok calls what must succeed.
func (u *user) ok(method string, params any) json.RawMessage {
	u.t.Helper()
	result, err := u.call(method, params)
	if err != nil {
		u.t.Fatalf("%s %v: %v", method, params, err)
	}
	return result
}

// fails calls what must fail with a code, and returns the data.
func (u *user) fails(code protocol.Code, method string, params any) protocol.Data {
	u.t.Helper()
	result, err := u.call(method, params)
	if protocol.CodeOf(err) != code || err == nil {
		u.t.Errorf("%s %v = %s, %v; want code %d", method, params, result, err, code)
	}
	return protocol.ErrorData(err)
}

// log is runner.plugin.log.
func (u *user) log(plugin string) []string {
	u.t.Helper()
	var said struct {
		Lines []string `json:"lines"`
	}
	if err := rpc.Unmarshal(u.ok(protocol.MethodRunnerPluginLog, protocol.PluginParams{Plugin: plugin}),
		&said); err != nil {
		u.t.Fatal(err)
	}
	return said.Lines
}

// invoke is runner.invoke of action.invoke.
func invoke(plugin, op, args string) map[string]any {
	return through(plugin, "action.invoke", fmt.Sprintf(`{"op":%q,"args":%s,"provenance":"user"}`, op, args))
}

func through(plugin, method, params string) map[string]any {
	return map[string]any{"plugin": plugin, "method": method, "params": json.RawMessage(params)}
}

// say is runner.command.
func (u *user) say(text string) []protocol.StepResult {
	u.t.Helper()
	var r protocol.CommandResult
	if err := rpc.Unmarshal(u.ok(protocol.MethodRunnerCommand, protocol.CommandParams{Utterance: text}), &r); err != nil {
		u.t.Fatal(err)
	}
	return r.Results
}
