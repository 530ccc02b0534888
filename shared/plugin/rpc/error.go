package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Code is a JSON-RPC error code.
type Code int

// The codes that a Peer itself sends. package protocol names them all.
const (
	codeParse          Code = -32700
	codeInvalidRequest Code = -32600
	codeNoMethod       Code = -32601
	codeInvalidParams  Code = -32602
	codeInternal       Code = -32603
	codePlugin         Code = -32000
	codeCancelled      Code = -32002
	codeUnavailable    Code = -32005
)

// An Error is a failure in the form that crosses the wire, unchanged in both
// directions. A handler that returns one decides what its caller gets.
type Error struct {
	Code    Code            `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Is makes errors.Is compare codes, so that a message may change freely.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Errorf returns an error without data.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With returns e with data, which must be something that JSON can say.
func (e *Error) With(data any) *Error {
	text, err := Marshal(data)
	if err != nil {
		text = nil
	}
	return &Error{e.Code, e.Message, text}
}

// DataInto reads the data of e into v; names match exactly. Without data it
// leaves v alone.
func (e *Error) DataInto(v any) error {
	if len(e.Data) == 0 {
		return nil
	}
	return Unmarshal(e.Data, v)
}

// Why a connection or a request ended.
var (
	ErrClosed       = errors.New("connection closed")               // by us, or a clean end of the stream
	ErrCancelled    = errors.New("cancelled by the peer")           // context.Cause of a handler's ctx after $/cancel
	ErrWriteTimeout = errors.New("the peer does not read")          // a frame was not taken within Options.WriteTimeout
	ErrFrameTimeout = errors.New("the peer does not end its frame") // within Options.FrameTimeout
	ErrBusy         = errors.New("too many calls are waiting")      // Options.MaxCalls
	ErrNoFiles      = errors.New("descriptors need a Unix socket")  // of Peer.Notify and replies
)

// A CallError is a call that got no reply.
type CallError struct {
	Method string
	// Delivered false is certain: not a byte of the request has left us. True
	// means that the peer may have begun.
	Delivered bool
	// Settled is closed when a late reply arrives or the connection ends. It is
	// nil unless the caller gave up on a delivered call.
	Settled <-chan struct{}
	Err     error // why: the cause of the ctx, or how the connection ended
}

func (e *CallError) Error() string { return fmt.Sprintf("call %s: %v", e.Method, e.Err) }

func (e *CallError) Unwrap() error { return e.Err }
