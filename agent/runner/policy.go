package runner

import (
	"encoding/json"
	"errors"

	"utter/agent/internal/policy"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// policy returns the policy of the configuration.
func (r *Runner) policy() policy.Policy {
	p := r.config.Load().Policy
	return policy.Policy{Enabled: p.EnabledOps, Disabled: p.DisabledOps}
}

// A standing is what the runner knows of an action besides what was asked for.
type standing struct {
	advertised   bool // a plugin offers the op
	intoTerminal bool // a plugin wrote it, and it types or presses keys into a terminal
}

// check has policy judge an action, and says in the words of the wire what it refuses.
func (r *Runner) check(a protocol.Invocation, s standing) (policy.Verdict, error) {
	args := map[string]any{}
	if len(a.Args) > 0 {
		if err := readObject(a.Args, &args); err != nil {
			return policy.Verdict{}, protocol.Errorf(protocol.CodeInvalidParams, "%.80s: args are not an object: %v",
				protocol.BareOp(a.Op), err)
		}
	}
	v, err := r.policy().Judge(policy.Request{
		Op: a.Op, Args: args, From: provenances[a.Provenance], Confirm: a.Confirm, Advertised: s.advertised,
		IntoTerminal: s.intoTerminal,
	})
	return v, onTheWire(err)
}

// readObject reads an object; null is not one.
func readObject(text json.RawMessage, to *map[string]any) error {
	if _, err := rpc.Members(text); err != nil {
		return err
	}
	return rpc.Unmarshal(text, to)
}

// provenances are what the wire's words mean; any other means that nobody vouches.
var provenances = map[protocol.Provenance]plan.Provenance{
	protocol.FromUser: plan.FromUser, protocol.FromScreen: plan.FromScreen,
}

// onTheWire makes the error of the protocol that a refusal is: -32003 {reason: provenance}, -32006 {op, fields}, -32601,
// -32602, -32003 {reason: disabled} and -32003 {reason: scheme, allowed}.
func onTheWire(err error) error {
	var denied *policy.DeniedError
	if !errors.As(err, &denied) {
		return err
	}
	name := string(denied.Op)
	said := func(code protocol.Code) *protocol.Error { return protocol.Errorf(code, "%v", denied) }
	switch denied.Rule {
	case policy.RuleUnknown:
		return protocol.Denied(protocol.ReasonProvenance, "%v", denied)
	case policy.RuleScreen:
		return said(protocol.CodeUntrusted).With(protocol.Data{Op: name, Fields: denied.Fields})
	case policy.RuleNoOp:
		return protocol.Errorf(protocol.CodeMethodNotFound, "there is no op %.80q", name)
	case policy.RuleArgs:
		return said(protocol.CodeInvalidParams)
	case policy.RuleForbid:
		return protocol.Denied(protocol.ReasonDisabled, "%v", denied)
	case policy.RuleScheme:
		return said(protocol.CodeDenied).With(protocol.Data{Reason: protocol.ReasonScheme, Op: name, Allowed: op.Schemes})
	}
	return said(protocol.CodeDenied).With(protocol.Data{Reason: protocol.ReasonDisabled, Op: name})
}
