package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/visible"
)

// confirm asks the user about an order: by the registered confirmer, or else by
// the client that wants it. One question is asked at a time. nil is a yes.
func (r *Runner) confirm(ctx context.Context, o order) error {
	select {
	case r.prompts <- struct{}{}:
		defer func() { <-r.prompts }()
	case <-ctx.Done():
		return protocol.CallFailure(ctx, notStarted(protocol.MethodHostConfirm, context.Cause(ctx)))
	}
	who := r.clients.confirmer()
	if who == nil {
		who = o.client
	}
	question, err := r.question(o)
	if err != nil {
		return err
	}
	question.Yours = who == o.client
	if who == nil || !who.vouched() {
		return unconfirmed(protocol.ReasonNoConfirmer, question, "there is no one to ask")
	}
	patience, cancel := context.WithTimeout(ctx, time.Duration(question.ExpiresMS)*time.Millisecond)
	defer cancel()
	answer, err := who.peer.Call(patience, protocol.MethodHostConfirm, question)
	var said protocol.ConfirmResult
	if err == nil && protocol.DecodeParams(answer, &said) != nil {
		said = protocol.ConfirmResult{} // what is not an answer is not yes
	}
	switch {
	case ctx.Err() != nil:
		return protocol.CallFailure(ctx, notStarted(protocol.MethodHostConfirm, context.Cause(ctx)))
	case errors.Is(err, context.DeadlineExceeded):
		return unconfirmed(protocol.ReasonConfirmTimeout, question, "no one answered in time")
	case protocol.CodeOf(err) == protocol.CodeMethodNotFound:
		return unconfirmed(protocol.ReasonNoConfirmer, question, "the program that was asked does not ask the user")
	case err != nil || !approves(said, question, !question.Yours):
		return unconfirmed(protocol.ReasonDenied, question, "refused")
	}
	return nil
}

// approves reports a yes. One from a confirmer repeats what binds it to the
// question; a client that is asked about its own action knows of no nonce.
func approves(said protocol.ConfirmResult, asked protocol.ConfirmParams, bound bool) bool {
	if bound || said.Nonce != "" || said.Digest != "" {
		return said.Approves(asked)
	}
	return said.Approved
}

// question puts an order into words. Nothing of it is left out.
func (r *Runner) question(o order) (protocol.ConfirmParams, error) {
	a := o.action
	digest, err := protocol.Digest(protocol.BareOp(a.Op), a.Args, a.Provenance)
	if err != nil {
		return protocol.ConfirmParams{}, protocol.Errorf(protocol.CodeInvalidParams, "%.80s: %v", a.Op, err)
	}
	name := protocol.BareOp(a.Op)
	return protocol.ConfirmParams{
		Op: name, Args: a.Args, Provenance: a.Provenance, Summary: visible.Text(fmt.Sprintf("%s %s", name, a.Args)),
		Plugin: o.plugin.ID(), Nonce: rand.Text(), Digest: digest, ExpiresMS: int(r.confirmTimeout() / time.Millisecond),
	}, nil
}

func unconfirmed(reason protocol.Reason, q protocol.ConfirmParams, why string) error {
	return protocol.Errorf(protocol.CodeDenied, "%s: not confirmed: %s", q.Op, why).
		With(protocol.Data{Reason: reason, Op: q.Op, Request: &q})
}
