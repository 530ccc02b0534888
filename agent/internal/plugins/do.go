package plugins

import (
	"context"
	"errors"
	"fmt"

	"utter/agent/internal/executor"
	"utter/shared/plan"
	"utter/shared/protocol"
	"utter/shared/rpc"
	"utter/shared/runnerclient"
)

// Do is the handler of the steps that plugins carry out. That one completed is
// the plugin's word alone, and its evidence says so.
func (p *Plugins) Do(ctx context.Context, b *executor.Binding, s plan.Step) (executor.Done, error) {
	conn, err := p.connected(ctx)
	if errors.Is(err, runnerclient.ErrNoRunner) {
		p.forget()
		return executor.Done{}, plan.Refuse(plan.Missing, "%s: %v", s.Op, err)
	}
	if err != nil {
		return executor.Done{}, err
	}
	params, digest, err := order(s)
	if err != nil {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "%s: %v", s.Op, err)
	}
	p.expect(question{digest: digest, approved: b.Approved})
	var said protocol.InvokeResult
	err = conn.Call(ctx, protocol.MethodRunnerInvoke, params, &said)
	asked := p.expect(question{})
	if asked.summary != "" && !b.Approved && protocol.CodeOf(err) == protocol.CodeDenied {
		return executor.Done{}, plan.Refuse(plan.NeedsConfirmation, "confirm: %s", asked.summary)
	}
	if err != nil {
		return executor.Done{}, failure(s, err)
	}
	if !said.Succeeded() {
		return executor.Done{}, plan.Fail("%s: %s", s.Plugin, orSay(said.Text(), "it did not succeed"))
	}
	return executor.Done{Evidence: plan.ByPlugin, Message: said.Text()}, nil
}

// order is what the runner is asked for, and what the user's word to it is bound
// to.
func order(s plan.Step) (params protocol.RunnerInvokeParams, digest string, err error) {
	if s.Args == nil {
		s.Args = plan.Args{}
	}
	args, err := rpc.Marshal(s.Args)
	if err != nil {
		return params, "", err
	}
	from := wireProvenance(s.Provenance)
	inner, err := rpc.Marshal(protocol.InvokeParams{Op: string(s.Op), Args: args, Provenance: from, Confirm: s.Confirm})
	if err != nil {
		return params, "", err
	}
	digest, err = protocol.Digest(protocol.BareOp(string(s.Op)), args, from)
	return protocol.RunnerInvokeParams{Plugin: s.Plugin, Method: protocol.MethodActionInvoke, Params: inner}, digest, err
}

// failure says what is known of a step after an error of the runner's.
func failure(s plan.Step, err error) error {
	said, ok := errors.AsType[*protocol.Error](err)
	if !ok {
		return unanswered(s, err)
	}
	text := fmt.Sprintf("%s: %s", s.Plugin, said.Message)
	switch protocol.ErrorData(err).Outcome {
	case protocol.OutcomeUnknown:
		return plan.Unsure(reason(said.Code), "%s; it may have had its effect", text)
	case protocol.OutcomeNotStarted:
		return plan.Refuse(reason(said.Code), "%s", text)
	}
	switch said.Code {
	case protocol.CodeDenied, protocol.CodeUntrusted:
		return plan.Refuse(plan.PolicyReason, "%s", text)
	case protocol.CodeInvalidParams, protocol.CodeMethodNotFound:
		return plan.Refuse(plan.NotSupported, "%s", text)
	case protocol.CodeUnavailable:
		return plan.Refuse(plan.Missing, "%s", text)
	}
	return plan.Fail("%s", text)
}

// unanswered says what is known of a step that the runner did not answer.
func unanswered(s plan.Step, err error) error {
	call, ok := errors.AsType[*rpc.CallError](err)
	switch {
	case !ok, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err // the executor knows what an end of its ctx means
	case !call.Delivered:
		return plan.Refuse(plan.Missing, "%s: the plugin runner did not take it: %v", s.Op, call.Err)
	}
	return plan.Unsure(plan.Missing, "%s: the plugin runner went away meanwhile; it may have had its effect", s.Op)
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

func orSay(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// A question is what the runner may ask about the step that is carried out now.
type question struct {
	digest   string // of the step; "" while there is none
	approved bool   // the user has confirmed it
	summary  string // what the runner asked, or ""
}

// expect makes q the question that may come, and returns the last one.
func (p *Plugins) expect(q question) question {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.question
	p.question = q
	return last
}

// answer says whether what is asked is the step that is carried out now, and
// whether the user has confirmed it. A yes is given once.
func (q *question) answer(digest, summary string) (mine, yes bool) {
	if digest != q.digest {
		return false, false
	}
	yes, q.approved, q.summary = q.approved, false, summary
	return true, yes
}
