package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
	"utter/shared/spell"
)

func (r *runnerCLI) callCommand() *cobra.Command {
	var list strings.Builder
	for _, m := range protocol.ClientMethods {
		if m.Help != "" {
			fmt.Fprintf(&list, "\n  %-24s %s", m.Name, m.Help)
		}
	}
	return &cobra.Command{
		Use:   "call METHOD [PARAMS]",
		Short: "Call a method of the runner's protocol",
		Long: "Call sends the runner one request and prints the answer as JSON. PARAMS is a JSON object.\n" +
			"The agent asks for confirmation with a notification; if it is not running, the request is refused.\n" +
			"The exit status is that of the error, or of the first step of runner.command that did not succeed.\n\n" +
			"Methods:" + list.String(),
		Example: "  utter runner call runner.command '{\"utterance\":\"roll a die\"}'\n" +
			`  utter runner call runner.invoke '{"plugin":"dice","method":"action.invoke","params":{"op":"dice.roll","provenance":"user"}}'`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			params := json.RawMessage("{}")
			if len(args) == 2 {
				params = json.RawMessage(args[1])
			}
			if _, err := rpc.Members(params); err != nil {
				return &exitError{exitUsage, "usage", fmt.Sprintf("the params are not a JSON object: %v", err)}
			}
			conn, err := r.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer conn.Close()
			var result json.RawMessage
			err = conn.Call(cmd.Context(), args[0], params, &result)
			if said, ok := errors.AsType[*protocol.Error](err); ok {
				return r.refusedCall(args[0], said)
			}
			if err != nil {
				return runnerError(err)
			}
			human := func() { fmt.Fprintln(r.stdout, printable(string(result))) }
			if e := failedStep(args[0], result); e != nil {
				return r.showFailedStep(result, e, human)
			}
			r.show("runner call", result, human)
			return nil
		},
	}
}

// refusedCall prints an error that the runner answered: its message with the
// code, or all of it as JSON.
func (r *runnerCLI) refusedCall(method string, said *protocol.Error) error {
	err := runnerError(said)
	e, ok := errors.AsType[*exitError](err)
	if !ok {
		return err
	}
	switch said.Code {
	case protocol.CodeMethodNotFound:
		e.status, e.reason, e.message = exitUnknown, "not_found", e.message+hintOf(method)
	case protocol.CodeInvalidParams:
		e.status, e.reason = exitUsage, "usage"
	}
	if r.json {
		return r.showFailed("runner call", said, e, nil)
	}
	return e
}

// hintOf says which method was meant; "" of one that there is.
func hintOf(method string) string {
	var known []string
	for _, m := range protocol.ClientMethods {
		known = append(known, m.Name)
	}
	if slices.Contains(known, method) {
		return ""
	}
	if near := spell.Nearest(method, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; utter runner call --help lists the methods"
}

// failedStep is the error of the first step that runner.command did not do, or
// nil.
func failedStep(method string, result json.RawMessage) *exitError {
	var said protocol.CommandResult
	if method != protocol.MethodRunnerCommand || protocol.DecodeParams(result, &said) != nil {
		return nil
	}
	for i, step := range said.Results {
		if step.OK {
			continue
		}
		e := &exitError{exitFailed, "failed", step.Detail}
		if step.Error != nil {
			errors.As(runnerError(step.Error), &e)
		}
		e.message = printable(fmt.Sprintf("step %d, %s: %s", i+1, step.Op, e.message))
		return e
	}
	return nil
}

// showFailedStep prints what was done, and why not all of it was.
func (r *runnerCLI) showFailedStep(result json.RawMessage, e *exitError, human func()) error {
	err := r.showFailed("runner call", result, e, human)
	if !r.json {
		r.fail("runner call", e)
	}
	return err
}
