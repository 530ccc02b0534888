package addons

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// Do is the handler of the steps that plugins carry out. That one completed is
// the plugin's word alone, and its evidence says so.
func (a *Addons) Do(ctx context.Context, b *executor.Binding, s plan.Step) (executor.Done, error) {
	params, digest, err := order(s)
	if err != nil {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "%s: %v", s.Op(), err)
	}
	conn, err := a.connected(ctx)
	if err != nil {
		a.forget()
		return executor.Done{}, notBegun(s, err)
	}
	a.expect(question{plugin: s.Plugin, digest: digest, approved: b.Approved})
	var answer json.RawMessage
	err = conn.Call(ctx, protocol.MethodRunnerInvoke, params, &answer)
	asked := a.expect(question{})
	if asked.text != "" && !b.Approved && protocol.CodeOf(err) == protocol.CodeDenied {
		return executor.Done{}, plan.Refuse(plan.NeedsConfirmation, "confirm: %s", asked.text)
	}
	if err != nil {
		return executor.Done{}, failure(ctx, s, err)
	}
	var said protocol.InvokeResult
	if err := protocol.DecodeParams(answer, &said); err != nil {
		return executor.Done{}, plan.Unsure("", "%s: the answer of the plugin %s is invalid; it may have taken effect", s.Op(), s.Plugin)
	}
	if !said.Succeeded() {
		return executor.Done{}, plan.Fail("%s: %s", s.Plugin, cmp.Or(forPeople(said.Text()), "it did not succeed"))
	}
	return executor.Done{Evidence: plan.ByPlugin, Message: forPeople(said.Text())}, nil
}

// notBegun says why nothing was asked of a plugin.
func notBegun(s plan.Step, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return plan.Refuse(plan.Timeout, "%s: the plugin runner does not respond", s.Op())
	case errors.Is(err, context.Canceled):
		return plan.Refuse(plan.Cancelled, "%s: cancelled before it started", s.Op())
	}
	return plan.Refuse(plan.Missing, "%s: %v", s.Op(), err)
}

// order is what the runner is asked for, and what the user's word to it is bound
// to.
func order(s plan.Step) (params protocol.RunnerInvokeParams, digest string, err error) {
	given := op.Map(s.Args)
	if given == nil {
		given = map[string]any{}
	}
	args, err := rpc.Marshal(given)
	if err != nil {
		return params, "", err
	}
	from := wireProvenance(s.Provenance)
	inner, err := rpc.Marshal(protocol.InvokeParams{Op: string(s.Op()), Args: args, Provenance: from, Confirm: s.Confirm})
	if err != nil {
		return params, "", err
	}
	digest, err = protocol.Digest(protocol.BareOp(string(s.Op())), args, from)
	return protocol.RunnerInvokeParams{Plugin: s.Plugin, Method: protocol.MethodActionInvoke, Params: inner}, digest, err
}

// failure says what is known of a step after an error. What the runner refuses is
// marked as such; all else is what the plugin says.
func failure(ctx context.Context, s plan.Step, err error) error {
	said, ok := errors.AsType[*protocol.Error](err)
	if !ok {
		return unanswered(ctx, s, err)
	}
	text := fmt.Sprintf("%s: %s", s.Plugin, forPeople(said.Message))
	data := protocol.ErrorData(err)
	switch {
	case data.Outcome == protocol.OutcomeUnknown:
		return plan.Unsure(reason(said.Code), "%s; it may have taken effect", text)
	case data.Outcome == protocol.OutcomeNotStarted, data.Reason == protocol.ReasonBusy:
		return plan.Refuse(reason(said.Code), "%s", text)
	case said.Code == protocol.CodeDenied && data.Reason != "", said.Code == protocol.CodeUntrusted && len(data.Fields) > 0:
		return plan.Refuse(plan.PolicyReason, "%s", text)
	}
	return plan.Fail("%s", text)
}

// unanswered says what is known of a step that the runner did not answer.
func unanswered(ctx context.Context, s plan.Step, err error) error {
	call, ok := errors.AsType[*rpc.CallError](err)
	switch {
	case ok && !call.Delivered:
		return notBegun(s, call.Err)
	case !ok, ctx.Err() != nil:
		return err // the executor knows what an end of its ctx means
	}
	return plan.Unsure(plan.Missing, "%s: the plugin runner went away in the meantime; it may have taken effect", s.Op())
}

// reason is why a call got no answer.
func reason(c protocol.Code) plan.Reason {
	switch c {
	case protocol.CodeTimeout:
		return plan.Timeout
	case protocol.CodeCancelled:
		return plan.Cancelled
	case protocol.CodeUnavailable:
		return plan.Busy
	}
	return plan.Missing
}

// A question is what the runner may ask about the step that is carried out now.
type question struct {
	plugin   string // that carries it out
	digest   string // of the step; "" while there is none
	approved bool   // the user has confirmed it
	text     string // what the runner asked, for people, or ""
}

// expect makes q the question that may come, and returns the last one.
func (a *Addons) expect(q question) question {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := a.question
	a.question = q
	return last
}

// answer says whether what is asked is the step that is carried out now, and
// whether the user has confirmed it. A yes is given once, and to nobody else who
// wants the same.
func (q *question) answer(asked protocol.ConfirmParams, digest, text string) (mine, yes bool) {
	if !asked.Yours || asked.Plugin != q.plugin || digest != q.digest {
		return false, false
	}
	yes, q.approved, q.text = q.approved, false, text
	return true, yes
}
