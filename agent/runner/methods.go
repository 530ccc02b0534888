package runner

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"utter/agent/runner/sandbox"
	"utter/agent/runner/status"
	"utter/shared/plugin/protocol"
)

// admit counts a request before it is served.
func (c *client) admit(method string) error {
	free := method == protocol.MethodStreamAck || strings.HasPrefix(method, "$/")
	if !free && !c.rate.admit(time.Now()) {
		return protocol.Denied(protocol.ReasonRateLimited, "more than %d requests in %s", rateLimit, rateWindow)
	}
	if err := c.admitBusy(method); err != nil {
		return err
	}
	if method == protocol.MethodRunnerAuth {
		c.authing.Add(1)
	}
	return nil
}

// admitBusy counts the requests being served. Acks do not count: one that was
// refused would stop its stream.
func (c *client) admitBusy(method string) error {
	if _, serving := c.peer.Waiting(); serving == 0 {
		c.busy.Store(0) // package rpc refuses some that were counted
		c.authing.Store(0)
	}
	switch {
	case method == protocol.MethodStreamAck:
	case c.busy.Load() >= maxInFlight:
		return protocol.Errorf(protocol.CodeUnavailable, "more than %d requests at once",
			maxInFlight).With(protocol.Data{Reason: protocol.ReasonBusy})
	default:
		c.busy.Add(1)
	}
	return nil
}

// methods are what a client may call once it is known.
var methods = map[string]func(*client, context.Context, json.RawMessage) (any, error){
	protocol.MethodRunnerStatus:  (*client).status,
	protocol.MethodRunnerPlugins: (*client).rows,
	protocol.MethodRunnerReload:  (*client).reload,
	protocol.MethodRunnerCommand: (*client).runCommand,
	protocol.MethodRunnerPlan:    (*client).planOnly,
	protocol.MethodRunnerInvoke: with(func(c *client, ctx context.Context, p protocol.RunnerInvokeParams) (any, error) {
		return c.runner.invoke(ctx, c, p)
	}),
	protocol.MethodRunnerValidatePlugin: with((*client).validate),
	protocol.MethodRunnerConfirmerRegister: with(func(c *client, _ context.Context, p protocol.AuthParams) (any, error) {
		return struct{}{}, c.register(p.Token)
	}),
	protocol.MethodRunnerPluginRestart: with((*client).restart),
	protocol.MethodRunnerPluginEnable: with(func(c *client, _ context.Context, p protocol.PluginParams) (any, error) {
		return struct{}{}, c.runner.plugins.enable(p.Plugin)
	}),
	protocol.MethodRunnerPluginLog: with((*client).pluginLog),

	protocol.MethodStreamSubscribe: (*client).subscribe,
	protocol.MethodStreamAck: with(func(c *client, _ context.Context, p protocol.AckParams) (any, error) {
		c.streams.Ack(p)
		return struct{}{}, nil
	}),
	protocol.MethodStreamStop: with(func(c *client, ctx context.Context, p protocol.StopParams) (any, error) {
		c.streams.Stop(ctx, p)
		return struct{}{}, nil
	}),
	protocol.MethodHandleCreate: (*client).handleCreate,
	protocol.MethodHandleFetch: with(func(c *client, _ context.Context, p protocol.HandleParams) (any, error) {
		return c.handles.Fetch(p)
	}),
	protocol.MethodHandleStat: with(func(c *client, _ context.Context, p protocol.HandleParams) (any, error) {
		return c.handles.Stat(p)
	}),
	protocol.MethodFDPass: with(func(c *client, _ context.Context, p protocol.FDPassParams) (any, error) {
		return c.handles.Pass(p)
	}),
}

// with reads the params of a method.
func with[P any](f func(*client, context.Context, P) (any, error)) func(*client, context.Context,
	json.RawMessage) (any, error) {
	return func(c *client, ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if err := protocol.DecodeParams(params, &p); err != nil {
			return nil, err
		}
		return f(c, ctx, p)
	}
}

// handle serves a request.
func (c *client) handle(ctx context.Context, a admission, method string, params json.RawMessage) (any, error) {
	if method != protocol.MethodStreamAck {
		defer c.busy.Add(-1)
	}
	defer turnOf(ctx).give()
	if method == protocol.MethodRunnerAuth {
		return struct{}{}, c.authenticate(a, params)
	}
	if !c.isKnown(ctx) {
		return nil, protocol.Denied(protocol.ReasonUnauthenticated, "call %s first", protocol.MethodRunnerAuth)
	}
	if serve := methods[method]; serve != nil {
		return serve(c, ctx, params)
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "there is no method %.80q", method)
}

func (c *client) rows(ctx context.Context, _ json.RawMessage) (any, error) {
	return protocol.PluginsResult{Plugins: c.runner.plugins.rows(ctx)}, nil
}

func (c *client) status(ctx context.Context, _ json.RawMessage) (any, error) {
	r := c.runner
	about := status.About{Protocol: protocol.Version, ABI: protocol.ABI, Version: r.opts.Version,
		Enforce: string(r.mode()), Config: r.opts.File}
	if r.opts.Box != nil && r.mode() != sandbox.Never {
		about.Sandbox = r.opts.Box.Probe(ctx)
	}
	return status.Status{PluginsResult: protocol.PluginsResult{Plugins: r.plugins.rows(ctx)}, Runner: about}, nil
}

// reload answers when the configuration has taken effect. What is wrong with it is the
// caller's to know.
func (c *client) reload(context.Context, json.RawMessage) (any, error) {
	if err := c.runner.Reload(); err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "%v", err)
	}
	return struct{}{}, nil
}

// commandParams reads what is said, and by whom.
func commandParams(params json.RawMessage) (p protocol.CommandParams, err error) {
	if err := protocol.DecodeParams(params, &p); err != nil {
		return p, err
	}
	if strings.TrimSpace(p.Utterance) == "" {
		return p, protocol.Errorf(protocol.CodeInvalidParams, "utterance is missing or blank")
	}
	if len(p.Context) > 0 && p.Context[0] != '{' && string(p.Context) != "null" {
		return p, protocol.Errorf(protocol.CodeInvalidParams, "context is not an object")
	}
	p.Provenance = p.Provenance.OfCommand()
	return p, nil
}

func (c *client) runCommand(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := commandParams(params)
	if err != nil {
		return nil, err
	}
	return c.runner.command(ctx, c, p)
}

func (c *client) planOnly(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := commandParams(params)
	if err != nil {
		return nil, err
	}
	steps, by, err := c.runner.plan(ctx, p, p.Timeout.Of(c.runner.timeout()), c.progress(ctx))
	if err != nil {
		return nil, err
	}
	result := protocol.PlanResult{Steps: []protocol.Step{}, Plugin: by}
	for _, s := range steps {
		if s.fault != nil {
			return nil, s.fault
		}
		result.Steps = append(result.Steps, s.Step)
	}
	return result, nil
}

func (c *client) validate(ctx context.Context, p protocol.PluginParams) (any, error) {
	target := c.runner.target(p.Plugin)
	if target == nil {
		return nil, unknownPlugin(p.Plugin)
	}
	return c.runner.plugins.validate(ctx, target), nil
}

func (c *client) restart(_ context.Context, p protocol.PluginParams) (any, error) {
	target := c.runner.plugins.byID(p.Plugin)
	if target == nil {
		return nil, unknownPlugin(p.Plugin)
	}
	target.Restart()
	return struct{}{}, nil
}

func (c *client) pluginLog(_ context.Context, p protocol.PluginParams) (any, error) {
	target := c.runner.plugins.byID(p.Plugin)
	if target == nil {
		return nil, unknownPlugin(p.Plugin)
	}
	return struct {
		Lines []string `json:"lines"`
	}{target.Lines()}, nil
}

// subscribe finds the first plugin that has the stream.
func (c *client) subscribe(ctx context.Context, params json.RawMessage) (any, error) {
	var p protocol.SubscribeParams
	var said struct {
		Mode *string `json:"mode"`
	}
	if err := errors.Join(protocol.DecodeParams(params, &p), protocol.DecodeParams(params, &said)); err != nil {
		return nil, err
	}
	if said.Mode != nil && *said.Mode == "" {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "stream.subscribe: mode is empty")
	}
	if p.Method == protocol.NotifyRunnerEvent {
		return c.streams.Subscribe(ctx, nil, p)
	}
	for _, l := range c.runner.plugins.live() {
		if l.Serves(p.Method) {
			return c.streams.Subscribe(ctx, l.Streams, p)
		}
	}
	if err := checkSubscribe(p); err != nil {
		return nil, err
	}
	return nil, protocol.Errorf(protocol.CodeUnavailable, "no plugin has the stream %.80q", p.Method)
}

func checkSubscribe(p protocol.SubscribeParams) error {
	switch {
	case p.Method == "":
		return protocol.Errorf(protocol.CodeInvalidParams, "stream.subscribe: method is missing")
	case p.Mode != "" && p.Mode != protocol.ModeLossy && p.Mode != protocol.ModeReliable:
		return protocol.Errorf(protocol.CodeInvalidParams, "stream.subscribe: mode is %.40q, neither %s nor %s", p.Mode,
			protocol.ModeLossy, protocol.ModeReliable)
	}
	return nil
}

func (c *client) handleCreate(_ context.Context, params json.RawMessage) (any, error) {
	var p protocol.HandleCreateParams
	if err := protocol.DecodeParams(params, &p); err != nil {
		return nil, err
	}
	return c.handles.Create(p)
}

// register makes the client the one that asks the user.
func (c *client) register(token string) error {
	if !same(token, c.runner.clients.token("confirm")) {
		return protocol.Denied(protocol.ReasonUnauthenticated, "this is not the token of the confirmer")
	}
	if !c.runner.clients.confirms(c) {
		return protocol.Errorf(protocol.CodeUnavailable,
			"there is already a confirmer").With(protocol.Data{Reason: protocol.ReasonBusy})
	}
	c.runner.log.Info("a confirmer asks the user from now on")
	return nil
}

// same compares tokens in a time that tells nothing. No token is like none.
func same(a, b string) bool {
	return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
