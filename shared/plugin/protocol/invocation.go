package protocol

import (
	"encoding/json"
	"slices"

	"utter/shared/op"
	"utter/shared/plugin/rpc"
)

// BareOp removes a leading "action.".
func BareOp(name string) string { return string(op.Bare(name)) }

// IsCoreOp reports whether an op, in either spelling, is a core op, which no
// plugin needs to advertise.
func IsCoreOp(name string) bool {
	_, core := op.Find(op.Bare(name))
	return core
}

// An Invocation is what a client or a plugin asks for.
type Invocation struct {
	Op   string          // in either spelling
	Args json.RawMessage // an object; absent is empty
	// Provenance is the effective one. Only FromUser is trusted.
	Provenance Provenance
	// Confirm asks for a confirmation besides what policy asks for.
	Confirm bool
}

// ReadInvocation reads a call of runner.invoke that policy must see: AccessInvoke
// or AccessPoliced. Absent provenance is -32003, a missing op -32602.
// Provenance, confirm and timeout_ms of a policed method are not arguments.
func ReadInvocation(method string, params json.RawMessage) (Invocation, error) {
	var in struct {
		Provenance Provenance `json:"provenance"`
		Confirm    bool       `json:"confirm"`
	}
	params = orEmpty(params)
	if err := DecodeParams(params, &in); err != nil {
		return Invocation{}, err
	}
	from, err := in.Provenance.OfInvoke()
	if err != nil {
		return Invocation{}, err
	}
	if InvokeAccess(method) != AccessInvoke {
		args, err := without(params, "provenance", "confirm", "timeout_ms")
		return Invocation{Op: method, Args: args, Provenance: from, Confirm: in.Confirm}, err
	}
	var what struct {
		Op   string          `json:"op"`
		Args json.RawMessage `json:"args"`
	}
	if err := DecodeParams(params, &what); err != nil {
		return Invocation{}, err
	}
	if what.Op == "" {
		return Invocation{}, Errorf(CodeInvalidParams, "action.invoke: op is missing")
	}
	return Invocation{Op: what.Op, Args: what.Args, Provenance: from, Confirm: in.Confirm}, nil
}

// without returns object without some of its members.
func without(object json.RawMessage, names ...string) (json.RawMessage, error) {
	members, err := rpc.Members(object)
	if err != nil {
		return nil, Errorf(CodeInvalidParams, "params are not an object")
	}
	kept := []byte("{")
	for _, m := range members {
		if slices.Contains(names, m.Name) {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(rpc.AppendString(kept, m.Name), ':'), m.Value...)
	}
	return append(kept, '}'), nil
}
