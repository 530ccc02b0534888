package protocol

import (
	"encoding/json"
	"errors"

	"utter/shared/plugin/rpc"
)

// An Error is an error in the form of the protocol.
type Error = rpc.Error

// A Code is a JSON-RPC error code.
type Code = rpc.Code

// The codes. They are part of the protocol: never renumber one.
const (
	CodeParse          Code = -32700
	CodeInvalidRequest Code = -32600
	CodeMethodNotFound Code = -32601
	CodeInvalidParams  Code = -32602
	CodeInternal       Code = -32603

	CodePlugin         Code = -32000 // the plugin failed, crashed, or is not running
	CodeTimeout        Code = -32001 // data {id, outcome}
	CodeCancelled      Code = -32002 // data {id, outcome}
	CodeDenied         Code = -32003 // data {reason, ...}
	CodeIncompatible   Code = -32004 // data {negotiated}
	CodeUnavailable    Code = -32005 // data {missing} or {reason: "busy"}
	CodeUntrusted      Code = -32006 // data {op, fields}
	CodeTooLargeInline Code = -32007 // data {size, max_inline, handle}
)

// A Reason is data.reason of a CodeDenied; ReasonBusy is of CodeUnavailable.
type Reason string

// The reasons.
const (
	ReasonDisabled        Reason = "disabled"
	ReasonDenied          Reason = "denied"
	ReasonConfirmTimeout  Reason = "confirm_timeout"
	ReasonNoConfirmer     Reason = "no_confirmer"
	ReasonUnauthenticated Reason = "unauthenticated"
	ReasonRateLimited     Reason = "rate_limited"
	ReasonScheme          Reason = "scheme"
	ReasonProvenance      Reason = "provenance"
	ReasonBusy            Reason = "busy"
)

// An Outcome is data.outcome of a call that got no reply.
type Outcome string

// The outcomes. Not started is certain.
const (
	OutcomeNotStarted Outcome = "not_started"
	OutcomeUnknown    Outcome = "unknown"
)

// Data holds every member that the data of our own errors can have. Absent ones
// are not written.
type Data struct {
	Reason     Reason          `json:"reason,omitempty"`
	Outcome    Outcome         `json:"outcome,omitempty"`
	ID         json.RawMessage `json:"id,omitempty"`
	Op         string          `json:"op,omitempty"`
	Fields     []string        `json:"fields,omitempty"` // sorted
	Allowed    []string        `json:"allowed,omitempty"`
	Missing    []string        `json:"missing,omitempty"`
	Negotiated any             `json:"negotiated,omitempty"`
	Size       int             `json:"size,omitempty"` // bytes
	MaxInline  int             `json:"max_inline,omitempty"`
	Handle     string          `json:"handle,omitempty"`
	Request    *ConfirmParams  `json:"request,omitempty"` // what was to be confirmed
}

// Errorf returns an error without data.
func Errorf(code Code, format string, args ...any) *Error { return rpc.Errorf(code, format, args...) }

// Denied returns a CodeDenied for the reason r.
func Denied(r Reason, format string, args ...any) *Error {
	return Errorf(CodeDenied, format, args...).With(Data{Reason: r})
}

// ErrorData reads the data of err; the zero Data if there is none.
func ErrorData(err error) (d Data) {
	if e, ok := errors.AsType[*Error](err); ok && e.DataInto(&d) != nil {
		return Data{}
	}
	return d
}

// CodeOf returns the code of err, or CodeInternal if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// DecodeParams reads params into v: names match exactly, and unknown ones are
// ignored. A value that does not fit is -32602.
func DecodeParams(params json.RawMessage, v any) error {
	err := rpc.Unmarshal(params, v)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Errorf(CodeInvalidParams, "invalid params: %s is %s, not %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return Errorf(CodeInvalidParams, "invalid params: %v", err)
}
