package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"utter/shared/plugin/rpc"
)

func TestTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`{}`: time.Second, `{"timeout_ms":5}`: 5 * time.Millisecond, `{"timeout_ms":999999}`: time.Minute,
		`{"timeout_ms":0}`: time.Second, `{"timeout_ms":-1}`: time.Second, `{"timeout_ms":"5"}`: time.Second,
		`{"timeout_ms":5.5}`:  time.Second,
		`{"timeout_ms":null}`: time.Second, `{"timeout_ms":99999999999999999999}`: time.Second,
		`{"Timeout_ms":5}`: time.Second,
	} {
		if got := TimeoutOf(json.RawMessage(text), time.Second); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestCallFailure(t *testing.T) {
	plugins := Errorf(-7, "its own")
	call := func(delivered bool, err error) error {
		return fmt.Errorf("wrapped: %w", &rpc.CallError{Method: "m", Delivered: delivered, Err: err})
	}
	tests := []struct {
		err     error
		code    Code
		outcome Outcome
	}{
		{fmt.Errorf("wrapped: %w", plugins), -7, ""},
		{call(true, context.DeadlineExceeded), CodeTimeout, OutcomeUnknown},
		{call(false, context.DeadlineExceeded), CodeTimeout, OutcomeNotStarted},
		{call(true, rpc.ErrCancelled), CodeCancelled, OutcomeUnknown},
		{call(false, context.Canceled), CodeCancelled, OutcomeNotStarted},
		{call(true, rpc.ErrClosed), CodePlugin, OutcomeUnknown},
		{call(false, rpc.ErrBusy), CodeUnavailable, OutcomeNotStarted},
		{errors.New("what"), CodePlugin, OutcomeUnknown},
	}
	for _, tt := range tests {
		got := CallFailure(t.Context(), tt.err)
		if got.Code != tt.code || ErrorData(got).Outcome != tt.outcome {
			t.Errorf("%v: %v %s", tt.err, got, got.Data)
		}
	}
}
