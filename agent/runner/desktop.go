package runner

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"utter/agent/runner/supervisor"
	"utter/shared/op"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
	"utter/shared/terminal"
)

// What of a window and of a monitor is not a text of the screen.
var (
	windowFacts  = []string{"app_id", "pid", "window_id", "workspace_id"}
	monitorFacts = []string{"name", "width", "height", "scale"}
)

// cutContext removes from a description of the desktop what a plugin with these
// grants must not see: titles and other text of windows, and the clipboard. What
// is not an object is nothing.
func cutContext(text json.RawMessage, granted []string) json.RawMessage {
	members, err := rpc.Members(text)
	if err != nil {
		return nil
	}
	all := slices.Contains(granted, protocol.PermissionAccessibility)
	kept := []rpc.Member{}
	for _, m := range members {
		switch {
		case m.Name == "clipboard":
			if !slices.Contains(granted, protocol.PermissionClipboard) {
				m.Value = nil
			}
		case all:
		case m.Name == "focused" || m.Name == "windows":
			m.Value = only(m.Value, windowFacts)
		case m.Name == "monitors":
			m.Value = only(m.Value, monitorFacts)
		case m.Name != "timestamp" || !plain(m.Value):
			m.Value = nil
		}
		if m.Value != nil {
			kept = append(kept, m)
		}
	}
	return object(kept)
}

// only keeps the named facts of an object, or of each in a list. A fact is no
// object and no list. What is neither is null.
func only(text json.RawMessage, names []string) json.RawMessage {
	var list []json.RawMessage
	if rpc.Unmarshal(text, &list) == nil && list != nil {
		for i := range list {
			list[i] = only(list[i], names)
		}
		text, _ = rpc.Marshal(list) // of what is JSON
		return text
	}
	members, err := rpc.Members(text)
	if err != nil {
		return json.RawMessage("null")
	}
	return object(slices.DeleteFunc(members,
		func(m rpc.Member) bool { return !slices.Contains(names, m.Name) || !plain(m.Value) }))
}

func plain(value json.RawMessage) bool { return len(value) > 0 && value[0] != '{' && value[0] != '[' }

// object writes members as an object.
func object(members []rpc.Member) json.RawMessage {
	text := []byte("{")
	for i, m := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(rpc.AppendString(text, m.Name), ':'), m.Value...)
	}
	return append(text, '}')
}

// errNoContext means that no plugin knows the desktop.
var errNoContext = errors.New("no plugin provides the desktop")

// snapshot asks the plugin that provides the desktop, but for the plugin that asks.
func (r *Runner) snapshot(ctx context.Context, asks *supervisor.Plugin, p protocol.SnapshotParams,
	timeout time.Duration) (json.RawMessage, error) {
	for _, l := range r.plugins.live() {
		if l.Plugin == asks || !l.Has(protocol.MethodContextSnapshot) {
			continue
		}
		return l.Call(ctx, protocol.MethodContextSnapshot, p, timeout, nil)
	}
	return nil, errNoContext
}

// types reports whether an op types or presses keys.
func types(name string) bool {
	spec, ok := op.Find(op.Bare(name))
	return ok && spec.Has(op.Input) || op.IsInput(op.Bare(name))
}

// intoTerminal reports whether what an action types goes into a terminal: the
// window that it names, else the one with the focus. Where a plugin knows the
// desktop and does not tell, it does.
func (r *Runner) intoTerminal(ctx context.Context, a protocol.Invocation, timeout time.Duration) (bool, error) {
	var named struct {
		App json.RawMessage `json:"app"`
	}
	var app string
	if rpc.Unmarshal(a.Args, &named) == nil && rpc.Unmarshal(named.App, &app) == nil && app != "" {
		return terminal.Is(app), nil
	}
	text, err := r.snapshot(ctx, nil, protocol.SnapshotParams{Sources: []string{"focused"}}, timeout)
	if errors.Is(err, errNoContext) {
		return false, nil
	}
	if ctx.Err() != nil {
		return true, protocol.CallFailure(ctx, notStarted(protocol.MethodActionInvoke, context.Cause(ctx)))
	}
	var s protocol.Snapshot
	if err != nil || rpc.Unmarshal(text, &s) != nil {
		return true, nil
	}
	return s.Focused != nil && terminal.Is(s.Focused.AppID), nil
}
