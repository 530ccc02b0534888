// Package plugins is the agent's side of the plugin runner: what plugins can do,
// what their routers make of an utterance, having a step carried out, and asking
// the user what the runner wants to have confirmed. Without a runner there are no
// plugins.
//
// What a plugin says is data: it names operations and arguments, which policy
// judges like any other, and texts for people.
package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"utter/agent/internal/router"
	"utter/shared/protocol"
	"utter/shared/runnerclient"
	"utter/shared/watch"
)

const (
	// askTime is how long the runner may take to say what there is, connecting
	// included.
	askTime = time.Second
	// routeTime is how long the routers of plugins may take for an utterance.
	routeTime = 3 * time.Second
)

// Plugins are the plugins of the runner that runs, if one does. Its methods may
// be called at any time from several goroutines.
type Plugins struct {
	o Options

	dialing  sync.Mutex // one connection is made at a time
	mu       sync.Mutex
	conn     *runnerclient.Client
	catalog  catalog
	question question
}

// Options are what Plugins work with.
type Options struct {
	Address func() runnerclient.Address // of the runner; it may change
	Log     *slog.Logger
	// Ask puts to the user what another program wants a plugin to do, and
	// returns whether they agree. It ends with ctx, without a yes.
	Ask func(ctx context.Context, op, text string) bool
}

// New returns the plugins of a runner that may run or not.
func New(o Options) *Plugins { return &Plugins{o: o} }

// Run keeps connected to the runner until ctx ends, so that the runner has
// somebody who asks the user. Without Run a connection is made when it is needed.
func (p *Plugins) Run(ctx context.Context) error {
	socket := p.o.Address().Socket
	tries := 0
	appeared := func() (again bool) {
		_, err := p.connected(ctx)
		_, gone := os.Lstat(socket)
		if err == nil || gone != nil || tries == mostTries {
			tries = 0
			return false
		}
		tries++ // it is made before it is listened on
		return true
	}
	return watch.New(watch.Set{Files: []string{socket}}, appeared, func(error) {}, p.o.Log).Run(ctx)
}

// mostTries is how often a socket that has appeared is tried.
const mostTries = 5

// Close ends the connection to the runner.
func (p *Plugins) Close() {
	p.mu.Lock()
	conn := p.conn
	p.conn = nil
	p.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
}

// connected returns the connection, a new one where the last has ended.
func (p *Plugins) connected(ctx context.Context) (*runnerclient.Client, error) {
	p.dialing.Lock()
	defer p.dialing.Unlock()
	if conn := p.alive(); conn != nil {
		return conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	address := p.o.Address()
	conn, err := runnerclient.Dial(ctx, address, runnerclient.Options{Handle: p.serve})
	if err != nil {
		return nil, err
	}
	if err := register(ctx, conn, address); err != nil {
		p.o.Log.Info("the plugin runner asks somebody else for confirmations", "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn = conn
	return conn, nil
}

// register makes the agent the one that asks the user, for whatever client the
// runner has a question.
func register(ctx context.Context, conn *runnerclient.Client, a runnerclient.Address) error {
	token, err := os.ReadFile(a.TokenFile("confirm-token"))
	if err != nil {
		return err
	}
	return conn.Call(ctx, protocol.MethodRunnerConfirmerRegister, protocol.AuthParams{Token: strings.TrimSpace(string(token))}, nil)
}

// alive returns the connection if it stands. What was learned over one that has
// ended is forgotten.
func (p *Plugins) alive() *runnerclient.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		return nil
	}
	select {
	case <-p.conn.Done():
		p.conn, p.catalog = nil, catalog{}
	default:
	}
	return p.conn
}

// serve answers what the runner asks.
func (p *Plugins) serve(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method != protocol.MethodHostConfirm {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "there is no method %.80q", method)
	}
	var asked protocol.ConfirmParams
	if err := protocol.DecodeParams(params, &asked); err != nil {
		return nil, err
	}
	digest, err := protocol.Digest(protocol.BareOp(asked.Op), asked.Args, asked.Provenance)
	if err != nil {
		return nil, err
	}
	yes := protocol.ConfirmResult{Approved: true, Nonce: asked.Nonce, Digest: digest}
	p.mu.Lock()
	mine, approved := p.question.answer(digest, asked.Summary)
	p.mu.Unlock()
	if !mine {
		approved = p.o.Ask(ctx, asked.Op, asked.Summary)
	}
	if !approved {
		return protocol.ConfirmResult{}, nil
	}
	return yes, nil
}

// Ops returns what can be said to plugins now, nil for nothing. ctx bounds how
// long the runner is waited for.
func (p *Plugins) Ops(ctx context.Context) *router.PluginOps {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	c, err := p.refresh(ctx)
	if err != nil {
		p.complain("what plugins can do", err)
		return nil
	}
	return c.said
}

// Known returns what Ops returned last, without asking.
func (p *Plugins) Known() *router.PluginOps {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.catalog.said
}

// Rows returns the plugins that run or should; runnerclient.ErrNoRunner is one of
// the errors.
func (p *Plugins) Rows(ctx context.Context) ([]protocol.PluginRow, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	conn, err := p.connected(ctx)
	if err != nil {
		return nil, err
	}
	var said protocol.PluginsResult
	err = conn.Call(ctx, protocol.MethodRunnerPlugins, nil, &said)
	return said.Plugins, err
}

// complain logs what is more than that there is no runner.
func (p *Plugins) complain(what string, err error) {
	if !errors.Is(err, runnerclient.ErrNoRunner) {
		p.o.Log.Warn("plugins", "asked", what, "error", err)
	}
}

// absent reports an error that says there is nothing of the kind: no runner, no
// router.
func absent(err error) bool {
	return errors.Is(err, runnerclient.ErrNoRunner) || protocol.CodeOf(err) == protocol.CodeUnavailable
}
