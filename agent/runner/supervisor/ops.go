package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"utter/shared/plugin/protocol"
)

// What a plugin may advertise.
const (
	maxOps    = 512
	maxOpName = 128 // bytes
)

// An AdvertisedOp is an op that a plugin says that it can do.
type AdvertisedOp struct {
	protocol.OpInfo
	schema *jsonschema.Schema // nil if any arguments will do
	Fault  error              // why it cannot be used
}

// Op returns the op of that name, in either spelling.
func (l *Live) Op(name string) (AdvertisedOp, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, op := range l.ops {
		if protocol.BareOp(op.OpInfo.Op) == protocol.BareOp(name) {
			return op, true
		}
	}
	return AdvertisedOp{}, false
}

// Ops returns the names of the ops that can be used.
func (l *Live) Ops() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := []string{}
	for _, op := range l.ops {
		if op.Fault == nil {
			names = append(names, op.OpInfo.Op)
		}
	}
	return names
}

// Has reports whether the plugin says that it answers a method.
func (l *Live) Has(method string) bool { return slices.Contains(l.Methods, method) }

// Serves reports whether the plugin has a stream of that name.
func (l *Live) Serves(name string) bool {
	return slices.Contains(l.Names, name) && (len(l.Methods) == 0 || l.Has(protocol.MethodStreamSubscribe))
}

// Check checks arguments against the op's schema.
func (o AdvertisedOp) Check(args json.RawMessage) error {
	if o.Fault != nil {
		return protocol.Errorf(protocol.CodeUnavailable, "%s cannot be used: %v", o.OpInfo.Op, o.Fault)
	}
	if o.schema == nil {
		return nil
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err == nil {
		err = o.schema.Validate(value)
	}
	if err != nil {
		return protocol.Errorf(protocol.CodeInvalidParams, "%s: the plugin does not accept these arguments: %.500s",
			o.OpInfo.Op, firstCause(err))
	}
	return nil
}

// firstCause is the first thing that a schema does not allow.
func firstCause(err error) string {
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err.Error()
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	text := invalid.BasicOutput().Error.String()
	if len(invalid.InstanceLocation) > 0 {
		text = fmt.Sprintf("%v: %s", invalid.InstanceLocation, text)
	}
	return text
}

// readOps asks the plugin for its ops. Without an answer it has none, and is not
// well.
func (l *Live) readOps(ctx context.Context) error {
	if !l.Has(protocol.MethodActionCapabilities) && (len(l.Methods) > 0 || l.Plugin.Entry.Kind != protocol.KindAction) {
		return nil
	}
	result, err := l.Call(ctx, protocol.MethodActionCapabilities, nil, l.Plugin.shared.Timeout(), nil)
	var said protocol.CapabilitiesResult
	if err == nil {
		err = protocol.DecodeParams(result, &said)
	}
	var ops []AdvertisedOp
	seen := map[string]bool{}
	for _, info := range said.Ops {
		name := protocol.BareOp(info.Op)
		if name == "" || len(name) > maxOpName || seen[name] {
			continue
		}
		if len(ops) == maxOps {
			l.Plugin.log.Warn("the plugin advertises too many ops", "kept", maxOps)
			break
		}
		seen[name] = true
		op := AdvertisedOp{OpInfo: info}
		if op.schema, op.Fault = compile(info.Args); op.Fault != nil {
			l.Plugin.log.Warn("an op cannot be used", "op", escaped(info.Op), "error", op.Fault)
		}
		ops = append(ops, op)
	}
	l.mu.Lock()
	l.ops = ops
	l.mu.Unlock()
	if err != nil {
		return fmt.Errorf("its ops are not known: %w", err)
	}
	return nil
}

// follow reads the ops again when the plugin says that they have changed.
func (l *Live) follow() {
	for {
		select {
		case <-l.reread:
			if err := l.readOps(l.ctx); err != nil {
				l.Plugin.health(l, unwell(err))
			}
			l.Plugin.shared.Events.Changed()
		case <-l.ctx.Done():
			return
		case <-l.peer.Done():
			return
		}
	}
}
