package runner

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"utter/agent/internal/policy"
	"utter/agent/runner/supervisor"
	"utter/shared/op"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// An order is an action on its way.
type order struct {
	action  protocol.Invocation
	client  *client
	timeout time.Duration
	// plugin is the one that is asked; nil finds the one that provides the op.
	plugin *supervisor.Plugin
	// method is what is called, with params; "" is action.invoke.
	method string
	params json.RawMessage

	authored bool // a plugin wrote it
	queued   bool // the caller has the queue
}

// act carries out an order: policy, schema, confirmation, both tests again, and
// then the call, one at a time.
func (r *Runner) act(ctx context.Context, o order) (json.RawMessage, error) {
	if len(o.action.Args) == 0 {
		o.action.Args = json.RawMessage("{}")
	}
	v, err := r.judge(ctx, &o)
	if err != nil {
		return nil, err
	}
	turn := turnOf(ctx)
	if v.Confirm {
		turn.give() // the user may take long
		if err := r.confirm(ctx, o); err != nil {
			return nil, err
		}
	}
	if !o.queued {
		leave, err := r.queue.enter(ctx, turn, o.timeout)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	if v.Confirm || !o.queued {
		again, err := r.judge(ctx, &o)
		if err != nil {
			return nil, err
		}
		if again.Confirm && !v.Confirm {
			return nil, protocol.Denied(protocol.ReasonDenied, "%s now needs confirmation; ask again", again.Op)
		}
	}
	l := o.plugin.Live()
	if l == nil {
		return nil, notRunning(o.plugin)
	}
	var params any = o.params
	method := o.method
	if method == "" {
		method = protocol.MethodActionInvoke
		params = protocol.InvokeParams{Op: spelled(l, o.action.Op), Args: o.action.Args, Provenance: o.action.Provenance}
	}
	return l.Call(ctx, method, params, o.timeout, o.client.progress(ctx))
}

// judge decides whether an order may be carried out, and by whom.
func (r *Runner) judge(ctx context.Context, o *order) (policy.Verdict, error) {
	action, s := o.action, standing{}
	var served supervisor.AdvertisedOp
	var l *supervisor.Live
	if o.method != "" {
		l = o.plugin.Live()
		s.advertised = l != nil && l.Has(o.method)
	} else if l, served = r.server(o.plugin, action.Op); l != nil {
		o.plugin = l.Plugin
		s.advertised = true
		action.Confirm = action.Confirm || served.NeedsConfirm
	} else if o.plugin == nil {
		o.plugin = r.servedOnce(action.Op)
	}
	down := l == nil && o.plugin != nil && o.plugin.Live() == nil
	s.advertised = s.advertised || down // else "no such op" would be said of one that crashed
	if o.authored && types(action.Op) {
		into, err := r.intoTerminal(ctx, action, o.timeout)
		if err != nil {
			return policy.Verdict{}, err
		}
		s.intoTerminal = into
	}
	v, err := r.check(action, s)
	switch {
	case err != nil:
		return v, err
	case down:
		return v, notRunning(o.plugin)
	case l == nil:
		return v, protocol.Errorf(protocol.CodeUnavailable, "no plugin serves %.80s", action.Op)
	case o.method == "":
		return v, served.Check(action.Args)
	}
	return v, nil
}

// server returns the plugin that provides an op: the first that advertises it, for a core op
// only one whose entry says so. only, if not nil, is the one that is asked.
func (r *Runner) server(only *supervisor.Plugin, name string) (*supervisor.Live, supervisor.AdvertisedOp) {
	for _, l := range r.plugins.live() {
		if only != nil && l.Plugin != only {
			continue
		}
		served, ok := l.Op(name)
		if !ok || len(l.Methods) > 0 && !l.Has(protocol.MethodActionInvoke) {
			continue
		}
		if !protocol.IsCoreOp(name) || provides(l.Plugin.Entry.Provides, name) {
			return l, served
		}
	}
	return nil, supervisor.AdvertisedOp{}
}

// servedOnce returns a plugin that is down and served an op when it last ran.
func (r *Runner) servedOnce(name string) *supervisor.Plugin {
	for _, p := range r.plugins.all() {
		s := p.State()
		if s.Live != nil || s.Last == nil {
			continue
		}
		if _, ok := s.Last.Op(name); ok && (!protocol.IsCoreOp(name) || provides(p.Entry.Provides, name)) {
			return p
		}
	}
	return nil
}

// provides reports whether an entry says that its plugin serves a core op. Both
// ops that show a page have one capability.
func provides(entry []string, name string) bool {
	bare := protocol.BareOp(name)
	if slices.Contains(entry, protocol.ActionCapability(bare)) {
		return true
	}
	return showsPage(bare) && slices.ContainsFunc(op.Specs(), func(s op.Spec) bool {
		return s.Has(op.Address) && slices.Contains(entry, protocol.ActionCapability(string(s.Name)))
	})
}

func showsPage(bare string) bool {
	spec, ok := op.Find(op.Name(bare))
	return ok && spec.Has(op.Address)
}

// spelled is the op as its plugin spells it.
func spelled(l *supervisor.Live, name string) string {
	if served, ok := l.Op(name); ok {
		return served.OpInfo.Op
	}
	return name
}

func notRunning(p *supervisor.Plugin) error {
	s := p.State()
	e := protocol.Errorf(protocol.CodePlugin, "the plugin %s is not running (%s)", p.ID(), s.Status)
	return e.With(protocol.Data{Outcome: protocol.OutcomeNotStarted})
}

// notStarted is a call that did not get as far as the plugin.
func notStarted(method string, cause error) error { return &rpc.CallError{Method: method, Err: cause} }
