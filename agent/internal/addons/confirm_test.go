package addons

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// TestConfirm: the runner's question is answered with yes for the very step that
// the user has confirmed, and for nothing else.
func TestConfirm(t *testing.T) {
	ask := protocol.ConfirmParams{Op: "note", Args: json.RawMessage(`{"n":3,"text":"buy milk"}`),
		Provenance: protocol.FromUser, Summary: "note buy milk", Plugin: "notes", Yours: true, Nonce: "n"}
	other := ask
	other.Args = json.RawMessage(`{"n":4,"text":"buy milk"}`)
	screen, another, foreign := ask, ask, ask
	screen.Provenance = protocol.FromScreen
	another.Plugin = "books"
	foreign.Yours = false
	for _, tt := range []struct {
		name     string
		ask      protocol.ConfirmParams
		approved bool
		yes      bool
		reason   plan.Reason
	}{
		{"confirmed", ask, true, true, ""},
		{"not yet", ask, false, false, plan.NeedsConfirmation},
		{"something else", other, true, false, plan.PolicyReason},
		{"another source", screen, true, false, plan.PolicyReason},
		{"another plugin", another, true, false, plan.PolicyReason},
		{"another program", foreign, true, false, plan.PolicyReason},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answers := make(chan protocol.ConfirmResult, 1)
			_, p := newRunner(t, func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
				if method != protocol.MethodRunnerInvoke {
					return nil, errNotMine
				}
				asked := tt.ask
				asked.Digest, _ = protocol.Digest(asked.Op, asked.Args, asked.Provenance)
				answer, err := ctx.Value(peerKey{}).(*rpc.Peer).Call(ctx, protocol.MethodHostConfirm, asked)
				if err != nil {
					return nil, err
				}
				var said protocol.ConfirmResult
				if err := protocol.DecodeParams(answer, &said); err != nil {
					return nil, err
				}
				answers <- said
				if !said.Approves(asked) {
					return nil, protocol.Denied(protocol.ReasonDenied, "refused")
				}
				return map[string]any{"ok": true}, nil
			})
			got := run(t, p, note(), tt.approved)
			said := <-answers
			if said.Approved != tt.yes || got.Reason != tt.reason || tt.yes != (got.Outcome == plan.Completed) {
				t.Errorf("%+v, and %+v", said, got)
			}
			if tt.reason == plan.NeedsConfirmation &&
				got.Message != `confirm: note {"n":3,"text":"buy milk"}, by the plugin notes` {
				t.Errorf("the user is not told what: %q", got.Message)
			}
		})
	}
}

// TestTheSameOfAnotherProgram while a confirmed step is carried out: it gets no yes
// of that, and takes none from it.
func TestTheSameOfAnotherProgram(t *testing.T) {
	yes := map[bool]bool{}
	_, p := newRunner(t, func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		if method != protocol.MethodRunnerInvoke {
			return nil, errNotMine
		}
		for _, yours := range []bool{false, true} {
			q := protocol.ConfirmParams{Op: "note", Args: json.RawMessage(`{"n":3,"text":"buy milk"}`),
				Provenance: protocol.FromUser, Plugin: "notes", Yours: yours, Nonce: "n"}
			q.Digest, _ = protocol.Digest(q.Op, q.Args, q.Provenance)
			answer, err := ctx.Value(peerKey{}).(*rpc.Peer).Call(ctx, protocol.MethodHostConfirm, q)
			var said protocol.ConfirmResult
			if err = errors.Join(err, protocol.DecodeParams(answer, &said)); err != nil {
				return nil, err
			}
			yes[yours] = said.Approves(q)
		}
		return map[string]any{"ok": true}, nil
	})
	if got := run(t, p, note(), true); got.Outcome != plan.Completed || yes[false] || !yes[true] {
		t.Errorf("%+v; a yes to another program: %v, to us: %v", got, yes[false], yes[true])
	}
}

// TestNothingElseIsAnswered: the runner may ask for a confirmation and nothing
// more.
func TestNothingElseIsAnswered(t *testing.T) {
	_, p := newRunner(t, nil)
	if _, err := p.serve(t.Context(), "host.action", nil); protocol.CodeOf(err) != protocol.CodeMethodNotFound {
		t.Errorf("host.action: %v", err)
	}
}

// TestTheUserIsAskedForOthers: the agent connects by itself when a runner appears,
// registers, and puts to the user what another program wants.
func TestTheUserIsAskedForOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "confirm-token"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	says := make(chan bool, 1)
	asked := make(chan string, 1)
	p := newAddons(filepath.Join(dir, "runner.sock"), func(_ context.Context, op, text string) (bool, error) {
		asked <- op + ": " + text
		return <-says, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	defer func() { cancel(); <-ended; p.Close() }()

	for range 2 { // a runner that ends and another one
		tokens := make(chan string, 1)
		r := &fakeRunner{socket: filepath.Join(dir, "runner.sock"),
			serve: func(_ context.Context, method string, params json.RawMessage) (any, error) {
				var with protocol.AuthParams
				if method == protocol.MethodRunnerConfirmerRegister && protocol.DecodeParams(params, &with) == nil {
					tokens <- with.Token
				}
				return nil, errNotMine
			}}
		stop := r.listen(t)
		if got := <-tokens; got != "secret" {
			t.Errorf("registered with %q", got)
		}
		for _, yes := range []bool{true, false} {
			says <- yes
			q := protocol.ConfirmParams{Op: "note", Args: json.RawMessage(`{"text":"x"}`), Provenance: protocol.FromUser,
				Summary: "something else", Plugin: "notes\u202e", Nonce: "n"}
			q.Digest, _ = protocol.Digest(q.Op, q.Args, q.Provenance)
			answer, err := r.first().Call(ctx, protocol.MethodHostConfirm, q)
			var said protocol.ConfirmResult
			if err != nil || protocol.DecodeParams(answer, &said) != nil || said.Approves(q) != yes {
				t.Errorf("%s, %v, want %v", answer, err, yes)
			}
			if got := <-asked; got != `note: note {"text":"x"}, by the plugin notes\u202e` {
				t.Errorf("the user reads %q", got)
			}
		}
		stop()
		r.drop()
	}
}
