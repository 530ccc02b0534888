package runner

import (
	"context"
	"encoding/json"
	"errors"

	"utter/agent/runner/supervisor"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// invoke is runner.invoke.
func (r *Runner) invoke(ctx context.Context, c *client, p protocol.RunnerInvokeParams) (any, error) {
	if len(p.Params) == 0 {
		p.Params = json.RawMessage("{}")
	}
	switch {
	case p.Plugin == "" || p.Method == "":
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "runner.invoke: plugin or method is missing")
	case p.Params[0] != '{':
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "runner.invoke: params are not an object")
	}
	access := protocol.InvokeAccess(p.Method)
	if access == protocol.AccessRunner {
		return c.handleCreate(ctx, p.Params)
	}
	target := r.target(p.Plugin)
	switch {
	case target == nil:
		return nil, protocol.Errorf(protocol.CodeUnavailable, "there is no plugin %.80q", p.Plugin)
	case access == protocol.AccessRefused:
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "%.80s is not available to clients", p.Method)
	}
	result, err := r.called(ctx, c, target, p, access)
	if err != nil {
		return nil, protocol.CallFailure(ctx, err)
	}
	r.adopt(ctx, c, target, result)
	return result, nil
}

// target returns the plugin of that id, else the first of that kind that runs,
// else the first of that kind.
func (r *Runner) target(name string) (found *supervisor.Plugin) {
	for _, p := range r.plugins.all() {
		switch {
		case p.ID() == name:
			return p
		case p.Entry.Kind == name && (found == nil || found.Live() == nil && p.Live() != nil):
			found = p
		}
	}
	return found
}

func (r *Runner) called(ctx context.Context, c *client, target *supervisor.Plugin, p protocol.RunnerInvokeParams,
	access protocol.Access) (json.RawMessage, error) {
	timeout := protocol.TimeoutOf(p.Params, r.timeout())
	params, err := r.forwarded(p.Params, target)
	if err != nil {
		return nil, err
	}
	if access == protocol.AccessFree {
		l := target.Live()
		if l == nil {
			return nil, notRunning(target)
		}
		return l.Call(ctx, p.Method, params, timeout, c.progress(ctx))
	}
	action, err := protocol.ReadInvocation(p.Method, params)
	if err != nil {
		return nil, err
	}
	o := order{action: action, client: c, timeout: timeout, plugin: target}
	if access == protocol.AccessPoliced {
		o.method, o.params = p.Method, params
	}
	return r.act(ctx, o)
}

// forwarded returns params with their context cut to what the plugin may see.
func (r *Runner) forwarded(params json.RawMessage, target *supervisor.Plugin) (json.RawMessage, error) {
	members, err := rpc.Members(params)
	if err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "params are not an object")
	}
	for i, m := range members {
		if m.Name != "context" {
			continue
		}
		if members[i].Value = cutContext(m.Value, target.Entry.Permissions); members[i].Value == nil {
			members[i].Value = json.RawMessage("{}")
		}
	}
	return object(members), nil
}

// adopt keeps the bytes of a handle that is in a result, if the plugin has
// them. That it fails is not a failure of the call.
func (r *Runner) adopt(ctx context.Context, c *client, from *supervisor.Plugin, result json.RawMessage) {
	var said struct {
		Handle any `json:"handle"`
	}
	if rpc.Unmarshal(result, &said) != nil {
		return
	}
	text, _ := said.Handle.(string)
	h, err := protocol.ParseHandle(text)
	l := from.Live()
	if err != nil || l == nil || !l.Has(protocol.MethodHandleFetch) {
		return
	}
	answer, err := l.Call(ctx, protocol.MethodHandleFetch, protocol.HandleParams{Handle: h.String()}, r.timeout(), nil)
	var bytes protocol.HandleFetchResult
	if err == nil {
		err = protocol.DecodeParams(answer, &bytes)
	}
	if err == nil {
		err = c.handles.Adopt(h, bytes.DataB64)
	}
	if err != nil {
		r.log.Warn("a handle of the plugin cannot be kept", "plugin", from.ID(), "error", err)
	}
}

// Serve answers a plugin.
func (r *Runner) Serve(ctx context.Context, l *supervisor.Live, method string, params json.RawMessage) (any, error) {
	switch method {
	case protocol.MethodHostContext:
		var p protocol.SnapshotParams
		if err := protocol.DecodeParams(params, &p); err != nil {
			return nil, err
		}
		text, err := r.snapshot(ctx, l.Plugin, p, r.timeout())
		if errors.Is(err, errNoContext) {
			return nil, protocol.Errorf(protocol.CodeUnavailable, "host.context: %v", err)
		}
		if err != nil {
			return nil, protocol.CallFailure(ctx, err)
		}
		if text = cutContext(text, l.Plugin.Entry.Permissions); text == nil {
			return nil, protocol.Errorf(protocol.CodePlugin, "host.context: the answer is malformed")
		}
		return text, nil
	case protocol.MethodHostEmit:
		var p protocol.EmitParams
		if err := protocol.DecodeParams(params, &p); err != nil {
			return nil, err
		}
		return struct{}{}, l.Streams.Emit(p)
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "the runner has no method %.80q for plugins", method)
}
