package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A codedError is an author's error with the code that its caller gets.
type codedError struct {
	code protocol.Code
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// Invalid returns an error for invalid arguments: -32602. Like Denied and
// Unavailable it may be wrapped; the caller reads the whole text.
func Invalid(format string, args ...any) error {
	return &codedError{protocol.CodeInvalidParams, fmt.Errorf(format, args...)}
}

// Unavailable returns an error for something that is needed but currently
// missing: -32005.
func Unavailable(format string, args ...any) error {
	return &codedError{protocol.CodeUnavailable, fmt.Errorf(format, args...)}
}

// Denied returns an error for something that the plugin refuses to do: -32003.
func Denied(format string, args ...any) error {
	return &codedError{protocol.CodeDenied, fmt.Errorf(format, args...)}
}

// wire turns the error of an author's function, which ran under ctx, into what
// its caller gets: those above as their codes, a time that ran out as -32001, a
// cancelled call as -32002, all else as -32000 with its text. A *protocol.Error
// that is returned bare goes out as it is; one from the runner is wrapped.
func wire(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), rpc.ErrCancelled) {
		return rpc.ErrCancelled // the peer makes -32002 of it
	}
	if said, ok := err.(*protocol.Error); ok {
		return said
	}
	if coded, ok := errors.AsType[*codedError](err); ok {
		said := protocol.Errorf(coded.code, "%v", err)
		if coded.code == protocol.CodeDenied {
			said = said.With(protocol.Data{Reason: protocol.ReasonDenied})
		}
		return said
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return protocol.Errorf(protocol.CodeTimeout, "%v", err).With(protocol.Data{Outcome: protocol.OutcomeUnknown})
	}
	return protocol.Errorf(protocol.CodePlugin, "%v", err)
}

// guard runs an author's function. A panic in it is an error, and its stack
// goes to the log.
func guard(what string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "%s: panic: %v\n%s", what, r, debug.Stack())
			err = fmt.Errorf("%s crashed: %v", what, r)
		}
	}()
	return do()
}
