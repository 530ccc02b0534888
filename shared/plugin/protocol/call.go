package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"utter/shared/plugin/rpc"
)

// A Timeout is timeout_ms: milliseconds, 0 where it is absent, not positive or
// no whole number.
type Timeout int

// UnmarshalJSON never fails: what is not a whole number counts as absent.
func (t *Timeout) UnmarshalJSON(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		n = 0
	}
	*t = Timeout(n)
	return nil
}

// Of returns how long a call may take: t, at most MaxTimeoutMS, or otherwise.
func (t Timeout) Of(otherwise time.Duration) time.Duration {
	if t <= 0 {
		return otherwise
	}
	return time.Duration(min(t, MaxTimeoutMS)) * time.Millisecond
}

// TimeoutOf reads timeout_ms of any params.
func TimeoutOf(params json.RawMessage, otherwise time.Duration) time.Duration {
	var p struct {
		Timeout Timeout `json:"timeout_ms"`
	}
	if rpc.Unmarshal(params, &p) != nil {
		return otherwise
	}
	return p.Timeout.Of(otherwise)
}

// CallFailure returns the error of a failed call on a plugin for the caller
// whose request ctx serves: an *Error unchanged; -32001 after a timeout, -32002
// if it was cancelled, -32005 if too many calls are waiting, -32000 otherwise.
// All but the first carry data.outcome, and the id of the caller's request.
func CallFailure(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	data := Data{Outcome: OutcomeUnknown, ID: rpc.RequestID(ctx)}
	if e, ok := errors.AsType[*rpc.CallError](err); ok && !e.Delivered {
		data.Outcome = OutcomeNotStarted
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Errorf(CodeTimeout, "the plugin did not respond in time").With(data)
	case errors.Is(err, rpc.ErrCancelled) || errors.Is(err, context.Canceled):
		return Errorf(CodeCancelled, "cancelled").With(data)
	case errors.Is(err, rpc.ErrBusy):
		data.Reason = ReasonBusy
		return Errorf(CodeUnavailable, "too many calls are waiting").With(data)
	}
	return Errorf(CodePlugin, "the connection to the plugin ended").With(data)
}
