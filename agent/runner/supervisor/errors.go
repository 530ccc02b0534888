package supervisor

import (
	"errors"
	"fmt"

	"utter/agent/runner/sandbox"
	"utter/shared/plugin/protocol"
)

// errAgain ends a Live because somebody wants a new one.
var errAgain = errors.New("restarted")

// A crashError says how a plugin ended that nobody asked to end.
type crashError struct{ how string }

func (e *crashError) Error() string { return e.how }

// An EntryError describes an error in the entry of a plugin, or something missing on
// this machine: to start it again would change nothing.
type EntryError struct{ Reason string }

func (e *EntryError) Error() string { return e.Reason }

// permanent reports whether to try again is of no use.
func permanent(err error) bool {
	if _, ok := errors.AsType[*EntryError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*sandbox.PathError](err); ok || errors.Is(err, sandbox.ErrNoSandbox) {
		return true
	}
	switch protocol.CodeOf(err) {
	case protocol.CodeIncompatible, protocol.CodeInvalidParams:
		return true
	case protocol.CodeUnavailable:
		return len(protocol.ErrorData(err).Missing) > 0
	}
	return false
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
