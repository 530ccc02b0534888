// Package addons is the agent's side of the plugin runner. It knows the operations
// of plugins, asks their routers for plans, has steps carried out, and asks the user
// for the confirmations that the runner requests. Without a runner there are no
// plugins.
//
// Everything a plugin sends is data: operations and arguments, which the policy
// checks like any others, and texts for people.
package addons

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"utter/agent/internal/router"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
	"utter/shared/visible"
)

const (
	// askTime is how long the runner may take to say what there is, connecting
	// included.
	askTime = time.Second
	// routeTime is how long the routers of plugins may take for an utterance.
	routeTime = 3 * time.Second
	// restTime is how long a plugin that did not answer in time is not asked again: every
	// utterance would wait.
	restTime = 30 * time.Second
)

// Addons are the plugins of the runner that runs, if one does. Its methods may
// be called at any time from several goroutines.
type Addons struct {
	o Options

	dialing  sync.Mutex // one connection is made at a time
	mu       sync.Mutex
	conn     *runnerclient.Client
	offers   offers
	question question
	rests    map[string]time.Time // until when what was asked in vain is not asked
}

// Options are what Addons work with.
type Options struct {
	Address func() runnerclient.Address // of the runner; it may change
	Log     *slog.Logger
	// Ask puts to the user what another program wants a plugin to do, and
	// returns whether they agree. An error means that they were not asked.
	Ask func(ctx context.Context, op, text string) (bool, error)
}

// New returns the plugins of a runner that may run or not.
func New(o Options) *Addons { return &Addons{o: o, rests: map[string]time.Time{}} }

// Ops returns what can be said to plugins now, nil where no runner answers. ctx
// bounds how long it is waited for.
func (a *Addons) Ops(ctx context.Context) *router.PluginOps {
	if a.alone() {
		return nil
	}
	var o offers
	err := a.unlessResting(ctx, "what plugins can do", askTime, func(ctx context.Context) (err error) {
		o, err = a.refresh(ctx)
		return err
	})
	if err != nil {
		a.complain("what plugins can do", err)
		return nil
	}
	return o.said
}

// alone reports that there is no runner, as fast as that can be told: it is asked
// for every utterance that no rule knows.
func (a *Addons) alone() bool {
	if a.alive() != nil {
		return false
	}
	_, err := os.Lstat(a.o.Address().Socket)
	return errors.Is(err, fs.ErrNotExist)
}

// Known returns what Ops returned last, without asking.
func (a *Addons) Known() *router.PluginOps {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offers.said
}

// Rows returns the plugins that run or should; runnerclient.ErrNoRunner is one of
// the errors.
func (a *Addons) Rows(ctx context.Context) ([]protocol.PluginRow, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	conn, err := a.connected(ctx)
	if err != nil {
		return nil, err
	}
	var said protocol.PluginsResult
	err = conn.Call(ctx, protocol.MethodRunnerPlugins, nil, &said)
	return said.Plugins, err
}

// errRests means that something was asked in vain a moment ago.
var errRests = errors.New("it did not respond in time and will not be asked for some seconds")

// unlessResting asks for something within a limit, unless that took too long a
// moment ago.
func (a *Addons) unlessResting(ctx context.Context, what string, limit time.Duration, ask func(context.Context) error) error {
	a.mu.Lock()
	rests := time.Now().Before(a.rests[what])
	a.mu.Unlock()
	if rests {
		return errRests
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := ask(within)
	if late := within.Err() == context.DeadlineExceeded && ctx.Err() == nil; err != nil && (late || protocol.CodeOf(err) == protocol.CodeTimeout) {
		a.mu.Lock()
		a.rests[what] = time.Now().Add(restTime)
		a.mu.Unlock()
	}
	return err
}

// complain logs what is more than that there is no runner.
func (a *Addons) complain(what string, err error) {
	if !errors.Is(err, runnerclient.ErrNoRunner) && !errors.Is(err, errRests) {
		a.o.Log.Warn("plugins", "asked", what, "error", err)
	}
}

// serve answers what the runner asks.
func (a *Addons) serve(ctx context.Context, method string, params json.RawMessage) (any, error) {
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
	// What is shown is what the digest is of, not the words of the runner.
	text := visible.Text(protocol.BareOp(asked.Op) + " " + string(asked.Args) + ", by the plugin " + asked.Plugin)
	a.mu.Lock()
	mine, approved := a.question.answer(asked, digest, text)
	a.mu.Unlock()
	if !mine {
		if approved, err = a.o.Ask(ctx, visible.Text(protocol.BareOp(asked.Op)), text); err != nil {
			return nil, protocol.Errorf(protocol.CodeMethodNotFound, "%v", err) // nobody is asked
		}
	}
	if !approved {
		return protocol.ConfirmResult{}, nil
	}
	return protocol.ConfirmResult{Approved: true, Nonce: asked.Nonce, Digest: digest}, nil
}

// maxWords bounds what a plugin may say to a person, in bytes.
const maxWords = 2 << 10

// forPeople makes the words of a plugin fit to be shown: nothing hidden, and not
// without end.
func forPeople(text string) string {
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + "…"
	}
	return visible.Text(text)
}

func wireProvenance(p plan.Provenance) protocol.Provenance {
	if p == plan.FromUser {
		return protocol.FromUser
	}
	return protocol.FromScreen
}
